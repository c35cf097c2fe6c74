//! Token syntax and digests.

use sha2::{Digest, Sha256};

/// Whether a string can be sent as a bearer token (RFC 6750 §2.1, `b64token`; `=` is allowed
/// anywhere).
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| IN_TOKENS[usize::from(byte)])
}

/// Whether each byte may be in a token. Every request has one, of some hundred bytes.
const IN_TOKENS: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        bytes[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=');
        byte += 1;
    }
    bytes
};

/// The digest under which a token is stored.
pub(super) fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
