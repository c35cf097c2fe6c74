//! The keys of a toolset: `name`, `version`, `title`, `instructions`, `handler` and `workflow`.
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

// misuse: an empty name
#[derive(Toolset)]
#[mcp(name = "")]
enum First {
    GetOrder(GetOrder),
}

// misuse: a number as the version
#[derive(Toolset)]
#[mcp(version = 1.0)]
enum Second {
    GetOrder(GetOrder),
}

// misuse: an empty version
#[derive(Toolset)]
#[mcp(version = "")]
enum Third {
    GetOrder(GetOrder),
}

// misuse: a title twice
#[derive(Toolset)]
#[mcp(title = "A", title = "B")]
enum Fourth {
    GetOrder(GetOrder),
}

// misuse: a list of instructions
#[derive(Toolset)]
#[mcp(instructions("a", "b"))]
enum Fifth {
    GetOrder(GetOrder),
}

// misuse: text instead of a handler's type
#[derive(Toolset)]
#[mcp(handler = "Shop")]
enum Sixth {
    GetOrder(GetOrder),
}

// misuse: text for a boolean
#[derive(Toolset)]
#[mcp(workflow = "yes")]
enum Seventh {
    GetOrder(GetOrder),
}

// misuse: a misspelt key
#[derive(Toolset)]
#[mcp(handlers = Shop)]
enum Eighth {
    GetOrder(GetOrder),
}

fn main() {}
