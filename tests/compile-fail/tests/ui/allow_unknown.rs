//! `allow_unknown`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: text for a boolean
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(allow_unknown = "yes")]
struct First {
    order: String,
}

// misuse: serde says the opposite
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[mcp(allow_unknown)]
struct Second {
    order: String,
}

fn main() {}
