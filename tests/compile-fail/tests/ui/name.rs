//! `name` of a tool.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a number as the name
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = 3)]
struct First {
    order: String,
}

// misuse: the key without a value
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name)]
struct Second {
    order: String,
}

// misuse: an empty name
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "")]
struct Third {
    order: String,
}

// misuse: a space in the name
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "get order")]
struct Fourth {
    order: String,
}

// misuse: a letter that is not ASCII
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "größe")]
struct Fifth {
    order: String,
}

// misuse: 129 characters
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")]
struct Sixth {
    order: String,
}

// misuse: a type whose own name is not a tool name
#[derive(Tool, Deserialize, JsonSchema)]
struct Größe {}

// misuse: the same key twice
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "a", name = "b")]
struct Eighth {
    order: String,
}

// misuse: the same key in two attributes
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "a")]
#[mcp(name = "b")]
struct Split {}

fn main() {}
