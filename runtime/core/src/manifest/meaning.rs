//! When two definitions say the same: numbers count by value, and the order of a list counts where it means something.
//!
//! In a schema, the order of `required`, `enum`, `type`, `dependentRequired`, `anyOf`, `oneOf` and `allOf` means nothing
//! (JSON Schema 2020-12, validation 6.1 and 6.5.3; core 10.2.1). Everywhere else it does: in a default, in examples, in
//! `prefixItems`.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::Kind;

/// What the members of a value mean, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The definition of a tool.
    Tool,
    Schema,
    /// Names with a schema each.
    Schemas,
    /// Schemas one after the other.
    SchemaList,
    /// Schemas in any order.
    SchemaSet,
    /// Values in any order.
    Set,
    /// `type`: a name, or names in any order.
    Types,
    /// Names with a set each, or a schema, as `dependencies` of old drafts has it.
    Dependents,
    /// Everything else.
    Data,
}

impl Place {
    pub(super) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Tools => Self::Tool,
            Kind::Prompts | Kind::Resources | Kind::ResourceTemplates => Self::Data,
        }
    }

    /// The place of a member.
    pub(super) fn member(self, name: &str) -> Self {
        match self {
            Self::Tool if matches!(name, "inputSchema" | "outputSchema") => Self::Schema,
            Self::Schemas => Self::Schema,
            Self::Dependents => Self::Set,
            Self::Schema => keyword(name),
            _ => Self::Data,
        }
    }

    /// The place of an item.
    pub(super) const fn item(self) -> Self {
        match self {
            Self::SchemaList | Self::SchemaSet => Self::Schema,
            _ => Self::Data,
        }
    }

    /// Whether two values at this place say the same.
    pub(super) fn same(self, left: &Value, right: &Value) -> bool {
        left == right || self.normal(left) == self.normal(right)
    }

    /// The one form of all values that say the same.
    pub(super) fn normal(self, value: &Value) -> Value {
        match (self, value) {
            // `items` is a list in old drafts, and a member of `dependencies` a schema.
            (Self::Schema, Value::Array(_)) => Self::SchemaList.normal(value),
            (Self::Set, Value::Object(_)) => Self::Schema.normal(value),
            (Self::Types, Value::Array(names)) if names.len() == 1 => names[0].clone(),
            (_, Value::Object(members)) => {
                let members =
                    members.iter().map(|(name, value)| (name.clone(), self.member(name).normal(value)));
                Value::Object(members.collect())
            }
            (_, Value::Array(items)) => {
                let mut items: Vec<Value> = items.iter().map(|item| self.item().normal(item)).collect();
                if matches!(self, Self::Set | Self::SchemaSet | Self::Types) {
                    items.sort_by(order);
                }
                Value::Array(items)
            }
            (_, Value::Number(number)) => Value::Number(whole(number)),
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

/// A number without a fraction as an integer, as far as one of 64 bits is exactly it.
fn whole(number: &Number) -> Number {
    // 2^63 and 2^64: the first doubles that are too large.
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

/// Any total order does; the order of members counts for nothing in it.
fn order(left: &Value, right: &Value) -> Ordering {
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
            let pairs = left.iter().zip(right).map(|(left, right)| order(left, right));
            pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => order_of_members(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

fn order_of_members(left: &Map<String, Value>, right: &Map<String, Value>) -> Ordering {
    fn sorted(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
        let mut members: Vec<_> = members.iter().collect();
        members.sort_by_key(|(name, _)| *name);
        members
    }
    let [left, right] = [left, right].map(sorted);
    let pairs = left.iter().zip(&right).map(|(left, right)| left.0.cmp(right.0).then(order(left.1, right.1)));
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

/// A definition in the one form of all that say the same: numbers by value, and lists whose order means nothing sorted.
pub fn by_value(kind: Kind, definition: &Map<String, Value>) -> Map<String, Value> {
    match Place::of(kind).normal(&Value::Object(definition.clone())) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Whether two documents that hold schemas somewhere say the same, whatever else they are.
pub fn same_document(left: &Value, right: &Value) -> bool {
    fn normal(value: &Value) -> Value {
        // Wherever a member has the name of a keyword, it is one; a value that only looks like a schema is compared as
        // loosely, which is good enough for documents that are made from manifests.
        match Place::Schema.normal(value) {
            Value::Object(members) => {
                Value::Object(members.into_iter().map(|(name, value)| (name, normal(&value))).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(normal).collect()),
            other => other,
        }
    }
    left == right || normal(left) == normal(right)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(place: Place, left: &Value, right: &Value, expected: bool) {
        assert_eq!(place.same(left, right), expected, "{left} and {right}");
        assert_eq!(place.same(right, left), expected, "{right} and {left}");
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
    fn the_order_of_a_list_counts_where_it_means_something() {
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
