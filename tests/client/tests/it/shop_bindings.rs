//! The tools of test-client 0.1.0: calls for `Client::call_tool`.
//!
//! Made by `cargo mcp bindings`; changes are lost when it is made again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{Tool, Toolset};

/// What `add` returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddOutput {
    pub sum: i64,
}

/// Adds two numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Tool)]
#[mcp(name = "add", read_only, output = AddOutput)]
pub struct Add {
    /// The first one.
    pub a: i64,
    /// The second one.
    pub b: i64,
}

/// Asks the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Tool)]
#[mcp(name = "ask")]
pub struct Ask {}

/// How many slow calls were cancelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Tool)]
#[mcp(name = "cancelled", read_only)]
pub struct Cancelled {}

/// Changes the stock, which is a resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Tool)]
#[mcp(name = "change")]
pub struct Change {}

/// Fails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Tool)]
#[mcp(name = "fail")]
pub struct Fail {
    /// Why.
    pub reason: String,
}

/// Takes its time, and tells how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Tool)]
#[mcp(name = "slow")]
pub struct Slow {
    /// How many steps.
    #[schemars(extend("maximum" = 4294967295_i64))]
    pub steps: u64,
    /// How long each takes.
    pub step_ms: u64,
}

/// All of them.
#[derive(Toolset)]
#[mcp(name = "test-client", version = "0.1.0")]
pub enum Tools {
    Add(Add),
    Ask(Ask),
    Cancelled(Cancelled),
    Change(Change),
    Fail(Fail),
    Slow(Slow),
}
