//! `scopes(…)`: RFC 6749, section 3.3.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: one text outside a list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes = "orders:read")]
struct First {
    order: String,
}

// misuse: no scope
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes())]
struct Second {
    order: String,
}

// misuse: an empty scope
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes(""))]
struct Third {
    order: String,
}

// misuse: two scopes in one text
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes("orders:read orders:write"))]
struct Fourth {
    order: String,
}

// misuse: a character that tokens cannot hold
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes("a\"b"))]
struct Fifth {
    order: String,
}

// misuse: a number
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes(1))]
struct Sixth {
    order: String,
}

// misuse: the same scope twice
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes("a", "a"))]
struct Seventh {
    order: String,
}

fn main() {}
