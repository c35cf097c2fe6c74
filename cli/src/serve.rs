//! `cargo mcp serve`: builds a server and becomes it, so that a client can be configured with a package instead of a
//! file.

use std::convert::Infallible;
use std::io;
use std::process::Command;

use crate::args::ServeArgs;
use crate::command_line::shown;
use crate::error::Error;
use crate::packages;
use crate::shell::Shell;

/// Runs the command. The program gets this process's standard input and output, of which nothing is used before.
///
/// # Errors
/// Any [`Error`] that is met before the program runs; after that, its exit code is the one of this process.
pub(crate) fn run(args: ServeArgs, shell: Shell) -> Result<Infallible, Error> {
    let ServeArgs { workflow, mut packages, arguments } = args;
    if let Some(folder) = workflow {
        packages.build.manifest_path = Some(folder.join("Cargo.toml"));
    }
    let program = packages::program_to_serve(&packages, shell)?;
    let mut command = program.command();
    command.args(arguments);
    shell.running(&shown(&command));
    Err(Error::NotRunnable { file: program.file, source: become_program(command) })
}

/// Replaces this process, so that signals of the client reach the server, and none of ours stays behind.
#[cfg(unix)]
fn become_program(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    command.exec()
}

/// Waits for the program where a process cannot be replaced.
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
