//! The attributes of a derive as constants: for a tool, its fields and its package.

use serde_json::Value;

use crate::protocol::TaskSupport;

/// The attributes of a struct. Created only by `#[derive(Tool)]`.
#[derive(Debug, Clone, Copy)]
pub struct ToolMetadata {
    /// `title = "…"`.
    pub title: Option<&'static str>,
    /// `description = "…"`, or the doc comment.
    pub description: Option<&'static str>,
    /// The four hints, each only if specified.
    pub hints: Hints,
    /// `icon(src = "…", mime_type = "…", sizes = ["48x48"], theme = "light")`, each as JSON text of an MCP `Icon`.
    pub icons: &'static [&'static str],
    /// `meta(key = value, …)`, as the JSON text of an object.
    pub meta: Option<&'static str>,
    /// `scopes("…", "…")`: scopes that the caller's token must grant.
    pub scopes: &'static [&'static str],
    /// `was("…")`: former names, which still call this tool.
    pub was: &'static [&'static str],
    /// `tags("…")`: categories for users, in `_meta`.
    pub tags: &'static [&'static str],
    /// `context = "…"`: the application context that the tool belongs to.
    pub context: Option<&'static str>,
    /// `task`, `task = "required"`: whether calls may or must become tasks.
    pub task: Option<TaskSupport>,
    /// Whether unknown arguments are rejected (the default) or ignored (`allow_unknown`).
    pub allow_unknown: bool,
    /// `output = Type`: creates the output schema of a tool whose handler the derives cannot see.
    pub output: Option<fn() -> Value>,
    /// The JSON form that serde expects for the struct itself.
    pub shape: InputShape,
    /// Attributes of fields; fields without attributes are omitted.
    pub fields: &'static [FieldMetadata],
    /// The location of the struct, for command-line reports.
    pub source: SourceLocation,
}

/// The four hints of the annotations; `None` means unspecified.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    /// `read_only`: the tool does not modify its environment.
    pub read_only: Option<bool>,
    /// `destructive`: the tool may perform destructive updates. Clients treat unspecified as true.
    pub destructive: Option<bool>,
    /// `idempotent`: repeated calls with the same arguments have no further effect.
    pub idempotent: Option<bool>,
    /// `open_world`: the tool interacts with external entities. Clients treat unspecified as true.
    pub open_world: Option<bool>,
}

/// The JSON form that serde expects for the struct of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputShape {
    /// A struct with fields, a newtype of one, or a tagged enum: a JSON object.
    Object,
    /// `struct Name;`: serde expects `null`, but the arguments are still an object.
    Unit,
}

/// The attributes of a field.
#[derive(Debug, Clone, Copy)]
pub struct FieldMetadata {
    /// The JSON name, after serde's `rename` and `rename_all`.
    pub name: &'static str,
    /// Other names, from serde's `alias`.
    pub aliases: &'static [&'static str],
    /// Keywords to merge into the property's schema, as the JSON text of an object
    /// (`{"pattern":"…","examples":["…"],"x-mcp-header":"Region"}`).
    pub schema: &'static str,
    /// `secret`: never repeated in an error, log or trace.
    pub secret: bool,
    /// `credential`: set by the server, not part of the schema, rejected if a caller sends it.
    pub credential: bool,
}

/// The attributes of a struct that is a prompt or a resource. Created only by `#[derive(Prompt)]` and `#[derive(Resource)]`.
#[derive(Debug, Clone, Copy)]
pub struct FeatureMetadata {
    /// The definition as the JSON text of an object, without its description and its arguments.
    pub definition: &'static str,
    /// `description = "…"`, or the doc comment.
    pub description: Option<&'static str>,
    /// Attributes of fields; fields without attributes are omitted.
    pub fields: &'static [FieldMetadata],
    /// The location of the struct, for command-line reports.
    pub source: SourceLocation,
}

/// A source location.
#[derive(Debug, Clone, Copy)]
pub struct SourceLocation {
    /// `file!()`.
    pub file: &'static str,
    /// `line!()`, starting at 1.
    pub line: u32,
    /// `column!()`, starting at 1.
    pub column: u32,
}

/// The location of a field, in the same file as its struct.
#[derive(Debug, Clone, Copy)]
pub struct FieldSource {
    /// The JSON name, after serde's `rename` and `rename_all`.
    pub name: &'static str,
    /// `line!()`, starting at 1.
    pub line: u32,
    /// `column!()`, starting at 1.
    pub column: u32,
}

/// A Cargo package, the default for the name and version of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// `CARGO_PKG_NAME`.
    pub name: &'static str,
    /// `CARGO_PKG_VERSION`.
    pub version: &'static str,
}
