//! A service that has the crate under another name, and nothing else but serde and schemars.
#![forbid(unsafe_code)]
#![deny(warnings)]

use schemars::JsonSchema;
use serde::Deserialize;
use tools_of_wright::{Context, Handler, Tool, ToolError, Toolset};

/// Greet someone.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(crate = tools_of_wright, output = String)]
struct Greet {
    /// Who to greet.
    #[mcp(min_length = 1)]
    name: String,
}

struct Greeter;

impl Handler<Greet> for Greeter {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Greet, _: &Context) -> Self::Output {
        Ok(format!("Hello, {}!", input.name))
    }
}

#[derive(Toolset)]
#[mcp(crate = tools_of_wright, handler = Greeter)]
enum GreeterTools {
    Greet(Greet),
}

fn main() {
    let definitions = GreeterTools::definitions();
    assert_eq!(definitions[0].name, "greet");
    assert_eq!(definitions[0].description.as_deref(), Some("Greet someone."));
    assert_eq!(GreeterTools::PACKAGE.name, "user-crate");
}
