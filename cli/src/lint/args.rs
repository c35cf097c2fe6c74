//! The flags of `cargo mcp lint`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::rule::Client;
use crate::flags::ToolsArgs;
use crate::report::ReportFormat;
use crate::source::{Source, help_with_sources};

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// The definitions to check [default: the package]
    #[arg(value_name = "SOURCE", conflicts_with = "command")]
    pub(super) sources: Vec<Source>,
    /// Check only the rules for these clients, and those for all
    #[arg(long = "for", value_name = "CLIENTS", value_enum, value_delimiter = ',')]
    pub(super) clients: Vec<Client>,
    /// Also fail for `warnings`, for `notes` and warnings, or for a rule
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(super) deny: Vec<String>,
    /// Also show notes
    #[arg(long)]
    pub(super) notes: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(super) format: ReportFormat,
    /// Read the levels from the `lint` table of this file instead of Cargo.toml or mcp.toml
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// List the rules, or those of --for, and exit
    #[arg(long, conflicts_with_all = ["explain", "sources"])]
    pub(super) list: bool,
    /// Explain a rule, and exit
    #[arg(long, value_name = "RULE", conflicts_with = "sources")]
    pub(super) explain: Option<String>,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
    /// The command of a server, instead of SOURCE
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

impl LintArgs {
    /// What `--help` shows below the flags.
    pub(crate) fn help() -> String {
        help_with_sources(Self::EXAMPLES)
    }

    const EXAMPLES: &str = "\
Examples:
  cargo mcp lint                       the package in this folder
  cargo mcp lint --for anthropic,openai --deny warnings
                                       for these clients, as strict as CI is
  cargo mcp lint mcp.json              a manifest file
  cargo mcp lint -- npx shop-server    a server over stdio
  cargo mcp lint --explain type-list   the reason for a rule, and how to fix it
  cargo mcp lint --format github       as annotations of a pull request

Levels are changed in Cargo.toml, each with its reason:
  [package.metadata.mcp.lint]
  missing-hints = { level = \"allow\", reason = \"our client asks anyway\" }";

    /// The sources to check.
    pub(super) fn sources(&self) -> Vec<Source> {
        if self.sources.is_empty() {
            vec![Source::from_args(None, &self.command)]
        } else {
            self.sources.clone()
        }
    }
}
