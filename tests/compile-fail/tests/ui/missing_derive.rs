//! A derive is missing, or comes from elsewhere.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError, Toolset};

// misuse: no schema
#[derive(Tool, Deserialize)]
struct First {
    name: String,
}

// misuse: no way to read it
#[derive(Tool, JsonSchema)]
struct Second {
    name: String,
}

// misuse: neither
#[derive(Tool)]
struct Third {
    name: String,
}

// misuse: a schema of another version of schemars
mod another_schemars {
    pub trait JsonSchema {}
}

#[derive(Tool, Deserialize)]
struct Fourth {
    name: String,
}

impl another_schemars::JsonSchema for Fourth {}

// None of what follows is a mistake: the derives are missing above, and only there.
struct Service;

impl Handler<First> for Service {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: First, _: &Context) -> Self::Output {
        Ok(input.name)
    }
}

impl Handler<Second> for Service {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Second, _: &Context) -> Self::Output {
        Ok(input.name)
    }
}

#[derive(Toolset)]
#[mcp(handler = Service)]
enum Tools {
    First(First),
    Second(Second),
}

fn main() {}
