//! `output = Type`, and the outputs of handlers.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{Context, Handler, Json, Tool, ToolError};

#[derive(Serialize)]
struct WithoutSchema {
    id: String,
}

// misuse: text instead of a type
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(output = "Order")]
struct First {}

// misuse: no type
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(output)]
struct Second {}

// misuse: a type without a schema
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(output = WithoutSchema)]
struct Third {}

// misuse: a handler whose data has no schema
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourth {}

struct Shop;

impl Handler<Fourth> for Shop {
    type Output = Result<Json<WithoutSchema>, ToolError>;

    async fn call(&self, _: Fourth, _: &Context) -> Self::Output {
        Err(ToolError::new("no"))
    }
}

// misuse: a handler whose output is not a result
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth {}

impl Handler<Fifth> for Shop {
    type Output = Result<WithoutSchema, ToolError>;

    async fn call(&self, _: Fifth, _: &Context) -> Self::Output {
        Err(ToolError::new("no"))
    }
}

// misuse: content blocks, which are not data (Cocoanetics/SwiftMCP#176)
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(output = toolwright::content::ContentBlock)]
struct Sixth {}

fn main() {}
