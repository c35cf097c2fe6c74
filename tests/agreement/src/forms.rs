//! What the attributes of generated types name.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// The value that the JSON text `json` means.
///
/// # Panics
/// If the type cannot be read from it.
pub fn sample<T: DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Tells a member that is absent from one that is null.
pub fn double<'de, T: Deserialize<'de>, D: Deserializer<'de>>(reader: D) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}

/// Numbers as strings of digits.
pub mod digits {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Writes the digits.
    pub fn serialize<S: Serializer>(number: &u64, writer: S) -> Result<S::Ok, S::Error> {
        writer.collect_str(number)
    }

    /// Reads the digits.
    pub fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
        String::deserialize(reader)?.parse().map_err(D::Error::custom)
    }
}
