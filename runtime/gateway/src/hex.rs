//! Hexadecimal encoding.

use std::fmt::Write as _;

use ring::digest::{SHA256, digest};

/// Returns the SHA-256 digest of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(digest(&SHA256, bytes).as_ref())
}

/// Encodes bytes in lowercase.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
