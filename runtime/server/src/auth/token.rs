//! Tokens as texts.

use sha2::{Digest, Sha256};

/// Whether a text can be sent as a bearer token (RFC 6750 §2.1, `b64token`; `=` anywhere).
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte))
}

/// What is kept of a token that must be known again.
pub(super) fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
