//! Tools of a calculator, for the tests of the forms that handlers have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::Tool;

/// Counts up.
#[derive(Tool, Deserialize, JsonSchema)]
pub(crate) struct Count {
    pub(crate) by: u64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Sum {
    pub(crate) sum: u64,
}

/// Divides.
#[derive(Tool, Deserialize, JsonSchema)]
pub(crate) struct Divide {
    pub(crate) a: u64,
    pub(crate) b: u64,
}

/// Names the caller.
#[derive(Tool, Deserialize, JsonSchema)]
pub(crate) struct Whoami {}
