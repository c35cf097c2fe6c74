//! The forms of records: which there are, which is written, and which a record has.

use std::fmt;

use super::error::ValueError;
use super::historic::Older;
use super::tagged::Members;
use super::{ToolValue, flat, historic, tagged};

/// The name of the form that is written: one tagged object.
pub const TAGGED: &str = "tagged/1";
/// The name of the flat record.
pub const FLAT: &str = "flat/1";
/// The name of the older form of workflows alone.
pub const WORKFLOW_ONLY: &str = "workflow-only";
/// The name of the older form of MCP tools alone.
pub const MCP_ONLY: &str = "mcp-only";

/// One form of records, as an entry of the registry: how it is read and, unless it is an older one, written.
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

type Write = fn(&ToolValue) -> Result<Written, ValueError>;

/// A record, and what its form could not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The record: one line of JSON.
    pub text: String,
    /// The members that are not in it.
    pub lost: Vec<String>,
}

/// All forms; the first is the default.
const ALL: [ToolCodec; 4] = [
    ToolCodec {
        name: TAGGED,
        summary: "one object with `tool_type` and `schema_version`, for every kind",
        deprecation: None,
        read: tagged::read,
        write: Some(|value| Ok(Written { text: value.to_json(), lost: Vec::new() })),
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
    /// All forms; the first is the default.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The form of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|codec| codec.name == name)
    }

    /// The form that a record has.
    ///
    /// A record with `tool_type` is tagged; one with numbered fields is flat if its first field is a kind or it has more
    /// fields than the older forms; the others are told apart by the members that only one of them has.
    ///
    /// # Errors
    /// [`ValueError::NotJson`], [`ValueError::NotAnObject`], [`ValueError::Twice`], and [`ValueError::Unknown`] for an
    /// object that has none of the forms.
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

    /// The name, such as `tagged/1`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the form is, in a few words.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Whether records are written in this form where nothing else is said.
    pub fn is_default(&self) -> bool {
        self.name == TAGGED
    }

    /// Whether records can be written in this form.
    pub fn writes(&self) -> bool {
        self.write.is_some()
    }

    /// Whether the form is going to be removed.
    pub fn is_deprecated(&self) -> bool {
        self.deprecation.is_some()
    }

    /// What to do about records of a form that is going to be removed.
    pub fn deprecation(&self) -> Option<&'static str> {
        self.deprecation
    }

    /// Reads a record.
    ///
    /// # Errors
    /// What is wrong with it, as a [`ValueError`].
    pub fn decode(&self, text: &str) -> Result<ToolValue, ValueError> {
        (self.read)(text)
    }

    /// Writes a record, and says what it does not hold.
    ///
    /// # Errors
    /// [`ValueError::ReadOnly`] for an older form, [`ValueError::UnknownType`] for a kind that the form does not have.
    pub fn encode(&self, value: &ToolValue) -> Result<Written, ValueError> {
        let write = self.write.ok_or(ValueError::ReadOnly { form: self.name, default: TAGGED })?;
        write(value)
    }
}

/// The form that is written.
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

/// The codec of workflows, from when each kind had its own.
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

/// The codec of MCP tools, from when each kind had its own.
///
/// ```compile_fail
/// #![deny(deprecated)]
/// use toolwright_agent::value::McpToolCodec;
/// fn decode(_: McpToolCodec) {}
/// ```
///
/// Without `deny` it still does what it did:
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
