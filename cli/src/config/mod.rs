//! `cargo mcp config`: checks, shows and converts configuration files, without starting or connecting to servers.

mod args;
mod check;
mod convert;
mod report;
mod show;

use std::path::Path;

use toolwright_client::config::{ConfigError, ConfigReader};

pub(crate) use args::ConfigArgs;

use crate::error::Error;
use crate::exit::Exit;
use crate::shell::{self, Shell};
use args::ConfigCommand;

/// Runs `cargo mcp config`.
///
/// # Errors
/// [`Error::Config`], [`Error::Lossy`], [`Error::Write`].
pub(crate) fn run(args: &ConfigArgs, shell: Shell) -> Result<Exit, Error> {
    match &args.command {
        ConfigCommand::Check(args) => check::run(args, shell),
        ConfigCommand::Show(args) => show::run(args),
        ConfigCommand::Convert(args) => convert::run(args, shell),
        ConfigCommand::Schema(_) => {
            shell::print(&format!("{:#}\n", toolwright_client::config::schema()))?;
            Ok(Exit::Ok)
        }
    }
}

/// Converts the error of a file that cannot be read.
fn read_error(error: ConfigError, file: &Path) -> Error {
    Error::Config { file: file.to_owned(), source: Box::new(error) }
}

fn new_reader() -> ConfigReader<'static> {
    ConfigReader::new().check_only()
}
