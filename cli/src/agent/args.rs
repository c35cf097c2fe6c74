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
    /// Print the tools as a model is shown them
    Tools(ToolsArgs),
    /// Call tools as a model does, and print what it gets back
    Call(CallArgs),
}

#[derive(Debug, Args)]
pub(super) struct ToolsArgs {
    /// The records of the tools
    #[arg(value_name = "TOOLS", required_unless_present = "gateway", conflicts_with = "gateway")]
    pub(super) tools: Option<PathBuf>,
    #[command(flatten)]
    pub(super) gateway: GatewayToolsArgs,
    /// For whom the tools are
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The tools of a gateway, in place of records.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gateway")]
pub(super) struct GatewayToolsArgs {
    /// The tools that the gateway at this address shows the holder of the token
    #[arg(long, value_name = "URL")]
    pub(super) gateway: Option<String>,
    /// The session token. Every user of this machine can read it in the list of processes: better use --token-file or the
    /// variable `MCP_GATEWAY_TOKEN`
    #[arg(long, value_name = "TOKEN", requires = "gateway", conflicts_with_all = ["token_file", "tools"])]
    pub(super) token: Option<String>,
    /// Read the session token from this file
    #[arg(long, value_name = "FILE", requires = "gateway", conflicts_with = "tools")]
    pub(super) token_file: Option<PathBuf>,
    /// Wait until this node has registered a tool; can be repeated
    #[arg(long, value_name = "ID", requires = "gateway", conflicts_with = "tools")]
    pub(super) node: Vec<String>,
    /// Seconds to wait for these nodes
    #[arg(long, value_name = "SECONDS", default_value_t = 120, requires = "node")]
    pub(super) wait: u64,
}

#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// The records of the tools
    #[arg(value_name = "TOOLS")]
    pub(super) tools: PathBuf,
    /// The tool, as `cargo mcp agent tools` names it
    #[arg(value_name = "TOOL", required_unless_present = "calls", conflicts_with = "calls")]
    pub(super) tool: Option<String>,
    /// Its arguments: NAME=VALUE, NAME:=JSON, or one JSON object
    #[arg(value_name = "ARGUMENT")]
    pub(super) arguments: Vec<String>,
    /// Make the calls in this file, one after the other: tool parts of chat messages of any library, as `cargo mcp parts` reads them
    #[arg(long, value_name = "FILE")]
    pub(super) calls: Option<PathBuf>,
    /// For whom the answers are
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// Connect to the servers in this file as it says: with headers, tokens and environment
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Start the programs that `stdio:` addresses in TOOLS name: for files that you would run as a script
    #[arg(long)]
    pub(super) allow_programs: bool,
    /// Seconds without an answer and without progress
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) timeout: Option<u64>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    /// The command of the server that has the COMMAND tools
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

/// For whom tools and answers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people: a line for each tool, the text of an answer
    Text,
    /// The definitions of MCP; answers with the result of the server
    Mcp,
    /// OpenAI's Responses API
    Openai,
    /// The same in strict mode
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
