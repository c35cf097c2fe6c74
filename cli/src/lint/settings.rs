//! The lint levels of a project, each with its reason.
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

use super::rule::{self, Level, LintRule, RULES};
use super::subject::Place;
use crate::error::Error;

/// The entries of one project.
#[derive(Debug, Default)]
pub(super) struct Settings {
    entries: Vec<LevelEntry>,
}

/// The level of one rule.
#[derive(Debug)]
struct LevelEntry {
    rule: &'static LintRule,
    /// Where the level is set, for messages.
    place: String,
    setting: Setting,
    /// Whether it applied to a violation.
    is_used: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    level: Level,
    reason: String,
    /// The tools, prompts (by name) or resources (by URI) that it applies to; all if empty.
    #[serde(default)]
    tools: Vec<String>,
}

/// `mcp.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    lint: BTreeMap<String, Setting>,
}

impl Settings {
    /// Reads the `mcp.lint` table of a package's or workspace's `metadata`. Later entries take precedence.
    ///
    /// # Errors
    /// [`Error::LintSettings`] for an entry that cannot be read, an unknown rule and an empty reason.
    pub(super) fn add_metadata(&mut self, metadata: &serde_json::Value, place: &str) -> Result<(), Error> {
        let Some(table) = metadata.pointer("/mcp/lint") else { return Ok(()) };
        let settings_by_rule: BTreeMap<String, Setting> = serde_json::from_value(table.clone())
            .map_err(|error| Error::LintSettings { place: place.to_owned(), problem: error.to_string() })?;
        self.add(settings_by_rule, place)
    }

    /// Reads the `[lint]` table of a separate file.
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

    fn add(&mut self, settings_by_rule: BTreeMap<String, Setting>, place: &str) -> Result<(), Error> {
        let wrong = |problem| Error::LintSettings { place: place.to_owned(), problem };
        for (id, setting) in settings_by_rule {
            let rule = rule::find(&id).ok_or_else(|| wrong(unknown(&id)))?;
            if setting.reason.trim().is_empty() {
                return Err(wrong(format!(
                    "the reason of `{id}` is empty: say why the level is `{}`",
                    setting.level
                )));
            }
            self.entries.push(LevelEntry { rule, place: place.to_owned(), setting, is_used: false });
        }
        Ok(())
    }

    /// The level of a finding.
    pub(super) fn level(&mut self, rule: &LintRule, place: &Place) -> Level {
        let is_about = |entry: &&mut LevelEntry| {
            let tools = &entry.setting.tools;
            entry.rule.id() == rule.id()
                && (tools.is_empty() || place.of.as_ref().is_some_and(|of| tools.contains(&of.name)))
        };
        match self.entries.iter_mut().rev().find(is_about) {
            Some(entry) => {
                entry.is_used = true;
                entry.setting.level
            }
            None => rule.level,
        }
    }

    /// Returns messages about entries that allow violations that do not occur.
    pub(super) fn unused(&self, is_checked: impl Fn(&LintRule) -> bool) -> Vec<String> {
        let idle = |entry: &&LevelEntry| {
            !entry.is_used && entry.setting.level < entry.rule.level && is_checked(entry.rule)
        };
        let say = |entry: &LevelEntry| {
            format!("{}: nothing breaks `{}` any more: remove its entry", entry.place, entry.rule.id())
        };
        self.entries.iter().filter(idle).map(say).collect()
    }
}

/// The message for an unknown rule.
pub(super) fn unknown(id: &str) -> String {
    match suggest::nearest(id, RULES.iter().map(LintRule::id)) {
        Some(near) => format!("unknown rule `{id}`: did you mean `{near}`?"),
        None => format!("unknown rule `{id}`: list all with `cargo mcp lint --list`"),
    }
}
