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
use super::{read, tell_notes};
use crate::client::{RequestError, RequestExit, arguments, builder, command_spec};
use crate::parts;
use crate::shell::{self, Shell};

/// How the client introduces itself: a name that many clients could have, since a server can show each another list.
const NAME: &str = "mcp-client/1.0.0";

/// A call that a model makes.
struct Call {
    /// Empty if it has none.
    id: String,
    tool: String,
    arguments: Value,
}

/// Makes the calls one after the other, each server on one connection, and prints the answers. A failure is an answer.
pub(super) fn run(args: &CallArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (builder, _) = read(&args.tools, shell)?;
    let servers = Arc::new(servers(args, shell)?);
    let toolbox = builder.mcp(servers.clone()).commands(servers.clone()).build();
    tell_notes(&toolbox, shell);
    let calls = calls(args, &toolbox)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let result = make(&calls, &toolbox, args, shell).await;
        toolbox.close().await;
        servers.close().await;
        result
    })
}

async fn make(
    calls: &[Call],
    toolbox: &Toolbox,
    args: &CallArgs,
    shell: Shell,
) -> Result<RequestExit, RequestError> {
    let (mut exit, mut is_told) = (RequestExit::Ok, args.allow_programs);
    for call in calls {
        let message = toolbox.call(&call.tool, call.arguments.clone()).await;
        if message.is_error {
            exit = RequestExit::Tool;
        }
        let is_refused = message.is_error && message.result.is_none() && names_program(toolbox, &call.tool);
        if is_refused && !is_told {
            shell.note(
                &"--config FILE names the servers that may be started, --allow-programs starts them all",
            );
            is_told = true;
        }
        print(&message, call, args)?;
    }
    Ok(exit)
}

/// Whether the server of a tool is a program.
fn names_program(toolbox: &Toolbox, tool: &str) -> bool {
    let value = toolbox.find(tool).map(AgentTool::value);
    matches!(value, Some(ToolValue::Mcp(tool)) if tool.server_uri.starts_with(STDIO_SCHEME))
}

/// The text alone for one call on the command line, else a line of JSON for each.
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

/// The call of the command line, or those of the file.
fn calls(args: &CallArgs, toolbox: &Toolbox) -> Result<Vec<Call>, RequestError> {
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
    // clap asks for one of both.
    let tool = args.tool.clone().unwrap_or_default();
    let definition = toolbox.find(&tool).map(AgentTool::definition);
    let arguments = arguments::object(&args.arguments, definition).map_err(RequestError::Usage)?;
    Ok(vec![Call { id: String::new(), tool, arguments: arguments.into() }])
}

/// The servers that can be reached.
fn servers(args: &CallArgs, shell: Shell) -> Result<Servers, RequestError> {
    let timeout = args.timeout.map(Duration::from_secs);
    let timed = move |mut spec: ServerSpec| {
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
            servers = servers.server(timed(spec.clone()), config.tokens().clone());
        }
    }
    if !args.command.is_empty() {
        let spec = command_spec(&args.command).map_err(RequestError::Usage)?;
        // Records may name it by its address as well.
        servers = servers.server(timed(spec.clone()), Tokens::new()).commands(timed(spec));
    }
    Ok(if args.allow_programs { servers.allow_programs() } else { servers })
}
