//! `cargo mcp man`: the manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command};

use crate::error::Error;
use crate::exit::Exit;
use crate::flags::OutputArgs;
use crate::shell;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write all pages to this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl ManArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp man | man -l -           read the page
  cargo mcp man --out ~/.local/share/man/man1
                                     install it, with one page a command";
}

/// Prints the page of `command`, which is this program, or writes one page for each subcommand.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn run(args: &ManArgs, command: Command) -> Result<Exit, Error> {
    // Pages are named after the installed program.
    let command = command.bin_name("cargo-mcp");
    if let Some(folder) = &args.out {
        let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
        written.map_err(|source| write_error(folder, source))?;
        return Ok(Exit::Ok);
    }
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut text);
    rendered.map_err(|source| write_error(Path::new("standard output"), source))?;
    shell::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}

fn write_error(file: &Path, source: std::io::Error) -> Error {
    Error::Write { file: file.to_owned(), source }
}
