//! Numbers as in JSON Schema: 1 and 1.0 are equal, and integers are compared exactly.

use serde_json::{Number, Value};

use super::NumberRules;
use super::decimal::Decimal;
use crate::arguments::doc::{Doc, Json, ValueId};

/// A number, exact if it is an integer.
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

    /// Parses a JSON number; infinite if it is too large for a float.
    pub(in crate::arguments) fn of_text(text: &str) -> Self {
        if let Some(whole) = Decimal::of(text).and_then(Decimal::to_whole) {
            return Self::Whole(whole);
        }
        // Rounded like `serde_json` does, so that bounds are compared with the value that the type receives.
        Self::Fraction(serde_json::from_str(text).unwrap_or(f64::INFINITY))
    }

    pub(in crate::arguments) fn of_value(value: &Value) -> Option<Self> {
        value.as_number().map(Self::of)
    }

    fn of_float(float: f64) -> Self {
        // Up to this size, `i128` holds every float without a fraction exactly.
        const LARGEST: f64 = 1e38;
        if float.fract() == 0.0 && float.abs() < LARGEST {
            #[expect(clippy::cast_possible_truncation, reason = "checked on the line above")]
            return Self::Whole(float as i128);
        }
        Self::Fraction(float)
    }

    /// Returns whether the number has no fraction, as `"type": "integer"` requires.
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

    /// Converts to JSON.
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

impl NumberRules {
    /// Returns whether `number`, which is written as `text`, satisfies the constraints.
    pub(in crate::arguments) fn accepts(&self, text: &str, number: Exact) -> bool {
        self.minimum.is_none_or(|minimum| number >= minimum)
            && self.maximum.is_none_or(|maximum| number <= maximum)
            && self.exclusive_minimum.is_none_or(|minimum| number > minimum)
            && self.exclusive_maximum.is_none_or(|maximum| number < maximum)
            && self.multiple_of.is_none_or(|step| is_multiple(text, number, step))
    }
}

fn is_multiple(text: &str, number: Exact, step: Exact) -> bool {
    let decimal = Decimal::of(text).or_else(|| Decimal::of(&number.to_value().to_string()));
    match (decimal, Decimal::of(&step.to_value().to_string())) {
        (Some(number), Some(step)) => number.is_multiple_of(step),
        _ => false,
    }
}

/// Returns whether two values are equal in the sense of JSON Schema (2020-12 core, 4.2.2).
pub(in crate::arguments) fn equal(a: &Value, b: &Value) -> bool {
    let (doc, b) = Doc::of(b);
    equals(a, &doc, b)
}

/// The same for a value of a document.
pub(in crate::arguments) fn equals(a: &Value, doc: &Doc<'_>, b: ValueId) -> bool {
    match (a, doc.get(b)) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(a), Json::Bool(b)) => a == b,
        (Value::Number(a), Json::Number(b)) => Exact::of(a) == Exact::of_text(b),
        (Value::String(a), Json::Text(b)) => a == b,
        (Value::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equals(a, doc, *b))
        }
        (Value::Object(a), Json::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(name, b)| a.get(&**name).is_some_and(|a| equals(a, doc, *b)))
        }
        _ => false,
    }
}

/// Returns the positions of the first two equal items.
///
/// Compares normalized text, so the time is proportional to the length of the list.
pub(in crate::arguments) fn find_duplicate(doc: &Doc<'_>, items: &[ValueId]) -> Option<(usize, usize)> {
    let mut seen = std::collections::HashMap::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let mut form = String::new();
        write_normalized(doc, *item, &mut form);
        if let Some(earlier) = seen.insert(form, position) {
            return Some((earlier, position));
        }
    }
    None
}

/// Writes the value such that equal values yield equal text.
fn write_normalized(doc: &Doc<'_>, id: ValueId, form: &mut String) {
    match doc.get(id) {
        Json::Null => form.push_str("null"),
        Json::Bool(flag) => form.push_str(if *flag { "true" } else { "false" }),
        Json::Number(number) => form.push_str(&Exact::of_text(number).to_string()),
        Json::Text(text) => form.push_str(&Value::from(&**text).to_string()),
        Json::Array(items) => {
            form.push('[');
            for item in items {
                write_normalized(doc, *item, form);
                form.push(',');
            }
            form.push(']');
        }
        Json::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| &**name);
            form.push('{');
            for (name, member) in sorted {
                form.push_str(&Value::from(&**name).to_string());
                form.push(':');
                write_normalized(doc, *member, form);
                form.push(',');
            }
            form.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Doc, Exact, Json, equal, find_duplicate};

    fn exact(value: &serde_json::Value) -> Exact {
        Exact::of_value(value).expect("a number")
    }

    #[test]
    fn whole_floats_are_whole_numbers() {
        assert!(exact(&json!(1.0)).is_whole());
        assert!(exact(&json!(1e300)).is_whole());
        assert!(!exact(&json!(1.5)).is_whole());
        assert!(equal(&json!({"a": 1, "b": [2.0]}), &json!({"b": [2], "a": 1.0})));
        assert!(!equal(&json!([1, 2]), &json!([2, 1])));
        assert!(!equal(&json!(true), &json!(1)));
    }

    #[test]
    fn large_whole_numbers_are_compared_exactly() {
        assert!(exact(&json!(u64::MAX)) > exact(&json!(u64::MAX - 1)));
        assert!(exact(&json!(i64::MIN)) < exact(&json!(0)));
        assert!(exact(&json!(0.5)) < exact(&json!(1)));
    }

    #[test]
    fn numbers_are_read_from_text_digit_for_digit() {
        for (text, whole) in [
            ("1.0", Some(1)),
            ("-0.0", Some(0)),
            ("1e20", Some(100_000_000_000_000_000_000)),
            ("9007199254740991.0", Some(9_007_199_254_740_991)),
            ("12.50e1", Some(125)),
            ("1.5", None),
            ("1e400", None),
            ("1e-2", None),
        ] {
            let found = match Exact::of_text(text) {
                Exact::Whole(whole) => Some(whole),
                Exact::Fraction(_) => None,
            };
            assert_eq!(found, whole, "{text}");
        }
        assert!(Exact::of_text("1e400") > Exact::of_text("1e308"));
    }

    #[test]
    fn duplicates_are_found_in_any_notation() {
        for (items, repeat) in [
            (json!([1, "1", 1.0]), Some((0, 2))),
            (json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}]), Some((0, 1))),
            (json!([[1, 2], [12], "a,b", ["a", "b"]]), None),
        ] {
            let (doc, whole) = Doc::of(&items);
            let Json::Array(ids) = doc.get(whole) else { panic!("an array") };
            assert_eq!(find_duplicate(&doc, ids), repeat, "{items}");
        }
    }
}
