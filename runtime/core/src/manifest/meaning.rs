//! Equivalence of definitions: numbers are compared by value, and arrays without regard to order where it is
//! insignificant.
//!
//! In a schema, the order of `required`, `enum`, `type`, `dependentRequired`, `anyOf`, `oneOf` and `allOf` is
//! insignificant (JSON Schema 2020-12, validation 6.1 and 6.5.3; core 10.2.1). Everywhere else it matters: in
//! defaults, examples and `prefixItems`.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::Kind;

/// The role of a value, by its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A tool definition.
    Tool,
    Schema,
    /// A map from names to schemas.
    Schemas,
    /// An ordered list of schemas.
    SchemaList,
    /// An unordered list of schemas.
    SchemaSet,
    /// An unordered list of values.
    Set,
    /// `type`: a name, or an unordered list of names.
    Types,
    /// A map from names to sets, or to schemas, as in `dependencies` of older drafts.
    Dependents,
    /// Any other value.
    Data,
}

impl Place {
    pub(super) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Tools => Self::Tool,
            Kind::Prompts | Kind::Resources | Kind::ResourceTemplates => Self::Data,
        }
    }

    /// Returns the role of a member.
    pub(super) fn member(self, name: &str) -> Self {
        match self {
            Self::Tool if matches!(name, "inputSchema" | "outputSchema") => Self::Schema,
            Self::Schemas => Self::Schema,
            Self::Dependents => Self::Set,
            Self::Schema => keyword(name),
            _ => Self::Data,
        }
    }

    /// Returns the role of an item.
    pub(super) const fn item(self) -> Self {
        match self {
            Self::SchemaList | Self::SchemaSet => Self::Schema,
            _ => Self::Data,
        }
    }

    /// Returns whether two values with this role are equivalent.
    pub(super) fn are_equivalent(self, left: &Value, right: &Value) -> bool {
        left == right || self.normalized(left) == self.normalized(right)
    }

    /// Returns the normal form, which is equal for equivalent values.
    pub(super) fn normalized(self, value: &Value) -> Value {
        match (self, value) {
            // In older drafts `items` may be a list, and a member of `dependencies` a schema.
            (Self::Schema, Value::Array(_)) => Self::SchemaList.normalized(value),
            (Self::Set, Value::Object(_)) => Self::Schema.normalized(value),
            (Self::Types, Value::Array(names)) if names.len() == 1 => names[0].clone(),
            (_, Value::Object(members)) => {
                let members =
                    members.iter().map(|(name, value)| (name.clone(), self.member(name).normalized(value)));
                Value::Object(members.collect())
            }
            (_, Value::Array(items)) => {
                let mut items: Vec<Value> = items.iter().map(|item| self.item().normalized(item)).collect();
                if matches!(self, Self::Set | Self::SchemaSet | Self::Types) {
                    items.sort_by(compare);
                }
                Value::Array(items)
            }
            (_, Value::Number(number)) => Value::Number(to_integer(number)),
            (_, other) => other.clone(),
        }
    }
}

fn keyword(name: &str) -> Place {
    match name {
        "required" | "enum" => Place::Set,
        "type" => Place::Types,
        "anyOf" | "oneOf" | "allOf" => Place::SchemaSet,
        "prefixItems" => Place::SchemaList,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => Place::Schemas,
        "dependentRequired" | "dependencies" => Place::Dependents,
        "items"
        | "additionalProperties"
        | "additionalItems"
        | "propertyNames"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Place::Schema,
        _ => Place::Data,
    }
}

/// Converts a number without a fraction to an integer, if it fits into 64 bits exactly.
fn to_integer(number: &Number) -> Number {
    // 2^63 and 2^64 are the first doubles that are too large.
    const LIMITS: (f64, f64) = (9_223_372_036_854_775_808.0, 18_446_744_073_709_551_616.0);
    match number.as_f64().filter(|_| number.is_f64()) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the bounds are checked, and there is no fraction"
        )]
        Some(float) if float.fract() == 0.0 && (-LIMITS.0..LIMITS.0).contains(&float) => {
            (float as i64).into()
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the bounds are checked, and there is no fraction"
        )]
        Some(float) if float.fract() == 0.0 && (LIMITS.0..LIMITS.1).contains(&float) => (float as u64).into(),
        _ => number.clone(),
    }
}

