//! Which rules of a schema serde enforces by itself, because the type can hold nothing else.

use serde_json::{Map, Value};

use super::compile::{allowed, names, types};
use super::{Exact, Node, Types, same};

/// Whether the node itself has rules that serde does not enforce by the type alone.
pub(super) fn goes_beyond_serde(node: &Node, keywords: &Map<String, Value>) -> bool {
    let format = keywords.get("format").and_then(Value::as_str).unwrap_or_default();
    let (lowest, highest) = rust_range(format);
    let number = &node.number;
    let array = &node.array;
    // A tuple of known length; serde counts its items.
    let length = Some(array.prefix.len() as u64);
    let is_tuple = !array.prefix.is_empty() && array.min_items == length && array.max_items == length;
    let string = &node.string;
    let object = &node.object;
    node.allowed.is_some()
        || number.minimum.is_some_and(|minimum| lowest.is_none_or(|lowest| minimum > lowest))
        || number.maximum.is_some_and(|maximum| highest.is_none_or(|highest| maximum < highest))
        || number.exclusive_minimum.is_some()
        || number.exclusive_maximum.is_some()
        || number.multiple_of.is_some()
        || string.min_length.is_some_and(|min| min > 0)
        || string.max_length.is_some()
        || string.pattern.is_some()
        || string.format.is_some()
        || (!is_tuple && (array.min_items.is_some_and(|min| min > 0) || array.max_items.is_some()))
        || array.unique
        || array.contains.is_some()
        || object.names.is_some()
        || object.min_properties.is_some_and(|min| min > 0)
        || object.max_properties.is_some()
        || !object.dependent_required.is_empty()
        || !object.dependent_schemas.is_empty()
        || (!node.in_place.one_of.is_empty() && overlapping(keywords))
        || node.in_place.not.is_some()
        || node.in_place.condition.is_some()
}

/// Whether the node looks like a struct, which serde reads from an array of its members too.
pub(super) fn reads_array_as_object(node: &Node) -> bool {
    let object = &node.object;
    // Maps have a schema for further members, or patterns.
    let is_map = object.additional.is_some() && object.properties.is_empty();
    node.types.is_some_and(|types| types.has(Types::OBJECT) && !types.has(Types::ARRAY)) && !is_map
}

/// Whether the arms of `oneOf` may overlap, so that "exactly one" is a rule of its own. The arms that schemars
/// writes for an enum do not: each has its own type, its own constant, or its own required member.
fn overlapping(keywords: &Map<String, Value>) -> bool {
    let arms = keywords.get("oneOf").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    arms.iter().enumerate().any(|(at, arm)| arms[at + 1..].iter().any(|other| !apart(arm, other)))
}

/// Whether no value can fit both schemas, as far as their outermost keywords tell.
fn apart(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else { return false };
    if let (Some(a), Some(b)) = (types(a), types(b))
        && !a.overlaps(b)
    {
        return true;
    }
    if let (Some(a), Some(b)) = (allowed(a), allowed(b)) {
        return !a.iter().any(|one| b.iter().any(|other| same(one, other)));
    }
    let closed =
        |schema: &Map<String, Value>| schema.get("additionalProperties") == Some(&Value::Bool(false));
    let required = |schema: &Map<String, Value>| schema.get("required").map(names).unwrap_or_default();
    let has = |schema: &Map<String, Value>, name: &str| {
        schema
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|properties| properties.contains_key(name))
    };
    let shut_out = |one: &Map<String, Value>, other: &Map<String, Value>| {
        closed(one)
            && !one.contains_key("patternProperties")
            && required(other).iter().any(|name| !has(one, name))
    };
    let by_tag = || {
        required(a).iter().filter(|name| required(b).contains(name)).any(|name| {
            let constant = |schema: &Map<String, Value>| {
                schema.get("properties")?.get(&**name)?.as_object().and_then(allowed)
            };
            match (constant(a), constant(b)) {
                (Some(a), Some(b)) => !a.iter().any(|one| b.iter().any(|other| same(one, other))),
                _ => false,
            }
        })
    };
    shut_out(a, b) || shut_out(b, a) || by_tag()
}

/// The range of the Rust type that schemars names as a `format`.
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
        // schemars calls `isize` by its name; it is not wider than 64 bits on any target.
        "int64" | "int" => range!(i64),
        "uint8" => range!(u8),
        "uint16" => range!(u16),
        "uint32" => range!(u32),
        "uint64" | "uint" => range!(u64),
        // The upper end of `u128` lies beyond what a JSON number of serde_json can hold exactly.
        "uint128" => (Some(Exact::Whole(0)), None),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Checker;

    #[test]
    fn knows_which_rules_serde_enforces_by_itself() {
        for (beyond, schema) in [
            (false, json!({"type": "string"})),
            (true, json!({"type": "string", "pattern": "^a"})),
            (true, json!({"type": "string", "enum": ["a"]})),
            (true, json!({"type": "string", "format": "date"})),
            (false, json!({"type": "string", "format": "email"})),
            (false, json!({"type": "integer", "format": "uint32", "minimum": 0, "maximum": u32::MAX})),
            (false, json!({"type": "integer", "format": "uint64", "minimum": 0, "maximum": u64::MAX})),
            (true, json!({"type": "integer", "format": "uint32", "minimum": 1, "maximum": u32::MAX})),
            (true, json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 100})),
            (false, json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 300})),
            (true, json!({"type": "integer", "minimum": 0})),
            (
                false,
                json!({"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1, "maxItems": 1}),
            ),
            (true, json!({"type": "array", "items": {"type": "string"}, "minItems": 1})),
            (true, json!({"type": "array", "items": {"type": "string", "minLength": 1}})),
            (false, json!({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}})),
            (
                true,
                json!({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}, "maxItems": 3}}}),
            ),
            (true, json!({"items": {"type": "object", "properties": {"a": {}}}})),
            (false, json!({"items": {"type": "object", "additionalProperties": {"type": "string"}}})),
            (false, json!({"type": "object", "properties": {"a": {}}})),
            (false, json!({"oneOf": [{"type": "string"}, {"type": "null"}]})),
            (true, json!({"oneOf": [{"type": "string"}, {"type": "string"}]})),
            (
                false,
                json!({"oneOf": [
                    {"required": ["A"], "properties": {"A": {}}, "additionalProperties": false},
                    {"required": ["B"], "properties": {"B": {}}, "additionalProperties": false},
                ]}),
            ),
        ] {
            let checker = Checker::compile(&schema).expect("a schema");
            assert_eq!(checker.root().is_beyond_serde(), beyond, "{schema}");
        }
    }
}
