//! The flags of `cargo mcp lint`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::rule::Client;
use crate::flags::ToolsArgs;
use crate::source::{Source, help_with_sources};

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// What offers the definitions; more than one are looked at one after the other [default: the package]
    #[arg(value_name = "SOURCE", conflicts_with = "command")]
    pub(super) sources: Vec<Source>,
    /// Only the rules of these clients, and those for all
    #[arg(long = "for", value_name = "CLIENTS", value_enum, value_delimiter = ',')]
    pub(super) clients: Vec<Client>,
    /// What makes the run fail besides errors: `warnings`, `notes` (warnings too), or a rule
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(super) deny: Vec<String>,
    /// Show notes too
    #[arg(long)]
    pub(super) notes: bool,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(super) format: ReportFormat,
    /// Take the levels from the table `lint` of this file, not from Cargo.toml or mcp.toml
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// List the rules, or those of --for, and do nothing else
    #[arg(long, conflicts_with_all = ["explain", "sources"])]
    pub(super) list: bool,
    /// Explain a rule, and do nothing else
    #[arg(long, value_name = "RULE", conflicts_with = "sources")]
    pub(super) explain: Option<String>,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
    /// The command of a server, in the place of SOURCE
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
  cargo mcp lint -- npx shop-server    a server of others
  cargo mcp lint --explain type-list   why a rule exists, and how to follow it
  cargo mcp lint --format github       as annotations of a pull request

Levels are changed in Cargo.toml, each with its reason:
  [package.metadata.mcp.lint]
  missing-hints = { level = \"allow\", reason = \"our client asks anyway\" }";

    /// What is looked at.
    pub(super) fn sources(&self) -> Vec<Source> {
        if self.sources.is_empty() {
            vec![Source::from_args(None, &self.command)]
        } else {
            self.sources.clone()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people, with the source
    Text,
    /// One JSON object a line
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions
    Github,
}
