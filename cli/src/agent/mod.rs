//! `cargo mcp agent`: records of tools as the tools of an agent.

mod args;

mod call;
mod gateway;
mod tools;

use std::path::Path;

use toolwright_agent::toolbox::{Toolbox, ToolboxBuilder};

use crate::client::{RequestError, RequestExit};
use crate::shell::Shell;
use crate::tool::records;

pub(crate) use args::AgentArgs;
use args::AgentCommand;

/// Runs the command.
///
/// # Errors
/// [`RequestError`] for files and flags; a failed call is not an error.
pub(crate) fn run(args: &AgentArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    match &args.command {
        AgentCommand::Tools(args) => tools::run(args, shell),
        AgentCommand::Call(args) => call::run(args, shell),
    }
}

/// Reads the tools of a file; returns them and whether all records are valid. Invalid ones are reported on standard error.
fn read(file: &Path, shell: Shell) -> Result<(ToolboxBuilder, bool), RequestError> {
    let tools = records::read(&[file.to_owned()], None)?;
    let is_complete = tools.problems().is_empty() && tools.omitted_problems() == 0;
    if is_complete && tools.entries().is_empty() {
        shell.note(&format_args!("there are no tools in {}", file.display()));
    }
    Ok((Toolbox::builder(tools.values().cloned()), is_complete))
}

/// Prints notes about tools that could not be listed unchanged.
fn print_notes(toolbox: &Toolbox, shell: Shell) {
    for note in toolbox.notes() {
        shell.note(note);
    }
}
