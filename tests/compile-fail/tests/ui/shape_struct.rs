//! Structs that serde does not read from an object.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a tuple struct
#[derive(Tool, Deserialize, JsonSchema)]
struct First(u32, String);

// misuse: a tuple struct without fields
#[derive(Tool, Deserialize, JsonSchema)]
struct Second();

// misuse: a newtype of text
#[derive(Tool, Deserialize, JsonSchema)]
struct Third(String);

// misuse: a newtype of a list
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth(Vec<String>);

// misuse: a newtype of a number that may be left out
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth(Option<u32>);

// misuse: a transparent struct over text
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Sixth {
    text: String,
}

// misuse: a struct that serde reads as text
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(from = "String")]
struct Seventh {
    text: String,
}

impl From<String> for Seventh {
    fn from(text: String) -> Self {
        Self { text }
    }
}

fn main() {}
