//! Determines which constraints of a schema serde enforces by itself, because the type cannot hold any other
//! value.

use serde_json::{Map, Value};

use super::{Exact, Node};

/// How far the constraints of a schema go beyond what serde enforces by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::arguments) enum Beyond {
    #[default]
    Nothing,
    /// Constraints of single values, which can be checked in the text.
    Rules,
    /// Others: serde may select another variant than the schema.
    Everything,
}

impl Beyond {
    /// Returns the value for the node itself, ignoring nodes below it.
    pub(super) fn of(node: &Node, keywords: &Map<String, Value>) -> Self {
        if needs_a_walk(node) {
            Self::Everything
        } else if has_constraints(node, keywords) {
            Self::Rules
        } else {
            Self::Nothing
        }
    }
}

fn needs_a_walk(node: &Node) -> bool {
    let object = &node.object;
    // Serde checks the variants of an enum; the type is queried whether a list of strings is one.
    let is_texts = node.allowed.as_ref().is_some_and(|allowed| allowed.iter().all(Value::is_string));
    (node.allowed.is_some() && !is_texts)
        || node.array.unique
        || node.array.contains.is_some()
        || object.names.is_some()
        || object.min_properties.is_some_and(|min| min > 0)
        || object.max_properties.is_some()
        || !object.dependent_required.is_empty()
        || !object.dependent_schemas.is_empty()
        || node.in_place.not.is_some()
        || node.in_place.condition.is_some()
}

fn has_constraints(node: &Node, keywords: &Map<String, Value>) -> bool {
    let format = keywords.get("format").and_then(Value::as_str).unwrap_or_default();
    let (lowest, highest) = rust_range(format);
    let number = &node.number;
    let array = &node.array;
    // A tuple of fixed length, which serde enforces.
    let length = Some(array.prefix.len() as u64);
    let is_tuple = !array.prefix.is_empty() && array.min_items == length && array.max_items == length;
    let string = &node.string;
    number.minimum.is_some_and(|minimum| lowest.is_none_or(|lowest| minimum > lowest))
        || number.maximum.is_some_and(|maximum| highest.is_none_or(|highest| maximum < highest))
        || number.exclusive_minimum.is_some()
        || number.exclusive_maximum.is_some()
        || number.multiple_of.is_some()
        || string.min_length.is_some_and(|min| min > 0)
        || string.max_length.is_some()
        || string.pattern.is_some()
        || string.format.is_some()
        || (!is_tuple && (array.min_items.is_some_and(|min| min > 0) || array.max_items.is_some()))
}

/// Returns the range of the Rust type with this schemars `format`.
fn rust_range(format: &str) -> (Option<Exact>, Option<Exact>) {
    macro_rules! range {
        ($type:ty) => {
            (Some(Exact::Whole(<$type>::MIN.into())), Some(Exact::Whole(<$type>::MAX.into())))
        };
    }
    match format {
        "int8" => range!(i8),
        "int16" => range!(i16),
        "int32" => range!(i32),
        // schemars uses the name `isize`; it has at most 64 bits on all targets.
        "int64" | "int" => range!(i64),
        "uint8" => range!(u8),
        "uint16" => range!(u16),
        "uint32" => range!(u32),
        "uint64" | "uint" => range!(u64),
        // The maximum of `u128` is larger than any number that `serde_json` holds exactly.
        "uint128" => (Some(Exact::Whole(0)), None),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Checker;
    use super::Beyond::{Everything, Nothing, Rules};

    #[test]
    fn finds_rules_that_serde_enforces() {
        for (beyond, schema) in [
            (Nothing, json!({"type": "string"})),
            (Rules, json!({"type": "string", "pattern": "^a"})),
            (Nothing, json!({"type": "string", "enum": ["a"]})),
            (Everything, json!({"enum": [1, 2]})),
            (Rules, json!({"type": "string", "format": "date"})),
            (Nothing, json!({"type": "string", "format": "email"})),
            (Nothing, json!({"type": "integer", "format": "uint32", "minimum": 0, "maximum": u32::MAX})),
            (Nothing, json!({"type": "integer", "format": "uint64", "minimum": 0, "maximum": u64::MAX})),
            (Rules, json!({"type": "integer", "format": "uint32", "minimum": 1, "maximum": u32::MAX})),
            (Rules, json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 100})),
            (Nothing, json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 300})),
            (Rules, json!({"type": "integer", "minimum": 0})),
            (
                Nothing,
                json!({"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1, "maxItems": 1}),
            ),
            (Rules, json!({"type": "array", "items": {"type": "string"}, "minItems": 1})),
            (Rules, json!({"type": "array", "items": {"type": "string", "minLength": 1}})),
            (
                Nothing,
                json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}),
            ),
            (
                Rules,
                json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}, "maxItems": 3}}}),
            ),
            (Everything, json!({"items": {"type": "object", "properties": {"a": {}}}})),
            (Everything, json!({"items": {"type": "object", "additionalProperties": {"type": "string"}}})),
            (Nothing, json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}})),
            (
                Nothing,
                json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}),
            ),
            (Everything, json!({"oneOf": [{"type": "string"}, {"type": "null"}]})),
        ] {
            let checker = Checker::compile(&schema).expect("a schema");
            assert_eq!(checker.root().beyond_serde, beyond, "{schema}");
        }
    }
}
