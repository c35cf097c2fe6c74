//! Completions that do not fit.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Prompt, Resource, Tool};

// misuse: a path as text
#[derive(Prompt, Deserialize, JsonSchema)]
struct First {
    #[mcp(complete = "languages")]
    language: String,
}

// misuse: no path
#[derive(Prompt, Deserialize, JsonSchema)]
struct Second {
    #[mcp(complete)]
    language: String,
}

// misuse: a function that is not async
#[derive(Prompt, Deserialize, JsonSchema)]
struct Third {
    #[mcp(complete = not_async)]
    language: String,
}

fn not_async(_: String) -> Vec<String> {
    Vec::new()
}

// misuse: a function of a borrowed string
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "words://{language}")]
struct Fourth {
    #[mcp(complete = borrowed)]
    language: String,
}

async fn borrowed(_: &str) -> Vec<String> {
    Vec::new()
}

// misuse: a result that is no list
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "words://{language}")]
struct Fifth {
    #[mcp(complete = one)]
    language: String,
}

async fn one(so_far: String) -> String {
    so_far
}

// misuse: a completion of an argument of a tool
#[derive(Tool, Deserialize, JsonSchema)]
struct Sixth {
    #[mcp(complete = one)]
    language: String,
}

fn main() {}
