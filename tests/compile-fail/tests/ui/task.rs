//! `task`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: another word
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task = "optional")]
struct First {
    order: String,
}

// misuse: a list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task("required"))]
struct Second {
    order: String,
}

// misuse: a number
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task = 1)]
struct Third {
    order: String,
}

// misuse: said twice
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task, task = "required")]
struct Fourth {
    order: String,
}

fn main() {}
