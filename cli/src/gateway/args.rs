//! The flags of `cargo mcp gateway`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
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
    /// The configuration file
    #[arg(long, value_name = "FILE", required_unless_present = "internal")]
    pub(super) config: Option<PathBuf>,
    /// Keep the names of tools and prompts, instead of `SERVER__NAME`; the file must not have more than one server
    #[arg(long, requires = "config")]
    pub(super) plain_names: bool,
    /// Listen on this address, such as 127.0.0.1:8080, instead of stdio
    #[arg(long, value_name = "ADDRESS")]
    pub(super) http: Option<SocketAddr>,
    /// Require session tokens or API keys from callers; the keys of the gateway are in this folder, and created if necessary
    #[arg(long, value_name = "FOLDER", requires = "http")]
    pub(super) state: Option<PathBuf>,
    /// The public URL of the gateway, which its tokens name [default: that of --http]
    #[arg(long, value_name = "URL", requires = "state")]
    pub(super) url: Option<String>,
    /// Accept access tokens of the OAuth issuers in this file as well, which is reloaded when it changes
    #[arg(long, value_name = "FILE", requires = "state")]
    pub(super) oauth: Option<PathBuf>,
    /// Listen on this address for services that register the nodes of runs
    #[arg(long, value_name = "ADDRESS", requires = "state")]
    pub(super) internal: Option<SocketAddr>,
    /// Share runs and calls with other gateways and workers in the Redis at this URL [default: in memory]
    #[arg(long, value_name = "URL", requires = "state")]
    pub(super) store: Option<String>,
    /// Read the URL of --store from this file, mode 0600, so that the command line shows no password
    #[arg(long, value_name = "FILE", requires = "state", conflicts_with = "store")]
    pub(super) store_file: Option<PathBuf>,
    /// The file with the master keys that seal the credentials of runs, one per line, mode 0600 [default: no credentials]
    #[arg(long, value_name = "FILE", requires = "internal")]
    pub(super) master_keys: Option<PathBuf>,
    /// Compare the tools of the servers with this file from `cargo mcp gateway pins update`
    #[arg(long, value_name = "FILE", requires = "config")]
    pub(super) pins: Option<PathBuf>,
    /// What to do about new and changed tools
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Mode::Warn, requires = "pins")]
    pub(super) pin_mode: Mode,
    /// Enforce the policy in this file, which is reloaded when it changes
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    /// Write a line of JSON to this file for each call; it is rotated at 64 MiB, and 8 older ones are kept
    #[arg(long, value_name = "FILE")]
    pub(super) audit: Option<PathBuf>,
    /// How many threads handle requests [default: half of the cores, at least one]
    #[arg(long, value_name = "NUMBER")]
    pub(super) threads: Option<NonZeroUsize>,
    /// On SIGTERM, let running requests finish for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 25)]
    pub(super) grace: u64,
    /// Which spans and events to write to standard error, such as `info` or `warn,toolwright=info`, which shows each call
    /// [default: the variable `RUST_LOG`, or warn]
    #[arg(long, value_name = "FILTER")]
    pub(super) log: Option<String>,
    /// How to write them
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(super) log_format: LogFormat,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// Text
    Text,
    /// A line of JSON for each
    Json,
}

/// What to do about new and changed tools.
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
    /// Show, rotate, create and remove keys
    Keys(KeysArgs),
    /// Create, inspect and revoke session tokens
    Sessions(SessionsArgs),
    /// Show the status of a running gateway: its servers, its policy, its runs
    Status(StatusArgs),
    /// Show what happened to a run: nodes that were registered and removed, tokens that were created
    Events(EventsArgs),
    /// Check the dependencies of a gateway
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
pub(super) struct EventsArgs {
    #[command(flatten)]
    pub(super) api: InternalArgs,
    /// The run
    #[arg(long, value_name = "RUN")]
    pub(super) run: String,
    /// The organization of the run [default: that of the key; for a key of all, that of the run while it is open]
    #[arg(long, value_name = "NAME")]
    pub(super) org: Option<String>,
    /// Only events after the one with this number, its `sequence`
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) after: u64,
    /// Wait for further events until the run ends
    #[arg(long)]
    pub(super) follow: bool,
    /// Print lines of JSON on a terminal as well
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
    /// Check a Redis server: version, persistence, eviction, and the permissions of the user. Changes nothing; exits with 1 if
    /// a check fails
    Redis(DoctorRedisArgs),
}

#[derive(Debug, Args)]
pub(super) struct DoctorRedisArgs {
    /// The URL of the Redis server, as for --store
    #[arg(value_name = "URL", required_unless_present = "store_file")]
    pub(super) url: Option<String>,
    /// Read the URL from this file, mode 0600
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub(super) store_file: Option<PathBuf>,
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
    /// Print the keys that sign session tokens and the API keys of callers, without secrets
    Show(ShowKeysArgs),
    /// Sign with the next key; tokens of the previous one stay valid
    Rotate(RotateArgs),
    /// Create an API key for a caller of the gateway, and print it
    Caller(CallerArgs),
    /// Remove the API key of a caller, and end its subscriptions
    Remove(RemoveArgs),
    /// Create a key for a service that uses the internal API, and print it
    Service(ServiceArgs),
    /// Seal all credentials in Redis again with the first master key
    Rekey(RekeyArgs),
}

#[derive(Debug, Args)]
pub(super) struct ShowKeysArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// Print only the public keys of session tokens, as a JSON Web Key Set
    #[arg(long)]
    pub(super) jwks: bool,
}

