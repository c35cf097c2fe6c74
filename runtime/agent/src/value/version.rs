//! The version of the record format.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// The version of a record's format, such as `1.0`.
///
/// A newer minor version only adds members, which are preserved. A newer major version may change the meaning of
/// known members, so its records are rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct SchemaVersion {
    /// Incremented when a reader of the previous version would misunderstand a record.
    pub major: u32,
    /// Incremented when members are added.
    pub minor: u32,
}

impl SchemaVersion {
    /// The version that this library writes.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };

    /// Returns whether this library reads records of the version: those with the same major version.
    pub fn is_readable(self) -> bool {
        self.major == Self::CURRENT.major
    }
}

impl Default for SchemaVersion {
    fn default() -> Self {
        Self::CURRENT
    }
}

impl fmt::Display for SchemaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A string is not a schema version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a schema version; write two numbers, such as \"{current}\"", current = SchemaVersion::CURRENT)]
pub struct VersionError(String);

impl FromStr for SchemaVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        // Each version has exactly one spelling, so equal versions are equal strings.
        let number = |digits: &str| {
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            let is_short = digits == "0" || !digits.starts_with('0');
            if is_plain && is_short { digits.parse().ok() } else { None }
        };
        let parsed = text
            .split_once('.')
            .and_then(|(major, minor)| Some(Self { major: number(major)?, minor: number(minor)? }));
        parsed.ok_or_else(|| VersionError(text.chars().take(40).collect()))
    }
}

impl Serialize for SchemaVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SchemaVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
