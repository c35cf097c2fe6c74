//! `cargo mcp manifest`: prints manifests, writes them to files, or compares them with files.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::de::Error as _;
use serde_json::Value;
use toolwright_agent::value::ToolValue;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{self, Manifest, ManifestError, visible_json};

use crate::command_line::{quote, strip_subcommand};
use crate::error::Error;
use crate::escape;
use crate::exit::Exit;
use crate::export::{Format, export};
use crate::flags::ToolsArgs;
use crate::packages::{Document, name_conflict};
use crate::shell::{self, Shell};
use crate::source::{self, SourceArgs, help_with_sources};
use crate::text_file;

#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    #[command(flatten)]
    pub(crate) from: SourceArgs,
    #[command(flatten)]
    pub(crate) result: ResultArgs,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
}

impl ManifestArgs {
    /// What `--help` shows below the flags.
    pub(crate) fn help() -> String {
        help_with_sources(Self::EXAMPLES)
    }

    const EXAMPLES: &str = "\
Examples:
  cargo mcp manifest                   print the tools of this package
  cargo mcp manifest --out mcp.json    write them to a file
  cargo mcp manifest --check mcp.json  fail if the file is out of date
  cargo mcp manifest --workspace --out manifests/
  cargo mcp manifest --artifact target/release/shop --format jsonl
  cargo mcp manifest --out theirs.json -- npx shop-server
  cargo mcp manifest --format html --out tools.html
  cargo mcp manifest --format openai-strict --deny-lossy";
}

#[derive(Debug, Args)]
pub(crate) struct ResultArgs {
    /// Write to this file, or for several servers to this folder, one file each
    #[arg(long, value_name = "PATH", conflicts_with = "check")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with this file or folder, print the differences, and exit with 1 if there are any
    #[arg(long, value_name = "PATH")]
    pub(crate) check: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Mcp)]
    pub(crate) format: Format,
    /// Fail, and write nothing, if the format cannot express everything
    #[arg(long)]
    pub(crate) deny_lossy: bool,
}

/// Runs the command.
///
/// # Errors
/// Any [`Error`]; its exit code is [`Exit::from`] it.
pub(crate) fn run(args: ManifestArgs, shell: Shell) -> Result<Exit, Error> {
    let ManifestArgs { from, result, mut tools } = args;
    let loaded = source::load_documents(from.source(), &mut tools, shell)?;
    let documents: Vec<Document> = loaded.into_iter().map(|loaded| loaded.document).collect();
    report_losses(&documents, &result, shell)?;
    deliver(documents, &result, shell)
}

/// Lists on standard error what the format cannot express.
///
/// # Errors
/// [`Error::Lossy`] if that is denied.
fn report_losses(documents: &[Document], args: &ResultArgs, shell: Shell) -> Result<(), Error> {
    let losses = export(documents, args.format).map(|exported| exported.losses).unwrap_or_default();
    for loss in &losses {
        if args.deny_lossy {
            shell::failure(loss);
        } else {
            shell.note(loss);
        }
    }
    if args.deny_lossy && !losses.is_empty() {
        return Err(Error::Lossy { count: losses.len() });
    }
    Ok(())
}

/// Prints, writes or compares the documents.
fn deliver(documents: Vec<Document>, args: &ResultArgs, shell: Shell) -> Result<Exit, Error> {
    if let Some(path) = &args.check {
        return check(&files(path, documents, args.format)?, args.format, shell);
    }
    if let Some(path) = &args.out {
        for (file, documents) in files(path, documents, args.format)? {
            write(&file, &render(&documents, args.format))?;
        }
        return Ok(Exit::Ok);
    }
    if documents.len() > 1 && args.format.has_one_server() {
        return Err(several_servers_error(&documents));
    }
    let print = if args.format.is_json() { shell::print_json } else { shell::print };
    print(&render(&documents, args.format))?;
    Ok(Exit::Ok)
}

/// Assigns documents to files: one per file in a folder, or all to one file if the format supports that.
fn files(
    path: &Path,
    documents: Vec<Document>,
    format: Format,
) -> Result<Vec<(PathBuf, Vec<Document>)>, Error> {
    let is_folder =
        path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    if !is_folder {
        if documents.len() > 1 && format.has_one_server() {
            return Err(several_servers_error(&documents));
        }
        return Ok(vec![(path.to_owned(), documents)]);
    }
    let mut files: Vec<(PathBuf, Vec<Document>)> = Vec::new();
    for document in documents {
        let file = path.join(format!("{}.{}", file_name(document.server()), format.extension()));
        match files.iter_mut().find(|(other, _)| *other == file) {
            Some((_, others)) => others.push(document),
            None => files.push((file, vec![document])),
        }
    }
    match files.iter().find(|(_, documents)| documents.len() > 1) {
        Some((_, documents)) => Err(name_conflict(documents)),
        None => Ok(files),
    }
}

