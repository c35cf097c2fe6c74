//! `read_only`, `destructive`, `idempotent` and `open_world`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: text for a boolean
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only = "yes")]
struct First {
    order: String,
}

// misuse: a number for a boolean
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(destructive = 1)]
struct Second {
    order: String,
}

// misuse: a list for a boolean
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(idempotent(true))]
struct Third {
    order: String,
}

// misuse: a name for a boolean
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(open_world = maybe)]
struct Fourth {
    order: String,
}

// misuse: a read-only tool that destroys
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only, destructive)]
struct Fifth {
    order: String,
}

// misuse: the same, written out
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(destructive = true, title = "T", read_only = true)]
struct Sixth {
    order: String,
}

fn main() {}
