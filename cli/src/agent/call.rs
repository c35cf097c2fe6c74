//! `cargo mcp agent call`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_agent::parts::Transcript;
use toolwright_agent::toolbox::{AgentTool, ToolMessage, Toolbox};
use toolwright_agent::value::{STDIO_SCHEME, ToolValue};
use toolwright_client::config::{ConfigReader, ServerSpec, Tokens};
use toolwright_client::toolbox::Servers;
use toolwright_core::manifest::visible;

use super::args::{CallArgs, Format};
use super::{print_notes, read};
use crate::client::{RequestError, RequestExit, arguments, builder, command_spec};
use crate::parts;
use crate::shell::{self, Shell};

/// The client name: a common one, since a server can show different lists to different clients.
const NAME: &str = "mcp-client/1.0.0";

/// A tool call of a model.
struct Call {
    /// Empty if unknown.
    id: String,
    tool: String,
    arguments: Value,
}

/// Makes the calls in order, with one connection per server, and prints the results. A failed call is a result.
pub(super) fn run(args: &CallArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (builder, _) = read(&args.tools, shell)?;
    let servers = Arc::new(configure_servers(args, shell)?);
    let toolbox = builder.mcp(servers.clone()).commands(servers.clone()).build();
    print_notes(&toolbox, shell);
    let calls = read_calls(args, &toolbox)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let result = make_calls(&calls, &toolbox, args, shell).await;
        toolbox.close().await;
        servers.close().await;
        result
    })
}

async fn make_calls(
    calls: &[Call],
    toolbox: &Toolbox,
    args: &CallArgs,
    shell: Shell,
) -> Result<RequestExit, RequestError> {
    let (mut exit, mut has_note) = (RequestExit::Ok, args.allow_programs);
    for call in calls {
        let message = toolbox.call(&call.tool, call.arguments.clone()).await;
        if message.is_error {
            exit = RequestExit::Tool;
        }
        let is_rejected = message.is_error && message.result.is_none() && is_program(toolbox, &call.tool);
        if is_rejected && !has_note {
            shell.note(
                &"--config FILE names the servers that may be started, --allow-programs starts them all",
            );
            has_note = true;
        }
        print(&message, call, args)?;
    }
    Ok(exit)
}

/// Returns whether the server of a tool is a program.
fn is_program(toolbox: &Toolbox, tool: &str) -> bool {
    let value = toolbox.find(tool).map(AgentTool::value);
    matches!(value, Some(ToolValue::Mcp(tool)) if tool.server_uri.starts_with(STDIO_SCHEME))
}

/// Prints a result: only its text for a call on the command line, otherwise a line of JSON.
fn print(message: &ToolMessage, call: &Call, args: &CallArgs) -> Result<(), RequestError> {
    let document = match (args.format.model_api(), args.format) {
        (Some(api), _) => message.for_model_api(api, &call.id),
        (None, Format::Text) if args.calls.is_none() => {
            shell::print(&(message.text.clone() + "\n"))?;
            return Ok(());
        }
        (None, Format::Text) => json!({
            "call_id": call.id,
            "tool": message.tool,
            "text": message.text,
            "is_error": message.is_error,
        }),
        (None, _) => json!({
            "call_id": call.id,
            "tool": message.tool,
            "text": message.text,
            "is_error": message.is_error,
            "result": message.result,
        }),
    };
    Ok(shell::print_json(&format!("{document}\n"))?)
}

/// Returns the call of the command line, or those of the file.
fn read_calls(args: &CallArgs, toolbox: &Toolbox) -> Result<Vec<Call>, RequestError> {
    if let Some(file) = &args.calls {
        let parts = Transcript::of(&parts::read_file(Some(file))?).into_parts();
        let calls = parts.into_iter().filter(|part| !part.is_result_only && !part.has_result());
        return Ok(calls
            .map(|part| Call {
                id: part.call_id.unwrap_or_default(),
                tool: part.tool_name.unwrap_or_default(),
                arguments: part.args_text.map_or(part.args, Value::from),
            })
            .collect());
    }
    // clap requires one of the two.
    let tool = args.tool.clone().unwrap_or_default();
    let definition = toolbox.find(&tool).map(AgentTool::definition);
    let arguments = arguments::parse(&args.arguments, definition).map_err(RequestError::Usage)?;
    Ok(vec![Call { id: String::new(), tool, arguments: arguments.into() }])
}

/// Configures the servers that may be connected to.
fn configure_servers(args: &CallArgs, shell: Shell) -> Result<Servers, RequestError> {
    let timeout = args.timeout.map(Duration::from_secs);
    let with_timeout = move |mut spec: ServerSpec| {
        spec.request_timeout = timeout.unwrap_or(spec.request_timeout);
        spec
    };
    let mut servers = Servers::new(move || builder(NAME, shell));
    if let Some(timeout) = timeout {
        servers = servers.request_timeout(timeout);
    }
    if let Some(file) = &args.config {
        let config = ConfigReader::new().read(file).map_err(|error| RequestError::Config(Box::new(error)))?;
        for problem in config.problems() {
            let place = format!("{}:{}:{}", file.display(), problem.line, problem.column);
            shell::warning(&visible(&format!("{place}: {}", problem.message)));
        }
        for spec in config.servers() {
            servers = servers.server(with_timeout(spec.clone()), config.tokens().clone());
        }
    }
    if !args.command.is_empty() {
        let spec = command_spec(&args.command).map_err(RequestError::Usage)?;
        // Records may also refer to it by its URI.
        servers = servers.server(with_timeout(spec.clone()), Tokens::new()).commands(with_timeout(spec));
    }
    Ok(if args.allow_programs { servers.allow_programs() } else { servers })
}