/// Converts a server name to a file name: characters that are special on any system become `-`.
fn file_name(server: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.');
    server.chars().map(|character| if is_plain(character) { character } else { '-' }).collect()
}

fn several_servers_error(documents: &[Document]) -> Error {
    Error::SeveralServers { servers: documents.iter().map(Document::place).collect() }
}

/// Renders a file in this format. Hidden characters are escaped, so that reviews show them.
fn render(documents: &[Document], format: Format) -> String {
    if let Some(exported) = export(documents, format) {
        return if format.is_json() {
            visible_json(&exported.text)
        } else {
            escape::escape_text(&exported.text)
        };
    }
    documents.iter().map(|document| document.manifest.to_json()).collect()
}

/// Writes a file and its folders; an unchanged file keeps its time stamp, for `make`.
fn write(file: &Path, text: &str) -> Result<(), Error> {
    if fs::read(file).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    text_file::write(file, text)
}

fn check(files: &[(PathBuf, Vec<Document>)], format: Format, shell: Shell) -> Result<Exit, Error> {
    let mut exit = Exit::Ok;
    for (file, documents) in files {
        let old = match text_file::read(file) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NothingToCheck { file: file.clone(), command: update_command() });
            }
            Err(source) => return Err(Error::Read { file: file.clone(), source }),
        };
        let changes = differences(&old, documents, format).map_err(|source| Error::NotComparable {
            file: file.clone(),
            command: update_command(),
            source,
        })?;
        if !changes.is_empty() {
            exit = Exit::Drift;
            let (count, s) = (changes.len(), if changes.len() == 1 { "" } else { "s" });
            shell::failure(&format_args!("{} is out of date: {count} difference{s}", file.display()));
            shell::print(&(changes.join("\n") + "\n"))?;
        }
    }
    if exit == Exit::Drift {
        shell.note(&format_args!("if the change is intended, update with\n  {}", update_command()));
    }
    Ok(exit)
}

/// Returns the differences between a file and its documents, one per line.
fn differences(old: &str, documents: &[Document], format: Format) -> Result<Vec<String>, ManifestError> {
    let Some(first) = documents.first() else { return Ok(Vec::new()) };
    let (old, new) = match format {
        Format::Mcp => (Manifest::from_json(old)?, first.manifest.clone()),
        Format::Jsonl => {
            // A file of this format contains no server, so both sides get the same one.
            let manifest = |tools| Manifest::new(first.manifest.server.clone(), None, tools);
            let old: Vec<ToolDefinition> = old.lines().map(parse_definition).collect::<Result<_, _>>()?;
            let new = documents.iter().flat_map(|document| document.manifest.tools.clone()).collect();
            (manifest(old)?, manifest(new)?)
        }
        _ => {
            let new = render(documents, format);
            let parsed = [old, &new].map(|text| serde_json::from_str::<Value>(text).ok());
            if let [Some(old), Some(new)] = &parsed
                && manifest::are_equivalent(old, new)
            {
                return Ok(Vec::new());
            }
            return Ok(different_lines(old, &new));
        }
    };
    Ok(manifest::diff(&old, &new).iter().map(ToString::to_string).collect())
}

/// Parses the definition in a line: a tool record or, as former versions wrote it, only the definition.
fn parse_definition(line: &str) -> Result<ToolDefinition, serde_json::Error> {
    match serde_json::from_str::<ToolValue>(line) {
        Ok(value) => {
            value.definition().ok_or_else(|| serde_json::Error::custom("the kind of the tool is not known"))
        }
        Err(error) if line.contains("\"tool_type\"") => Err(error),
        Err(_) => serde_json::from_str(line),
    }
}

/// Returns the first line that differs; other formats are generated from the manifest, which shows the rest.
fn different_lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let line = (0..old.len().max(new.len())).find(|line| old.get(*line) != new.get(*line));
    let describe =
        |line: Option<&&str>| line.map_or_else(|| "nothing".to_owned(), |line| format!("{line:?}"));
    line.map(|line| {
        format!("~ line {}: {} -> {}", line + 1, describe(old.get(line)), describe(new.get(line)))
    })
    .into_iter()
    .collect()
}

/// Returns the command of this run with `--out` instead of `--check`.
fn update_command() -> String {
    let args = strip_subcommand(env::args_os()).skip(1).map(|arg| {
        match arg.to_str().and_then(|arg| arg.strip_prefix("--check=")) {
            Some(file) => OsString::from(format!("--out={file}")),
            None if arg == "--check" => "--out".into(),
            None => arg,
        }
    });
    let words: Vec<_> = args.map(|arg| quote(&arg)).collect();
    format!("cargo mcp {}", words.join(" "))
}
