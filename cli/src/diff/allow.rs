//! The list of intended changes, each with its reason: `--allow FILE`.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::change::Change;
use super::rule;
use crate::error::Error;

/// The contents of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AllowList {
    #[serde(default)]
    allow: Vec<AllowedChange>,
}

/// One change, or all changes of a kind in one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AllowedChange {
    /// The id of the kind of change.
    id: String,
    /// The name of the tool or prompt, or the URI of the resource; empty for the server.
    #[serde(default)]
    tool: String,
    /// The location in the definition; `None` for all locations.
    at: Option<String>,
    /// Why the change is intended.
    reason: String,
}

/// Why a list is invalid.
#[derive(Debug, thiserror::Error)]
pub(super) enum AllowError {
    #[error("expected `[[allow]]` tables with `id`, `tool`, `reason` and optionally `at`")]
    Form(#[from] toml::de::Error),
    #[error("unknown change `{0}`: the report shows the id of each change in brackets")]
    UnknownId(String),
    #[error("the entry for `{0}` has no reason: say why the change is intended")]
    NoReason(String),
}

impl AllowList {
    pub(super) fn read(file: &Path) -> Result<Self, Error> {
        let text =
            fs::read_to_string(file).map_err(|source| Error::Read { file: file.to_owned(), source })?;
        Self::parse(&text).map_err(|source| Error::AllowList { file: file.to_owned(), source: source.into() })
    }

    fn parse(text: &str) -> Result<Self, AllowError> {
        let list: Self = toml::from_str(text)?;
        for entry in &list.allow {
            if rule::find(&entry.id).is_none() {
                return Err(AllowError::UnknownId(entry.id.clone()));
            }
            if entry.reason.trim().is_empty() {
                return Err(AllowError::NoReason(entry.id.clone()));
            }
        }
        Ok(list)
    }

    /// Returns the reason for a change, if it is listed.
    pub(super) fn reason(&self, change: &Change) -> Option<&str> {
        self.allow.iter().find(|entry| entry.covers(change)).map(|entry| entry.reason.as_str())
    }

    /// Returns the entries that match no change.
    pub(super) fn unused(&self, changes: &[Change]) -> Vec<String> {
        let is_used = |entry: &&AllowedChange| changes.iter().any(|change| entry.covers(change));
        let format = |entry: &AllowedChange| {
            [entry.id.as_str(), &entry.tool, entry.at.as_deref().unwrap_or_default()]
                .join(" ")
                .trim_end()
                .to_owned()
        };
        self.allow.iter().filter(|entry| !is_used(entry)).map(format).collect()
    }
}

impl AllowedChange {
    fn covers(&self, change: &Change) -> bool {
        self.id == change.rule.id()
            && self.tool == change.name
            && self.at.as_ref().is_none_or(|at| *at == change.pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::change::Part;

    const LIST: &str =
        "[[allow]]\nid = \"tool-removed\"\ntool = \"old\"\nreason = \"nobody called it in a year\"\n";

    #[test]
    fn an_entry_covers_its_tool_and_nothing_else() {
        let list = AllowList::parse(LIST).unwrap();
        let change = |id: &str, name: &str| Change::new(id, Part::Tool, name, "");
        assert_eq!(list.reason(&change("tool-removed", "old")), Some("nobody called it in a year"));
        assert_eq!(list.reason(&change("tool-removed", "other")), None);
        assert_eq!(list.reason(&change("tool-added", "old")), None);
        assert_eq!(list.unused(&[change("tool-removed", "old")]), Vec::<String>::new());
        assert_eq!(list.unused(&[]), ["tool-removed old"]);
    }

    #[test]
    fn entries_without_reason_or_known_id_are_rejected() {
        let refused = |text: &str| AllowList::parse(text).unwrap_err().to_string();
        assert!(refused(&LIST.replace("tool-removed", "tool-lost")).contains("unknown change `tool-lost`"));
        assert!(refused(&LIST.replace("nobody called it in a year", " ")).contains("no reason"));
        assert!(refused(&LIST.replace("reason", "because")).contains("expected `[[allow]]`"));
    }
}
