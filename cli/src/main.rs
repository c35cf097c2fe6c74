//! `cargo mcp`: shows, checks and documents the MCP tools of a crate at build time, and serves them.

mod args;

mod diff;
mod docs;
mod expand;
mod export;
mod lint;
mod manifest;
mod new;
mod pins;
mod serve;
mod shells;

mod offer;
mod packages;
mod subsume;

mod command_line;
mod error;
mod exit;
mod path_clash;
mod sarif;
mod shell;
mod text;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::exit::Exit;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(args::without_cargo_s_own(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => return shell::usage(&error),
    };
    let shell = cli.command.output().shell();
    if let Some(clash) = path_clash::find() {
        shell.note(&clash);
    }
    let ended = match cli.command {
        Command::Manifest(args) => manifest::run(*args, shell),
        Command::Docs(args) => docs::run(*args, shell),
        Command::Lint(args) => lint::run(*args, shell),
        Command::Expand(args) => expand::run(&args, shell),
        Command::New(args) => new::run(&args, shell),
        Command::Completions(args) => shells::completions(&args),
        Command::Man(args) => shells::man(&args),
        Command::Serve(args) => serve::run(*args, shell).map(|never| match never {}),
        Command::Diff(args) => diff::run(*args, shell),
        Command::Pin(args) => pins::pin(*args, shell),
        Command::Verify(args) => pins::verify(*args, shell),
    };
    ended
        .unwrap_or_else(|error| {
            shell::error(&error);
            Exit::from(&error)
        })
        .into()
}
