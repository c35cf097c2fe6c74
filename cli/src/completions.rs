//! `cargo mcp completions`: the completion script of a shell.

use clap::{Args, Command};

use crate::error::Error;
use crate::exit::Exit;
use crate::flags::OutputArgs;
use crate::shell;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl CompletionsArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp completions bash > ~/.local/share/bash-completion/completions/cargo-mcp
  cargo mcp completions zsh > ~/.zfunc/_cargo-mcp
  cargo mcp completions fish > ~/.config/fish/completions/cargo-mcp.fish

They complete `cargo-mcp …`; `cargo mcp …` is completed by cargo's own.";
}

/// Prints the completion script of `command`, which is this program.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn run(args: &CompletionsArgs, mut command: Command) -> Result<Exit, Error> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "cargo-mcp", &mut text);
    shell::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}
