//! The kinds of changes, as data: what each means, why it matters, and what to do.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::report::{Rule, Severity};

/// How much a change affects callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Class {
    /// Descriptions and icons: what models and people read
    Documentation,
    /// Existing callers need no change
    Compatible,
    /// Existing callers may fail or do harm
    Breaking,
}

impl Class {
    /// The most severe first.
    pub(crate) const ALL: [Self; 3] = [Self::Breaking, Self::Compatible, Self::Documentation];

    /// The severity in reports.
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Breaking => Severity::Error,
            Self::Compatible | Self::Documentation => Severity::Note,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Compatible => "compatible",
            Self::Documentation => "documentation",
        }
    }
}

/// One kind of change.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeRule {
    /// The parts that rules of all reports share.
    #[serde(skip)]
    pub(super) info: Rule,
    pub(super) class: Class,
}

impl ChangeRule {
    pub(super) fn id(&self) -> &str {
        &self.info.id
    }
}

const FILES: [&str; 4] = [
    include_str!("rules/tools.toml"),
    include_str!("rules/input.toml"),
    include_str!("rules/output.toml"),
    include_str!("rules/features.toml"),
];

static RULES: LazyLock<BTreeMap<String, ChangeRule>> = LazyLock::new(|| {
    let rules = FILES.iter().flat_map(|file| {
        read(file).unwrap_or_else(|error| {
            panic!("the files are part of the program, and a test reads them: {error}")
        })
    });
    rules.map(|rule| (rule.info.id.clone(), rule)).collect()
});

fn read(file: &str) -> Result<Vec<ChangeRule>, toml::de::Error> {
    let tables: BTreeMap<String, toml::Table> = toml::from_str(file)?;
    let rule = |(id, mut table): (String, toml::Table)| {
        let info = Rule::take(&id, &mut table)?;
        Ok(ChangeRule { info, ..table.try_into()? })
    };
    tables.into_iter().map(rule).collect()
}

/// Returns every kind of change, sorted by id.
pub(super) fn all() -> impl Iterator<Item = &'static ChangeRule> {
    RULES.values()
}

/// Returns the kind of change with this id.
pub(super) fn find(id: &str) -> Option<&'static ChangeRule> {
    RULES.get(id)
}

/// Returns the kind of change with this id, which must exist.
///
/// # Panics
/// If it does not exist; a test covers every id that the comparison uses.
pub(super) fn get(id: &str) -> &'static ChangeRule {
    find(id).unwrap_or_else(|| panic!("no kind of change has the id `{id}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_summary_reason_and_advice() {
        let mut count = 0;
        for rule in all() {
            count += 1;
            for text in [&rule.info.summary, &rule.info.why, &rule.info.advice] {
                assert!(text.len() > 5, "{rule:?}");
                assert!(!text.ends_with('.') && !text.starts_with(char::is_uppercase), "{rule:?}");
            }
            assert!(rule.id().chars().all(|character| character.is_ascii_lowercase() || character == '-'));
        }
        let tables: usize = FILES.iter().map(|file| file.matches("\nclass = ").count()).sum();
        assert_eq!(count, tables, "an id is in two files");
    }
}
