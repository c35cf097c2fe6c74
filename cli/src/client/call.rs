//! `cargo mcp call`: calls a tool.

use std::io::Write as _;

use clap::Args;
use serde_json::json;
use toolwright_client::{Client, ListedTool, Progress};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::visible;
use toolwright_core::result::ToolResult;
use toolwright_core::suggest;

use super::{FormArgs, RequestError, RequestExit, ServerArgs, arguments, target};
use crate::shell::{self, Shell};

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The server, unless a command follows `--`, and the tool, then its arguments: NAME=VALUE, NAME:=JSON, or one
    /// JSON object
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl CallArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp call https://example.com/mcp add a=1 b=2     prints the text
  cargo mcp call https://example.com/mcp add '{\"a\": 1}' --json
  cargo mcp call add a=1 b=2 -- npx -y some-server       of a command";
}

pub(super) fn run(args: &CallArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (target, words) = args.server.split(&args.words)?;
    let [word, words @ ..] = words else {
        return Err(RequestError::Usage("no tool is specified".to_owned()));
    };
    let (spec, tokens, tool) = target.choose(word)?;
    target::with_client((spec, tokens), &args.server, shell, async |client: Client| {
        let tools = client.list_tools().await?;
        let listed = tools.iter().find(|listed| listed.name() == tool);
        let definition = listed.map(ListedTool::definition);
        let arguments = arguments::parse(words, definition.as_ref()).map_err(RequestError::Usage)?;
        let call = client.call(tool, &arguments).on_progress(|progress| print_progress(&progress));
        let result = call.await;
        if target::is_interactive() {
            // Clears the progress line.
            _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
        if result.is_err() && listed.is_none() {
            let near = suggest::nearest(tool, tools.iter().map(ListedTool::name));
            if let Some(near) = near {
                shell.note(&format!("did you mean `{}`?", visible(near)));
            }
        }
        if !result.as_ref().is_ok_and(|result| !result.is_error) {
            note_unknown(arguments.keys(), definition.as_ref(), shell);
        }
        let result = result?;
        print(&result, &args.form)?;
        Ok(if result.is_error { RequestExit::Tool } else { RequestExit::Ok })
    })
}

fn print(result: &ToolResult, form: &FormArgs) -> Result<(), RequestError> {
    if form.json {
        shell::print_json(&format!("{:#}\n", json!(result)))?;
        return Ok(());
    }
    let text = if result.content.is_empty() {
        result.as_text()
    } else {
        result.content.iter().map(|block| block.to_text().into_owned()).collect::<Vec<_>>().join("\n\n")
    };
    if result.is_error {
        shell::failure(&visible(&text));
    } else {
        shell::print(&(text + "\n"))?;
    }
    Ok(())
}

/// Notes the arguments of a failed call that the tool does not list.
fn note_unknown<'a>(names: impl Iterator<Item = &'a String>, tool: Option<&ToolDefinition>, shell: Shell) {
    let listed = tool.and_then(|tool| tool.input_schema.get("properties")?.as_object());
    let Some(listed) = listed else { return };
    for name in names.filter(|name| !listed.contains_key(*name)) {
        let known = listed.keys().map(String::as_str);
        let (shown, near) = (visible(name), suggest::nearest(name, known.clone()).map(visible));
        match near {
            Some(near) => shell.note(&format!("the tool has no argument `{shown}`; did you mean `{near}`?")),
            None if listed.is_empty() => {
                shell.note(&format!("the tool has no arguments; got `{shown}`"));
            }
            None => {
                let known = visible(&known.collect::<Vec<_>>().join(", "));
                shell.note(&format!("the tool has no argument `{shown}`; available: {known}"));
            }
        }
    }
}

/// Prints progress, if standard error is a terminal.
fn print_progress(progress: &Progress) {
    if !target::is_interactive() {
        return;
    }
    let message = visible(progress.message.as_deref().unwrap_or_default());
    let done = match progress.total {
        Some(total) if total > 0.0 => format!("{:3.0} %", progress.progress / total * 100.0),
        _ => format!("{}", progress.progress),
    };
    _ = write!(std::io::stderr(), "\r\u{1b}[K{done} {message}");
}
