//! `cargo mcp gateway pins`: reviews the tools of servers.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use toolwright_core::names::split;
use toolwright_gateway::pins::{Finding, PinFileError, Pins};
use toolwright_gateway::{Gateway, GatewayError};

use super::serve::{clients, read};
use crate::client::{RequestError, RequestExit};
use crate::error::{Error, ModuleError};
use crate::exit::Exit;
use crate::flags::OutputArgs;
use crate::shell::{self, Shell};

#[derive(Debug, Args)]
pub(super) struct PinsArgs {
    #[command(subcommand)]
    command: PinsCommand,
}

#[derive(Debug, Subcommand)]
enum PinsCommand {
    /// Print differences from the pins; exits with 1 if there are any
    Review(FilesArgs),
    /// Pin the current tools
    Update(UpdateArgs),
}

#[derive(Debug, Args)]
struct FilesArgs {
    /// The file that names the servers
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// The file with the pins
    #[arg(long, value_name = "FILE", default_value = "mcp.pins.json")]
    pins: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct UpdateArgs {
    #[command(flatten)]
    files: FilesArgs,
    /// Only these tools, as `SERVER__TOOL`; all of them if none is named
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,
}

impl PinsArgs {
    pub(super) fn output(&self) -> &OutputArgs {
        match &self.command {
            PinsCommand::Review(args) => &args.output,
            PinsCommand::Update(args) => &args.files.output,
        }
    }
}

/// Converts the error of an unusable pin file.
pub(super) fn pin_file_error(error: PinFileError) -> RequestError {
    Error::from(ModuleError::new(Exit::File, error)).into()
}

/// Runs the command: every server of the file must respond.
pub(super) fn run(args: &PinsArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(compare(args, shell))
}

async fn compare(args: &PinsArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let files = match &args.command {
        PinsCommand::Review(files) => files,
        PinsCommand::Update(update) => &update.files,
    };
    let config = read(&files.config)?;
    // The tools of an unavailable server are unknown, and its pins would be lost.
    let servers = config.servers().iter().cloned().map(|mut spec| {
        spec.required = true;
        spec
    });
    let connected = Gateway::connect(servers, clients(&config)).await;
    let gateway = connected.map_err(|error| match error {
        GatewayError::Required(error) => RequestError::Client(error),
        other => RequestError::Usage(other.to_string()),
    })?;
    let result = match &args.command {
        PinsCommand::Review(_) => review(files, &gateway, shell),
        PinsCommand::Update(args) => update(args, &gateway, shell),
    };
    gateway.close().await;
    result
}

fn review(files: &FilesArgs, gateway: &Gateway, shell: Shell) -> Result<RequestExit, RequestError> {
    let pins = Pins::read(&files.pins).map_err(pin_file_error)?;
    let listed = gateway.listed_tools();
    let findings: Vec<Finding> =
        listed.iter().flat_map(|(server, tools)| pins.check(server, tools)).collect();
    for finding in &findings {
        shell::print(&format!("{finding}\n"))?;
    }
    if findings.is_empty() {
        shell.note(&"every tool is as it was pinned");
        return Ok(RequestExit::Ok);
    }
    shell.note(&"after a review, accept the changes with `cargo mcp gateway pins update`");
    Ok(RequestExit::Tool)
}

fn update(args: &UpdateArgs, gateway: &Gateway, shell: Shell) -> Result<RequestExit, RequestError> {
    let path = &args.files.pins;
    let is_there = path.try_exists().unwrap_or(true);
    let mut pins = if is_there { Pins::read(path).map_err(pin_file_error)? } else { Pins::new() };
    let listed = gateway.listed_tools();
    for name in &args.tools {
        let unknown =
            || RequestError::Usage(format!("no server has or had a tool `{name}`; write SERVER__TOOL"));
        let (server, tool) = split(name).ok_or_else(unknown)?;
        let (_, tools) = listed.iter().find(|(listed, _)| listed == server).ok_or_else(unknown)?;
        if !pins.accept_one(server, tools, tool) {
            return Err(unknown());
        }
    }
    if args.tools.is_empty() {
        pins.retain(|server| listed.iter().any(|(listed, _)| listed == server));
        for (server, tools) in &listed {
            pins.accept(server, tools);
        }
    }
    pins.write(path).map_err(pin_file_error)?;
    shell.note(&format_args!("{} pins {} tools", path.display(), pins.len()));
    Ok(RequestExit::Ok)
}
