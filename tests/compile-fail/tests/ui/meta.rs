//! `meta(…)`: 2026-07-28, basic "`_meta`".
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: text instead of a list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta = "x")]
struct First {
    order: String,
}

// misuse: a name without quotes
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta(team = "a"))]
struct Second {
    order: String,
}

// misuse: a value that is not JSON
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("com.example/team" = TEAM))]
struct Third {
    order: String,
}

// misuse: a prefix kept for MCP
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("io.modelcontextprotocol/team" = "a"))]
struct Fourth {
    order: String,
}

// misuse: another prefix kept for MCP
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("dev.mcp/team" = "a"))]
struct Fifth {
    order: String,
}

// misuse: a prefix kept for Toolwright
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("io.toolwright/scopes" = ["a"]))]
struct Sixth {
    order: String,
}

// misuse: a name kept for MCP
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("progressToken" = 1))]
struct Seventh {
    order: String,
}

// misuse: a prefix that is not a domain
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("1com/team" = "a"))]
struct Eighth {
    order: String,
}

// misuse: a name that ends with a sign
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("com.example/team-" = "a"))]
struct Ninth {
    order: String,
}

// misuse: the same name twice
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(meta("com.example/team" = "a", "com.example/team" = "b"))]
struct Tenth {
    order: String,
}

fn main() {}
