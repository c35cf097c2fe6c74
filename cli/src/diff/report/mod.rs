//! The changes as a text, for people and for programs.

mod json;
mod markdown;
mod sarif;
mod text;

use super::allow::AllowList;
use super::args::ReportFormat;
use super::check::Class;
use super::finding::Finding;

/// What a run found.
#[derive(Debug)]
pub(super) struct Report {
    /// What was compared, as the user named it.
    old: String,
    new: String,
    /// The changes, each with the reason why it is allowed, if it is.
    findings: Vec<(Finding, Option<String>)>,
    deny: Class,
}

impl Report {
    pub(super) fn new(
        old: String,
        new: String,
        findings: Vec<Finding>,
        allowed: &AllowList,
        deny: Class,
    ) -> Self {
        let with_reason = |finding: Finding| {
            let reason = allowed.reason(&finding).map(str::to_owned);
            (finding, reason)
        };
        Self { old, new, findings: findings.into_iter().map(with_reason).collect(), deny }
    }

    /// How many changes make the run fail.
    pub(super) fn denied(&self) -> usize {
        self.findings.iter().filter(|(finding, reason)| self.is_denied(finding, reason.as_deref())).count()
    }

    pub(super) fn written(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Text => text::written(self),
            ReportFormat::Json => json::written(self),
            ReportFormat::Sarif => sarif::written(self),
            ReportFormat::Markdown => markdown::written(self),
        }
    }

    fn is_denied(&self, finding: &Finding, reason: Option<&str>) -> bool {
        finding.check.class >= self.deny && reason.is_none()
    }

    fn count(&self, class: Class) -> usize {
        self.findings.iter().filter(|(finding, _)| finding.check.class == class).count()
    }

    /// The changes of a class, those of one check together, in the order of the checks' ids.
    fn by_check(&self, class: Class) -> Vec<Vec<&(Finding, Option<String>)>> {
        let mut groups: Vec<Vec<&(Finding, Option<String>)>> = Vec::new();
        for entry in self.findings.iter().filter(|(finding, _)| finding.check.class == class) {
            match groups.iter_mut().find(|group| group[0].0.check == entry.0.check) {
                Some(group) => group.push(entry),
                None => groups.push(vec![entry]),
            }
        }
        groups.sort_by_key(|group| &group[0].0.check.id);
        groups
    }
}

/// What a value shows, for the direction of its schema.
fn witness_label(finding: &Finding) -> &'static str {
    if finding.pointer.starts_with("/outputSchema") { "not promised before" } else { "refused now" }
}
