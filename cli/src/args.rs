//! The command-line interface.

use clap::{Parser, Subcommand};

use crate::agent::AgentArgs;
use crate::bindings::BindingsArgs;
use crate::bundle::BundleArgs;
use crate::client::{self, CallArgs, GetArgs, ImportArgs, ListArgs, LoginArgs, PingArgs, ReadArgs};
use crate::completions::CompletionsArgs;
use crate::config::ConfigArgs;
use crate::dev::DevArgs;
use crate::diff::DiffArgs;
use crate::docs::DocsArgs;
use crate::exit::Exit;
use crate::expand::ExpandArgs;
use crate::flags::OutputArgs;
use crate::gateway::GatewayArgs;
use crate::graph::GraphArgs;
use crate::install::{InstallArgs, UninstallArgs};
use crate::lint::LintArgs;
use crate::man::ManArgs;
use crate::manifest::ManifestArgs;
use crate::new::NewArgs;
use crate::parts::PartsArgs;
use crate::pin::PinArgs;
use crate::serve::ServeArgs;
use crate::tool::ToolArgs;
use crate::verify::VerifyArgs;

/// Work with the MCP tools of Rust crates at build time.
#[derive(Debug, Parser)]
#[command(name = "cargo-mcp", bin_name = "cargo mcp", version, styles = clap_cargo::style::CLAP_STYLING)]
#[command(after_help = Exit::HELP, term_width = 80)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print or check the manifest of a package or a server
    #[command(after_help = help(&ManifestArgs::help()))]
    Manifest(Box<ManifestArgs>),
    /// Print the documentation of tools for agents
    #[command(after_help = help(&DocsArgs::help()))]
    Docs(Box<DocsArgs>),
    /// Write Rust structs for the tools of a server, for typed calls
    #[command(after_help = help(&BindingsArgs::help()))]
    Bindings(Box<BindingsArgs>),
    /// Find definitions that clients reject or misread
    #[command(after_help = help(&LintArgs::help()))]
    Lint(Box<LintArgs>),
    /// Show one tool as clients see it, with its source location and a valid call
    #[command(after_help = help(ExpandArgs::EXAMPLES))]
    Expand(Box<ExpandArgs>),
    /// Create a package with one tool and its tests
    #[command(after_help = NewArgs::EXAMPLES)]
    New(NewArgs),
    /// Add a server to the configuration of a client
    #[command(after_help = help(InstallArgs::EXAMPLES))]
    #[command(override_usage = "cargo mcp install [OPTIONS] CLIENT [-- COMMAND...]")]
    Install(Box<InstallArgs>),
    /// Pack a server into a file that desktop clients install
    #[command(after_help = help(BundleArgs::EXAMPLES))]
    Bundle(Box<BundleArgs>),
    /// Remove a server from the configuration of a client
    #[command(after_help = help(UninstallArgs::EXAMPLES))]
    Uninstall(Box<UninstallArgs>),
    /// Read tool calls and results in chat messages of any library or model
    #[command(after_help = help(PartsArgs::EXAMPLES))]
    Parts(PartsArgs),
    /// Print the completion script of a shell
    #[command(after_help = CompletionsArgs::EXAMPLES)]
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(after_help = ManArgs::EXAMPLES)]
    Man(ManArgs),
    /// Build a server and run it over stdio, as the command of a client
    #[command(after_help = help(ServeArgs::EXAMPLES))]
    Serve(Box<ServeArgs>),
    /// Serve a package, and rebuild it when its sources change
    #[command(after_help = client::help_without_servers(DevArgs::EXAMPLES))]
    Dev(Box<DevArgs>),
    /// Compare two versions of the definitions and report breaking changes
    #[command(after_help = help(&DiffArgs::help()))]
    Diff(Box<DiffArgs>),
    /// Write the hash of each definition into a lock file
    #[command(after_help = help(&PinArgs::help()))]
    Pin(Box<PinArgs>),
    /// Compare a package, a manifest or a running server with the lock file
    #[command(after_help = help(&VerifyArgs::help()))]
    Verify(Box<VerifyArgs>),
    /// Check, show and convert configuration files, without starting a server
    #[command(after_help = help(ConfigArgs::EXAMPLES))]
    Config(Box<ConfigArgs>),
    /// Read, check and write tool records of every kind
    #[command(after_help = help(ToolArgs::EXAMPLES))]
    Tool(Box<ToolArgs>),
    /// Show and call the tools of an agent, from tool records of every kind
    #[command(after_help = client::help_without_servers(AgentArgs::EXAMPLES))]
    Agent(Box<AgentArgs>),
    /// Write the tools of running servers as records
    #[command(after_help = client::help(ImportArgs::EXAMPLES))]
    Import(Box<ImportArgs>),
    /// List what a running server offers
    #[command(after_help = client::help(ListArgs::EXAMPLES))]
    List(Box<ListArgs>),
    /// Call a tool of a running server
    #[command(after_help = client::help(CallArgs::EXAMPLES))]
    #[command(override_usage = "cargo mcp call [OPTIONS] [SERVER] TOOL [ARGUMENT]... [-- COMMAND...]")]
    Call(Box<CallArgs>),
    /// Get a prompt of a running server
    #[command(after_help = client::help(GetArgs::EXAMPLES))]
    #[command(override_usage = "cargo mcp get [OPTIONS] [SERVER] PROMPT [NAME=VALUE]... [-- COMMAND...]")]
    Get(Box<GetArgs>),
    /// Read a resource of a running server
    #[command(after_help = client::help(ReadArgs::EXAMPLES))]
    #[command(override_usage = "cargo mcp read [OPTIONS] [SERVER] URI [-- COMMAND...]")]
    Read(Box<ReadArgs>),
    /// Check whether a server responds, and show what it is
    #[command(after_help = client::help(PingArgs::EXAMPLES))]
    Ping(Box<PingArgs>),
    /// Log in to an HTTP server; other commands then use the token
    #[command(after_help = client::help(LoginArgs::EXAMPLES))]
    #[command(override_usage = "cargo mcp login [OPTIONS] FILE|URL [SERVER]...")]
    Login(Box<LoginArgs>),
    /// Serve all servers of a configuration file as one
    #[command(after_help = client::help_without_servers(GatewayArgs::EXAMPLES))]
    Gateway(Box<GatewayArgs>),
    /// Compile workflow graphs: which nodes are tools, and which agents may use them
    #[command(after_help = help(GraphArgs::EXAMPLES))]
    Graph(Box<GraphArgs>),
}

