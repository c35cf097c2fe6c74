//! The flags of `cargo mcp graph`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use toolwright_gateway::graph::{Document, Rules};

use crate::flags::OutputArgs;

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(subcommand)]
    pub(super) command: GraphCommand,
}

impl GraphArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp graph plan workflow.json | jq .nodes.lookup.action
                              what happens to a node: run, register or skip
  cargo mcp graph compile workflow.json | jq .nodes.agent.connectedToolNodeIds
                              the tools that an agent may use
  cargo mcp graph schema      the JSON Schema of FILE";

    pub(crate) fn output(&self) -> &OutputArgs {
        match &self.command {
            GraphCommand::Plan(args) | GraphCommand::Compile(args) => &args.output,
            GraphCommand::Schema(args) => &args.output,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum GraphCommand {
    /// Print the action of each node in a run
    Plan(WorkflowArgs),
    /// Print the workflow with the tools of each agent
    Compile(WorkflowArgs),
    /// Print the JSON Schema of a document
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
pub(super) struct WorkflowArgs {
    /// The workflow as JSON [default: standard input]
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// Prefix of the types of agent nodes, instead of `core.ai.`; may be repeated
    #[arg(long, value_name = "PREFIX")]
    agent_prefix: Vec<String>,
    /// Another type of agent nodes; may be repeated
    #[arg(long, value_name = "TYPE")]
    agent_type: Vec<String>,
    /// Also print problems as JSON on standard output
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

impl WorkflowArgs {
    pub(super) fn rules(&self) -> Rules {
        let rules = match self.agent_prefix.as_slice() {
            [] => Rules::default(),
            prefixes => Rules::default().agent_prefixes(prefixes),
        };
        self.agent_type.iter().fold(rules, Rules::agent_type)
    }
}

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The document
    #[arg(long, value_name = "DOCUMENT", value_enum, default_value_t = Of::Workflow)]
    pub(super) of: Of,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Of {
    /// The input of `plan` and `compile`
    Workflow,
    /// The output of `compile`
    Compiled,
    /// The output of `plan`
    Plan,
}

impl From<Of> for Document {
    fn from(of: Of) -> Self {
        match of {
            Of::Workflow => Self::Workflow,
            Of::Compiled => Self::Compiled,
            Of::Plan => Self::Plan,
        }
    }
}
