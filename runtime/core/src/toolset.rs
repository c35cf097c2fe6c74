//! A toolset: the closed set of tools that one server offers.
//!
//! Output types are part of a definition only if the derive can see them: through `handler = Type` on the set or
//! `output = Type` on the tool. Building a server fails if a handler returns a schema that the manifest cannot show.

use serde_json::value::RawValue;

use crate::arguments::ArgumentErrors;
use crate::protocol::ToolDefinition;
use crate::tool::Tool;
use crate::workflow;

pub use crate::metadata::Package;

/// The closed set of tools of one server: an enum with one variant a tool, `#[derive(Toolset)]`.
///
/// Every [`Tool`] is also a toolset of one.
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
    note = "put `#[derive(toolwright::Toolset)]` on an enum with one variant a tool, or `#[derive(toolwright::Tool)]` on a struct"
)]
pub trait Toolset: Sized + Send + 'static {
    /// The package that derives the set.
    const PACKAGE: Package;

    /// What the attributes on the enum say.
    const METADATA: ToolsetMetadata;

    /// The definitions, in the order of the variants; with output schemas where `handler = Type` on the set or
    /// `output = Type` on the tool lets the derive know them.
    fn definitions() -> Vec<ToolDefinition>;

    /// The value of the variant that `name` calls, or of the tool that was called so formerly.
    ///
    /// # Errors
    /// [`DecodeError::UnknownTool`] where no tool has that name, [`DecodeError::Arguments`] with every problem
    /// of the arguments otherwise.
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

/// What the derive read from the attributes of a toolset.
#[derive(Debug, Clone, Copy)]
pub struct ToolsetMetadata {
    /// `name = "…"`: the server's name, instead of the package's.
    pub name: Option<&'static str>,
    /// `version = "…"`, instead of the package's.
    pub version: Option<&'static str>,
    /// `title = "…"` for people.
    pub title: Option<&'static str>,
    /// `instructions = "…"`: how a model should use the server; the doc comment is not taken.
    pub instructions: Option<&'static str>,
    /// Whether `handler = Type` is given, so that the definitions carry the output schemas of the handlers.
    pub handler_known: bool,
    /// `workflow`: the standard parameters `command` and `workitem_path` on every tool, and all five
    /// annotations written out.
    pub workflow: bool,
}

impl ToolsetMetadata {
    /// No attributes at all.
    pub const NONE: Self = Self {
        name: None,
        version: None,
        title: None,
        instructions: None,
        handler_known: false,
        workflow: false,
    };
}

/// The definitions of `T` as its server lists them: sorted by name, with what the set adds to each tool.
///
/// The server, the manifest and the documentation all take their definitions from here.
pub fn definitions_of<T: Toolset>() -> Vec<ToolDefinition> {
    let mut definitions = T::definitions();
    for definition in &mut definitions {
        complete(definition, &T::METADATA);
    }
    definitions.sort_by(|a, b| a.name.cmp(&b.name));
    definitions
}

/// Adds to a definition what its set says about every tool.
pub fn complete(definition: &mut ToolDefinition, set: &ToolsetMetadata) {
    if set.workflow {
        workflow::complete(definition);
    }
}

/// Why a call could not be turned into a value of the toolset.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No tool of the set has this name.
    #[error("unknown tool: {0}")]
    UnknownTool(String),
    /// The arguments do not fit; holds every problem found.
    #[error(transparent)]
    Arguments(#[from] ArgumentErrors),
}
