//! Invalid syntax instead of `#[mcp(key = value)]`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: no list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp]
struct First {}

// misuse: a value instead of a list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp = "x"]
struct Second {}

// misuse: text where a key belongs
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp("title")]
struct Third {
    order: String,
}

// misuse: no comma between two keys
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only title = "T")]
struct Fourth {
    order: String,
}

// misuse: no value after the sign
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(title =)]
struct Fifth {
    order: String,
}

// misuse: a colon for the sign
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(title: "T")]
struct Sixth {
    order: String,
}

// misuse: every other key is read all the same
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(title = , name = "a b")]
struct Seventh {
    order: String,
}

fn main() {}
