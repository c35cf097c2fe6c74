//! `format`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: an unknown format
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(format = "phone")]
    field: String,
}

// misuse: a misspelt format
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(format = "datetime")]
    field: String,
}

// misuse: on a number
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(format = "uuid")]
    field: u64,
}

// misuse: a name without quotes
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(format = email)]
    field: String,
}

fn main() {}
