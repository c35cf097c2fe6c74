//! A tool: one struct, its name and what its author said about it.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::definition::ToolDefinition;
use crate::toolset::Package;

/// One tool: a struct whose fields are the tool's arguments.
///
/// Write `#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]`; the derive fills in everything here.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "this type has no tool definition",
    note = "put `#[derive(toolwright::Tool, serde::Deserialize, schemars::JsonSchema)]` on `{Self}`"
)]
pub trait Tool: Sized + Send + 'static {
    /// What serde reads and schemars describes: the type itself.
    ///
    /// A type and not a bound of the trait, so that a missing derive is reported once, at the struct, and not again
    /// at each handler of the tool.
    type Arguments: ReadsArguments + DescribesArguments + Into<Self>;

    /// The name that clients call: 1 to 128 characters of `A-Z a-z 0-9 _ - .` (2026-07-28, server/tools "Tool Names").
    const NAME: &'static str;

    /// The names of the arguments that the struct has itself, without those of flattened types.
    const ARGUMENT_NAMES: &'static [&'static str] = &[];

    /// Where the fields stand that callers can fill, for reports of the command line; none of it is in the definition.
    const FIELD_SOURCES: &'static [FieldSource] = &[];

    /// The package that derives the tool.
    const PACKAGE: Package;

    /// What the attributes on the struct and its fields say.
    const METADATA: ToolMetadata;

    /// The definition as `tools/list` shows it; with an output schema only if `output = Type` names one.
    fn definition() -> ToolDefinition {
        crate::definition::of::<Self>()
    }
}

/// Types that serde can read from JSON arguments. Implemented for every `serde::de::DeserializeOwned` type.
#[diagnostic::on_unimplemented(
    message = "the arguments of the tool `{Self}` cannot be read from JSON",
    label = "`{Self}` does not implement `serde::Deserialize`",
    note = "add `serde::Deserialize` to the derives of `{Self}`; a tool owns its arguments, so write `String` rather than `&str`"
)]
pub trait ReadsArguments: Sized {
    /// The type itself. A bound of the trait would be explained by the compiler as well, and serde's in many lines.
    type Read: DeserializeOwned + Into<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> ReadsArguments for T {
    type Read = T;
}

/// Types that have a JSON Schema. Implemented for every `schemars::JsonSchema` type of schemars 1.
#[diagnostic::on_unimplemented(
    message = "the arguments of the tool `{Self}` have no JSON Schema",
    label = "`{Self}` does not implement `schemars::JsonSchema`",
    note = "add `schemars::JsonSchema` to the derives of `{Self}`",
    note = "if it is derived already, the derive comes from another major version of schemars: Toolwright needs `schemars = \"1\"`"
)]
pub trait DescribesArguments {
    /// The type itself, for the reason that [`ReadsArguments::Read`] gives.
    type Described: JsonSchema;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> DescribesArguments for T {
    type Described = T;
}

/// The type that serde reads for the tool `T`.
pub type Read<T> = <<T as Tool>::Arguments as ReadsArguments>::Read;

/// The type that schemars describes for the tool `T`.
pub type Described<T> = <<T as Tool>::Arguments as DescribesArguments>::Described;

/// What the derive read from the attributes of one struct. Built by `#[derive(Tool)]` only.
#[derive(Debug, Clone, Copy)]
pub struct ToolMetadata {
    /// `title = "…"`.
    pub title: Option<&'static str>,
    /// `description = "…"`, else the doc comment.
    pub description: Option<&'static str>,
    /// The four hints, each only if given.
    pub hints: Hints,
    /// `icon(src = "…", mime_type = "…", sizes = ["48x48"], theme = "light")`, each as JSON text of an MCP `Icon`.
    pub icons: &'static [&'static str],
    /// `meta(key = value, …)` as the JSON text of an object.
    pub meta: Option<&'static str>,
    /// `scopes("…", "…")`: what the caller's token must grant.
    pub scopes: &'static [&'static str],
    /// `was("…")`: former names that still call this tool.
    pub was: &'static [&'static str],
    /// `tags("…")`: categories for people, shown under `_meta`.
    pub tags: &'static [&'static str],
    /// `context = "…"`: the context of the application that the command belongs to.
    pub context: Option<&'static str>,
    /// `task`, `task = "required"`: whether a call may become a task, or must.
    pub task: Option<TaskSupport>,
    /// Whether arguments that the struct does not have are refused (the default) or ignored (`allow_unknown`).
    pub allow_unknown: bool,
    /// `output = Type`: makes the schema of the structured content, for tools whose handler the derives cannot see.
    pub output: Option<fn() -> Value>,
    /// What serde wants to see for the struct itself.
    pub shape: InputShape,
    /// What the attributes say about single fields; fields without attributes are left out.
    pub fields: &'static [FieldMetadata],
    /// Where the struct stands, for reports of the command line.
    pub source: SourceLocation,
}

/// The four hints of a tool's annotations; `None` is "not said".
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    /// `read_only`: the tool changes nothing.
    pub read_only: Option<bool>,
    /// `destructive`: the tool may destroy or overwrite. Clients take "not said" as true.
    pub destructive: Option<bool>,
    /// `idempotent`: a second call with the same arguments has no further effect.
    pub idempotent: Option<bool>,
    /// `open_world`: the tool reaches beyond the server's own data. Clients take "not said" as true.
    pub open_world: Option<bool>,
}

pub use crate::protocol::TaskSupport;

/// What serde wants to see for the tool's struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputShape {
    /// A struct with fields, a newtype of one, or a tagged enum: a JSON object.
    Object,
    /// `struct Name;`: serde reads `null`, while the arguments are still an object.
    Unit,
}

/// What the derive read from the attributes of one field.
#[derive(Debug, Clone, Copy)]
pub struct FieldMetadata {
    /// The name in JSON, after serde's `rename` and `rename_all`.
    pub name: &'static str,
    /// Further names that serde's `alias` takes.
    pub aliases: &'static [&'static str],
    /// Keywords to merge into the property's schema, as the JSON text of an object
    /// (`{"pattern":"…","examples":["…"],"x-mcp-header":"Region"}`).
    pub schema: &'static str,
    /// `secret`: never repeated in an error, a log line or a trace.
    pub secret: bool,
    /// `credential`: bound by the server, not part of the schema, refused when a caller sends it.
    pub credential: bool,
}

/// A place in the user's source.
#[derive(Debug, Clone, Copy)]
pub struct SourceLocation {
    /// `file!()`.
    pub file: &'static str,
    /// `line!()`, from 1.
    pub line: u32,
    /// `column!()`, from 1.
    pub column: u32,
}

/// Where a field stands, in the file of its struct.
#[derive(Debug, Clone, Copy)]
pub struct FieldSource {
    /// The name in JSON, after serde's `rename` and `rename_all`.
    pub name: &'static str,
    /// `line!()`, from 1.
    pub line: u32,
    /// `column!()`, from 1.
    pub column: u32,
}
