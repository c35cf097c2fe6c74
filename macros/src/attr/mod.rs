//! Parses the tokens of `#[mcp(…)]` into typed attributes. Rules across keys are checked in `check`.

pub(crate) mod keys;

mod entry;
mod field;
mod item;
mod toolset;
pub(crate) mod value;

pub(crate) use field::FieldAttributes;
pub(crate) use item::{Icon, ItemAttributes, Task};
pub(crate) use toolset::ToolsetAttributes;
pub(crate) use value::{AttributeValue, Json, JsonValue, Number};
