//! A completion that does not exist: the compiler reports it only if nothing is wrong with the keys.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Prompt;

// misuse: a function that does not exist
#[derive(Prompt, Deserialize, JsonSchema)]
struct First {
    #[mcp(complete = missing)]
    language: String,
}

fn main() {}
