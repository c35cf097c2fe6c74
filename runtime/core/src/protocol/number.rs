//! Numbers for `#[serde(with = …)]`: whole numbers are written without a fraction, since some peers compare text.

use serde::{Deserialize, Deserializer, Serializer};

/// Serializes a number.
///
/// # Errors
/// Returns the error of the serializer.
pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
        return serializer.serialize_i64(*number as i64);
    }
    serializer.serialize_f64(*number)
}

/// Deserializes a number.
///
/// # Errors
/// Returns an error if the value is not a number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    f64::deserialize(deserializer)
}

/// The same for optional numbers.
pub mod option {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Serializes an optional number.
    ///
    /// # Errors
    /// Returns the error of the serializer.
    pub fn serialize<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => super::serialize(number, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Deserializes an optional number.
    ///
    /// # Errors
    /// Returns an error if the value is not a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Option::<f64>::deserialize(deserializer)
    }
}
