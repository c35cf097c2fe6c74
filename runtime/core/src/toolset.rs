//! The trait of toolsets: the closed set of tools of a server.
//!
//! Definitions only include output types that the derive can see: through `handler = Type` on the set or
//! `output = Type` on the tool. Building a server fails if a handler returns a schema that the manifest does
//! not contain.

use serde_json::value::RawValue;

use crate::arguments::ArgumentErrors;
use crate::protocol::ToolDefinition;
use crate::tool::Tool;
use crate::workflow;

pub use crate::metadata::Package;

/// The closed set of tools of a server: an enum with one variant per tool and `#[derive(Toolset)]`.
///
/// Every [`Tool`] is also a toolset with one tool.
///
/// ```
/// use toolwright_core::toolset::Toolset;
/// use toolwright_macros::Tool;
///
/// /// Look up an order by its id.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// # #[mcp(crate = toolwright_core)]
/// struct GetOrder {
///     order_id: String,
/// }
///
/// assert_eq!(GetOrder::definitions().len(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a tool nor a set of tools",
    label = "no tools in here",
    note = "put `#[derive(toolwright::Toolset)]` on an enum with one variant per tool, or `#[derive(toolwright::Tool)]` on a struct"
)]
pub trait Toolset: Sized + Send + 'static {
    /// The package of the derive.
    const PACKAGE: Package;

    /// The attributes of the enum.
    const METADATA: ToolsetMetadata;

    /// Returns the definitions in the order of the variants. They have output schemas if `handler = Type` on
    /// the set or `output = Type` on the tool is given.
    fn definitions() -> Vec<ToolDefinition>;

    /// Decodes a call of the tool with this name or former name.
    ///
    /// # Errors
    /// [`DecodeError::UnknownTool`] if there is no such tool, or else [`DecodeError::Arguments`] with all
    /// problems of the arguments.
    fn decode(name: &str, arguments: Option<&RawValue>) -> Result<Self, DecodeError>;
}

impl<T: Tool> Toolset for T {
    const PACKAGE: Package = <T as Tool>::PACKAGE;
    const METADATA: ToolsetMetadata = ToolsetMetadata::NONE;

    fn definitions() -> Vec<ToolDefinition> {
        vec![T::definition()]
    }

    fn decode(name: &str, arguments: Option<&RawValue>) -> Result<Self, DecodeError> {
        if name == T::NAME || T::METADATA.was.contains(&name) {
            return Ok(crate::tool::decode::<T>(arguments)?);
        }
        Err(DecodeError::UnknownTool(name.to_owned()))
    }
}

/// The attributes of a toolset.
#[derive(Debug, Clone, Copy)]
pub struct ToolsetMetadata {
    /// `name = "…"`: the name of the server; defaults to that of the package.
    pub name: Option<&'static str>,
    /// `version = "…"`; defaults to that of the package.
    pub version: Option<&'static str>,
    /// `title = "…"` for people.
    pub title: Option<&'static str>,
    /// `instructions = "…"`: usage instructions for the model. The doc comment is not used.
    pub instructions: Option<&'static str>,
    /// Whether `handler = Type` is given, so that definitions have the output schemas of the handlers.
    pub handler_known: bool,
    /// `workflow`: adds the standard parameters `command` and `workitem_path` and all five annotations to every tool.
    pub workflow: bool,
}

impl ToolsetMetadata {
    /// No attributes.
    pub const NONE: Self = Self {
        name: None,
        version: None,
        title: None,
        instructions: None,
        handler_known: false,
        workflow: false,
    };
}

/// Returns the definitions of `T` as its server lists them: sorted by name, with the additions of the set.
///
/// The server, the manifest and the documentation all use these definitions.
pub fn definitions_of<T: Toolset>() -> Vec<ToolDefinition> {
    let mut definitions = T::definitions();
    for definition in &mut definitions {
        complete(definition, &T::METADATA);
    }
    definitions.sort_by(|a, b| a.name.cmp(&b.name));
    definitions
}

/// Adds to a definition what its set specifies for every tool.
pub fn complete(definition: &mut ToolDefinition, set: &ToolsetMetadata) {
    if set.workflow {
        workflow::complete(definition);
    }
}

/// Why a call could not be decoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The set has no tool with this name.
    #[error("unknown tool: {0}")]
    UnknownTool(String),
    /// The arguments are invalid; contains all problems.
    #[error(transparent)]
    Arguments(#[from] ArgumentErrors),
}
