//! `workflow` adds `command` and `workitem_path` to each tool.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Tool, Toolset};

#[derive(Tool, Deserialize, JsonSchema)]
struct GetOrder {
    id: String,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct CancelOrder {
    id: String,
}

// misuse: a field named `command`
#[derive(Tool, Deserialize, JsonSchema)]
struct Run {
    command: String,
}

#[derive(Toolset)]
#[mcp(workflow)]
enum First {
    GetOrder(GetOrder),
    Run(Run),
}

// misuse: a field renamed to `workitem_path`
#[derive(Tool, Deserialize, JsonSchema)]
struct Go {
    #[serde(rename = "workitem_path")]
    path: String,
}

#[derive(Toolset)]
#[mcp(workflow)]
enum Second {
    Go(Go),
}

// misuse: such a field in a variant of a tool
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action")]
enum Act {
    Start { command: String },
    Stop,
}

#[derive(Toolset)]
#[mcp(workflow)]
enum Third {
    Act(Act),
}

fn main() {}
