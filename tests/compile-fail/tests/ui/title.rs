//! `title` of a tool and of a field.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a boolean as the title
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(title = true)]
struct First {
    order: String,
}

// misuse: an empty title
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(title = "")]
struct Second {
    order: String,
}

// misuse: a list instead of text
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(title("A"))]
    field: String,
}

// misuse: an empty title of a field
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(title = " ")]
    field: String,
}

fn main() {}
