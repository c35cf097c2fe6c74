//! The flags of `cargo mcp install` and `uninstall`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolwright_client::config::MAX_SERVER_NAME;
use toolwright_core::names::check_server;

use super::client::{Client, Folders};
use super::{InstallError, absolute, text};
use crate::flags::PackageArgs;

/// Where the server is configured.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// The client
    #[arg(value_name = "CLIENT", value_enum)]
    pub(super) client: Client,
    /// Name of the server in the client; by default that of the package
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// For all projects of the user, or for the current directory
    #[arg(long, value_name = "SCOPE", value_enum, default_value_t = Scope::User)]
    pub(super) scope: Scope,
    /// Use this file, such as that of another edition of the client
    #[arg(long, value_name = "FILE", conflicts_with = "scope")]
    file: Option<PathBuf>,
    /// Show what would change, without changing anything
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// Whose configuration is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Scope {
    User,
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// Environment variable of the server; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_variable)]
    pub(super) env: Vec<(String, String)>,
    /// Install the HTTP server at this URL instead of a program
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "env"])]
    url: Option<String>,
    /// Replace another server of this name
    #[arg(long)]
    pub(super) force: bool,
    #[command(flatten)]
    pub(crate) packages: PackageArgs,
    /// Install this command instead of the program of a package
    #[arg(last = true, value_name = "COMMAND", help_heading = "Program")]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[command(flatten)]
    pub(crate) packages: PackageArgs,
}

/// What is installed.
#[derive(Debug)]
pub(super) enum UrlOrCommand {
    Url(String),
    Command { command: String, arguments: Vec<String> },
}

impl InstallArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp install claude-desktop           build this package and install it
  cargo mcp install cursor --dry-run         show what would change
  cargo mcp install vscode --scope project --name web --url http://127.0.0.1:8080/mcp
  cargo mcp install claude-code --name files --env ROOT=/data -- npx -y files-server";

    /// Returns the server that the flags name; `None` for the program of a package.
    pub(super) fn server(&self) -> Option<Result<UrlOrCommand, InstallError>> {
        if let Some(url) = &self.url {
            return Some(Ok(UrlOrCommand::Url(url.clone())));
        }
        let (command, arguments) = self.command.split_first()?;
        let command = text(absolute(Path::new(command)).into());
        let arguments = arguments.iter().cloned().map(text).collect::<Result<_, _>>();
        Some(command.and_then(|command| Ok(UrlOrCommand::Command { command, arguments: arguments? })))
    }
}

impl UninstallArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp uninstall claude-desktop             the server of this package
  cargo mcp uninstall cursor --name files --dry-run";
}

impl TargetArgs {
    /// Returns the file of the client.
    pub(super) fn file(&self, folders: &Folders) -> Result<PathBuf, InstallError> {
        match &self.file {
            Some(file) => Ok(file.clone()),
            None => self.client.file(self.scope, folders),
        }
    }

    /// Returns the name of the server: the given one, or the default of a package.
    pub(super) fn name(&self, default: Option<&str>, server: &UrlOrCommand) -> Result<String, InstallError> {
        let what = match server {
            UrlOrCommand::Url(_) => "a URL",
            UrlOrCommand::Command { .. } => "a command",
        };
        let name = self.name.as_deref().or(default).ok_or(InstallError::NoName { what })?;
        let is_part = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-');
        if check_server(name).is_err() || name.len() > MAX_SERVER_NAME || !name.chars().all(is_part) {
            return Err(InstallError::Name { name: name.to_owned() });
        }
        Ok(name.to_owned())
    }
}

fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}
