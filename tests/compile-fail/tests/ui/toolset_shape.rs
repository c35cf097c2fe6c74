//! Toolsets that are not an enum with one tool per variant.
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

// misuse: a struct
#[derive(Toolset)]
struct First {
    get_order: GetOrder,
}

// misuse: a tool that derives both
#[derive(Tool, Toolset, Deserialize, JsonSchema)]
struct Second {
    id: String,
}

// misuse: a variant without a tool
#[derive(Toolset)]
enum Third {
    GetOrder,
    CancelOrder(CancelOrder),
}

// misuse: a variant with two tools
#[derive(Toolset)]
enum Fourth {
    Orders(GetOrder, CancelOrder),
}

// misuse: a variant with fields of its own
#[derive(Toolset)]
enum Fifth {
    GetOrder { id: String },
}

// misuse: a type parameter
#[derive(Toolset)]
enum Sixth<T> {
    GetOrder(GetOrder),
    Other(T),
}

// misuse: a lifetime
#[derive(Toolset)]
enum Seventh<'a> {
    GetOrder(GetOrder),
    Other(&'a str),
}

// misuse: a key on a variant
#[derive(Toolset)]
enum Eighth {
    #[mcp(name = "order")]
    GetOrder(GetOrder),
}

// misuse: a key on the tool inside a variant
#[derive(Toolset)]
enum Ninth {
    GetOrder(#[mcp(read_only)] GetOrder),
}

fn main() {}
