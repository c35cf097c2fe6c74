//! Definitions and results from outside of this program: of an upstream server, a file, a person. One that breaks the
//! protocol makes clients refuse the whole list that contains it, or the result, so it is checked before it is forwarded.
//!
//! An invalid definition is left out and the rest is served, since clients drop a whole list for one of them, and
//! since one upstream tool must not stop a list from being refreshed.

mod input;
mod output;
mod schema;
mod wrap;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::definition::ToolDefinition;
use crate::json::{self, JsonFault, MAX_DEPTH, MAX_VALUE_DEPTH};
use crate::names::{self, NameError};
use crate::protocol::meta::is_reserved;

pub use input::InputChecker;
pub use output::{NotChecked, OutputChecker};
pub use schema::{MAX_SUBSCHEMAS, SchemaFlaw};
pub use wrap::wrapped;

/// Why clients cannot use a definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionFlaw {
    /// The name is not one of a tool (2026-07-28, server/tools "Tool Names").
    #[error(transparent)]
    Name(#[from] NameError),
    /// `inputSchema` is not a JSON Schema whose root has `"type": "object"` (2026-07-28, schema `Tool.inputSchema`).
    #[error("its input schema {0}")]
    Input(SchemaFlaw),
    /// `outputSchema` is not a JSON Schema (2026-07-28, schema `Tool.outputSchema`).
    #[error("its output schema {0}")]
    Output(SchemaFlaw),
    /// Some part of it cannot be sent.
    #[error("it {0}")]
    Json(#[from] JsonFault),
}

/// Checks a definition that others wrote: its name, its schemas, and that it can be sent.
///
/// # Errors
/// The first [`DefinitionFlaw`].
pub fn check(definition: &ToolDefinition) -> Result<(), DefinitionFlaw> {
    names::check(&definition.name)?;
    // Before the schemas are walked: what is nested too deeply is not looked at any further.
    json::append(&mut Vec::new(), definition, MAX_DEPTH - MAX_VALUE_DEPTH)?;
    schema::check_input(&definition.input_schema).map_err(DefinitionFlaw::Input)?;
    definition.output_schema.as_ref().map_or(Ok(()), schema::check_output).map_err(DefinitionFlaw::Output)
}

/// Drops the names that a result of others may not use: those of the protocol, which say what *this* server says
/// (2026-07-28, basic "_meta": prefixes whose second label is `modelcontextprotocol` or `mcp`), and Toolwright's own.
pub fn drop_reserved(meta: &mut Option<Map<String, Value>>) {
    if let Some(members) = meta
        && members.keys().any(|name| is_reserved(name))
    {
        members.retain(|name, _| !is_reserved(name));
        if members.is_empty() {
            *meta = None;
        }
    }
}
