//! `cargo mcp diff`: what changed for callers, and whether it breaks them.

mod args;
mod change;
mod compare;
mod rule;

mod allow;
mod report;

use std::path::Path;

use crate::error::Error;
use crate::exit::Exit;
use crate::report::print;
use crate::shell::{self, Shell};
use crate::source::{self, Source};

use allow::AllowList;
use compare::Author;
use report::DiffReport;

pub(crate) use args::DiffArgs;

/// Runs the command. The report goes to standard output.
///
/// # Errors
/// Any [`Error`] of reading the two sides and the allow list.
pub(crate) fn run(args: DiffArgs, shell: Shell) -> Result<Exit, Error> {
    let DiffArgs { old, new, deny, allow, own, format, mut tools, command } = args;
    // The allow list is read first, since its errors are found fastest.
    let allowed = allow.as_deref().map_or_else(|| Ok(AllowList::default()), AllowList::read)?;
    let old_source = old.unwrap_or(Source::Committed);
    let new_source = match new {
        Some(source) => source,
        None if command.is_empty() => Source::Package(None),
        None => Source::Command(command),
    };
    let old = source::load(&old_source, &mut tools, shell)?;
    let new = source::load(&new_source, &mut tools, shell)?;

    let author = if own { Author::User } else { author(&old_source, &new_source) };
    let changes = compare::compare(&old, &new, author);
    for unused in allowed.unused(&changes) {
        shell::warning(&format_args!("the allow list has an entry that no change needs: {unused}"));
    }
    let mut report = DiffReport::new(old_source.to_string(), new_source.to_string(), changes, &allowed, deny);
    if matches!(new_source, Source::File(_) | Source::Word(_)) {
        report.locate(Path::new(&new_source.to_string()));
    }
    let exit = print(&report, format)?;
    let denied = report.count_denied();
    if denied > 0 {
        let s = if denied == 1 { "" } else { "s" };
        shell::failure(&format_args!("{denied} change{s} of the class `{}` or above", deny.name()));
        shell.note(&"to allow an intended change, list it with its reason: --allow FILE");
    }
    Ok(exit)
}

/// Returns who wrote the hints of `new`: the user wrote those of a package and of a manifest in Git; any other file and a
/// running server may be a third party's.
fn author(old: &Source, new: &Source) -> Author {
    match (old, new) {
        (_, Source::Package(_) | Source::Committed) => Author::User,
        (Source::Committed | Source::Revision { .. }, Source::File(_) | Source::Revision { .. }) => {
            Author::User
        }
        _ => Author::ThirdParty,
    }
}

#[cfg(test)]
mod tests;
