//! The flags of commands with a lock file.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::flags::ToolsArgs;
use crate::source::Source;

/// Selects definitions and their lock file.
#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    /// The definitions [default: the package]
    #[arg(conflicts_with = "command")]
    source: Option<Source>,
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = "mcp.lock.json")]
    pub(crate) lock: PathBuf,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
    /// The command of a server, instead of SOURCE
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl LockArgs {
    /// Returns the definitions to compare with the lock.
    pub(crate) fn source(&self) -> Source {
        Source::from_args(self.source.as_ref(), &self.command)
    }
}
