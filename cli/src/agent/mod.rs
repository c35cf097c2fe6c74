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
/// [`RequestError`] for files and flags. What goes wrong with a call is its answer.
pub(crate) fn run(args: &AgentArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    match &args.command {
        AgentCommand::Tools(args) => tools::run(args, shell),
        AgentCommand::Call(args) => call::run(args, shell),
    }
}

/// The tools of a file, and whether all of its records can be read. Standard error says which cannot.
fn read(file: &Path, shell: Shell) -> Result<(ToolboxBuilder, bool), RequestError> {
    let tools = records::read(&[file.to_owned()], None)?;
    let is_whole = tools.problems().is_empty() && tools.problems_left_out() == 0;
    if is_whole && tools.entries().is_empty() {
        shell.note(&format_args!("there are no tools in {}", file.display()));
    }
    Ok((Toolbox::builder(tools.values().cloned()), is_whole))
}

/// Tells what became of tools that could not be listed as they are.
fn tell_notes(toolbox: &Toolbox, shell: Shell) {
    for note in toolbox.notes() {
        shell.note(note);
    }
}
