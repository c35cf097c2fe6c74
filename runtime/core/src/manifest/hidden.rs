//! Characters that are invisible to readers.

/// The effect of a hidden character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hidden {
    /// Invisible to people, but read by models.
    Invisible,
    /// Changes the display order of the text around it.
    Direction,
}

/// Finds the hidden characters of a text. A joiner or variation selector inside an emoji is not hidden.
pub fn hidden_characters(text: &str) -> impl Iterator<Item = (char, Hidden)> {
    let mut before = ' ';
    text.chars().filter_map(move |character| {
        let follows_a_picture = !before.is_ascii() && before != ' ';
        before = character;
        match character {
            // Bidirectional embeddings, overrides, isolates and marks (Unicode Standard Annex 9).
            '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                Some((character, Hidden::Direction))
            }
            '\u{200d}' | '\u{fe0e}'..='\u{fe0f}' if follows_a_picture => None,
            '\n' | '\r' | '\t' => None,
            _ if character.is_control() || is_invisible(character) => Some((character, Hidden::Invisible)),
            _ => None,
        }
    })
}

/// Soft hyphen, fillers, zero-width characters, variation selectors and tags.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2028}'..='\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Hidden> {
        hidden_characters(text).map(|(_, kind)| kind).collect()
    }

    #[test]
    fn hidden_characters_are_found_and_emoji_are_not() {
        assert_eq!(kinds("plain text,\n\twith lines — and “quotes”"), []);
        assert_eq!(kinds("family 👨\u{200d}👩\u{200d}👧 and heart ❤\u{fe0f}"), []);
        assert_eq!(kinds("a\u{200b}b\u{e0041}"), [Hidden::Invisible, Hidden::Invisible]);
        assert_eq!(kinds("a\u{202e}b\u{2066}c"), [Hidden::Direction, Hidden::Direction]);
        assert_eq!(kinds("a\u{200d}b"), [Hidden::Invisible], "a joiner between letters joins nothing");
    }
}
