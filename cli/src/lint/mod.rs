//! `cargo mcp lint`: finds definitions that clients reject or misread.
//!
//! A rule is data: a file in `rules/` describes the problem, the reason, the affected clients and a public
//! source, with an example and its fix; `checks` has one line and one small function for it. The documentation,
//! `--list` and `--explain` are generated from these files, and tests apply each rule to its example.

mod args;

mod rule;
mod subject;

mod checks;
mod schema;
mod words;

mod location;
mod settings;

mod explain;
mod report;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

use std::path::Path;

use toolwright_core::manifest::{Manifest, visible};

use crate::error::Error;
use crate::exit::Exit;
use crate::report::print;
use crate::shell::{self, Shell};
use crate::source::{self, LoadedDocument, Source};

pub(crate) use args::LintArgs;
use location::{ManifestFile, Origin};
use report::{LintReport, Violation};
use rule::{Level, LintRule, RULES};
use settings::Settings;
use subject::{Problems, Subject};

/// A manifest to check, with the levels that apply to it.
struct Candidate {
    manifest: Manifest,
    origin: Origin,
    settings: Settings,
}

/// Runs the command.
///
/// # Errors
/// Any [`Error`]; its exit code is [`Exit::from`] it.
pub(crate) fn run(mut args: LintArgs, shell: Shell) -> Result<Exit, Error> {
    if let Some(id) = &args.explain {
        shell::print(&explain::rule(find(id)?))?;
        return Ok(Exit::Ok);
    }
    if args.list {
        shell::print(&explain::list(&args.clients))?;
        return Ok(Exit::Ok);
    }
    let denied = Denied::new(&args.deny)?;
    let mut candidates = Vec::new();
    for source in args.sources() {
        let is_package = matches!(source, Source::Package(_));
        let loaded = match source::load_documents(source, &mut args.tools, shell) {
            // If a file contains several servers, `--server` selects one.
            Err(Error::UnknownServer { .. }) if !is_package => continue,
            loaded => loaded?,
        };
        for loaded in loaded {
            candidates.push(candidate(loaded, args.config.as_deref())?);
        }
    }

    let mut violations = Vec::new();
    for mut candidate in candidates {
        check(&mut violations, &mut candidate, &args, &denied);
        for unused in candidate.settings.unused(|rule| rule.is_for(&args.clients)) {
            shell::warning(&unused);
        }
    }
    let hidden = hide_notes(&mut violations, &args);
    let report = LintReport { violations };
    let exit = print(&report, args.format)?;
    report.summarize(hidden, shell);
    Ok(exit)
}

/// Loads a manifest with the levels of its package, of `--config` or of `mcp.toml` in this folder.
fn candidate(loaded: LoadedDocument, config: Option<&Path>) -> Result<Candidate, Error> {
    let LoadedDocument { document, text, is_package } = loaded;
    let nearby = Some(Path::new("mcp.toml")).filter(|file| !is_package && file.is_file());
    let mut settings = match config.or(nearby) {
        Some(file) => Settings::of_file(file)?,
        None => Settings::default(),
    };
    for (place, metadata) in document.sources.metadata.iter().filter(|_| config.is_none()) {
        settings.add_metadata(metadata, place)?;
    }
    let origin = match text {
        Some((path, text)) => Origin::File(Box::new(ManifestFile::new(path, text))),
        None if is_package => Origin::of_package(document.sources),
        None => Origin::Unknown,
    };
    Ok(Candidate { manifest: document.manifest, origin, settings })
}

/// Adds the violations of one manifest, in the order of the tools.
fn check(violations: &mut Vec<Violation>, candidate: &mut Candidate, args: &LintArgs, denied: &Denied) {
    let subject = Subject::new(&candidate.manifest);
    let mut found = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.is_for(&args.clients)) {
        let mut problems = Problems::default();
        (rule.check)(rule, &subject, &mut problems);
        for problem in problems.0 {
            let level = candidate.settings.level(rule, &problem.place);
            if level > Level::Allow {
                found.push((rule, level, problem));
            }
        }
    }
    found.sort_by(|(_, _, left), (_, _, right)| left.place.cmp(&right.place));
    violations.extend(found.into_iter().map(|(rule, level, problem)| Violation {
        rule,
        level,
        is_denied: denied.denies(rule, level),
        server: candidate.manifest.server.name.clone(),
        location: candidate.origin.locate(&problem.place),
        message: visible(&problem.message),
        place: problem.place,
    }));
}

/// Removes the notes that were not requested, and returns how many.
fn hide_notes(violations: &mut Vec<Violation>, args: &LintArgs) -> usize {
    let before = violations.len();
    violations.retain(|one| args.notes || one.is_denied || one.level > Level::Note);
    before - violations.len()
}

/// The conditions for failure.
struct Denied {
    from: Level,
    rules: Vec<&'static str>,
}

impl Denied {
    fn new(flags: &[String]) -> Result<Self, Error> {
        let mut denied = Self { from: Level::Error, rules: Vec::new() };
        for flag in flags {
            match flag.as_str() {
                "warnings" => denied.from = denied.from.min(Level::Warning),
                "notes" => denied.from = Level::Note,
                id => denied.rules.push(find(id)?.id()),
            }
        }
        Ok(denied)
    }

    fn denies(&self, rule: &LintRule, level: Level) -> bool {
        level >= self.from || self.rules.contains(&rule.id())
    }
}

fn find(id: &str) -> Result<&'static LintRule, Error> {
    rule::find(id).ok_or_else(|| Error::UnknownRule { problem: settings::unknown(id) })
}
