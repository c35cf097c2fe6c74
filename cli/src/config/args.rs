//! The flags of `cargo mcp config`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use toolwright_client::config::Dialect;

use crate::flags::OutputArgs;

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(super) command: ConfigCommand,
}

impl ConfigArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp config check .mcp.json .vscode/mcp.json
                                       everything that is wrong, in one go
  cargo mcp config show agent.yaml     the servers as they are used
  cargo mcp config convert .mcp.json --to vscode --out .vscode/mcp.json
  cargo mcp config schema > mcp.schema.json

A FILE is JSON with `mcpServers` or `servers`, our TOML, or an agent's YAML.";

    pub(crate) fn output(&self) -> &OutputArgs {
        match &self.command {
            ConfigCommand::Check(args) => &args.output,
            ConfigCommand::Show(args) => &args.output,
            ConfigCommand::Convert(args) => &args.output,
            ConfigCommand::Schema(args) => &args.output,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Report all problems of files, without starting anything
    Check(CheckArgs),
    /// Print the resolved servers of a file, without secrets
    Show(ShowArgs),
    /// Print a file in the format of another client
    Convert(ConvertArgs),
    /// Print the JSON Schema of the files
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Minimum level of problems that make the run fail
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Deny::Warnings)]
    pub(super) deny: Deny,
    /// The output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(super) format: ReportFormat,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct ConvertArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// The client
    #[arg(long, value_name = "CLIENT", value_enum)]
    pub(super) to: To,
    /// Write to this file
    #[arg(long, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,
    /// Fail, without writing anything, if the format cannot express everything
    #[arg(long)]
    pub(super) deny_lossy: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Deny {
    /// Servers that cannot be used
    Errors,
    /// Likely mistakes as well, such as unknown members
    Warnings,
    /// Information as well
    Notes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people, with the source
    Text,
    /// One JSON object per line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum To {
    /// `.vscode/mcp.json` of VS Code
    Vscode,
    /// `.mcp.json` of Claude Code
    Claude,
    /// `.cursor/mcp.json` of Cursor
    Cursor,
    /// Our own format
    Toml,
}

impl To {
    pub(super) fn dialect(self) -> Dialect {
        match self {
            Self::Vscode => Dialect::VsCode,
            Self::Claude => Dialect::Claude,
            Self::Cursor => Dialect::Cursor,
            Self::Toml => Dialect::Toml,
        }
    }
}
