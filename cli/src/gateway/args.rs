//! The flags of `cargo mcp gateway`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use toolwright_gateway::internal::Right;
use toolwright_gateway::pins::PinMode;

use super::pins::PinsArgs;
use crate::flags::OutputArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct GatewayArgs {
    #[command(subcommand)]
    pub(super) command: Option<GatewayCommand>,
    #[command(flatten)]
    pub(super) serve: ServeArgs,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The file that names the servers
    #[arg(long, value_name = "FILE", required_unless_present = "internal")]
    pub(super) config: Option<PathBuf>,
    /// Listen at this address, such as 127.0.0.1:8080, in place of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    pub(super) http: Option<SocketAddr>,
    /// Ask callers for session tokens; the keys of the gateway are in this folder, and made if there are none
    #[arg(long, value_name = "FOLDER", requires = "http")]
    pub(super) state: Option<PathBuf>,
    /// The address that callers know the gateway by, which its tokens name; if left out, that of --http
    #[arg(long, value_name = "URL", requires = "state")]
    pub(super) url: Option<String>,
    /// Listen at this address for services that register the nodes of runs
    #[arg(long, value_name = "ADDRESS", requires = "state")]
    pub(super) internal: Option<SocketAddr>,
    /// Keep runs and calls in the Redis at this address, which other gateways and workers share; in memory if left out
    #[arg(long, value_name = "URL", requires = "state")]
    pub(super) store: Option<String>,
    /// The file with the master keys that credentials of runs are sealed with, one a line, of mode 0600; without it none can be stored
    #[arg(long, value_name = "FILE", requires = "internal")]
    pub(super) master_keys: Option<PathBuf>,
    /// Compare the tools of the servers with the pins in this file, of `cargo mcp gateway pins update`
    #[arg(long, value_name = "FILE", requires = "config")]
    pub(super) pins: Option<PathBuf>,
    /// What to do about tools that are new or not as they were pinned
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Mode::Warn, requires = "pins")]
    pub(super) pin_mode: Mode,
    /// Hold calls to the policy in this file, which is read again when it changes
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    /// Write a line of JSON to this file for each call; it is rotated at 64 MiB, and 8 older ones are kept
    #[arg(long, value_name = "FILE")]
    pub(super) audit: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// What is done about tools that are not as they were pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Mode {
    /// Nothing
    Off,
    /// Report and serve them
    Warn,
    /// Report them, and neither list nor call them
    Block,
}

impl From<Mode> for PinMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Off => Self::Off,
            Mode::Warn => Self::Warn,
            Mode::Block => Self::Block,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum GatewayCommand {
    /// Show, rotate and make keys
    Keys(KeysArgs),
    /// Make, inspect and revoke session tokens
    Sessions(SessionsArgs),
    /// Show how a gateway that runs stands: its servers, its policy, its runs
    Status(StatusArgs),
    /// Look whether what a gateway needs is as it should be
    Doctor(DoctorArgs),
    /// Review and update the pins of the servers' tools
    Pins(PinsArgs),
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    pub(super) api: InternalArgs,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(subcommand)]
    pub(super) command: DoctorCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum DoctorCommand {
    /// Look at a Redis: version, persistence, eviction, and what the user of the address may do. Changes nothing there; exits with 1
    /// if something does not work
    Redis(DoctorRedisArgs),
}

#[derive(Debug, Args)]
pub(super) struct DoctorRedisArgs {
    /// Its address, as for --store
    #[arg(value_name = "URL")]
    pub(super) url: String,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct KeysArgs {
    #[command(subcommand)]
    pub(super) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum KeysCommand {
    /// Print the keys that sign session tokens, without their secrets
    Show(ShowKeysArgs),
    /// Sign with the next key; tokens of the last one stay good
    Rotate(RotateArgs),
    /// Make a key for a service that uses the internal API, and print it
    Service(ServiceArgs),
    /// Seal all credentials in Redis again with the first master key
    Rekey(RekeyArgs),
}

#[derive(Debug, Args)]
pub(super) struct ShowKeysArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// Print the public keys as a JSON Web Key Set
    #[arg(long)]
    pub(super) jwks: bool,
}

#[derive(Debug, Args)]
pub(super) struct RotateArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// Rotate although tokens may be in use that the last key has signed: they end
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, Args)]
pub(super) struct RekeyArgs {
    /// The address of the Redis, with a user that may register nodes
    #[arg(long, value_name = "URL")]
    pub(super) store: String,
    /// The file with the master keys, one a line: the first seals, all of them open
    #[arg(long, value_name = "FILE")]
    pub(super) master_keys: PathBuf,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct ServiceArgs {
    /// The name of the service
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// The organization whose runs it may touch; none if left out
    #[arg(long, value_name = "NAME", conflicts_with = "all_orgs")]
    pub(super) org: Option<String>,
    /// It may touch the runs of all organizations
    #[arg(long)]
    pub(super) all_orgs: bool,
    /// What it may do; can be repeated
    #[arg(long = "right", value_name = "RIGHT", required = true)]
    pub(super) rights: Vec<RightArg>,
}

/// A right of a service, as it is written on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RightArg {
    /// Open and end runs, register nodes
    Register,
    /// Get session tokens for agents
    Sessions,
    /// Get session tokens for all nodes of a run
    AllNodes,
    /// Revoke tokens
    Revoke,
    /// Look at runs and calls
    Read,
}

