//! Enums that cannot be one object.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError, Toolset};

// misuse: an enum without a tag
#[derive(Tool, Deserialize, JsonSchema)]
enum First {
    Create { name: String },
    Delete { id: u32 },
}

// misuse: an untagged enum
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Second {
    Create { name: String },
    Delete { id: u32 },
}

// misuse: an enum with its content apart
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action", content = "input")]
enum Third {
    Create { name: String },
    Delete { id: u32 },
}

// misuse: an enum without variants
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action")]
enum Fourth {}

// misuse: a variant that holds text
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action")]
enum Fifth {
    Create(String),
    Delete { id: u32 },
}

// misuse: a variant without the tag
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action")]
enum Sixth {
    Create { name: String },
    #[serde(untagged)]
    Delete { id: u32 },
}

// None of what follows is a mistake.
struct Service;

impl Handler<First> for Service {
    type Output = Result<(), ToolError>;

    async fn call(&self, _: First, _: &Context) -> Self::Output {
        Ok(())
    }
}

#[derive(Toolset)]
#[mcp(handler = Service)]
enum Tools {
    First(First),
}

fn main() {}
