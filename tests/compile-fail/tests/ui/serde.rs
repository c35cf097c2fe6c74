//! Serde attributes that a tool cannot have.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a type of another crate
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(remote = "std::time::Duration")]
struct First {
    #[serde(getter = "std::time::Duration::as_secs")]
    seconds: u64,
}

impl From<First> for std::time::Duration {
    fn from(first: First) -> Self {
        Self::from_secs(first.seconds)
    }
}

// misuse: an enum of names
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Second {
    Name,
    Id,
}

// misuse: an enum of variants
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(variant_identifier)]
enum Third {
    Create,
    Delete,
}

fn main() {}