#[derive(Debug, Args)]
pub(super) struct RotateArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// Rotate even if tokens of the last key may be in use: they become invalid
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, Args)]
pub(super) struct RekeyArgs {
    /// The URL of the Redis server, with a user that may register nodes
    #[arg(long, value_name = "URL", required_unless_present = "store_file")]
    pub(super) store: Option<String>,
    /// Read the URL from this file, mode 0600
    #[arg(long, value_name = "FILE", conflicts_with = "store")]
    pub(super) store_file: Option<PathBuf>,
    /// The file with the master keys, one per line: the first one seals, all of them open
    #[arg(long, value_name = "FILE")]
    pub(super) master_keys: PathBuf,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
#[group(id = "granted", required = true, multiple = true, args = ["servers", "tools", "all"])]
pub(super) struct CallerArgs {
    /// The name of the caller, for policies and the audit log
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// A server that the key grants; may be repeated
    #[arg(long = "server", value_name = "NAME")]
    pub(super) servers: Vec<String>,
    /// A tool that the key grants, such as `files__read`; may be repeated [default: all tools of its servers]
    #[arg(long = "tool", value_name = "NAME")]
    pub(super) tools: Vec<String>,
    /// Grant all servers
    #[arg(long, conflicts_with = "servers")]
    pub(super) all: bool,
    /// Lifetime of the key in days [default: until it is removed]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) days: Option<u32>,
    #[command(flatten)]
    pub(super) state: StateArgs,
}

#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// The name of the caller
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) state: StateArgs,
}

#[derive(Debug, Args)]
pub(super) struct ServiceArgs {
    /// The name of the service
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// The organization whose runs it may access [default: none]
    #[arg(long, value_name = "NAME", conflicts_with = "all_orgs")]
    pub(super) org: Option<String>,
    /// It may access the runs of all organizations
    #[arg(long)]
    pub(super) all_orgs: bool,
    /// A right of the service; may be repeated
    #[arg(long = "right", value_name = "RIGHT", required = true)]
    pub(super) rights: Vec<RightArg>,
}

/// A right of a service on the command line.
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
    /// Read runs and calls
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
    /// Create a token for the servers of the file, and print it
    Mint(MintArgs),
    /// Print the claims of a token, and whether it is valid
    Inspect(InspectArgs),
    /// Revoke a token, or all tokens of a run or an organization, and end what uses them
    Revoke(RevokeArgs),
}

#[derive(Debug, Args)]
pub(super) struct MintArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// The public URL of the gateway
    #[arg(long, value_name = "URL")]
    pub(super) url: String,
    /// The agent that the token is for
    #[arg(long, value_name = "NAME", default_value = "agent")]
    pub(super) agent: String,
    /// A server that the token grants; may be repeated
    #[arg(long = "server", value_name = "NAME", required_unless_present = "all")]
    pub(super) servers: Vec<String>,
    /// Grant all servers
    #[arg(long, conflicts_with = "servers")]
    pub(super) all: bool,
    /// A tool that the token grants, such as `files__read`; may be repeated [default: all tools of its servers]
    #[arg(long = "tool", value_name = "NAME")]
    pub(super) tools: Vec<String>,
    /// Lifetime of the token in minutes, at most 60
    #[arg(long, value_name = "NUMBER", default_value_t = 15)]
    pub(super) minutes: u64,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// The file with the token [default: standard input]
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) state: StateArgs,
    /// The public URL of the gateway
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
    /// All existing tokens of this run
    #[arg(long, value_name = "RUN")]
    pub(super) run: Option<String>,
    /// All existing tokens of the organization of --org; without --org, of the unnamed one
    #[arg(long)]
    pub(super) all_of_org: bool,
    /// The organization [default: that of the key]
    #[arg(long, value_name = "NAME", conflicts_with = "token")]
    pub(super) org: Option<String>,
}

/// The internal API of a gateway, and the key for it.
#[derive(Debug, Args)]
pub(super) struct InternalArgs {
    /// The URL of the gateway's internal API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8081")]
    pub(super) internal: String,
    /// The file with the key of a service [default: the variable `MCP_SERVICE_KEY`]
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
  cargo mcp gateway keys caller nightly --state keys --server files
                                       an API key that does not expire

FILE is JSON with `mcpServers` or `servers`, our TOML, or an agent's YAML. It is read again when it changes: servers that stay
as they are keep their connections. Tools and prompts are called SERVER__NAME.";

    pub(crate) fn output(&self) -> &OutputArgs {
        match &self.command {
            None => &self.serve.output,
            Some(GatewayCommand::Keys(args)) => match &args.command {
                KeysCommand::Show(args) => &args.state.output,
                KeysCommand::Rotate(args) => &args.state.output,
                KeysCommand::Caller(args) => &args.state.output,
                KeysCommand::Remove(args) => &args.state.output,
                KeysCommand::Service(args) => &args.state.output,
                KeysCommand::Rekey(args) => &args.output,
            },
            Some(GatewayCommand::Sessions(args)) => match &args.command {
                SessionsCommand::Mint(args) => &args.state.output,
                SessionsCommand::Inspect(args) => &args.state.output,
                SessionsCommand::Revoke(args) => &args.api.output,
            },
            Some(GatewayCommand::Status(args)) => &args.api.output,
            Some(GatewayCommand::Events(args)) => &args.api.output,
            Some(GatewayCommand::Doctor(args)) => match &args.command {
                DoctorCommand::Redis(args) => &args.output,
            },
            Some(GatewayCommand::Pins(args)) => args.output(),
        }
    }
}
