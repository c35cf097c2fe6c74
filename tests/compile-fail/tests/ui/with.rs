//! Fields that a function reads.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toolwright::Tool;

fn seconds<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    String::deserialize(reader)?.parse().map_err(serde::de::Error::custom)
}

// misuse: a function without a schema
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    #[serde(deserialize_with = "seconds")]
    field: u64,
}

// misuse: a function without a schema, in a variant
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action")]
enum Second {
    Wait {
        #[serde(rename = "for", deserialize_with = "seconds")]
        field: u64,
    },
}

// misuse: a function without a schema beside a bound
#[derive(Tool, Deserialize, JsonSchema)]
struct Third {
    #[serde(default, deserialize_with = "seconds")]
    #[schemars(range(min = 1))]
    field: u64,
}

fn main() {}
