//! Whole calls: types as users write them, and arguments as callers send them.

mod agreement;
mod faults;
mod flattened;
mod generated;
mod glance;
mod growth;
mod keywords;
mod limits;
mod meaning;
mod problems;
mod secrets;
mod swallowed;
mod types;
mod variants;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ArgumentErrors, ArgumentReader};
use crate::schema::Draft;
use crate::tool::{FieldMetadata, InputShape};

/// Creates the reader of `T` with these field attributes.
fn reader_with<T: schemars::JsonSchema>(fields: &'static [FieldMetadata]) -> ArgumentReader {
    reader_of::<T>(fields, InputShape::Object, false)
}

fn reader_of<T: schemars::JsonSchema>(
    fields: &'static [FieldMetadata],
    shape: InputShape,
    allow_unknown: bool,
) -> ArgumentReader {
    let draft = Draft::input::<T>(shape).with_fields(fields, allow_unknown);
    ArgumentReader::new(&draft, fields, shape, allow_unknown).expect("a schema that can be enforced")
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

/// Reads `text` without bound values.
fn read_by<T: DeserializeOwned>(reader: &ArgumentReader, text: &str) -> Result<T, ArgumentErrors> {
    reader.read(Some(&raw(text)), &[])
}

/// Reads `text` as `T`, which has no attributes on its fields.
fn read<T: DeserializeOwned + schemars::JsonSchema>(text: &str) -> Result<T, ArgumentErrors> {
    read_by(&reader_with::<T>(&[]), text)
}

/// Returns the problems of `text`, one per line, and checks that the example is valid.
fn problems<T: DeserializeOwned + schemars::JsonSchema + std::fmt::Debug>(text: &str) -> Vec<String> {
    let errors = read::<T>(text).expect_err(text);
    if let Some(example) = errors.example() {
        read::<T>(&example.to_string()).expect("the example fits");
    }
    lines(&errors)
}

fn lines(errors: &ArgumentErrors) -> Vec<String> {
    errors.problems().iter().map(ToString::to_string).collect()
}

/// Returns the metadata of one field.
const fn field(name: &'static str) -> FieldMetadata {
    FieldMetadata { name, aliases: &[], schema: "{}", secret: false, credential: false }
}

fn example_of(errors: &ArgumentErrors) -> &Value {
    errors.example().expect("an example")
}
