//! Tests of values, formats and collections.

#[cfg(feature = "arrow")]
mod arrow_tables;
mod collections;
mod flat_records;
mod golden;
mod historic_records;
mod properties;
mod tagged_records;

use super::{ToolCodec, ToolValue, ValueError};

/// Reads a record in any format.
fn read(text: &str) -> Result<ToolValue, ValueError> {
    ToolCodec::detect(text)?.decode(text)
}

/// Returns the codec with this name.
fn codec(name: &str) -> &'static ToolCodec {
    ToolCodec::find(name).unwrap()
}
