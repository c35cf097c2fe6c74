//! `cargo mcp install` and `uninstall`: writes a server into the configuration of a client, and removes it.
//!
//! The files belong to other programs, and some contain much else. So they are edited in place with their comments and
//! formatting, written atomically with a backup beside them, and never written if they cannot be parsed.

mod args;

mod client;
mod document;
mod entry;
mod file;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Error, ModuleError};
use crate::exit::Exit;
use crate::flags::PackageArgs;
use crate::packages;
use crate::shell::{self, Shell};

use args::{TargetArgs, UrlOrCommand};
use client::Folders;
use document::Document;
use entry::Entry;
use file::ConfigFile;

pub(crate) use args::{InstallArgs, UninstallArgs};

/// Why a server was not installed or uninstalled.
#[derive(Debug, thiserror::Error)]
enum InstallError {
    #[error("{client} has no project file: drop `--scope project`")]
    NoProjectScope { client: &'static str },
    #[error(
        "the file of {client} has no servers with a URL: add it in the settings of {client}, under Connectors, \
         or install a command"
    )]
    NoUrls { client: &'static str },
    #[error("the home folder is unknown: set {variable}, or name the file with --file")]
    NoFolder { variable: &'static str },
    #[error("a name is needed for {what}: add --name NAME")]
    NoName { what: &'static str },
    #[error(
        "{name:?} cannot be the name of a server: use 1 to 32 letters, digits, `-` and single `_`, as in --name word-counter"
    )]
    Name { name: String },
    #[error("`{}` is not valid Unicode, so a JSON file cannot contain it: move it elsewhere", .text.display())]
    NotUnicode { text: OsString },
    #[error("{} is not valid JSON: {problem}\n  fix it first; it was not changed", .file.display())]
    Syntax { file: PathBuf, problem: String },
    #[error("{}: {problem}; it was not changed", .file.display())]
    Shape { file: PathBuf, problem: String },
    #[error(
        "{} already has another server `{name}`: keep it with another --name, or replace it with --force", .file.display()
    )]
    Different { file: PathBuf, name: String },
    #[error("no server `{name}` in {}; it has: {}", .file.display(), known(.servers))]
    Unknown { file: PathBuf, name: String, servers: Vec<String> },
    #[error("{} was changed by another program at the same time: run this again", .file.display())]
    Changed { file: PathBuf },
}

fn known(servers: &[String]) -> String {
    let names: Vec<_> = servers.iter().map(|name| toolwright_core::manifest::visible(name)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl From<InstallError> for Error {
    fn from(error: InstallError) -> Self {
        let exit = match &error {
            InstallError::Syntax { .. } | InstallError::Shape { .. } | InstallError::Changed { .. } => {
                Exit::File
            }
            _ => Exit::Usage,
        };
        Self::Module(ModuleError::new(exit, error))
    }
}

/// Runs `cargo mcp install`.
///
/// # Errors
/// Any [`Error`] of building the package, [`InstallError`], [`Error::Read`], [`Error::Write`].
pub(crate) fn install(mut args: InstallArgs, shell: Shell) -> Result<Exit, Error> {
    let TargetArgs { client, .. } = args.target;
    let file = args.target.file(&Folders::from_environment())?;
    // Before a build that may take minutes.
    let before = Document::read(&file, client)?;
    let (default, server) = if let Some(server) = args.server() {
        (None, server?)
    } else {
        let (name, program) = build(&mut args.packages, shell)?;
        (Some(name), UrlOrCommand::Command { command: text(program.into())?, arguments: Vec::new() })
    };
    let name = args.target.name(default.as_deref(), &server)?;
    let entry = Entry::new(client, server, &args.env)?;
    match before.server(&name)? {
        Some(old) if old == *entry.json() => {
            shell.note(&format_args!("`{name}` is already in {}", file.display()));
            return Ok(Exit::Ok);
        }
        Some(old) if !args.force => {
            shell::print(&entry::difference(&name, Some(&old), Some(entry.json())))?;
            return Err(InstallError::Different { file, name }.into());
        }
        old => shell::print(&entry::difference(&name, old.as_ref(), Some(entry.json())))?,
    }
    before.insert(&name, entry.json())?;
    write(&before, &args.target, shell)?;
    if !args.target.dry_run {
        shell.note(&format_args!("next: {}", client.next_step()));
    }
    Ok(Exit::Ok)
}

/// Runs `cargo mcp uninstall`.
///
/// # Errors
/// [`InstallError`], [`Error::Read`], [`Error::Write`]; those of reading the workspace for the name of its package.
pub(crate) fn uninstall(args: &UninstallArgs, shell: Shell) -> Result<Exit, Error> {
    let file = args.target.file(&Folders::from_environment())?;
    let document = Document::read(&file, args.target.client)?;
    let name = match &args.target.name {
        Some(name) => name.clone(),
        None => {
            packages::name(&args.packages, shell)?.ok_or(InstallError::NoName { what: "several packages" })?
        }
    };
    let Some(old) = document.server(&name)? else {
        return Err(InstallError::Unknown { file, name, servers: document.names()? }.into());
    };
    shell::print(&entry::difference(&name, Some(&old), None))?;
    document.remove(&name)?;
    write(&document, &args.target, shell)?;
    Ok(Exit::Ok)
}

/// Writes the changed document, unless `--dry-run` is given.
fn write(document: &Document, target: &TargetArgs, shell: Shell) -> Result<(), Error> {
    let path = document.path().display();
    if target.dry_run {
        shell.note(&format_args!("{path} would be changed"));
        return Ok(());
    }
    match ConfigFile::write(document)? {
        Some(backup) => shell.note(&format_args!("changed {path}; before, it was {}", backup.display())),
        None => shell.note(&format_args!("created {path}")),
    }
    Ok(())
}

/// Builds the package. Returns its name and its program.
///
/// A client runs the program for months, so it is built in release mode unless a profile is selected; the debug build, which
/// changes with every `cargo build` and may be broken at any time, remains for development.
fn build(args: &mut PackageArgs, shell: Shell) -> Result<(String, PathBuf), Error> {
    packages::choose(args, shell)?;
    args.build.release |= args.build.profile.is_none();
    let program = packages::program_to_serve(args, shell)?;
    // A client starts the program in a folder of its own.
    let file = std::path::absolute(&program.file)
        .map_err(|source| Error::Read { file: program.file.clone(), source })?;
    let name = match packages::name(args, shell)? {
        Some(name) => name,
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    Ok((name, file))
}

fn text(text: OsString) -> Result<String, InstallError> {
    text.into_string().map_err(|text| InstallError::NotUnicode { text })
}

/// Makes a command that names a file absolute; a plain name is searched by the client.
fn absolute(command: &Path) -> PathBuf {
    let is_plain =
        command.components().count() == 1 && !command.as_os_str().to_string_lossy().contains(['/', '\\']);
    if is_plain {
        command.to_owned()
    } else {
        std::path::absolute(command).unwrap_or_else(|_| command.to_owned())
    }
}
