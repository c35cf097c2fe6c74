//! Small texts of OAuth: forms, queries, base64url, random names, and challenges.

use std::fmt::Write as _;

use ring::rand::{SecureRandom as _, SystemRandom};
use toolwright_core::content::base64;

/// Pairs as `application/x-www-form-urlencoded`.
pub(super) fn form(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// A text with everything encoded but letters, digits and `-._~` (RFC 3986 §2.3).
pub(super) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// The value of a parameter in the query of an address.
pub(super) fn parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split('#').next()?.split_once('?')?.1;
    let value = query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name))?.1;
    Some(decoded(value))
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match (byte, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = &after[2..];
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Bytes as base64url without padding (RFC 7515 §2).
pub(super) fn base64url(bytes: &[u8]) -> String {
    base64::encode(bytes).replace('+', "-").replace('/', "_").replace('=', "")
}

/// A name that nobody can guess: 256 random bits.
pub(super) fn random() -> Result<String, String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "the system has no random numbers".to_owned())?;
    Ok(base64url(&bytes))
}

/// A challenge of `WWW-Authenticate` for tokens (RFC 6750 §3, RFC 9449 §7.1).
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    pub(super) resource_metadata: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) error: Option<String>,
}

impl Challenge {
    /// The first challenge for tokens in the values of the header.
    pub(super) fn read(values: &[String]) -> Self {
        let mut challenge = Self::default();
        for value in values {
            let lower = value.to_ascii_lowercase();
            let Some(at) = ["bearer", "dpop"].iter().filter_map(|scheme| lower.find(scheme)).min() else {
                continue;
            };
            for (name, value) in parameters(&value[at..]) {
                let place = match name.as_str() {
                    "resource_metadata" => &mut challenge.resource_metadata,
                    "scope" => &mut challenge.scope,
                    "error" => &mut challenge.error,
                    _ => continue,
                };
                place.get_or_insert(value);
            }
        }
        challenge
    }
}

/// `name=value` and `name="value"`, wherever they stand.
fn parameters(text: &str) -> Vec<(String, String)> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.rsplit([' ', ',', '\t']).next().unwrap_or_default().to_ascii_lowercase();
        if let Some(quoted) = after.trim_start().strip_prefix('"') {
            let (mut value, mut end, mut is_escaped) = (String::new(), quoted.len(), false);
            for (at, character) in quoted.char_indices() {
                match character {
                    '\\' if !is_escaped => is_escaped = true,
                    '"' if !is_escaped => {
                        end = at + 1;
                        break;
                    }
                    _ => {
                        value.push(character);
                        is_escaped = false;
                    }
                }
            }
            found.push((name, value));
            rest = &quoted[end..];
        } else {
            let end = after.find([' ', ',', '\t']).unwrap_or(after.len());
            found.push((name, after[..end].to_owned()));
            rest = &after[end..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let values = [
            r#"Basic realm="x", Bearer error="insufficient_scope", scope="a b", resource_metadata="https://e/x?a=b""#,
        ];
        let challenge = Challenge::read(&values.map(str::to_owned));
        assert_eq!(challenge.error.as_deref(), Some("insufficient_scope"));
        assert_eq!(challenge.scope.as_deref(), Some("a b"));
        assert_eq!(challenge.resource_metadata.as_deref(), Some("https://e/x?a=b"));
        assert_eq!(Challenge::read(&["Bearer".to_owned()]), Challenge::default());
        let escaped = Challenge::read(&[r#"Bearer scope="a\"b", error=x"#.to_owned()]);
        assert_eq!((escaped.scope.as_deref(), escaped.error.as_deref()), (Some("a\"b"), Some("x")));
    }

    #[test]
    fn queries_are_written_and_read() {
        let query = form(&[("a b", "ü&="), ("c", "")]);
        assert_eq!(query, "a%20b=%C3%BC%26%3D&c=");
        let url = format!("http://localhost/x?{query}&state=s%2B1+2#f");
        assert_eq!(parameter(&url, "state").as_deref(), Some("s+1 2"));
        assert_eq!(parameter(&url, "none"), None);
    }
}
