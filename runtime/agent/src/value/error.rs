//! The errors of reading and writing records.

use super::kinds::ToolType;
use super::version::{SchemaVersion, VersionError};

/// A record could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The record is not valid JSON.
    #[error("the record is not valid JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// The record is JSON, but not an object.
    #[error("the record is not a JSON object")]
    NotAnObject,
    /// A member appears twice, so readers may disagree about its value.
    #[error("the member {member:?} appears twice in the record; remove one")]
    Duplicate {
        /// The member.
        member: String,
    },
    /// The record has none of the known formats.
    #[error("the record has neither `tool_type` nor the fields of an older format; is it a tool?")]
    Unknown,
    /// `tool_type` is not a string.
    #[error("`tool_type` is not a string; the known kinds are COMMAND, WORKFLOW, MCP and HTTP")]
    TypeNotString,
    /// The format does not support the kind.
    #[error("unknown tool type {found:?}; {form} supports {known}")]
    UnknownType {
        /// The record's kind.
        found: String,
        /// The format's name.
        form: &'static str,
        /// The kinds that the format supports.
        known: &'static str,
    },
    /// There is no `schema_version`.
    #[error("`schema_version` is missing; write \"{current}\"", current = SchemaVersion::CURRENT)]
    NoVersion,
    /// `schema_version` is not a string: as numbers, 1.10 and 1.1 would be equal.
    #[error("`schema_version` is not a string; write \"{current}\"", current = SchemaVersion::CURRENT)]
    VersionNotString,
    /// `schema_version` is not a version.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// This library does not read the record's version.
    #[error(
        "the record has schema version {found}, but this program reads versions {major}.x and writes {known}; use a \
         newer Toolwright, or write the record in version {known}",
        major = .known.major
    )]
    UnreadableVersion {
        /// The record's version.
        found: SchemaVersion,
        /// The version that this library writes.
        known: SchemaVersion,
    },
    /// A member is missing, or has the wrong type.
    #[error("the {kind} record is incomplete or invalid: {source}")]
    Member {
        /// The tool's kind.
        kind: ToolType,
        /// The cause.
        source: serde_json::Error,
    },
    /// A field of a positional record is invalid.
    #[error("field \"{field}\": {what}")]
    Field {
        /// The field.
        field: &'static str,
        /// The cause.
        what: String,
    },
    /// A positional record has a field that its format does not define.
    #[error("the record has a field {field:?}, which {form} does not define")]
    UnknownField {
        /// The field.
        field: String,
        /// The format's name.
        form: &'static str,
    },
    /// A tool that is not a workflow contains one.
    #[error("the {kind} record has a workflow, which only WORKFLOW records may have; remove {place}")]
    Blob {
        /// The tool's kind.
        kind: ToolType,
        /// Its location in the record.
        place: &'static str,
    },
    /// A schema is nested too deeply.
    #[error("`{member}` is nested more than {limit} levels deep", limit = toolwright_core::json::MAX_VALUE_DEPTH)]
    Deep {
        /// The member.
        member: &'static str,
    },
    /// The format can only be read.
    #[error("{form} can be read, but no longer written; write {default}")]
    ReadOnly {
        /// The format's name.
        form: &'static str,
        /// The format to write instead.
        default: &'static str,
    },
}
