//! Two tools of one name in a set.
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

// misuse: the same tool twice
#[derive(Toolset)]
enum First {
    GetOrder(GetOrder),
    Again(GetOrder),
}

// misuse: two tools of one name
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(name = "get_order")]
struct FindOrder {}

#[derive(Toolset)]
enum Second {
    GetOrder(GetOrder),
    CancelOrder(CancelOrder),
    FindOrder(FindOrder),
}

// misuse: a former name of one is the name of another
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(was("get_order"))]
struct ReadOrder {}

#[derive(Toolset)]
enum Third {
    ReadOrder(ReadOrder),
    GetOrder(GetOrder),
}

// misuse: two tools with one former name
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(was("get_order"))]
struct ShowOrder {}

#[derive(Toolset)]
enum Fourth {
    ReadOrder(ReadOrder),
    ShowOrder(ShowOrder),
}

// misuse: two instances of one generic tool
#[derive(Tool, Deserialize, JsonSchema)]
struct Page<T> {
    filter: T,
}

#[derive(Toolset)]
enum Fifth {
    Texts(Page<String>),
    Numbers(Page<u32>),
}

fn main() {}
