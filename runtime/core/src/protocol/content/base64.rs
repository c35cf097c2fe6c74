//! Base64 (RFC 4648), encoded strictly and decoded leniently, so that servers need no further crate.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Why a string is not valid base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Base64Error {
    /// A character that is in neither alphabet.
    #[error("the character {character:?} at byte {at} is not base64")]
    Character {
        /// The character.
        character: char,
        /// Its position: the byte offset after the `data:` prefix.
        at: usize,
    },
    /// The last group has only one character.
    #[error("the base64 data ends in the middle of a byte")]
    Cut,
}

/// Encodes `bytes` in the standard alphabet, with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            if place <= group.len() {
                text.push(char::from(ALPHABET[(bits >> (18 - 6 * place) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// Decodes `text`. Accepts the standard and the URL-safe alphabet, missing padding, line breaks and a `data:` prefix.
///
/// # Errors
/// [`Base64Error`] if `text` is not valid base64.
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let text = split_prefix(text).1;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for (at, character) in text.trim_end_matches(|c: char| c == '=' || c.is_ascii_whitespace()).char_indices()
    {
        let value = match character {
            'A'..='Z' => u32::from(character) - u32::from('A'),
            'a'..='z' => u32::from(character) - u32::from('a') + 26,
            '0'..='9' => u32::from(character) - u32::from('0') + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            _ if character.is_ascii_whitespace() => continue,
            _ => return Err(Base64Error::Character { character, at }),
        };
        bits = bits << 6 | value;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.extend((bits >> count).to_le_bytes().first());
        }
    }
    // A single character holds six bits, less than a byte.
    if count == 6 { Err(Base64Error::Cut) } else { Ok(bytes) }
}

/// Returns the number of encoded bytes, if `text` has no line breaks.
pub(super) fn decoded_size(text: &str) -> usize {
    let text = split_prefix(text).1.trim_end_matches('=');
    text.len() / 4 * 3 + (text.len() % 4).saturating_sub(1)
}

/// Splits off a `data:` prefix and returns its MIME type, if any, and the data.
pub(super) fn split_prefix(text: &str) -> (Option<&str>, &str) {
    let Some((prefix, data)) = text.strip_prefix("data:").and_then(|rest| rest.split_once(',')) else {
        return (None, text);
    };
    let mime_type = prefix.split(';').next().filter(|mime_type| !mime_type.is_empty());
    (mime_type, data)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_vectors_of_rfc_4648() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in vectors {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Ok(bytes.as_bytes()));
            assert_eq!(
                decode(text.trim_end_matches('=')).as_deref(),
                Ok(bytes.as_bytes()),
                "without padding"
            );
            assert_eq!(decoded_size(text), bytes.len());
        }
        assert_eq!(encode(&[0xfb, 0xff]), "+/8=");
        assert_eq!(decode("-_8").as_deref(), Ok(&[0xfb, 0xff][..]), "the URL-safe alphabet");
    }

    #[test]
    fn invalid_base64_is_rejected_with_its_position() {
        assert_eq!(decode("not base64!"), Err(Base64Error::Character { character: '!', at: 10 }));
        assert_eq!(decode("Zm9vé"), Err(Base64Error::Character { character: 'é', at: 4 }));
        assert_eq!(decode("Zg==Zg=="), Err(Base64Error::Character { character: '=', at: 2 }));
        assert_eq!(decode("Zm9vY"), Err(Base64Error::Cut));
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(bytes: Vec<u8>) {
            let text = encode(&bytes);
            prop_assert_eq!(decoded_size(&text), bytes.len());
            prop_assert_eq!(decode(&text), Ok(bytes));
        }
    }
}
