//! An unknown key.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a misspelt key
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(titel = "T")]
struct First {
    order: String,
}

// misuse: the style of the protocol
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(readOnlyHint = true)]
struct Second {
    order: String,
}

// misuse: two words run together
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(readonly)]
struct Third {
    order: String,
}

// misuse: a key without likeness
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(colour = "red")]
struct Fourth {
    order: String,
}

// misuse: a misspelt key of a field
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {
    #[mcp(minimun = 3)]
    field: u32,
}

// misuse: another library's word
#[derive(Tool, Deserialize, JsonSchema)]
struct Sixth {
    #[mcp(regex = "^a$")]
    field: String,
}

// misuse: another word with a list behind it
#[derive(Tool, Deserialize, JsonSchema)]
struct Seventh {
    #[mcp(range(min = 1))]
    field: u32,
}

// misuse: the keys after it are still read
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(colour = Red<u8, u8>, title = 3)]
struct Eighth {
    order: String,
}

fn main() {}
