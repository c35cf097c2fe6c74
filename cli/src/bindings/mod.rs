//! `cargo mcp bindings`: generates Rust structs for the tools of a third-party server.
//!
//! Each tool becomes a struct that derives `Tool`: its fields are the arguments. Types express the structure of
//! values; other constraints stay in the schema. What types cannot express is listed, and nothing is lost: the
//! definitions of the structs accept the same calls as those of the server.

mod choice;
mod module;
mod names;
mod object;
mod reference;
mod text;
mod tool;
mod types;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use toolwright_core::manifest::visible;

use crate::error::{Error, ModuleError};
use crate::exit::Exit;
use crate::flags::ToolsArgs;
use crate::shell::{self, Shell};
use crate::source::{self, ServerDefinitions, SourceArgs, help_with_sources};
use crate::text_file;
use module::Module;

/// Maximum number of points in the header of the module.
const MAX_POINTS: usize = 200;

#[derive(Debug, Args)]
pub(crate) struct BindingsArgs {
    #[command(flatten)]
    pub(crate) from: SourceArgs,
    /// Write to this file
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    out: Option<PathBuf>,
    /// Compare with this file, and exit with 1 if it is out of date
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Only these tools
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// Fail, and write nothing, if types do not hold everything
    #[arg(long)]
    deny_lossy: bool,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
}

impl BindingsArgs {
    /// What `--help` shows below the flags.
    pub(crate) fn help() -> String {
        help_with_sources(Self::EXAMPLES)
    }

    const EXAMPLES: &str = "\
Examples:
  cargo mcp bindings https://example.com/mcp --out src/example.rs
  cargo mcp bindings --out src/files.rs -- npx -y some-server
  cargo mcp bindings theirs.json --check src/theirs.rs
  cargo mcp bindings theirs.json --tool search --tool fetch";
}

/// Why no module is generated.
#[derive(Debug, thiserror::Error)]
enum BindingsError {
    #[error("the server has no tool `{}`; it has: {}", visible(.name), visible(.known))]
    NoTool { name: String, known: String },
    #[error("types do not hold {count} points: leave out --deny-lossy to write the others")]
    Lossy { count: usize },
}

impl From<BindingsError> for Error {
    fn from(error: BindingsError) -> Self {
        let exit = match error {
            BindingsError::NoTool { .. } => Exit::Usage,
            BindingsError::Lossy { .. } => Exit::Findings,
        };
        ModuleError::new(exit, error).into()
    }
}

/// Runs the command.
///
/// # Errors
/// Those of reading the definitions and of writing, and [`BindingsError`].
pub(crate) fn run(mut args: BindingsArgs, shell: Shell) -> Result<Exit, Error> {
    let definitions = source::load(&args.from.source(), &mut args.tools, shell)?;
    for name in &args.tool {
        if !definitions.tools.contains_key(name) {
            let known: Vec<_> = definitions.tools.keys().map(String::as_str).collect();
            return Err(BindingsError::NoTool { name: name.clone(), known: known.join(", ") }.into());
        }
    }
    let (text, points) = bindings(&definitions, &args.tool);
    for point in &points {
        if args.deny_lossy {
            shell::failure(point);
        } else {
            shell.note(point);
        }
    }
    if args.deny_lossy && !points.is_empty() {
        return Err(BindingsError::Lossy { count: points.len() }.into());
    }
    if let Some(file) = &args.check {
        let old = text_file::read(file).map_err(|source| Error::Read { file: file.clone(), source })?;
        if old.replace("\r\n", "\n") == text {
            return Ok(Exit::Ok);
        }
        shell::failure(&format_args!("{} is out of date; write it again with --out", file.display()));
        return Ok(Exit::Drift);
    }
    match &args.out {
        Some(file) => fs::write(file, text).map_err(|source| Error::Write { file: file.clone(), source })?,
        None => shell::print(&text)?,
    }
    Ok(Exit::Ok)
}

/// Generates the module for the tools, or all tools if none is named, and the list of what it does not express.
fn bindings(definitions: &ServerDefinitions, wanted: &[String]) -> (String, Vec<module::Point>) {
    let mut module = Module::new();
    let mut variants = Vec::new();
    for (name, definition) in &definitions.tools {
        if wanted.is_empty() || wanted.contains(name) {
            variants.extend(tool::add(&mut module, name, definition));
        }
    }
    (source_text(definitions, &module, &variants), module.points)
}

fn source_text(definitions: &ServerDefinitions, module: &Module, variants: &[String]) -> String {
    let said = |member: &str| definitions.server.get(member).and_then(serde_json::Value::as_str);
    let (name, version) = (said("name"), said("version"));
    let mut text = format!(
        "//! The tools of {} {}: calls for `Client::call_tool`.\n//!\n//! Generated by `cargo mcp bindings`; changes are lost when it is generated again.\n",
        visible(name.unwrap_or("a server")),
        visible(version.unwrap_or_default())
    )
    .replace(" :", ":");
    let points = module.points.iter().take(MAX_POINTS);
    let mut lines: Vec<String> = points.map(|point| format!("// - {point}\n")).collect();
    if module.points.len() > MAX_POINTS {
        lines.push(format!("// - and {} more\n", module.points.len() - MAX_POINTS));
    }
    if !lines.is_empty() {
        _ = write!(text, "\n// What types do not hold:\n{}", lines.concat());
    }
    if variants.is_empty() {
        return text;
    }
    let items = module.items.concat();
    if items.contains("BTreeMap<") {
        text += "\nuse std::collections::BTreeMap;\n";
    }
    text += "\nuse schemars::JsonSchema;\nuse serde::{Deserialize, Serialize};\nuse toolwright::{Tool, Toolset};\n";
    for item in &module.items {
        _ = write!(text, "\n{item}");
    }
    let about = [
        ("name", name),
        ("version", version),
        ("title", said("title")),
        ("instructions", definitions.instructions.as_deref()),
    ];
    let about = about.into_iter().filter_map(|(key, said)| Some((key, said?)));
    let about = about.filter(|(_, said)| !said.trim().is_empty());
    let keys: Vec<_> = about.map(|(key, said)| format!("{key} = {}", text::string(said))).collect();
    let keys = if keys.is_empty() { String::new() } else { text::attribute("", "mcp", &keys) };
    let variants: Vec<_> = variants.iter().map(|name| format!("    {name}({name}),\n")).collect();
    _ = writeln!(
        text,
        "\n/// All of them.\n#[derive(Toolset)]\n{keys}pub enum Tools {{\n{}}}",
        variants.concat()
    );
    text + &module.functions()
}
