//! A program that only describes its tools: without the `server` feature.
#![forbid(unsafe_code)]
#![deny(warnings)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Tool, Toolset};

#[derive(Tool, Deserialize, JsonSchema)]
struct Greet {
    /// Who to greet.
    name: String,
}

#[derive(Toolset)]
#[mcp(workflow)]
enum GreeterTools {
    Greet(Greet),
}

fn main() {
    assert_eq!(GreeterTools::definitions()[0].name, "greet");
    match GreeterTools::decode("greet", None) {
        Ok(GreeterTools::Greet(greet)) => unreachable!("{} came from nowhere", greet.name),
        Err(error) => assert!(error.to_string().contains("name"), "{error}"),
    }
}
