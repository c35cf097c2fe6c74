//! `min_items` and `max_items`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a negative count
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(min_items = -1)]
    field: Vec<u8>,
}

// misuse: no count fits
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(min_items = 2, max_items = 1)]
    field: Vec<u8>,
}

// misuse: on text
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(max_items = 3)]
    field: String,
}

// misuse: on a number
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(min_items = 3)]
    field: Option<i8>,
}

fn main() {}
