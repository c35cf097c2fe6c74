//! `cargo mcp lint`: what clients refuse, misread or pay for, found in the definitions before a client meets them.
//!
//! A rule is data: one file in `rules/` says what is wrong, why, for whom, from which public source, with an example
//! and its repair; `checks` has one line and one small function for it. The documentation, `--list` and `--explain` are
//! made from the same files, and the tests run each example against its rule.

mod args;

mod rule;
mod subject;

mod characters;
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
use crate::shell::{self, Shell};
use crate::source::{self, LoadedDocument, Source};

pub(crate) use args::LintArgs;
use location::{Location, ManifestFile, Origin};
use rule::{Level, RULES, Rule};
use settings::Settings;
use subject::{Place, Problems, Subject};

/// Something to report.
#[derive(Debug)]
struct Finding {
    rule: &'static Rule,
    level: Level,
    /// The run fails for it.
    is_denied: bool,
    server: String,
    place: Place,
    location: Option<Location>,
    message: String,
}

/// A manifest to look at, with the levels that hold for it.
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
            // Of several files, `--server` chooses.
            Err(Error::UnknownServer { .. }) if !is_package => continue,
            loaded => loaded?,
        };
        for loaded in loaded {
            candidates.push(candidate(loaded, args.config.as_deref())?);
        }
    }

    let mut findings = Vec::new();
    for mut candidate in candidates {
        look(&mut findings, &mut candidate, &args, &denied);
        for unused in candidate.settings.unused(|rule| rule.is_for(&args.clients)) {
            shell::warning(&unused);
        }
    }
    let hidden = hide_notes(&mut findings, &args);
    report::write(&findings, args.format)?;
    report::summary(&findings, hidden, shell);
    Ok(if findings.iter().any(|finding| finding.is_denied) { Exit::Findings } else { Exit::Ok })
}

/// A manifest with the levels that its package, a file of the user's or `mcp.toml` in this folder gives to rules.
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

/// Adds what the rules find in one manifest, in the order of the tools.
fn look(findings: &mut Vec<Finding>, candidate: &mut Candidate, args: &LintArgs, denied: &Denied) {
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
    findings.extend(found.into_iter().map(|(rule, level, problem)| Finding {
        rule,
        level,
        is_denied: denied.denies(rule, level),
        server: candidate.manifest.server.name.clone(),
        location: candidate.origin.locate(&problem.place),
        message: visible(&problem.message),
        place: problem.place,
    }));
}

/// Takes out the notes that nobody asked for, and says how many these are.
fn hide_notes(findings: &mut Vec<Finding>, args: &LintArgs) -> usize {
    let before = findings.len();
    findings.retain(|finding| args.notes || finding.is_denied || finding.level > Level::Note);
    before - findings.len()
}

/// What makes a run fail.
struct Denied {
    from: Level,
    rules: Vec<&'static str>,
}

impl Denied {
    fn new(wishes: &[String]) -> Result<Self, Error> {
        let mut denied = Self { from: Level::Error, rules: Vec::new() };
        for wish in wishes {
            match wish.as_str() {
                "warnings" => denied.from = denied.from.min(Level::Warning),
                "notes" => denied.from = Level::Note,
                id => denied.rules.push(find(id)?.id),
            }
        }
        Ok(denied)
    }

    fn denies(&self, rule: &Rule, level: Level) -> bool {
        level >= self.from || self.rules.contains(&rule.id)
    }
}

fn find(id: &str) -> Result<&'static Rule, Error> {
    rule::find(id).ok_or_else(|| Error::UnknownRule { problem: settings::unknown(id) })
}
