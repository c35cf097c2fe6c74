//! `pattern`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: not a regular expression
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(pattern = "(")]
    field: String,
}

// misuse: an empty range of characters
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(pattern = "[z-a]")]
    field: String,
}

// misuse: look-around
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(pattern = "^(?!x)")]
    field: String,
}

// misuse: a back-reference
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(pattern = r"(a)\1")]
    field: String,
}

// misuse: a flag that clients do not know
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {
    #[mcp(pattern = "(?i)abc")]
    field: String,
}

// misuse: an end that clients do not know
#[derive(Tool, Deserialize, JsonSchema)]
struct Sixth {
    #[mcp(pattern = r"abc\z")]
    field: String,
}

// misuse: a class that clients do not know
#[derive(Tool, Deserialize, JsonSchema)]
struct Seventh {
    #[mcp(pattern = "^[[:alpha:]]+$")]
    field: String,
}

// misuse: a named group that clients do not know
#[derive(Tool, Deserialize, JsonSchema)]
struct Eighth {
    #[mcp(pattern = "(?P<year>a)")]
    field: String,
}

// misuse: a number as the pattern
#[derive(Tool, Deserialize, JsonSchema)]
struct Ninth {
    #[mcp(pattern = 3)]
    field: String,
}

// misuse: on a number
#[derive(Tool, Deserialize, JsonSchema)]
struct Tenth {
    #[mcp(pattern = r"^\d+$")]
    field: u32,
}

// misuse: on a number that may be left out, behind an alias
type Count = Option<u64>;

#[derive(Tool, Deserialize, JsonSchema)]
struct Eleventh {
    #[mcp(pattern = r"^\d+$")]
    field: Count,
}

// misuse: on a list
#[derive(Tool, Deserialize, JsonSchema)]
struct Twelfth {
    #[mcp(pattern = "^a$")]
    field: Vec<String>,
}

// misuse: on a boolean
#[derive(Tool, Deserialize, JsonSchema)]
struct Thirteenth {
    #[mcp(pattern = "^a$")]
    field: bool,
}

// misuse: on a number in a tool with a type parameter
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourteenth<T> {
    #[mcp(pattern = "^a$")]
    field: u32,
    #[mcp(pattern = "^a$")]
    other: T,
}

fn main() {}
