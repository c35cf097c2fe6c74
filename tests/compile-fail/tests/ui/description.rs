//! `description` of a tool and of a field.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: an empty description
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(description = "")]
struct First {
    order: String,
}

// misuse: a number as the description
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(description = 7)]
struct Second {
    order: String,
}

// misuse: an expression instead of text
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(description = TEXT)]
struct Third {
    order: String,
}

// misuse: an empty description of a field
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(description = "")]
    field: String,
}

fn main() {}
