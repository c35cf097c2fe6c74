//! The formats of records: their registry, detection, reading and writing.

use std::fmt;

use super::error::ValueError;
use super::historic::Older;
use super::tagged::Members;
use super::{ToolValue, flat, historic, tagged};

/// The name of the current format: one tagged object.
pub const TAGGED: &str = "tagged/1";
/// The name of the flat record format.
pub const FLAT: &str = "flat/1";
/// The name of the older format for workflows only.
pub const WORKFLOW_ONLY: &str = "workflow-only";
/// The name of the older format for MCP tools only.
pub const MCP_ONLY: &str = "mcp-only";

/// A format of records: an entry of the registry, which reads the format and, unless it is an older one, writes it.
///
/// ```
/// use toolwright_agent::value::ToolCodec;
///
/// let old = r#"{"name": "add", "description": "Adds.", "parameter_schema": {}, "server_uri": "http://127.0.0.1/sse", "tool_name": "add"}"#;
/// let codec = ToolCodec::detect(old)?;
/// assert_eq!((codec.name(), codec.is_deprecated()), ("mcp-only", true));
/// let value = codec.decode(old)?;
/// assert!(ToolCodec::default().encode(&value)?.text.starts_with(r#"{"tool_type":"MCP","schema_version":"1.0""#));
/// # Ok::<(), toolwright_agent::value::ValueError>(())
/// ```
#[derive(Clone, Copy)]
pub struct ToolCodec {
    name: &'static str,
    summary: &'static str,
    deprecation: Option<&'static str>,
    read: fn(&str) -> Result<ToolValue, ValueError>,
    write: Option<Write>,
}

type Write = fn(&ToolValue) -> Result<EncodedRecord, ValueError>;

/// An encoded record, and what its format could not express.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodedRecord {
    /// The record: one line of JSON.
    pub text: String,
    /// The members that the record lacks.
    pub lost: Vec<String>,
}

/// All formats; the first is the default.
const ALL: [ToolCodec; 4] = [
    ToolCodec {
        name: TAGGED,
        summary: "one object with `tool_type` and `schema_version`, for every kind",
        deprecation: None,
        read: tagged::read,
        write: Some(|value| Ok(EncodedRecord { text: value.to_json(), lost: Vec::new() })),
    },
    ToolCodec {
        name: FLAT,
        summary: "twelve numbered fields, for WORKFLOW and MCP: the columns of table programs",
        deprecation: None,
        read: flat::read,
        write: Some(flat::write),
    },
    ToolCodec {
        name: WORKFLOW_ONLY,
        summary: "workflows alone, without a kind",
        deprecation: Some(
            "the next major version no longer reads it: rewrite it with `cargo mcp tool migrate`",
        ),
        read: historic::read_workflow,
        write: None,
    },
    ToolCodec {
        name: MCP_ONLY,
        summary: "MCP tools alone, without a kind",
        deprecation: Some(
            "the next major version no longer reads it: rewrite it with `cargo mcp tool migrate`",
        ),
        read: historic::read_mcp,
        write: None,
    },
];

impl ToolCodec {
    /// Returns all formats; the first is the default.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// Returns the format with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|codec| codec.name == name)
    }

    /// Detects the format of a record.
    ///
    /// A record with `tool_type` is tagged. One with numbered fields is flat if its first field is a kind or it has
    /// more fields than the older formats; the others are distinguished by members that only one of them has.
    ///
    /// # Errors
    /// [`ValueError::NotJson`], [`ValueError::NotAnObject`], [`ValueError::Duplicate`], and [`ValueError::Unknown`] for
    /// an object in none of the formats.
    pub fn detect(text: &str) -> Result<&'static Self, ValueError> {
        let members = Members::of(text)?;
        let kind = members.value("0");
        let is_kind = kind.as_ref().is_some_and(|kind| kind == "WORKFLOW" || kind == "MCP");
        let has_flat_fields = ["7", "8", "9", "10", "11"].into_iter().any(|field| members.has(field));
        let index = if members.has("tool_type") {
            0
        } else if members.has("0") && (is_kind || has_flat_fields) {
            1
        } else {
            match historic::detect(&members) {
                Some(Older::Workflow) => 2,
                Some(Older::Mcp) => 3,
                None => return Err(ValueError::Unknown),
            }
        };
        Ok(&ALL[index])
    }

    /// Returns the name, such as `tagged/1`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a short description of the format.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Returns whether records are written in this format by default.
    pub fn is_default(&self) -> bool {
        self.name == TAGGED
    }

    /// Returns whether records can be written in this format.
    pub fn writes(&self) -> bool {
        self.write.is_some()
    }

    /// Returns whether the format is deprecated.
    pub fn is_deprecated(&self) -> bool {
        self.deprecation.is_some()
    }

    /// Returns what to do about records in this format, if it is deprecated.
    pub fn deprecation(&self) -> Option<&'static str> {
        self.deprecation
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`ValueError`] if the record is invalid.
    pub fn decode(&self, text: &str) -> Result<ToolValue, ValueError> {
        (self.read)(text)
    }

    /// Writes a record, and reports what the format cannot express.
    ///
    /// # Errors
    /// [`ValueError::ReadOnly`] for an older format, [`ValueError::UnknownType`] for a kind that the format does not
    /// support.
    pub fn encode(&self, value: &ToolValue) -> Result<EncodedRecord, ValueError> {
        let write = self.write.ok_or(ValueError::ReadOnly { form: self.name, default: TAGGED })?;
        write(value)
    }
}

/// Returns the current format.
impl Default for ToolCodec {
    fn default() -> Self {
        ALL[0]
    }
}

impl PartialEq for ToolCodec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ToolCodec {}

impl fmt::Debug for ToolCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolCodec").field(&self.name).finish()
    }
}

/// The workflow codec from when each kind had its own.
///
/// ```compile_fail
/// #![deny(deprecated)]
/// use toolwright_agent::value::WorkflowToolCodec;
/// fn decode(_: WorkflowToolCodec) {}
/// ```
#[deprecated(
    since = "0.1.0",
    note = "one codec reads and writes all kinds: use `ToolCodec`; see docs/MIGRATION.md"
)]
pub type WorkflowToolCodec = ToolCodec;

/// The MCP tool codec from when each kind had its own.
///
/// ```compile_fail
/// #![deny(deprecated)]
/// use toolwright_agent::value::McpToolCodec;
/// fn decode(_: McpToolCodec) {}
/// ```
///
/// Without `deny`, it still works:
///
/// ```
/// # #![allow(deprecated)]
/// use toolwright_agent::value::McpToolCodec;
///
/// let record = r#"{"name": "add", "server_uri": "http://localhost/sse", "tool_name": "add"}"#;
/// assert_eq!(McpToolCodec::detect(record)?.decode(record)?.tool_type(), "MCP");
/// # Ok::<(), toolwright_agent::value::ValueError>(())
/// ```
#[deprecated(
    since = "0.1.0",
    note = "one codec reads and writes all kinds: use `ToolCodec`; see docs/MIGRATION.md"
)]
pub type McpToolCodec = ToolCodec;