impl From<RightArg> for Right {
    fn from(right: RightArg) -> Self {
        match right {
            RightArg::Register => Self::Register,
            RightArg::Sessions => Self::Sessions,
            RightArg::AllNodes => Self::AllNodes,
            RightArg::Revoke => Self::Revoke,
            RightArg::Read => Self::Read,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct SessionsArgs {
    #[command(subcommand)]
    pub(super) command: SessionsCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum SessionsCommand {
    /// Make a token for the servers of the file, and print it
    Mint(MintArgs),
    /// Print what a token says, and whether it is good
    Inspect(InspectArgs),
    /// Revoke a token, or all of a run or an organization: what is open with them ends
    Revoke(RevokeArgs),
}

#[derive(Debug, Args)]
pub(super) struct MintArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// The address that callers know the gateway by
    #[arg(long, value_name = "URL")]
    pub(super) url: String,
    /// Whom the token is for
    #[arg(long, value_name = "NAME", default_value = "agent")]
    pub(super) agent: String,
    /// A server that it reaches; can be repeated
    #[arg(long = "server", value_name = "NAME", required_unless_present = "all")]
    pub(super) servers: Vec<String>,
    /// It reaches all servers
    #[arg(long, conflicts_with = "servers")]
    pub(super) all: bool,
    /// A tool that it reaches, such as `files__read`; can be repeated, and all of its servers if left out
    #[arg(long = "tool", value_name = "NAME")]
    pub(super) tools: Vec<String>,
    /// For how many minutes it is good, 60 at most
    #[arg(long, value_name = "NUMBER", default_value_t = 15)]
    pub(super) minutes: u64,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// The file with the token; standard input if left out or `-`
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// The address that callers know the gateway by
    #[arg(long, value_name = "URL")]
    pub(super) url: String,
}

#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = false, args = ["token", "run", "all_of_org"])]
pub(super) struct RevokeArgs {
    #[command(flatten)]
    pub(super) api: InternalArgs,
    /// The token with this id, which `sessions inspect` shows as `jti`
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(super) token: Option<String>,
    /// All tokens of this run so far
    #[arg(long, value_name = "RUN")]
    pub(super) run: Option<String>,
    /// All tokens of the organization of --org so far; without --org, of that without a name
    #[arg(long)]
    pub(super) all_of_org: bool,
    /// The organization; that of the key if left out
    #[arg(long, value_name = "NAME", conflicts_with = "token")]
    pub(super) org: Option<String>,
}

/// Where the internal API of a gateway is, and the key for it.
#[derive(Debug, Args)]
pub(super) struct InternalArgs {
    /// The address of the gateway's internal API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8081")]
    pub(super) internal: String,
    /// The file with the key of a service; the variable `MCP_SERVICE_KEY` if left out
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct StateArgs {
    /// The folder with the keys of the gateway
    #[arg(long, value_name = "FOLDER")]
    pub(super) state: PathBuf,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

impl GatewayArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp gateway --config .vscode/mcp.json
                                       for a client that starts it
  cargo mcp gateway --config .mcp.json --http 127.0.0.1:8080
                                       at http://127.0.0.1:8080/mcp/gateway
  cargo mcp gateway --config .mcp.json --http 127.0.0.1:8080 --state keys
                                       for callers with a token
  cargo mcp gateway sessions mint --state keys --url http://127.0.0.1:8080/mcp/gateway --server files
                                       a token for one of the servers

FILE is JSON with `mcpServers` or `servers`, our TOML, or an agent's YAML. It is read again when it changes: servers that stay
as they are keep their connections. Tools and prompts are called SERVER__NAME.";

    pub(crate) fn output(&self) -> &OutputArgs {
        match &self.command {
            None => &self.serve.output,
            Some(GatewayCommand::Keys(args)) => match &args.command {
                KeysCommand::Show(args) => &args.state.output,
                KeysCommand::Rotate(args) => &args.state.output,
                KeysCommand::Service(args) => &args.state.output,
                KeysCommand::Rekey(args) => &args.output,
            },
            Some(GatewayCommand::Sessions(args)) => match &args.command {
                SessionsCommand::Mint(args) => &args.state.output,
                SessionsCommand::Inspect(args) => &args.state.output,
                SessionsCommand::Revoke(args) => &args.api.output,
            },
            Some(GatewayCommand::Status(args)) => &args.api.output,
            Some(GatewayCommand::Doctor(args)) => match &args.command {
                DoctorCommand::Redis(args) => &args.output,
            },
            Some(GatewayCommand::Pins(args)) => args.output(),
        }
    }
}
