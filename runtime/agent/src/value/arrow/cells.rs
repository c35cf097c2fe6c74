//! Converts single cells to JSON.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::{Map, Value};
use toolwright_core::content::base64;

/// The maximum nesting depth of lists and structs.
const DEPTH_LIMIT: usize = 16;

/// Returns the value of a row: strings, numbers, bytes as base64, lists and structs.
///
/// # Errors
/// The unsupported type.
pub(super) fn value(array: &ArrayRef, row: usize) -> Result<Value, String> {
    nested(array, row, 0)
}

fn nested(array: &ArrayRef, row: usize, depth: usize) -> Result<Value, String> {
    if array.is_null(row) {
        return Ok(Value::Null);
    }
    if depth == DEPTH_LIMIT {
        return Err(format!("lists and structs nested more than {DEPTH_LIMIT} levels deep"));
    }
    let list = |values: ArrayRef| -> Result<Value, String> {
        (0..values.len()).map(|row| nested(&values, row, depth + 1)).collect()
    };
    Ok(match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        DataType::Binary => base64::encode(array.as_binary::<i32>().value(row)).into(),
        DataType::LargeBinary => base64::encode(array.as_binary::<i64>().value(row)).into(),
        DataType::BinaryView => base64::encode(array.as_binary_view().value(row)).into(),
        DataType::List(_) => list(array.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => list(array.as_list::<i64>().value(row))?,
        DataType::Struct(fields) => {
            let mut members = Map::new();
            for (name, column) in fields.iter().map(|field| field.name()).zip(array.as_struct().columns()) {
                members.insert(name.clone(), nested(column, row, depth + 1)?);
            }
            members.into()
        }
        other => return Err(format!("the type {other}")),
    })
}

/// A field of the flat record as a string. Values that are not strings, such as references to workflows,
/// are written as JSON.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
