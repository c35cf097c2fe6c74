//! Tools that borrow.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a borrowed text
#[derive(Tool, Deserialize, JsonSchema)]
struct First<'a> {
    name: &'a str,
}

// misuse: two lifetimes
#[derive(Tool, Deserialize, JsonSchema)]
struct Second<'a, 'b> {
    #[serde(borrow)]
    name: std::borrow::Cow<'a, str>,
    other: &'b str,
}

fn main() {}
