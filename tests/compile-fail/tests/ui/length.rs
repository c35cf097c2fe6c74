//! `min_length` and `max_length`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a negative length
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(min_length = -1)]
    field: String,
}

// misuse: a length with a fraction
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(max_length = 2.5)]
    field: String,
}

// misuse: no length fits
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(min_length = 3, max_length = 2)]
    field: String,
}

// misuse: on a number
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(max_length = 3)]
    field: u32,
}

// misuse: on a list
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {
    #[mcp(min_length = 1)]
    field: Vec<u8>,
}

fn main() {}
