//! Text encodings of OAuth: forms, query parameters, base64url, and random tokens.

use std::fmt::Write as _;

use ring::rand::{SecureRandom as _, SystemRandom};
use toolwright_core::content::base64;

/// Encodes pairs as `application/x-www-form-urlencoded`.
pub(super) fn encode_form(pairs: &[(&str, &str)]) -> String {
    let pairs =
        pairs.iter().map(|(name, value)| format!("{}={}", percent_encode(name), percent_encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Percent-encodes everything but unreserved characters (RFC 3986 §2.3).
pub(super) fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Returns the decoded value of a parameter in the query of a URL.
pub(super) fn query_parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split('#').next()?.split_once('?')?.1;
    let value = query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name))?.1;
    Some(percent_decode(value))
}

fn percent_decode(text: &str) -> String {
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

/// Encodes bytes as base64url without padding (RFC 7515 §2).
pub(super) fn base64url(bytes: &[u8]) -> String {
    base64::encode(bytes).replace('+', "-").replace('/', "_").replace('=', "")
}

/// Returns 256 random bits, as base64url.
pub(super) fn random_token() -> Result<String, String> {
    let mut bytes = [0; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| "the system's random number generator failed".to_owned())?;
    Ok(base64url(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_queries_are_encoded_and_decoded() {
        let query = encode_form(&[("a b", "ü&="), ("c", "")]);
        assert_eq!(query, "a%20b=%C3%BC%26%3D&c=");
        let url = format!("http://localhost/x?{query}&state=s%2B1+2#f");
        assert_eq!(query_parameter(&url, "state").as_deref(), Some("s+1 2"));
        assert_eq!(query_parameter(&url, "none"), None);
    }
}
