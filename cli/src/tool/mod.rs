//! `cargo mcp tool`: records of tools of every kind, as files of JSON lines.

mod args;
pub(crate) mod records;

mod check;
mod codecs;
mod concat;
mod decode;
mod list;
mod migrate;
mod new;
mod roundtrip;

use std::path::PathBuf;

use toolwright_agent::value::ToolValue;
use toolwright_agent::value::arrow::ArrowToolError;
use toolwright_core::manifest::visible;

use crate::error::{Error, ModuleError};
use crate::exit::Exit;
use crate::shell::{self, Shell};

pub(crate) use args::ToolArgs;
use args::ToolCommand;

/// Why a run ends without a result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolCommandError {
    #[error("{count} of the lines are invalid, so nothing is written")]
    Invalid { count: usize },
    #[error("the format cannot express {count} of the records: choose another format, or omit --deny-lossy")]
    Lossy { count: usize },
    #[error("{0}")]
    Unwritable(toolwright_agent::value::Problem),
    #[error("{}: {source}", visible(&.file.display().to_string()))]
    Arrow { file: PathBuf, source: ArrowToolError },
    #[error("{} is an Arrow stream; save it as an Arrow IPC file, which can be read from any place", visible(&.file.display().to_string()))]
    ArrowStream { file: PathBuf },
    #[error("--{flag} is not a JSON object: {why}")]
    NotAnObject { flag: &'static str, why: String },
}

impl From<ToolCommandError> for Error {
    fn from(error: ToolCommandError) -> Self {
        let exit = match error {
            ToolCommandError::Invalid { .. }
            | ToolCommandError::Unwritable(_)
            | ToolCommandError::Arrow { .. }
            | ToolCommandError::ArrowStream { .. }
            | ToolCommandError::NotAnObject { .. } => Exit::Usage,
            ToolCommandError::Lossy { .. } => Exit::Findings,
        };
        ModuleError::new(exit, error).into()
    }
}

/// Runs the command.
///
/// # Errors
/// [`ToolCommandError`], and those of reading and writing.
pub(crate) fn run(args: ToolArgs, shell: Shell) -> Result<Exit, Error> {
    match args.command {
        ToolCommand::List(args) => list::run(&args),
        ToolCommand::Check(args) => check::run(&args, shell),
        ToolCommand::Concat(args) => concat::run(&args),
        ToolCommand::Migrate(args) => migrate::run(&args, shell),
        ToolCommand::Decode(args) => decode::run(&args),
        ToolCommand::Roundtrip(args) => roundtrip::run(&args),
        ToolCommand::Codecs(args) => codecs::run(&args),
        ToolCommand::New(args) => new::run(args),
        ToolCommand::Schema(_) => {
            shell::print_json(&format!("{:#}\n", ToolValue::json_schema()))?;
            Ok(Exit::Ok)
        }
    }
}
