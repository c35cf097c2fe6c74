//! Schemas as data: a Rust type, and the schema that a client sees.

mod attributes;
mod cases;
mod forms;
mod inlining;
mod learned;
mod outputs;
mod roots;
mod serde_forms;
mod torture;
mod types;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Draft, Profile, output};
use crate::tool::{FieldMetadata, InputShape};

/// A field without attributes.
const FIELD: FieldMetadata =
    FieldMetadata { name: "", aliases: &[], schema: "{}", secret: false, credential: false };

/// Returns the portable input schema of `T`, closed like that of a tool.
fn input<T: JsonSchema>() -> Value {
    input_with::<T>(&[], Profile::Portable)
}

fn input_with<T: JsonSchema>(fields: &[FieldMetadata], profile: Profile) -> Value {
    let draft = Draft::input::<T>(InputShape::Object);
    assert_eq!(draft.problem(), None);
    draft.with_fields(fields, false).finish(profile)
}

/// Compares a finished schema with the expected one, and validates it by the meta-schema of 2020-12.
#[track_caller]
fn check(case: &str, actual: &Value, expected: &Value) {
    if let Err(error) = jsonschema::draft202012::meta::validate(actual) {
        panic!("{case}: not a valid schema: {error}\n{actual:#}");
    }
    assert!(actual == expected, "{case}\n  actual: {actual:#}\nexpected: {expected:#}");
}

#[track_caller]
fn check_input<T: JsonSchema>(case: &str, expected: &Value) {
    check(case, &input::<T>(), expected);
}

/// Compares the schema of a property of type `T`.
#[track_caller]
fn check_property<T: JsonSchema>(case: &str, expected: &Value) {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "read by schemars only")]
    struct Holder<T> {
        value: T,
    }
    let schema = input::<Holder<T>>();
    check(case, &schema["properties"]["value"], expected);
}

/// Visits every key of every object in `value`.
fn all_keys(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(object) => object
            .iter()
            .flat_map(|(key, member)| std::iter::once(key.as_str()).chain(all_keys(member)))
            .collect(),
        Value::Array(items) => items.iter().flat_map(all_keys).collect(),
        _ => Vec::new(),
    }
}
