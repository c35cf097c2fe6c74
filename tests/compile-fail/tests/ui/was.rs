//! `was(…)`: former names.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: the present name
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "get_order", was("get_order"))]
struct First {
    order: String,
}

// misuse: the present name, by the type
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(was("get_order"))]
struct GetOrder {}

// misuse: the same name twice
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(was("old", "old"))]
struct Third {
    order: String,
}

// misuse: a name that never could be one
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(was("old name"))]
struct Fourth {
    order: String,
}

// misuse: one text outside a list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(was = "old")]
struct Fifth {
    order: String,
}

fn main() {}
