//! The report of `cargo mcp diff`.

mod human;
mod json;
mod markdown;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::allow::AllowList;
use super::change::Change;
use super::rule::{Class, all};
use crate::report::{Finding, Location, ManifestText, Report, Rule, Severity};
use crate::text_file;

/// Maximum number of bytes of a file times the number of changes in it.
const MAX_SEARCH: usize = 1 << 30;

/// The changes between two sources.
#[derive(Debug)]
pub(super) struct DiffReport {
    /// The two sources, as the user named them.
    old: String,
    new: String,
    /// The file of the repository at which changes are shown.
    file: String,
    changes: Vec<ReportedChange>,
}

/// A change, with the effect of the flags on it.
#[derive(Debug)]
struct ReportedChange {
    change: Change,
    /// The reason why it is allowed, if it is.
    allowed: Option<String>,
    /// Whether the run fails because of it.
    is_denied: bool,
    /// Start and end of what changed in the new manifest, as line and column; `None` for what is gone.
    region: Option<[(usize, usize); 2]>,
}

impl Report for DiffReport {
    const COMMAND: &'static str = "cargo mcp diff";

    fn page(_: &Rule) -> String {
        "docs/cli.md#cargo-mcp-diff".to_owned()
    }

    fn rules(&self) -> Vec<(&Rule, Severity)> {
        let used: BTreeSet<&str> = self.changes.iter().map(|reported| reported.change.rule.id()).collect();
        let rules = all().filter(|rule| used.contains(rule.id()));
        rules.map(|rule| (&rule.info, rule.class.severity())).collect()
    }

    fn findings(&self) -> Vec<Finding<'_>> {
        self.changes.iter().map(|reported| self.finding(reported)).collect()
    }

    fn text(&self) -> String {
        human::render(self)
    }

    fn json(&self) -> String {
        json::render(self)
    }

    fn markdown(&self) -> String {
        markdown::render(self)
    }
}

impl DiffReport {
    pub(super) fn new(
        old: String,
        new: String,
        changes: Vec<Change>,
        allowed: &AllowList,
        deny: Class,
    ) -> Self {
        let report = |change: Change| {
            let allowed = allowed.reason(&change).map(str::to_owned);
            let is_denied = change.rule.class >= deny && allowed.is_none();
            ReportedChange { change, allowed, is_denied, region: None }
        };
        let file = manifest_file(&old, &new);
        Self { old, new, file, changes: changes.into_iter().map(report).collect() }
    }

    /// Finds the changes in the text of the new manifest, if that is the file that the report shows.
    pub(super) fn locate(&mut self, file: &Path) {
        let text = if file == Path::new(&self.file) { text_file::read(file).ok() } else { None };
        // Looking for many changes in a large file would take minutes.
        let Some(text) = text.filter(|text| text.len().saturating_mul(self.changes.len()) <= MAX_SEARCH)
        else {
            return;
        };
        let text = ManifestText::new(text);
        for reported in &mut self.changes {
            let change = &reported.change;
            let of = change.part.kind().map(|kind| (kind, change.name.as_str()));
            let range = text.range(of, &change.pointer);
            reported.region = range.map(|range| [range.start, range.end].map(|at| text.position(at)));
        }
    }

    /// Returns the number of changes that make the run fail.
    pub(super) fn count_denied(&self) -> usize {
        self.changes.iter().filter(|reported| reported.is_denied).count()
    }

    fn finding<'r>(&'r self, reported: &'r ReportedChange) -> Finding<'r> {
        let change = &reported.change;
        let mut message = format!("{}: {}", change.place(), change.rule.info.summary);
        // Writing to a string cannot fail.
        if let Some(witness) = &change.witness {
            _ = write!(message, "; {}: {witness}", witness_label(change));
        }
        if let Some(why) = &change.undecided {
            _ = write!(message, "; {UNDECIDED}: {why}");
        }
        if let Some(advice) = &change.advice {
            _ = write!(message, "; {advice}");
        }
        Finding {
            rule: &change.rule.info,
            severity: change.rule.class.severity(),
            is_denied: reported.is_denied,
            message,
            name: &change.name,
            path: format!("{}{}", change.name, change.pointer),
            location: Some(Location {
                file: &self.file,
                position: reported.region.map(|[start, _]| start),
                end: reported.region.map(|[_, end]| end),
            }),
            allowed: reported.allowed.as_deref(),
        }
    }

    fn count(&self, class: Class) -> usize {
        self.changes.iter().filter(|reported| reported.change.rule.class == class).count()
    }

    /// Returns the changes of each definition, in the order of the changes.
    fn by_definition(&self) -> Vec<Vec<&ReportedChange>> {
        let mut groups: Vec<Vec<&ReportedChange>> = Vec::new();
        for reported in &self.changes {
            let key = |reported: &ReportedChange| (reported.change.part, reported.change.name.clone());
            match groups.last_mut() {
                Some(group) if key(group[0]) == key(reported) => group.push(reported),
                _ => groups.push(vec![reported]),
            }
        }
        groups
    }

    /// Returns the changes of a class, grouped by rule and sorted by its id.
    fn by_rule(&self, class: Class) -> Vec<Vec<&ReportedChange>> {
        let mut groups: Vec<Vec<&ReportedChange>> = Vec::new();
        for reported in self.changes.iter().filter(|reported| reported.change.rule.class == class) {
            match groups.iter_mut().find(|group| group[0].change.rule == reported.change.rule) {
                Some(group) => group.push(reported),
                None => groups.push(vec![reported]),
            }
        }
        groups.sort_by_key(|group| group[0].change.rule.id());
        groups
    }
}

/// The words before the reason why a change is undecided.
const UNDECIDED: &str = "undecided, so it counts as breaking";

/// Returns what a witness proves: for arguments or for results.
fn witness_label(change: &Change) -> &'static str {
    if change.pointer.starts_with("/outputSchema") { "not promised before" } else { "rejected now" }
}

/// Returns the file of either side, or else the committed manifest.
fn manifest_file(old: &str, new: &str) -> String {
    let is_file = |place: &&str| {
        Path::new(place).extension().is_some_and(|extension| extension == "json") && !place.contains(':')
    };
    let committed = || old.rsplit_once(':').map(|(_, path)| path.trim_start_matches("./"));
    [new, old].into_iter().find(is_file).or_else(committed).unwrap_or("mcp.json").to_owned()
}
