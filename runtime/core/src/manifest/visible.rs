//! What a terminal hides or obeys, written out.

/// Writes out the characters that a terminal hides or obeys: a description that changed by one of them must not look
/// unchanged, and a line must not be able to rewrite the screen. Line ends and tabs are among them.
pub fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        if is_hidden(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
        shown
    })
}

/// The same for JSON text, whose values stay what they are: hidden characters of strings become `\u…` (RFC 8259 §7).
pub fn visible_json(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut shown, character| {
        // Outside of strings JSON has no others than these, and inside none of these.
        if is_hidden(character) && !matches!(character, '\n' | '\r' | '\t') {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                _ = std::fmt::Write::write_fmt(&mut shown, format_args!("\\u{unit:04x}"));
            }
        } else {
            shown.push(character);
        }
        shown
    })
}

/// Control characters and the invisible ones of Unicode: soft hyphen, zero-width and direction marks, variation
/// selectors, tags.
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
    fn hidden_characters_are_written_out() {
        assert_eq!(visible("a\n\u{1b}[31m\u{202e}\u{e0041}é"), "a\\u{a}\\u{1b}[31m\\u{202e}\\u{e0041}é");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"a\u{200b}": ["\u{9b}2J", "\u{202e}", "\u{e0041}", "é\n\t"]});
        for text in [value.to_string(), format!("{value:#}")] {
            let shown = visible_json(&text);
            assert!(!shown.contains(|one| is_hidden(one) && one != '\n'), "{shown:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        }
        assert_eq!(visible_json("\"\u{e0041}\""), r#""\udb40\udc41""#);
    }
}
