//! Opened credentials.

use std::fmt;

use zeroize::Zeroizing;

/// A credential in the clear. It is overwritten when it is dropped, and `Debug` and `Display` show `[secret]`.
pub struct SecretValue(Zeroizing<Vec<u8>>);

impl SecretValue {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes: for the place that they are meant for, and no message.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The same as text; `None` if they are not UTF-8.
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
