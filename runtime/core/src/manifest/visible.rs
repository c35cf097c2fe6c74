//! Escapes characters that terminals hide or interpret.

/// Escapes characters that terminals hide or interpret: a description must not look unchanged if only such a
/// character changed, and a line must not rewrite the screen. This includes line breaks and tabs.
pub fn visible(text: &str) -> String {
    escape(text, is_hidden, |character, shown| shown.extend(character.escape_unicode()))
}

/// Escapes JSON text without changing its values: hidden characters of strings become `\u…` (RFC 8259 §7).
pub fn visible_json(json: &str) -> String {
    // Outside of strings JSON only contains these, and inside it contains none of them.
    let is_hidden = |character| is_hidden(character) && !matches!(character, '\n' | '\r' | '\t');
    escape(json, is_hidden, |character, shown| {
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            // Writing to a string cannot fail.
            _ = std::fmt::Write::write_fmt(shown, format_args!("\\u{unit:04x}"));
        }
    })
}

/// Replaces each hidden character with the output of `write`.
fn escape(text: &str, is_hidden: impl Fn(char) -> bool, write: impl Fn(char, &mut String)) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, character) in suspects(text).filter(|(_, character)| is_hidden(*character)) {
        shown.push_str(&text[copied..at]);
        write(character, &mut shown);
        copied = at + character.len_utf8();
    }
    shown.push_str(&text[copied..]);
    shown
}

/// Finds candidates with their positions: most text is plain ASCII and needs no second check.
fn suspects(text: &str) -> impl Iterator<Item = (usize, char)> {
    let is_suspect = |byte: u8| !matches!(byte, b' '..=b'~');
    let bytes = text.bytes().enumerate().filter(move |(_, byte)| is_suspect(*byte));
    bytes.filter_map(|(at, _)| Some((at, text.get(at..)?.chars().next()?)))
}

/// Returns whether a character is a control character or invisible: soft hyphen, zero-width and direction
/// marks, variation selectors, tags.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escape() {
        assert_eq!(visible("a\n\u{1b}[31m\u{202e}\u{e0041}é"), "a\\u{a}\\u{1b}[31m\\u{202e}\\u{e0041}é");
    }

    #[test]
    fn the_value_of_json_is_preserved() {
        let value = serde_json::json!({"a\u{200b}": ["\u{9b}2J", "\u{202e}", "\u{e0041}", "é\n\t"]});
        for text in [value.to_string(), format!("{value:#}")] {
            let shown = visible_json(&text);
            assert!(!shown.contains(|one| is_hidden(one) && one != '\n'), "{shown:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        }
        assert_eq!(visible_json("\"\u{e0041}\""), r#""\udb40\udc41""#);
    }
}
