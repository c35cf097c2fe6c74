//! Tool collections in Arrow record batches and IPC files, for programs that keep tools in a column.
//!
//! | layout | columns | holds |
//! |---|---|---|
//! | [`Layout::Records`] | `record`: the tagged record as a JSON string; `tool_type`, `name` and `description` for queries | all kinds |
//! | [`Layout::Flat`] | `tool`: a struct of the twelve fields of the flat record, all strings except `"7"`, which is a number | WORKFLOW and MCP |
//!
//! Readers accept a string column `record`, or else the first column of structs, whose fields may be those of any
//! format that [`ToolCodec`] knows, including lists, structs and binary data. Null rows are skipped, and the order is
//! kept. An invalid row is a [`Problem`] whose line is the row number, from 1.
//!
//! ```
//! use std::io::Cursor;
//!
//! use toolwright_agent::value::arrow::{Layout, read_file, write_file};
//! use toolwright_agent::value::{McpTool, ReadLimits, ToolCollection, ToolValue};
//!
//! let tools: ToolCollection = [ToolValue::from(McpTool::new("add", "https://example.com/mcp", "add"))].into_iter().collect();
//! let mut file = Vec::new();
//! write_file(&tools, Layout::Records, &mut file)?;
//! let read = read_file("tools.arrow", Cursor::new(file), ReadLimits::default())?;
//! assert!(read.values().eq(tools.values()));
//! # Ok::<(), toolwright_agent::value::arrow::ArrowToolError>(())
//! ```

mod cells;
mod file;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use serde_json::{Map, Value};

use super::collection::Rows;
use super::{FLAT, Problem, ReadLimits, ToolCodec, ToolCollection, ToolValue};

pub use file::{read_file, write_file};

/// The column of tagged records.
pub const RECORD_COLUMN: &str = "record";
/// The column of flat records.
pub const TOOL_COLUMN: &str = "tool";

/// The arrangement of tools in columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// One column of tagged records.
    #[default]
    Records,
    /// One column of structs, each a flat record.
    Flat,
}

/// Tools could not be read from Arrow or written to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrowToolError {
    /// Arrow's own error.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// No column contains tools.
    #[error(
        "found no column of tools: expected a string column `{RECORD_COLUMN}` or a column of structs; the columns are {columns}"
    )]
    NoColumn {
        /// The existing columns, with their types.
        columns: String,
    },
    /// The layout does not support a tool's kind.
    #[error(transparent)]
    Tool(#[from] Problem),
    /// The file is larger than [`ReadLimits::total_bytes`].
    #[error("the file is larger than {limit} bytes; split it")]
    Large {
        /// The limit.
        limit: usize,
    },
    /// The file is corrupt.
    #[error("the file is not a complete Arrow IPC file: {0}")]
    Damaged(String),
    /// Reading the file failed.
    #[error("cannot read the file")]
    Read(#[from] std::io::Error),
}

/// Converts the tools to one record batch.
///
/// # Errors
/// [`ArrowToolError::Tool`] if the layout does not support a tool's kind: COMMAND and HTTP in [`Layout::Flat`].
pub fn to_batch(tools: &ToolCollection, layout: Layout) -> Result<RecordBatch, ArrowToolError> {
    match layout {
        Layout::Records => records(tools),
        Layout::Flat => flat(tools),
    }
}

fn records(tools: &ToolCollection) -> Result<RecordBatch, ArrowToolError> {
    let column = |name: &str, array: StringArray| (name.to_owned(), Arc::new(array) as ArrayRef);
    let definitions = || tools.values().map(|value| value.definition().and_then(|tool| tool.description));
    let columns = [
        column("tool_type", tools.values().map(|value| Some(value.tool_type().to_owned())).collect()),
        column("name", tools.values().map(ToolValue::name).collect()),
        column("description", definitions().collect()),
        column(RECORD_COLUMN, tools.values().map(|value| Some(value.to_json())).collect()),
    ];
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
        columns.into_iter().map(|(name, array)| (Field::new(name, DataType::Utf8, true), array)).unzip();
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?)
}

/// The index of the numeric field.
const INDEX: usize = 7;
/// The number of fields of a flat record.
const FIELDS: usize = 12;

fn flat(tools: &ToolCollection) -> Result<RecordBatch, ArrowToolError> {
    let codec = ToolCodec::find(FLAT).copied().unwrap_or_default();
    let rows: Vec<Map<String, Value>> = tools
        .encode(&codec)?
        .iter()
        .map(|record| serde_json::from_str(&record.text).unwrap_or_default())
        .collect();
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for number in 0..FIELDS {
        let name = number.to_string();
        let values = rows.iter().map(|row| row.get(&name));
        let (kind, array): (DataType, ArrayRef) = if number == INDEX {
            let index = |value: &Value| value.as_i64().and_then(|index| i32::try_from(index).ok());
            let array: Int32Array = values.map(|value| value.and_then(index)).collect();
            (DataType::Int32, Arc::new(array))
        } else {
            let array: StringArray = values.map(|value| value.and_then(cells::text)).collect();
            (DataType::Utf8, Arc::new(array))
        };
        fields.push(Field::new(name, kind, true));
        arrays.push(array);
    }
    let fields = Fields::from(fields);
    // The length of a struct array without rows cannot be derived from its fields.
    let column = StructArray::try_new_with_length(fields.clone(), arrays, None, rows.len())?;
    let schema = Schema::new(vec![Field::new(TOOL_COLUMN, DataType::Struct(fields), true)]);
    Ok(RecordBatch::try_new(Arc::new(schema), vec![Arc::new(column)])?)
}

/// Reads the tools of a record batch. `source` is its name in messages.
///
/// # Errors
/// [`ArrowToolError::NoColumn`]; invalid rows are in [`ToolCollection::problems`].
pub fn from_batch(
    source: &str,
    batch: &RecordBatch,
    limits: ReadLimits,
) -> Result<ToolCollection, ArrowToolError> {
    let mut rows = Rows::new(source, limits);
    read_batch(batch, &mut rows)?;
    Ok(rows.finish())
}

/// Adds the rows of a batch; false once the limits are reached.
fn read_batch(batch: &RecordBatch, rows: &mut Rows) -> Result<bool, ArrowToolError> {
    let column = column(batch)?;
    for row in 0..column.len() {
        let cell = cells::value(column, row);
        let goes_on = match cell {
            Ok(Value::Null) => rows.add_null(),
            // A record string is parsed unchanged, so that unknown kinds survive byte for byte.
            Ok(Value::String(record)) => rows.add(&record),
            Ok(record) => rows.add(&record.to_string()),
            Err(kind) => rows.add_unreadable(&kind),
        };
        if !goes_on {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Finds the column of tools.
fn column(batch: &RecordBatch) -> Result<&ArrayRef, ArrowToolError> {
    let is_text = |array: &&ArrayRef| {
        matches!(array.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    };
    let record = batch.column_by_name(RECORD_COLUMN).filter(is_text);
    let structs = || batch.columns().iter().find(|array| matches!(array.data_type(), DataType::Struct(_)));
    record.or_else(structs).ok_or_else(|| {
        let schema = batch.schema();
        let columns: Vec<String> =
            schema.fields().iter().map(|field| format!("{} ({})", field.name(), field.data_type())).collect();
        let columns = if columns.is_empty() { "none".to_owned() } else { columns.join(", ") };
        ArrowToolError::NoColumn { columns }
    })
}
