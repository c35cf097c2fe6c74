//! `cargo mcp`: shows and checks the MCP tool definitions of a crate at build time.

mod args;
mod manifest;

mod error;
mod exit;
mod path_clash;
mod shell;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::exit::Exit;

fn main() -> ExitCode {
    let cli = Cli::parse_from(args::without_cargo_s_own(std::env::args_os()));
    let Command::Manifest(args) = cli.command;
    let shell = args.output.shell();
    if let Some(clash) = path_clash::find() {
        shell.note(&clash);
    }
    manifest::run(&args, shell)
        .unwrap_or_else(|error| {
            shell::error(&error);
            Exit::from(&error)
        })
        .into()
}
