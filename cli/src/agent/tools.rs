//! `cargo mcp agent tools`.

use serde_json::json;
use toolwright_agent::model_api::Losses;
use toolwright_agent::toolbox::AgentTool;
use toolwright_core::manifest::visible;

use super::args::{Format, ToolsArgs};
use super::{gateway, print_notes, read};
use crate::client::{RequestError, RequestExit};
use crate::shell::{self, Shell};

/// Prints the tools as a model receives them: from records, without connecting to servers, or from a gateway.
pub(super) fn run(args: &ToolsArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (toolbox, is_complete) = match (&args.gateway.gateway, &args.tools) {
        (Some(url), _) => (gateway::fetch_toolbox(url, &args.gateway)?, true),
        (None, Some(tools)) => {
            let (builder, is_complete) = read(tools, shell)?;
            (builder.build(), is_complete)
        }
        (None, None) => return Err(RequestError::Usage("no file of tools is named".to_owned())),
    };
    print_notes(&toolbox, shell);
    let mut losses = Losses::default();
    match (args.format.model_api(), args.format) {
        (Some(api), _) => {
            let tools = toolbox.for_model_api(api, &mut losses);
            shell::print_json(&format!("{tools:#}\n"))?;
        }
        (None, Format::Mcp) => {
            let tools: Vec<_> = toolbox.tools().iter().map(AgentTool::definition).collect();
            shell::print_json(&format!("{:#}\n", json!(tools)))?;
        }
        (None, _) => shell::print(&toolbox.tools().iter().map(line).collect::<String>())?,
    }
    for loss in losses.into_list() {
        shell.note(&loss);
    }
    Ok(if is_complete { RequestExit::Ok } else { RequestExit::Usage })
}

/// Formats the name, the names of the arguments (required ones with a `*`), and the first line of the description.
fn line(tool: &AgentTool) -> String {
    let schema = tool.args_schema();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let arguments: Vec<_> = properties
        .map(|(name, _)| format!("{name}{}", if required.contains(&name.as_str()) { "*" } else { "" }))
        .collect();
    let description = tool.description().lines().next().unwrap_or_default();
    let line = format!("{}({})  {description}", tool.name(), arguments.join(", "));
    format!("{}\n", visible(line.trim_end()))
}
