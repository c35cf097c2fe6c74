//! What the attributes of a derive say, as constants: of a tool, its fields and the package that it is in.

use serde_json::Value;

use crate::protocol::TaskSupport;

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
    /// Where the struct is defined, for reports of the command line.
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

/// Where a field is defined, in the file of its struct.
#[derive(Debug, Clone, Copy)]
pub struct FieldSource {
    /// The name in JSON, after serde's `rename` and `rename_all`.
    pub name: &'static str,
    /// `line!()`, from 1.
    pub line: u32,
    /// `column!()`, from 1.
    pub column: u32,
}

/// A Cargo package: the default for a server's name and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// `CARGO_PKG_NAME`.
    pub name: &'static str,
    /// `CARGO_PKG_VERSION`.
    pub version: &'static str,
}
