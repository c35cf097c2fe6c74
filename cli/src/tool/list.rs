//! `cargo mcp tool list`.

use toolwright_core::manifest::visible;

use super::args::RecordsArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

/// Maximum number of characters of a description.
const DESCRIPTION_LIMIT: usize = 100;

/// Prints name, kind and description, separated by tabs. Invalid lines are reported, and determine the exit code.
pub(super) fn run(args: &RecordsArgs) -> Result<Exit, Error> {
    let tools = records::read(&args.files, None)?;
    let mut text = String::new();
    for value in tools.values() {
        let name = value.name().unwrap_or_default();
        let definition = value.definition();
        let description = definition.and_then(|definition| definition.description).unwrap_or_default();
        let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut short: String = line.chars().take(DESCRIPTION_LIMIT).collect();
        if short.len() < line.len() {
            short.push('…');
        }
        let fields = [name.as_str(), value.tool_type(), &short].map(visible);
        text += fields.join("\t").trim_end();
        text.push('\n');
    }
    shell::print(&text)?;
    Ok(if tools.problems().is_empty() { Exit::Ok } else { Exit::Usage })
}
