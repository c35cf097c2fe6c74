//! `credential`: bound by the server, so not an argument.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a list
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(credential("token"))]
    field: String,
}

// misuse: a credential with a pattern
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(credential, pattern = "^a$")]
    field: String,
}

// misuse: a credential with an example
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(credential, example = "a")]
    field: String,
}

// misuse: a credential with a description for clients
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(credential, description = "The token")]
    field: String,
}

#[derive(Deserialize, JsonSchema)]
struct Token {
    token: String,
}

// misuse: a flattened credential
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {
    #[serde(flatten)]
    #[mcp(credential)]
    field: Token,
}

// misuse: a credential that serde skips
#[derive(Tool, Deserialize, JsonSchema)]
struct Sixth {
    #[serde(skip)]
    #[mcp(credential)]
    field: String,
}

fn main() {}
