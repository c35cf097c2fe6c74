//! Numbers as JSON Schema sees them: 1 and 1.0 are the same, and whole numbers are compared exactly.

use serde_json::{Number, Value};

/// A number, exact as long as it is whole.
#[derive(Debug, Clone, Copy)]
pub(in crate::arguments) enum Exact {
    Whole(i128),
    Fraction(f64),
}

impl Exact {
    pub(in crate::arguments) fn of(number: &Number) -> Self {
        if let Some(whole) = number.as_i128() {
            return Self::Whole(whole);
        }
        Self::of_float(number.as_f64().unwrap_or(f64::NAN))
    }

    pub(in crate::arguments) fn of_value(value: &Value) -> Option<Self> {
        value.as_number().map(Self::of)
    }

    fn of_float(float: f64) -> Self {
        // Every float of this size or less that has no fraction is a whole number which i128 holds exactly.
        const LARGEST: f64 = 1e38;
        if float.fract() == 0.0 && float.abs() < LARGEST {
            #[expect(clippy::cast_possible_truncation, reason = "checked on the line above")]
            return Self::Whole(float as i128);
        }
        Self::Fraction(float)
    }

    /// Whether the number has no fraction, as `"type": "integer"` demands.
    pub(in crate::arguments) fn is_whole(self) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Fraction(float) => float.fract() == 0.0,
        }
    }

    pub(in crate::arguments) fn as_float(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "only where the other side is a float already")]
            Self::Whole(whole) => whole as f64,
            Self::Fraction(float) => float,
        }
    }

    /// Whether the number is a multiple of `step`; floats with the slack that binary fractions need.
    pub(in crate::arguments) fn is_multiple_of(self, step: Self) -> bool {
        const SLACK: f64 = 1e-9;
        if let (Self::Whole(number), Self::Whole(step)) = (self, step) {
            return step != 0 && number % step == 0;
        }
        let quotient = self.as_float() / step.as_float();
        (quotient - quotient.round()).abs() <= SLACK * quotient.abs().max(1.0)
    }

    /// The number in JSON.
    pub(in crate::arguments) fn to_value(self) -> Value {
        match self {
            Self::Whole(whole) => {
                Number::from_i128(whole).map_or_else(|| self.as_float().into(), Value::Number)
            }
            Self::Fraction(float) => float.into(),
        }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(std::cmp::Ordering::Equal)
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => Some(a.cmp(b)),
            _ => self.as_float().partial_cmp(&other.as_float()),
        }
    }
}

impl std::fmt::Display for Exact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(whole) => whole.fmt(f),
            Self::Fraction(float) => float.fmt(f),
        }
    }
}

/// Whether two values are equal in the sense of JSON Schema (2020-12 core, 4.2.2).
pub(in crate::arguments) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Exact::of(a) == Exact::of(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// The positions of the first two items that are the same.
///
/// Compares written forms, so that a long list costs no more than its length.
pub(in crate::arguments) fn first_repeat(items: &[Value]) -> Option<(usize, usize)> {
    let mut seen = std::collections::HashMap::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let mut form = String::new();
        write_form(item, &mut form);
        if let Some(earlier) = seen.insert(form, position) {
            return Some((earlier, position));
        }
    }
    None
}

/// Writes `value` so that equal values give equal text.
fn write_form(value: &Value, form: &mut String) {
    match value {
        Value::Number(number) => form.push_str(&Exact::of(number).to_string()),
        Value::Array(items) => {
            form.push('[');
            for item in items {
                write_form(item, form);
                form.push(',');
            }
            form.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| name.as_str());
            form.push('{');
            for (name, member) in sorted {
                form.push_str(&Value::from(name.as_str()).to_string());
                form.push(':');
                write_form(member, form);
                form.push(',');
            }
            form.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => form.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Exact, first_repeat, same};

    fn exact(value: &serde_json::Value) -> Exact {
        Exact::of_value(value).expect("a number")
    }

    #[test]
    fn whole_floats_are_whole_numbers() {
        assert!(exact(&json!(1.0)).is_whole());
        assert!(exact(&json!(1e300)).is_whole());
        assert!(!exact(&json!(1.5)).is_whole());
        assert!(same(&json!({"a": 1, "b": [2.0]}), &json!({"b": [2], "a": 1.0})));
        assert!(!same(&json!([1, 2]), &json!([2, 1])));
        assert!(!same(&json!(true), &json!(1)));
    }

    #[test]
    fn large_whole_numbers_are_compared_exactly() {
        assert!(exact(&json!(u64::MAX)) > exact(&json!(u64::MAX - 1)));
        assert!(exact(&json!(i64::MIN)) < exact(&json!(0)));
        assert!(exact(&json!(0.5)) < exact(&json!(1)));
    }

    #[test]
    fn multiples() {
        assert!(exact(&json!(9)).is_multiple_of(exact(&json!(3))));
        assert!(!exact(&json!(10)).is_multiple_of(exact(&json!(3))));
        assert!(exact(&json!(0.3)).is_multiple_of(exact(&json!(0.1))));
        assert!(!exact(&json!(0.35)).is_multiple_of(exact(&json!(0.1))));
        assert!(!exact(&json!(1)).is_multiple_of(exact(&json!(0))));
    }

    #[test]
    fn repeats_are_found_whatever_their_form() {
        assert_eq!(first_repeat(&[json!(1), json!("1"), json!(1.0)]), Some((0, 2)));
        assert_eq!(first_repeat(&[json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})]), Some((0, 1)));
        assert_eq!(first_repeat(&[json!([1, 2]), json!([12]), json!("a,b"), json!(["a", "b"])]), None);
    }
}
