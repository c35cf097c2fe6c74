//! Why a record is not a tool.

use super::kinds::ToolType;
use super::version::{SchemaVersion, VersionError};

/// Why a record cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text is not JSON.
    #[error("the record is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// The text is JSON of another type.
    #[error("the record is not a JSON object")]
    NotAnObject,
    /// A member stands in the record twice, so that readers may not agree on it.
    #[error("the member {member:?} stands in the record twice; leave one out")]
    Twice {
        /// The member.
        member: String,
    },
    /// The record is none of the forms that are known.
    #[error("the record has neither `tool_type` nor the fields of an older form; is it a tool?")]
    Unknown,
    /// `tool_type` is not a string.
    #[error("`tool_type` is not a string; the known kinds are COMMAND, WORKFLOW, MCP and HTTP")]
    TypeNotText,
    /// A kind that the form does not have.
    #[error("unknown tool type {found:?}; {form} has {known}")]
    UnknownType {
        /// The kind that the record names.
        found: String,
        /// The name of the form.
        form: &'static str,
        /// The kinds that it has.
        known: &'static str,
    },
    /// There is no `schema_version`.
    #[error("`schema_version` is missing; write \"{current}\"", current = SchemaVersion::CURRENT)]
    NoVersion,
    /// `schema_version` is not a string: as a number, 1.10 would be 1.1.
    #[error("`schema_version` is not a string; write \"{current}\"", current = SchemaVersion::CURRENT)]
    VersionNotText,
    /// `schema_version` is not a version.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// `schema_version` is a version that this library does not read.
    #[error(
        "the record has schema version {found}, but this program reads versions {major}.x and writes {known}; use a \
         newer Toolwright, or write the record in version {known}",
        major = .known.major
    )]
    UnreadableVersion {
        /// The version of the record.
        found: SchemaVersion,
        /// The version that this library writes.
        known: SchemaVersion,
    },
    /// A member is missing, or its type is wrong.
    #[error("the {kind} record is incomplete or wrong: {source}")]
    Member {
        /// The kind of the tool.
        kind: ToolType,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A field of a positional record is wrong.
    #[error("field \"{field}\": {what}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A positional record has a field that its form does not have.
    #[error("the record has a field {field:?}, which {form} does not have")]
    UnknownField {
        /// The field.
        field: String,
        /// The name of the form.
        form: &'static str,
    },
    /// A tool that is no workflow has the bytes of one.
    #[error("the {kind} record has a workflow, which only WORKFLOW records have; take {place} out")]
    Blob {
        /// The kind of the tool.
        kind: ToolType,
        /// Where it stands.
        place: &'static str,
    },
    /// A schema that is too deep to be passed on.
    #[error("`{member}` has more than {limit} levels", limit = toolwright_core::json::MAX_VALUE_DEPTH)]
    Deep {
        /// The member.
        member: &'static str,
    },
    /// A form that can be read only.
    #[error("{form} is read, but no longer written; write {default}")]
    ReadOnly {
        /// The name of the form.
        form: &'static str,
        /// The form to write.
        default: &'static str,
    },
}
