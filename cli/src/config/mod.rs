//! `cargo mcp config`: files that name servers, checked, shown and converted. Nothing is started or connected to.

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

/// A file that cannot be read at all.
fn unreadable(error: ConfigError, file: &Path) -> Error {
    Error::Config { file: file.to_owned(), source: Box::new(error) }
}

fn reader() -> ConfigReader<'static> {
    ConfigReader::new().check_only()
}
