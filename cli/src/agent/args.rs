//! The flags of `cargo mcp agent`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use toolwright_agent::model_api::ModelApi;

use crate::flags::OutputArgs;

#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    pub(super) command: AgentCommand,
}

impl AgentArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp import https://example.com/mcp --out tools.jsonl
  cargo mcp agent tools tools.jsonl --format openai
  cargo mcp agent call tools.jsonl add '{\"a\": 1, \"b\": 2}'
  cargo mcp agent call tools.jsonl files__read path=a.txt --config .mcp.json
  cargo mcp agent call tools.jsonl --calls calls.jsonl --format anthropic
  cargo mcp agent tools --gateway http://127.0.0.1:8080/mcp/gateway \
      --token-file session.token --format openai

TOOLS are records of tools of any kind: JSON lines or an Arrow file; - is
standard input. See `cargo mcp tool` and `cargo mcp import`.";

    pub(crate) fn output(&self) -> &OutputArgs {
        match &self.command {
            AgentCommand::Tools(args) => &args.output,
            AgentCommand::Call(args) => &args.output,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum AgentCommand {
    /// Print the tools as a model receives them
    Tools(ToolsArgs),
    /// Call tools as a model does, and print the results
    Call(CallArgs),
}

#[derive(Debug, Args)]
pub(super) struct ToolsArgs {
    /// The tool records
    #[arg(value_name = "TOOLS", required_unless_present = "gateway", conflicts_with = "gateway")]
    pub(super) tools: Option<PathBuf>,
    #[command(flatten)]
    pub(super) gateway: GatewayToolsArgs,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// Tools of a gateway, instead of records.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gateway")]
pub(super) struct GatewayToolsArgs {
    /// Tools that the gateway at this URL lists for the session token
    #[arg(long, value_name = "URL")]
    pub(super) gateway: Option<String>,
    /// The session token. It is visible in the process list: prefer --token-file or the variable `MCP_GATEWAY_TOKEN`
    #[arg(long, value_name = "TOKEN", requires = "gateway", conflicts_with_all = ["token_file", "tools"])]
    pub(super) token: Option<String>,
    /// Read the session token from this file
    #[arg(long, value_name = "FILE", requires = "gateway", conflicts_with = "tools")]
    pub(super) token_file: Option<PathBuf>,
    /// Wait until this node has registered a tool; may be repeated
    #[arg(long, value_name = "ID", requires = "gateway", conflicts_with = "tools")]
    pub(super) node: Vec<String>,
    /// Timeout in seconds for these nodes
    #[arg(long, value_name = "SECONDS", default_value_t = 120, requires = "node")]
    pub(super) wait: u64,
}

#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// The tool records
    #[arg(value_name = "TOOLS")]
    pub(super) tools: PathBuf,
    /// The tool, as listed by `cargo mcp agent tools`
    #[arg(value_name = "TOOL", required_unless_present = "calls", conflicts_with = "calls")]
    pub(super) tool: Option<String>,
    /// Its arguments: NAME=VALUE, NAME:=JSON, or one JSON object
    #[arg(value_name = "ARGUMENT")]
    pub(super) arguments: Vec<String>,
    /// Make the calls in this file in order: tool parts of chat messages of any library, as for
    /// `cargo mcp parts`
    #[arg(long, value_name = "FILE")]
    pub(super) calls: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// Connect to the servers in this file with its headers, tokens and environment
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Start the programs of `stdio:` URIs in TOOLS; only for files that you trust
    #[arg(long)]
    pub(super) allow_programs: bool,
    /// Timeout in seconds without a response and without progress
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) timeout: Option<u64>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    /// The command of the server with the COMMAND tools
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

/// The output format of tools and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people: one line per tool, the text of results
    Text,
    /// MCP definitions, and results as the server sent them
    Mcp,
    /// OpenAI's Responses API
    Openai,
    /// OpenAI's Responses API in strict mode
    OpenaiStrict,
    /// Anthropic's Messages API
    Anthropic,
    /// The Gemini API
    Gemini,
}

impl Format {
    pub(super) fn model_api(self) -> Option<ModelApi> {
        match self {
            Self::Text | Self::Mcp => None,
            Self::Openai => Some(ModelApi::OpenAi),
            Self::OpenaiStrict => Some(ModelApi::OpenAiStrict),
            Self::Anthropic => Some(ModelApi::Anthropic),
            Self::Gemini => Some(ModelApi::Gemini),
        }
    }
}
