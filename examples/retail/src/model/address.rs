//! Addresses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A postal address in the United States, the only country the shop delivers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Address {
    /// Street and house number.
    #[schemars(length(min = 1, max = 100))]
    pub address1: String,
    /// Apartment, suite or floor; left out or empty where there is none.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub address2: String,
    /// City.
    #[schemars(length(min = 1, max = 100))]
    pub city: String,
    /// State as two capital letters, such as `TX`.
    #[schemars(regex(pattern = r"^[A-Z]{2}$"))]
    pub state: String,
    /// Country.
    #[serde(default)]
    pub country: Country,
    /// ZIP code of five digits.
    #[schemars(regex(pattern = r"^\d{5}$"))]
    pub zip: String,
}

/// A country that the shop delivers to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Country {
    /// The United States of America.
    #[default]
    #[serde(rename = "USA")]
    UnitedStates,
}
