//! A rule: the contents of its data file, and the table of all rules.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::checks::CHECKS;
use super::subject::{Problems, Subject};
use crate::report::{Rule, Severity};

/// Finds violations of a rule.
pub(super) type Check = fn(&LintRule, &Subject<'_>, &mut Problems);

/// A rule of `lint`. All but its id and its check comes from `rules/<id>.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LintRule {
    /// The members that all reports share.
    #[serde(skip)]
    pub(super) info: Rule,
    /// The default severity of a violation.
    pub(super) level: Level,
    /// The clients that it applies to; empty for all.
    #[serde(default)]
    pub(super) clients: Vec<Client>,
    /// The maximum, for rules with a limit.
    #[serde(default)]
    pub(super) limit: usize,
    /// The words or values to find, for rules with a list.
    #[serde(default)]
    pub(super) words: Vec<String>,
    /// For rules with exceptions: by word of the list, the preceding words that change its meaning.
    #[serde(default)]
    pub(super) except: BTreeMap<String, Vec<String>>,
    /// A definition that violates the rule, as JSON in the short form of `sample`.
    pub(super) example: String,
    /// The same without the violation.
    pub(super) fix: String,
    #[serde(skip, default = "no_check")]
    pub(super) check: Check,
}

/// How severe a violation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// Not reported.
    Allow,
    /// It may be intended; shown with `--notes`.
    Note,
    /// Some callers are affected.
    Warning,
    /// A client rejects the tool, or all tools of the server.
    Error,
}

/// A client or model provider with additional rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Client {
    /// OpenAI's API and what is built on it
    Openai,
    /// Anthropic's API, Claude Code and Claude Desktop
    Anthropic,
    /// Google's Gemini API and Gemini CLI
    Gemini,
    /// VS Code with Copilot
    #[value(name = "vscode")]
    VsCode,
    /// Cursor
    Cursor,
    /// The protocol itself, for every client
    Mcp,
}

/// All rules, sorted by id.
pub(super) static RULES: LazyLock<Vec<LintRule>> = LazyLock::new(|| {
    let mut rules: Vec<LintRule> = CHECKS.iter().map(read).collect();
    rules.sort_by(|left, right| left.id().cmp(right.id()));
    rules
});

/// A test parses every file, so this cannot fail for users.
fn read((id, text, check): &(&str, &str, Check)) -> LintRule {
    let read = || {
        let mut table: toml::Table = toml::from_str(text)?;
        let info = Rule::take(id, &mut table)?;
        Ok::<_, toml::de::Error>(LintRule { info, check: *check, ..table.try_into()? })
    };
    read().unwrap_or_else(|error| panic!("rules/{id}.toml: {error}"))
}

fn no_check() -> Check {
    |_, _, _| {}
}

/// Returns the rule with this id.
pub(super) fn find(id: &str) -> Option<&'static LintRule> {
    RULES.iter().find(|rule| rule.id() == id)
}

impl LintRule {
    /// The name of its data file.
    pub(super) fn id(&self) -> &str {
        &self.info.id
    }

    /// Returns whether the rule applies to one of these clients; if empty, to all.
    pub(super) fn is_for(&self, clients: &[Client]) -> bool {
        clients.is_empty()
            || self.clients.is_empty()
            || self.clients.iter().any(|client| *client == Client::Mcp || clients.contains(client))
    }

    /// The names of the clients: `openai, gemini`, or `all`.
    pub(super) fn clients_in_words(&self) -> String {
        if self.clients.is_empty() {
            return "all".to_owned();
        }
        self.clients.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Returns whether `word` is one of the words of the rule.
    pub(super) fn lists(&self, word: &str) -> bool {
        self.words.iter().any(|listed| listed == word)
    }
}

impl Level {
    /// The severity in reports.
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note | Self::Allow => Severity::Note,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Allow => "allow",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Mcp => "mcp",
        })
    }
}
