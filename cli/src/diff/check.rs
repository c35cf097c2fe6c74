//! The kinds of changes, as data: what each means, why, and what to do.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// How much a change matters to those who call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Class {
    /// Texts and pictures: what models and people read
    Documentation,
    /// Callers of before need no change
    Compatible,
    /// Callers of before may fail, or do harm
    Breaking,
}

impl Class {
    /// From the gravest down.
    pub(crate) const ALL: [Self; 3] = [Self::Breaking, Self::Compatible, Self::Documentation];

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
pub(crate) struct Check {
    /// The key of its table: lower-case words with `-` between them. Allow lists name it, so it stays.
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) class: Class,
    /// What happened, in a few words.
    pub(crate) title: String,
    /// Why it has this class.
    pub(crate) why: String,
    /// What to do instead.
    pub(crate) fix: String,
}

const FILES: [&str; 4] = [
    include_str!("checks/tools.toml"),
    include_str!("checks/input.toml"),
    include_str!("checks/output.toml"),
    include_str!("checks/features.toml"),
];

static CHECKS: LazyLock<BTreeMap<String, Check>> = LazyLock::new(|| {
    let mut checks = BTreeMap::new();
    for file in FILES {
        let read: BTreeMap<String, Check> =
            toml::from_str(file).expect("the files are part of the program, and a test reads them");
        checks.extend(read.into_iter().map(|(id, check)| (id.clone(), Check { id, ..check })));
    }
    checks
});

/// Every kind of change, by its id.
pub(crate) fn all() -> impl Iterator<Item = &'static Check> {
    CHECKS.values()
}

/// The kind of change with this id.
pub(super) fn known(id: &str) -> Option<&'static Check> {
    CHECKS.get(id)
}

/// The kind of change with this id, which the program itself names.
///
/// # Panics
/// If there is none: a test names every id that the comparison can.
pub(super) fn named(id: &str) -> &'static Check {
    known(id).unwrap_or_else(|| panic!("no check has the id `{id}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_says_what_why_and_what_to_do() {
        let mut count = 0;
        for check in all() {
            count += 1;
            for text in [&check.title, &check.why, &check.fix] {
                assert!(text.len() > 5, "{check:?}");
                assert!(!text.ends_with('.') && !text.starts_with(char::is_uppercase), "{check:?}");
            }
            assert!(check.id.chars().all(|character| character.is_ascii_lowercase() || character == '-'));
        }
        let tables: usize = FILES.iter().map(|file| file.matches("\nclass = ").count()).sum();
        assert_eq!(count, tables, "an id stands in two files");
    }
}