/// An arbitrary total order, which ignores the order of members.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => {
            let [left_text, right_text] = [left, right].map(ToString::to_string);
            left.as_f64()
                .partial_cmp(&right.as_f64())
                .unwrap_or(Ordering::Equal)
                .then(left_text.cmp(&right_text))
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let pairs = left.iter().zip(right).map(|(left, right)| compare(left, right));
            pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => compare_members(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

fn compare_members(left: &Map<String, Value>, right: &Map<String, Value>) -> Ordering {
    fn sort_members(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
        let mut members: Vec<_> = members.iter().collect();
        members.sort_by_key(|(name, _)| *name);
        members
    }
    let [left, right] = [left, right].map(sort_members);
    let pairs =
        left.iter().zip(&right).map(|(left, right)| left.0.cmp(right.0).then(compare(left.1, right.1)));
    pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
}

const fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// Returns the normal form of a definition: numbers by value, and arrays sorted if their order is insignificant.
pub fn normalize(kind: Kind, definition: &Map<String, Value>) -> Map<String, Value> {
    match Place::of(kind).normalized(&Value::Object(definition.clone())) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Returns whether two documents that contain schemas are equivalent.
pub fn are_equivalent(left: &Value, right: &Value) -> bool {
    fn normalize_value(value: &Value) -> Value {
        // Any member with the name of a keyword is treated as one. Values that only look like schemas are
        // compared just as loosely, which is good enough for documents generated from manifests.
        match Place::Schema.normalized(value) {
            Value::Object(members) => Value::Object(
                members.into_iter().map(|(name, value)| (name, normalize_value(&value))).collect(),
            ),
            Value::Array(items) => Value::Array(items.iter().map(normalize_value).collect()),
            other => other,
        }
    }
    left == right || normalize_value(left) == normalize_value(right)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(place: Place, left: &Value, right: &Value, expected: bool) {
        assert_eq!(place.are_equivalent(left, right), expected, "{left} and {right}");
        assert_eq!(place.are_equivalent(right, left), expected, "{right} and {left}");
    }

    #[test]
    fn numbers_are_compared_by_value() {
        for (left, right) in [
            (json!(1), json!(1.0)),
            (json!(-3), json!(-3.0)),
            (json!(0), json!(-0.0)),
            (json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_992.0)),
            (json!(u64::MAX - 2047), json!(18_446_744_073_709_549_568.0)),
            (json!([{"a": 1}]), json!([{"a": 1.0}])),
        ] {
            check(Place::Data, &left, &right, true);
        }
        for (left, right) in [
            (json!(1), json!(1.5)),
            (json!(1), json!("1")),
            (json!(0), json!(false)),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)),
            (json!(u64::MAX), json!(18_446_744_073_709_551_616.0)),
        ] {
            check(Place::Data, &left, &right, false);
        }
    }

    #[test]
    fn order_is_compared_where_it_is_significant() {
        for (left, right) in [
            (json!({"required": ["a", "b"]}), json!({"required": ["b", "a"]})),
            (json!({"type": ["null", "string"]}), json!({"type": ["string", "null"]})),
            (json!({"type": ["string"]}), json!({"type": "string"})),
            (json!({"enum": [1, "a", null, {"b": 1}]}), json!({"enum": [{"b": 1.0}, null, 1.0, "a"]})),
            (
                json!({"dependentRequired": {"a": ["b", "c"]}}),
                json!({"dependentRequired": {"a": ["c", "b"]}}),
            ),
            (
                json!({"anyOf": [{"type": "null"}, {"minimum": 1, "type": "integer"}]}),
                json!({"anyOf": [{"type": "integer", "minimum": 1.0}, {"type": "null"}]}),
            ),
            (json!({"items": [{"enum": [1, 2]}]}), json!({"items": [{"enum": [2, 1]}]})),
            (
                json!({"properties": {"enum": {"enum": [1, 2]}}}),
                json!({"properties": {"enum": {"enum": [2, 1]}}}),
            ),
            (
                json!({"dependencies": {"a": {"required": ["b", "c"]}}}),
                json!({"dependencies": {"a": {"required": ["c", "b"]}}}),
            ),
        ] {
            check(Place::Schema, &left, &right, true);
        }
        for (left, right) in [
            (json!({"default": [1, 2]}), json!({"default": [2, 1]})),
            (json!({"const": {"required": [1, 2]}}), json!({"const": {"required": [2, 1]}})),
            (json!({"examples": [1, 2]}), json!({"examples": [2, 1]})),
            (json!({"prefixItems": [{}, {"type": "null"}]}), json!({"prefixItems": [{"type": "null"}, {}]})),
            (json!({"enum": [[1, 2]]}), json!({"enum": [[2, 1]]})),
            (
                json!({"properties": {"required": {"default": [1, 2]}}}),
                json!({"properties": {"required": {"default": [2, 1]}}}),
            ),
            (json!({"required": ["a"]}), json!({"required": ["a", "b"]})),
            (json!({"enum": [1, 1]}), json!({"enum": [1]})),
        ] {
            check(Place::Schema, &left, &right, false);
        }
    }
}
