//! `crate = path`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: text instead of a path
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(crate = "toolwright")]
struct First {
    order: String,
}

// misuse: no path
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(crate)]
struct Second {
    order: String,
}

fn main() {}
