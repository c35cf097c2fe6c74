//! The flags of `cargo mcp pin` and `cargo mcp verify`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::args::ToolsArgs;
use crate::offer::{FORMS, Source};

#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    #[command(flatten)]
    pub(crate) pinned: PinnedArgs,
    /// Take over what changed; with names or addresses, of these only
    #[arg(long, value_name = "NAME", num_args = 0.., require_equals = true, value_delimiter = ',')]
    pub(crate) update: Option<Vec<String>>,
}

/// What is pinned, and where.
#[derive(Debug, Args)]
pub(crate) struct PinnedArgs {
    /// What offers the definitions [default: the package]
    #[arg(conflicts_with = "command")]
    pub(crate) source: Option<Source>,
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = "mcp.lock.json")]
    pub(crate) lock: PathBuf,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
    /// The command of a server, in the place of SOURCE
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

impl PinnedArgs {
    /// What is compared with the lock.
    pub(crate) fn source(&self) -> Source {
        Source::of(self.source.as_ref(), &self.command)
    }
}

impl PinArgs {
    /// What `--help` says besides the flags.
    pub(crate) fn help() -> String {
        format!(
            "SOURCE is one of:
{FORMS}

Examples:
  cargo mcp pin                       pin the tools of the package
  cargo mcp pin --update              take over every change
  cargo mcp pin --update=search,read  take over the changes of two tools
  cargo mcp pin --lock shop.lock.json -- npx shop-server"
        )
    }
}

/// What `cargo mcp verify --help` says besides the flags.
pub(crate) fn verify_help() -> String {
    format!(
        "SOURCE is one of:
{FORMS}

Examples:
  cargo mcp verify                            the package
  cargo mcp verify mcp.json                   a manifest
  cargo mcp verify http://localhost:8080/mcp  a running server
  cargo mcp verify --lock shop.lock.json -- npx shop-server"
    )
}
