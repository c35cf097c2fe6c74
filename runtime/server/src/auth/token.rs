//! Token syntax and digests.

use sha2::{Digest, Sha256};

/// Whether a string can be sent as a bearer token (RFC 6750 §2.1, `b64token`; `=` is allowed
/// anywhere).
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte))
}

/// The digest under which a token is stored.
pub(super) fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
