//! A variant whose type is not a tool.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Tool, Toolset};

#[derive(Tool, Deserialize, JsonSchema)]
struct GetOrder {
    id: String,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct CancelOrder {
    id: String,
}

// misuse: a struct without `Tool`
struct Plain;

#[derive(Toolset)]
enum First {
    GetOrder(GetOrder),
    Plain(Plain),
}

// misuse: text
#[derive(Toolset)]
enum Second {
    Name(String),
}

fn main() {}
