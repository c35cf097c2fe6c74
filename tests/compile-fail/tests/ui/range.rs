//! `minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum` and `multiple_of`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: text as a bound
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[mcp(minimum = "1")]
    field: u32,
}

// misuse: a constant as a bound
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(maximum = LIMIT)]
    field: u32,
}

// misuse: no number fits
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[mcp(minimum = 3, maximum = 2)]
    field: u32,
}

// misuse: no number fits, negative and with fractions
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {
    #[mcp(minimum = -1.5, maximum = -2)]
    field: f64,
}

// misuse: no number fits between exclusive bounds
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {
    #[mcp(exclusive_minimum = 1, exclusive_maximum = 1.0)]
    field: f64,
}

// misuse: two bounds for one side
#[derive(Tool, Deserialize, JsonSchema)]
struct Sixth {
    #[mcp(minimum = 1, exclusive_minimum = 0)]
    field: u32,
}

// misuse: two bounds for the other side
#[derive(Tool, Deserialize, JsonSchema)]
struct Seventh {
    #[mcp(maximum = 9, exclusive_maximum = 10)]
    field: u32,
}

// misuse: a multiple of nothing
#[derive(Tool, Deserialize, JsonSchema)]
struct Eighth {
    #[mcp(multiple_of = 0)]
    field: u32,
}

// misuse: a bound on text
#[derive(Tool, Deserialize, JsonSchema)]
struct Ninth {
    #[mcp(minimum = 1)]
    field: String,
}

// misuse: a bound on a boolean
#[derive(Tool, Deserialize, JsonSchema)]
struct Tenth {
    #[mcp(exclusive_maximum = 1)]
    field: Option<bool>,
}

// misuse: a multiple on a list
#[derive(Tool, Deserialize, JsonSchema)]
struct Eleventh {
    #[mcp(multiple_of = 2)]
    field: Vec<u32>,
}

// misuse: a number that is none in JSON
#[derive(Tool, Deserialize, JsonSchema)]
struct Twelfth {
    #[mcp(maximum = 1e999)]
    field: f64,
}

fn main() {}
