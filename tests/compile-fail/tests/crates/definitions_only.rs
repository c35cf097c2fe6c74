//! A program that only describes its tools, prompts and resources: without the `server` feature.
#![forbid(unsafe_code)]
#![deny(warnings)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::prompt::TypedPrompt as _;
use toolwright::resource::TypedResource as _;
use toolwright::{Prompt, Resource, Tool, Toolset};

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

/// Asks for a greeting.
#[derive(Prompt, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the definition is looked at")]
struct AskForGreeting {
    name: String,
}

/// All greetings.
#[derive(Resource)]
#[mcp(uri = "greetings://all")]
struct Greetings;

fn main() {
    assert_eq!(AskForGreeting::definition().arguments[0].name, "name");
    assert_eq!(Greetings::URI, "greetings://all");
    assert_eq!(GreeterTools::definitions()[0].name, "greet");
    match GreeterTools::decode("greet", None) {
        Ok(GreeterTools::Greet(greet)) => unreachable!("{} came from nowhere", greet.name),
        Err(error) => assert!(error.to_string().contains("name"), "{error}"),
    }
}
