//! `cargo mcp completions` and `cargo mcp man`: what a package of this program installs beside it.

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory as _};
use clap_complete::Shell as Completed;

use crate::args::{Cli, OutputArgs};
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

/// What `cargo mcp completions --help` shows below the flags.
pub(crate) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  cargo mcp completions bash > ~/.local/share/bash-completion/completions/cargo-mcp
  cargo mcp completions zsh > ~/.zfunc/_cargo-mcp
  cargo mcp completions fish > ~/.config/fish/completions/cargo-mcp.fish

They complete `cargo-mcp …`; `cargo mcp …` is completed by cargo's own.";

/// What `cargo mcp man --help` shows below the flags.
pub(crate) const MAN_EXAMPLES: &str = "\
Examples:
  cargo mcp man | man -l -           read the page
  cargo mcp man --out ~/.local/share/man/man1
                                     install it, with one page a command";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    completed: Completed,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write all pages to this folder, which must exist
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Runs `cargo mcp completions`.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Error> {
    let mut text = Vec::new();
    clap_complete::generate(args.completed, &mut Cli::command(), "cargo-mcp", &mut text);
    shell::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}

/// Runs `cargo mcp man`.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn man(args: &ManArgs) -> Result<Exit, Error> {
    // Pages are named after the program that is installed.
    let command = Cli::command().bin_name("cargo-mcp");
    if let Some(folder) = &args.out {
        clap_mangen::generate_to(command, folder).map_err(|source| cannot_write(folder, source))?;
        return Ok(Exit::Ok);
    }
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut text);
    rendered.map_err(|source| cannot_write(Path::new("standard output"), source))?;
    shell::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}

fn cannot_write(file: &Path, source: std::io::Error) -> Error {
    Error::Write { file: file.to_owned(), source }
}
