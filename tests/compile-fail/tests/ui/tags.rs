//! `tags(…)`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: an empty tag
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(tags(""))]
struct First {
    order: String,
}

// misuse: a name without quotes
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(tags(orders))]
struct Second {
    order: String,
}

// misuse: the same tag twice
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(tags("a", "b", "a"))]
struct Third {
    order: String,
}

fn main() {}
