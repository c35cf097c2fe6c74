//! Handlers that are written differently.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError};

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

// misuse: no context
struct First;

impl Handler<GetOrder> for First {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: GetOrder) -> Self::Output {
        Ok(input.id)
    }
}

// misuse: another input
struct Second;

impl Handler<GetOrder> for Second {
    type Output = Result<String, ToolError>;

    async fn call(&self, id: String, _: &Context) -> Self::Output {
        Ok(id)
    }
}

// misuse: not async
struct Third;

impl Handler<GetOrder> for Third {
    type Output = String;

    fn call(&self, input: GetOrder, _: &Context) -> Result<String, ToolError> {
        Ok(input.id)
    }
}

// misuse: no output
struct Fourth;

impl Handler<GetOrder> for Fourth {
    async fn call(&self, input: GetOrder, _: &Context) -> Result<String, ToolError> {
        Ok(input.id)
    }
}

// misuse: a handler for a type that is not a tool
struct Fifth;

impl Handler<String> for Fifth {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: String, _: &Context) -> Self::Output {
        Ok(input)
    }
}

fn main() {}