impl Command {
    pub(crate) fn output(&self) -> &OutputArgs {
        match self {
            Self::Manifest(args) => &args.tools.packages.output,
            Self::Docs(args) => &args.tools.packages.output,
            Self::Bindings(args) => &args.tools.packages.output,
            Self::Lint(args) => &args.tools.packages.output,
            Self::Expand(args) => &args.tools.packages.output,
            Self::New(args) => &args.output,
            Self::Bundle(args) => &args.tools.packages.output,
            Self::Install(args) => &args.packages.output,
            Self::Uninstall(args) => &args.packages.output,
            Self::Parts(args) => &args.output,
            Self::Completions(args) => &args.output,
            Self::Man(args) => &args.output,
            Self::Serve(args) => &args.packages.output,
            Self::Dev(args) => &args.packages.output,
            Self::Diff(args) => &args.tools.packages.output,
            Self::Pin(args) => &args.lock.tools.packages.output,
            Self::Verify(args) => &args.lock.tools.packages.output,
            Self::Config(args) => args.output(),
            Self::Tool(args) => args.output(),
            Self::Agent(args) => args.output(),
            Self::Import(args) => &args.server.output,
            Self::List(args) => &args.server.output,
            Self::Call(args) => &args.server.output,
            Self::Get(args) => &args.server.output,
            Self::Read(args) => &args.server.output,
            Self::Ping(args) => &args.server.output,
            Self::Login(args) => &args.server.output,
            Self::Gateway(args) => args.output(),
            Self::Graph(args) => args.output(),
        }
    }
}

/// Returns what `--help` shows below the flags of a command: examples and exit codes.
pub(crate) fn help(examples: &str) -> String {
    format!("{examples}\n\n{}", Exit::HELP)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory as _;

    use super::*;
    use crate::command_line::strip_subcommand;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_has_examples_and_fits_a_terminal_of_80_columns() {
        let mut command = Cli::command();
        command.build();
        for command in command.get_subcommands_mut().filter(|command| command.get_name() != "help") {
            let (name, page) = (command.get_name().to_owned(), command.render_long_help().to_string());
            assert!(page.contains("\nExamples:\n  cargo mcp "), "{name} has no examples:\n{page}");
            let wide = page.lines().find(|line| line.chars().count() > 80);
            assert!(wide.is_none(), "{name}: wider than 80 columns: {wide:?}");
        }
    }

    #[test]
    fn both_invocations_are_equivalent() {
        for line in ["cargo-mcp mcp manifest --out mcp", "cargo-mcp manifest --out mcp"] {
            let args = strip_subcommand(line.split(' ').map(OsString::from));
            let Command::Manifest(args) = Cli::try_parse_from(args).unwrap().command else {
                panic!("{line} is another command");
            };
            assert_eq!(args.result.out, Some("mcp".into()));
        }
    }
}
