//! `cargo mcp expand`: shows one tool as clients see it, with its source location and a valid call.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use toolwright_core::arguments;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{visible, visible_json};
use toolwright_core::suggest;

use crate::error::Error;
use crate::exit::Exit;
use crate::flags::ToolsArgs;
use crate::packages::{self, Document};
use crate::shell::{self, Shell};

#[derive(Debug, Args)]
pub(crate) struct ExpandArgs {
    /// The name of the tool
    #[arg(value_name = "TOOL")]
    tool: String,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
}

impl ExpandArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp expand get_order          a tool of the package in this folder
  cargo mcp expand get_order -p shop  of a package of the workspace";
}

/// Runs the command. A tool that several servers offer is shown for each.
///
/// # Errors
/// [`Error::UnknownTool`], and any [`Error`] of building and querying.
pub(crate) fn run(mut args: ExpandArgs, shell: Shell) -> Result<Exit, Error> {
    if args.tools.artifact.is_none() {
        packages::choose(&mut args.tools.packages, shell)?;
    }
    let documents = packages::documents(&args.tools, shell)?;
    let tools = || {
        documents.iter().flat_map(|document| document.manifest.tools.iter().map(move |tool| (document, tool)))
    };
    let shown: Vec<_> = tools()
        .filter(|(_, tool)| tool.name == args.tool)
        .map(|(document, tool)| show(document, tool))
        .collect();
    if shown.is_empty() {
        let names: Vec<&str> = tools().map(|(_, tool)| tool.name.as_str()).collect();
        let near = suggest::nearest(&args.tool, names.iter().copied()).map(str::to_owned);
        let known = names.iter().map(|name| format!("`{name}`")).collect();
        return Err(Error::UnknownTool { name: args.tool.clone(), near, known });
    }
    shell::print(&shown.join("\n"))?;
    Ok(Exit::Ok)
}

// Writing to a string cannot fail.

fn show(document: &Document, tool: &ToolDefinition) -> String {
    let mut text = format!("{} of {}\n", visible(&tool.name), visible(document.server()));
    if let Some(source) = document.sources.tools.get(&tool.name) {
        _ = writeln!(text, "  --> {}:{}", source.origin, source.origin.column);
    }
    let mut definition = json!(tool);
    let (mut input, mut output) = (Value::Null, Value::Null);
    if let Some(members) = definition.as_object_mut() {
        input = members.shift_remove("inputSchema").unwrap_or_default();
        output = members.shift_remove("outputSchema").unwrap_or_default();
    }
    let json = |value: &Value| visible_json(&format!("{value:#}"));
    _ = write!(text, "\nDefinition:\n{}\n\nInput schema:\n{}\n", json(&definition), json(&input));
    if !output.is_null() {
        _ = write!(text, "\nOutput schema:\n{}\n", json(&output));
    }
    let call = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": { "name": tool.name, "arguments": arguments::example(&tool.input_schema) },
    });
    _ = write!(text, "\nA call:\n{}\n", visible_json(&call.to_string()));
    text
}
