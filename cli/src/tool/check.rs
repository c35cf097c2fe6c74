//! `cargo mcp tool check`.

use super::args::CheckArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::{self, Shell};

/// Reports invalid records, duplicate names and, if requested, deprecated formats.
pub(super) fn run(args: &CheckArgs, shell: Shell) -> Result<Exit, Error> {
    let tools = records::read(&args.records.files, None)?;
    let duplicates = tools.duplicates();
    for duplicate in &duplicates {
        shell::failure(duplicate);
    }
    for value in tools.values().filter(|value| value.definition().is_none()) {
        let (name, tool_type) = (value.name().unwrap_or_default(), value.tool_type());
        shell.note(&format_args!(
            "{name:?} is of the kind {tool_type:?}, which this version preserves but cannot call"
        ));
    }
    let is_denied = args.deny_deprecated && !tools.deprecations().is_empty();
    if is_denied {
        shell::failure(
            &"there are records in deprecated formats: rewrite them with `cargo mcp tool migrate`",
        );
    }
    if !tools.problems().is_empty() {
        return Ok(Exit::Usage);
    }
    if !duplicates.is_empty() || is_denied {
        return Ok(Exit::Findings);
    }
    let count = tools.entries().len();
    shell.note(&format_args!("{count} tool{} checked", if count == 1 { "" } else { "s" }));
    Ok(Exit::Ok)
}
