//! `cargo mcp`: shows, checks and documents the MCP tools of a crate at build time, and serves them.

mod args;

mod agent;
mod bindings;
mod bundle;
mod client;
mod completions;
mod config;
mod dev;
mod diff;
mod docs;
mod expand;
mod gateway;
mod graph;
mod install;
mod lint;
mod man;
mod manifest;
mod new;
mod parts;
mod pin;
mod serve;
mod tool;
mod verify;

mod export;
mod lock_file;
mod report;
mod schema_inclusion;

mod source;

mod packages;

mod flags;
mod help;

mod shell;

mod error;

mod command_line;
mod escape;
mod exit;
mod new_file;
mod path_clash;
mod text_file;

use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::args::{Cli, Command};
use crate::command_line::strip_subcommand;
use crate::exit::Exit;

/// A call through the gateway has about 200 short allocations. With the allocator of glibc, they take a fifth of its CPU time,
/// threads wait for each other, and each large message is returned to the system as soon as it is freed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: Vec<_> = strip_subcommand(std::env::args_os()).collect();
    let command = help::command().color(flags::color_of(&args));
    let parsed = command.try_get_matches_from(args).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return shell::usage(&error),
    };
    let shell = cli.command.output().shell();
    if let Some(clash) = path_clash::find() {
        shell.note(&clash);
    }
    let result = match cli.command {
        Command::List(args) => return client::exit(client::list(&args, shell), shell),
        Command::Call(args) => return client::exit(client::call(&args, shell), shell),
        Command::Get(args) => return client::exit(client::get(&args, shell), shell),
        Command::Read(args) => return client::exit(client::read(&args, shell), shell),
        Command::Import(args) => return client::exit(client::import(&args, shell), shell),
        Command::Agent(args) => return client::exit(agent::run(&args, shell), shell),
        Command::Login(args) => return client::exit(client::login(&args, shell), shell),
        Command::Ping(args) => return client::exit(client::ping(&args, shell), shell),
        Command::Bindings(args) => bindings::run(*args, shell),
        Command::Bundle(args) => bundle::run(*args, shell),
        Command::Dev(args) => return client::exit(dev::run(*args, shell), shell),
        Command::Gateway(args) => return client::exit(gateway::run(&args, shell), shell),
        Command::Graph(args) => graph::run(&args),
        Command::Manifest(args) => manifest::run(*args, shell),
        Command::Docs(args) => docs::run(*args, shell),
        Command::Lint(args) => lint::run(*args, shell),
        Command::Expand(args) => expand::run(*args, shell),
        Command::New(args) => new::run(&args, shell),
        Command::Install(args) => install::install(*args, shell),
        Command::Uninstall(args) => install::uninstall(&args, shell),
        Command::Completions(args) => completions::run(&args, help::command()),
        Command::Man(args) => man::run(&args, help::command()),
        Command::Serve(args) => serve::run(*args, shell).map(|never| match never {}),
        Command::Diff(args) => diff::run(*args, shell),
        Command::Parts(args) => parts::run(&args, shell),
        Command::Pin(args) => pin::run(*args, shell),
        Command::Verify(args) => verify::run(*args, shell),
        Command::Config(args) => config::run(&args, shell),
        Command::Tool(args) => tool::run(*args, shell),
    };
    result
        .unwrap_or_else(|error| {
            shell::error(&error);
            Exit::from(&error)
        })
        .into()
}
