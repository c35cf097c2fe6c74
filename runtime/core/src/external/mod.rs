//! Definitions and results from elsewhere: an upstream server, a file, a user. Clients reject a whole list or
//! result because of one violation of the protocol, so each is validated before it is forwarded.
//!
//! An invalid definition is omitted, and all others are listed: clients drop a whole list because of one of
//! them, and a single upstream tool must not block the refresh of a list.

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
pub use output::{CompileError, OutputChecker};
pub use schema::{MAX_SUBSCHEMAS, SchemaFlaw};
pub use wrap::wrap;

/// Why clients cannot use a definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionFlaw {
    /// The name is not a valid tool name (2026-07-28, server/tools "Tool Names").
    #[error(transparent)]
    Name(#[from] NameError),
    /// `inputSchema` is not a JSON Schema whose root has `"type": "object"` (2026-07-28, schema `Tool.inputSchema`).
    #[error("its input schema {0}")]
    Input(SchemaFlaw),
    /// `outputSchema` is not a JSON Schema (2026-07-28, schema `Tool.outputSchema`).
    #[error("its output schema {0}")]
    Output(SchemaFlaw),
    /// A part of the definition cannot be sent.
    #[error("it {0}")]
    Json(#[from] JsonFault),
}

/// Validates a definition from elsewhere: its name, its schemas, and whether it can be sent.
///
/// # Errors
/// Returns the first [`DefinitionFlaw`].
pub fn check(definition: &ToolDefinition) -> Result<(), DefinitionFlaw> {
    names::check(&definition.name)?;
    // Checked before the schemas are walked: deep nesting is not visited any further.
    json::append(&mut Vec::new(), definition, MAX_DEPTH - MAX_VALUE_DEPTH)?;
    schema::check_input(&definition.input_schema).map_err(DefinitionFlaw::Input)?;
    definition.output_schema.as_ref().map_or(Ok(()), schema::check_output).map_err(DefinitionFlaw::Output)
}

/// Removes reserved keys from `_meta` of a result from elsewhere: those of the protocol, which describe *this*
/// server (2026-07-28, basic "_meta": prefixes whose second label is `modelcontextprotocol` or `mcp`), and
/// those of Toolwright.
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
