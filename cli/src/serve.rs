//! `cargo mcp serve`: builds a server and replaces this process by it, so that a client can be configured with a package
//! instead of a program.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::command_line::display;
use crate::error::Error;
use crate::flags::PackageArgs;
use crate::packages;
use crate::shell::Shell;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve the package in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["manifest_path", "package", "workspace", "all", "exclude"])]
    pub(crate) workflow: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) packages: PackageArgs,
    /// Arguments for the program
    #[arg(last = true, value_name = "ARGS", help_heading = "Program")]
    pub(crate) arguments: Vec<OsString>,
}

impl ServeArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp serve -q                       the server of this package
  cargo mcp serve -q --workflow ../shop    the package in a folder
  cargo mcp serve -p shop --bin shop -- --port 8080";
}

/// Runs the command. The program inherits standard input and output, which are not used before.
///
/// # Errors
/// Any [`Error`] before the program runs; afterwards, its exit code is that of this process.
pub(crate) fn run(args: ServeArgs, shell: Shell) -> Result<Infallible, Error> {
    let ServeArgs { workflow, mut packages, arguments } = args;
    if let Some(folder) = workflow {
        packages.build.manifest_path = Some(folder.join("Cargo.toml"));
    }
    let program = packages::program_to_serve(&packages, shell)?;
    let mut command = program.command();
    command.args(arguments);
    shell.running(&display(&command));
    Err(Error::NotRunnable { file: program.file, source: become_program(command) })
}

/// Replaces this process, so that signals of the client reach the server, and no wrapper process remains.
#[cfg(unix)]
fn become_program(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    command.exec()
}

/// Runs the program and waits for it, since a process cannot be replaced on this system.
#[cfg(not(unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "an `ExitCode` holds one byte, the code of a process on Windows four; nothing is left to drop"
)]
fn become_program(mut command: Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
