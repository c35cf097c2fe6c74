//! Exact decimal numbers, and the equality of JSON Schema, where `1` equals `1.0`.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// An exact decimal number: `digits` × 10^`exponent`. The digits have no trailing zero, except zero itself, so
/// that equal numbers are represented equally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    pub(super) const ONE: Self = Self { digits: 1, exponent: 0 };

    pub(super) fn from_number(number: &Number) -> Option<Self> {
        if let Some(whole) = number.as_i128() {
            return Some(Self::from_integer(whole));
        }
        // The shortest decimal that round-trips, which is the one in the document or an equivalent one.
        let text = format!("{:e}", number.as_f64()?);
        let (mantissa, exponent) = text.split_once('e')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        let exponent = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        Some(Self::normalized(digits, exponent))
    }

    /// Parses the value of a keyword.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        Self::from_number(value.as_number()?)
    }

    pub(super) fn from_integer(number: i128) -> Self {
        Self::normalized(number, 0)
    }

    pub(super) fn from_tenths(number: i128) -> Self {
        Self::normalized(number, -1)
    }

    fn normalized(mut digits: i128, mut exponent: i32) -> Self {
        if digits == 0 {
            return Self { digits: 0, exponent: 0 };
        }
        while digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent }
    }

    pub(super) fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    pub(super) fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// Returns the digits when scaled to this exponent.
    fn digits_at(self, exponent: i32) -> Option<i128> {
        let places = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        if self.digits == 0 { Some(0) } else { self.digits.checked_mul(10_i128.checked_pow(places)?) }
    }

    /// Returns both numbers as integers with a common exponent.
    fn align(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        Some((self.digits_at(exponent)?, other.digits_at(exponent)?, exponent))
    }

    /// Returns whether this is a multiple of `factor`, which is positive.
    pub(super) fn is_multiple_of(self, factor: Self) -> bool {
        if self.digits == 0 {
            return true;
        }
        let places = self.exponent - factor.exponent;
        if places < 0 {
            // When scaled, the factor has `-places` trailing zeros, and this number has none.
            return false;
        }
        // digits · 10^places modulo the digits of the factor, by modular exponentiation.
        let mut rest = self.digits % factor.digits;
        for _ in 0..places {
            if rest == 0 {
                return true;
            }
            match rest.checked_mul(10) {
                Some(shifted) => rest = shifted % factor.digits,
                None => return false,
            }
        }
        rest == 0
    }

    /// Returns the least common multiple of two positive numbers; `None` if it is too large.
    pub(super) fn common_multiple(self, other: Self) -> Option<Self> {
        let (left, right, exponent) = self.align(other)?;
        let (mut common, mut rest) = (left, right);
        while rest != 0 {
            (common, rest) = (rest, common % rest);
        }
        Some(Self::normalized((left / common).checked_mul(right)?, exponent))
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        let (left, right, exponent) = self.align(other)?;
        Some(Self::normalized(left.checked_add(right)?, exponent))
    }

    pub(super) fn multiply(self, by: i128) -> Option<Self> {
        Some(Self::normalized(self.digits.checked_mul(by)?, self.exponent))
    }

    /// Returns the midpoint of two numbers.
    pub(super) fn midpoint(self, other: Self) -> Option<Self> {
        let sum = self.add(other)?;
        Some(Self::normalized(sum.digits.checked_mul(5)?, sum.exponent.checked_sub(1)?))
    }

    /// Returns the quotient with the positive number `unit`, rounded down.
    pub(super) fn floor_div(self, unit: Self) -> Option<i128> {
        let (number, unit, _) = self.align(unit)?;
        Some(number.div_euclid(unit))
    }

    /// Converts to JSON; `None` if a JSON number cannot hold it.
    pub(super) fn to_value(self) -> Option<Value> {
        let number = match self.digits_at(0).filter(|_| self.exponent >= 0) {
            Some(whole) => Number::from_i128(whole),
            None => Number::from_f64(format!("{}e{}", self.digits, self.exponent).parse().ok()?),
        }?;
        (Self::from_number(&number) == Some(self)).then_some(Value::Number(number))
    }

    /// Returns the power of ten above the number, for comparisons.
    fn magnitude(self) -> i64 {
        i64::from(self.exponent) + i64::from(self.digits.unsigned_abs().checked_ilog10().unwrap_or(0))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.digits.signum().cmp(&other.digits.signum());
        if signs != Ordering::Equal || self.digits == 0 {
            return signs;
        }
        let magnitudes = match (self.magnitude(), other.magnitude()) {
            (left, right) if left != right => left.cmp(&right),
            // The magnitudes are equal, so both have the same number of digits.
            _ => match self.align(*other) {
                Some((left, right, _)) => return left.cmp(&right),
                None => self.exponent.cmp(&other.exponent),
            },
        };
        if self.digits > 0 { magnitudes } else { magnitudes.reverse() }
    }
}

/// Returns whether two values are equal in JSON Schema.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right
                || Decimal::from_number(left).is_some_and(|left| Some(left) == Decimal::from_number(right))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

/// Parses the value of a keyword such as `minLength`.
pub(super) fn parse_size(value: &Value) -> Option<u64> {
    let size = Decimal::from_value(value)?;
    u64::try_from(size.digits_at(0).filter(|_| size.is_integer())?).ok()
}

/// Returns the canonical text of a value: the same for equal values, and only for them.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => match Decimal::from_number(number) {
            Some(number) => format!("{}e{}", number.digits, number.exponent),
            None => number.to_string(),
        },
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(name, member)| format!("{}:{}", Value::from(name.as_str()), canonical(member)))
                .collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decimal(value: impl Into<Value>) -> Decimal {
        Decimal::from_value(&value.into()).unwrap()
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let ordered = [
            json!(-1e300),
            json!(-2),
            json!(-1.5),
            json!(0),
            json!(0.001),
            json!(0.01),
            json!(1),
            json!(10.5),
            json!(u64::MAX),
            json!(1e300),
        ];
        for (at, left) in ordered.iter().enumerate() {
            for (other, right) in ordered.iter().enumerate() {
                assert_eq!(
                    decimal(left.clone()).cmp(&decimal(right.clone())),
                    at.cmp(&other),
                    "{left} {right}"
                );
            }
        }
        assert!(equal(&json!([1, {"a": 2.0}]), &json!([1.0, {"a": 2}])));
        assert_eq!(canonical(&json!({"b": 1.0, "a": [10]})), canonical(&json!({"a": [10.0], "b": 1})));
        assert_ne!(canonical(&json!(["1"])), canonical(&json!([1])));
    }

    #[test]
    fn multiples_are_exact() {
        assert!(decimal(json!(0.3)).is_multiple_of(decimal(json!(0.1))));
        assert!(decimal(json!(5_000_000.01)).is_multiple_of(decimal(json!(0.01))));
        assert!(!decimal(json!(5_000_000.005)).is_multiple_of(decimal(json!(0.01))));
        assert!(decimal(json!(1e300)).is_multiple_of(decimal(json!(0.01))));
        assert!(!decimal(json!(1e300)).is_multiple_of(decimal(json!(3))));
        assert_eq!(decimal(json!(0.4)).common_multiple(decimal(json!(6))), Some(decimal(json!(6))));
        assert_eq!(decimal(json!(-0.5)).floor_div(decimal(json!(2))), Some(-1));
        assert_eq!(decimal(json!(0.5)).to_value(), Some(json!(0.5)));
    }
}
