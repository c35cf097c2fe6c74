//! What a project says about the rules: levels, each with its reason.
//!
//! ```toml
//! [package.metadata.mcp.lint]
//! missing-title = { level = "warning", reason = "our client shows titles only" }
//! deep-schema = { level = "allow", tools = ["import"], reason = "the format of our partner" }
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toolwright_core::suggest;

use super::rule::{self, Level, RULES, Rule};
use super::subject::Place;
use crate::error::Error;

/// The entries of one project.
#[derive(Debug, Default)]
pub(super) struct Settings {
    entries: Vec<Entry>,
}

/// What is said about one rule.
#[derive(Debug)]
struct Entry {
    rule: &'static Rule,
    /// Where it is said, for messages.
    place: String,
    wish: Wish,
    /// Something was found that it is about.
    is_used: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    level: Level,
    reason: String,
    /// Only these tools, and prompts and resources by name and address; all if there are none.
    #[serde(default)]
    tools: Vec<String>,
}

/// `mcp.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    lint: BTreeMap<String, Wish>,
}

impl Settings {
    /// Reads the `mcp.lint` table of a package's or workspace's `metadata`. A later one goes before an earlier one.
    ///
    /// # Errors
    /// [`Error::LintSettings`] for an entry that cannot be read, an unknown rule and an empty reason.
    pub(super) fn add_metadata(&mut self, metadata: &serde_json::Value, place: &str) -> Result<(), Error> {
        let Some(table) = metadata.pointer("/mcp/lint") else { return Ok(()) };
        let wishes: BTreeMap<String, Wish> = serde_json::from_value(table.clone())
            .map_err(|error| Error::LintSettings { place: place.to_owned(), problem: error.to_string() })?;
        self.add(wishes, place)
    }

    /// Reads the `[lint]` table of a file of its own.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Toml`], [`Error::LintSettings`].
    pub(super) fn of_file(file: &Path) -> Result<Self, Error> {
        let text =
            std::fs::read_to_string(file).map_err(|source| Error::Read { file: file.to_owned(), source })?;
        let read: File =
            toml::from_str(&text).map_err(|source| Error::Toml { file: file.to_owned(), source })?;
        let mut settings = Self::default();
        settings.add(read.lint, &file.display().to_string())?;
        Ok(settings)
    }

    fn add(&mut self, wishes: BTreeMap<String, Wish>, place: &str) -> Result<(), Error> {
        let wrong = |problem| Error::LintSettings { place: place.to_owned(), problem };
        for (id, wish) in wishes {
            let rule = rule::find(&id).ok_or_else(|| wrong(unknown(&id)))?;
            if wish.reason.trim().is_empty() {
                return Err(wrong(format!(
                    "the reason of `{id}` is empty: say why the level is `{}`",
                    wish.level
                )));
            }
            self.entries.push(Entry { rule, place: place.to_owned(), wish, is_used: false });
        }
        Ok(())
    }

    /// The level of a finding.
    pub(super) fn level(&mut self, rule: &Rule, place: &Place) -> Level {
        let is_about = |entry: &&mut Entry| {
            let tools = &entry.wish.tools;
            entry.rule.id == rule.id
                && (tools.is_empty() || place.of.as_ref().is_some_and(|of| tools.contains(&of.name)))
        };
        match self.entries.iter_mut().rev().find(is_about) {
            Some(entry) => {
                entry.is_used = true;
                entry.wish.level
            }
            None => rule.level,
        }
    }

    /// The entries that allow something that nobody does, in words.
    pub(super) fn unused(&self, is_checked: impl Fn(&Rule) -> bool) -> Vec<String> {
        let idle =
            |entry: &&Entry| !entry.is_used && entry.wish.level < entry.rule.level && is_checked(entry.rule);
        let say = |entry: &Entry| {
            format!("{}: nothing breaks `{}` any more, so its entry can go", entry.place, entry.rule.id)
        };
        self.entries.iter().filter(idle).map(say).collect()
    }
}

/// What to say about an id that no rule has.
pub(super) fn unknown(id: &str) -> String {
    match suggest::nearest(id, RULES.iter().map(|rule| rule.id)) {
        Some(near) => format!("there is no rule `{id}`: did you mean `{near}`?"),
        None => format!("there is no rule `{id}`: `cargo mcp lint --list` shows all"),
    }
}
