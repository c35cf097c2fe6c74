//! Amounts of money.

use std::borrow::Cow;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// An amount of US dollars, counted in cents so that sums are exact.
///
/// In JSON it is a string with two decimals (`"129.90"`): a JSON number would pass through binary fractions on its
/// way to the model and lose the last zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

impl Money {
    /// The amount zero.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from cents.
    pub const fn from_cents(cents: i64) -> Self {
        Self(cents)
    }

    /// The cents.
    pub const fn cents(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(formatter, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Money {
    fn schema_name() -> Cow<'static, str> {
        "Money".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "An amount of US dollars with two decimals.",
            "pattern": r"^-?\d+\.\d{2}$"
        })
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Money {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Neg for Money {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::Money;

    #[test]
    fn amounts_have_two_decimals() {
        let strings: Vec<String> =
            [0, 5, 40, 12_990, -5, -150].map(|cents| Money::from_cents(cents).to_string()).into();
        assert_eq!(strings, ["0.00", "0.05", "0.40", "129.90", "-0.05", "-1.50"]);
    }

    #[test]
    fn amounts_are_strings_in_json() {
        assert_eq!(serde_json::to_string(&Money::from_cents(12_990)).unwrap(), r#""129.90""#);
    }
}
