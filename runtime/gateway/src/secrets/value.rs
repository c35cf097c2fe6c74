//! Decrypted credentials.

use std::fmt;

use zeroize::Zeroizing;

/// A decrypted credential. It is overwritten when it is dropped; `Debug` and `Display` show `[secret]`.
pub struct SecretValue(Zeroizing<Vec<u8>>);

impl SecretValue {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Returns the bytes. Never write them to messages or logs.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes as a string; `None` if they are not valid UTF-8.
    pub fn expose_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl fmt::Display for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
