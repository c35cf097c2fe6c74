//! Two members of one name, of which serde reads only the first.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a field renamed to the name of another
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    page: u32,
    #[serde(rename = "page")]
    number: Option<u32>,
}

// misuse: another name of a field is the name of one
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Second {
    page_size: u32,
    #[serde(alias = "limit", alias = "pageSize")]
    count: u32,
}

// misuse: two variants of one name
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
enum Third {
    Cancel,
    #[serde(rename = "cancel")]
    Stop { reason: String },
}

// misuse: two fields of one variant
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action")]
enum Fourth {
    Move {
        #[serde(alias = "place")]
        to: String,
        place: String,
    },
}

fn main() {}
