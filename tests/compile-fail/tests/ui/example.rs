//! `example` and `examples(…)`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a constant
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(example = EXAMPLE)]
    field: String,
}

// misuse: no examples
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(examples())]
    field: String,
}

// misuse: both keys
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(example = "a", examples("b", "c"))]
    field: String,
}

// misuse: an example that the pattern refuses
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(pattern = "^a$", example = "b")]
    field: String,
}

// misuse: one example of two is too long
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {
    #[mcp(max_length = 1, examples("a", "bc"))]
    field: String,
}

// misuse: an example out of range
#[derive(Tool, Deserialize, JsonSchema)]
struct Sixth {
    #[mcp(minimum = 1, example = 0)]
    field: u32,
}

// misuse: an example on an excluded bound
#[derive(Tool, Deserialize, JsonSchema)]
struct Seventh {
    #[mcp(exclusive_maximum = 1.5, example = 1.5)]
    field: f64,
}

// misuse: a list that is too short
#[derive(Tool, Deserialize, JsonSchema)]
struct Eighth {
    #[mcp(min_items = 2, example = ["a"])]
    field: Vec<String>,
}

// misuse: text for a number
#[derive(Tool, Deserialize, JsonSchema)]
struct Ninth {
    #[mcp(example = "1")]
    field: u32,
}

// misuse: a number for text
#[derive(Tool, Deserialize, JsonSchema)]
struct Tenth {
    #[mcp(example = 1)]
    field: String,
}

// misuse: a fraction for an integer
#[derive(Tool, Deserialize, JsonSchema)]
struct Eleventh {
    #[mcp(example = 1.5)]
    field: u32,
}

fn main() {}
