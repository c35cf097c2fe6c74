//! `header`: 2026-07-28, server/tools "x-mcp-header".
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: an empty name
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(header = "")]
    field: String,
}

// misuse: a space
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(header = "Re gion")]
    field: String,
}

// misuse: a line break
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(header = "a\r\nb")]
    field: String,
}

// misuse: a letter that is not ASCII
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(header = "Größe")]
    field: String,
}

// misuse: the same header twice, in another case
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {
    #[mcp(header = "Region")]
    first: String,
    #[mcp(header = "REGION")]
    second: String,
}

// misuse: a number with a fraction
#[derive(Tool, Deserialize, JsonSchema)]
struct Sixth {
    #[mcp(header = "Price")]
    field: f64,
}

// misuse: a list
#[derive(Tool, Deserialize, JsonSchema)]
struct Seventh {
    #[mcp(header = "Regions")]
    field: Vec<String>,
}

// misuse: a map
#[derive(Tool, Deserialize, JsonSchema)]
struct Eighth {
    #[mcp(header = "Regions")]
    field: std::collections::HashMap<String, String>,
}

// misuse: an integer that some clients cannot read exactly
#[derive(Tool, Deserialize, JsonSchema)]
struct Ninth {
    #[mcp(header = "Count")]
    field: u64,
}

// misuse: a signed one with one bound
#[derive(Tool, Deserialize, JsonSchema)]
struct Tenth {
    #[mcp(header = "Count", minimum = 0)]
    field: Option<i64>,
}

// misuse: a secret in a header
#[derive(Tool, Deserialize, JsonSchema)]
struct Eleventh {
    #[mcp(secret, header = "Token")]
    field: String,
}

// misuse: a credential in a header
#[derive(Tool, Deserialize, JsonSchema)]
struct Twelfth {
    #[mcp(credential, header = "Token")]
    field: String,
}

fn main() {}
