//! The flags of `cargo mcp diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::rule::Class;
use crate::flags::ToolsArgs;
use crate::report::ReportFormat;
use crate::source::{SOURCES, Source};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The old definitions [default: mcp.json of the package, as committed]
    pub(crate) old: Option<Source>,
    /// The new definitions [default: the package]
    #[arg(conflicts_with = "command")]
    pub(crate) new: Option<Source>,
    /// Exit with 100 for changes of this class and above
    #[arg(long, value_name = "CLASS", value_enum, default_value_t = Class::Breaking)]
    pub(crate) deny: Class,
    /// TOML file with the intended changes and their reasons
    #[arg(long, value_name = "FILE")]
    pub(crate) allow: Option<PathBuf>,
    /// NEW is your own server: a stronger hint is compatible [default: only if NEW is a package, or OLD is in
    /// Git and NEW is a file]
    #[arg(long)]
    pub(crate) own: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
    /// The command of a server, instead of NEW
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

impl DiffArgs {
    /// Returns what `--help` shows below the flags.
    pub(crate) fn help() -> String {
        format!("OLD and NEW are each one of:\n{SOURCES}\n\n{}", Self::EXAMPLES)
    }

    const EXAMPLES: &str = "\
Examples:
  cargo mcp diff                           the commit against the package
  cargo mcp diff origin/main:mcp.json      a branch against the package
  cargo mcp diff old.json new.json         two files
  cargo mcp diff mcp.json -- node shop.js  a file against a server
  cargo mcp diff v1.0:mcp.json --format markdown > comment.md
  cargo mcp diff --deny documentation --allow allow.toml";
}
