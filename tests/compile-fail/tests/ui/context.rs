//! `context`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: an empty context
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(context = "")]
struct First {
    order: String,
}

// misuse: a list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(context("orders"))]
struct Second {
    order: String,
}

fn main() {}
