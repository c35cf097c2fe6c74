//! `secret`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: text for a boolean
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(secret = "yes")]
    field: String,
}

// misuse: a secret that is a credential too
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(secret, credential)]
    field: String,
}

fn main() {}
