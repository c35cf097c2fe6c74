//! A set whose handler does not handle one of its tools.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError, Toolset};

#[derive(Tool, Deserialize, JsonSchema)]
struct GetOrder {
    id: String,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct CancelOrder {
    id: String,
}

struct Shop;

impl Handler<GetOrder> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: GetOrder, _: &Context) -> Self::Output {
        Ok(input.id)
    }
}

// misuse: no handler for one tool
#[derive(Toolset)]
#[mcp(handler = Shop)]
enum First {
    GetOrder(GetOrder),
    CancelOrder(CancelOrder),
}

// misuse: a handler that handles nothing
struct Nobody;

#[derive(Toolset)]
#[mcp(handler = Nobody)]
enum Second {
    GetOrder(GetOrder),
    CancelOrder(CancelOrder),
}

fn main() {}
