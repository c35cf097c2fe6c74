//! Handlers in one block, in a crate with strict lints.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, future_incompatible, rust_2018_idioms, unreachable_pub)]
#![deny(unused_qualifications, unused_results, unused_lifetimes, missing_debug_implementations)]
#![deny(let_underscore_drop, single_use_lifetimes, clippy::all, clippy::pedantic)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::request::RequestError;
use toolwright::{Context, Prompt, Resource, Server, Tool, ToolError};

/// Doc.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Count {
    by: u64,
}

/// Doc.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Page<T> {
    filter: T,
}

/// Doc.
#[derive(Debug, Prompt, Deserialize, JsonSchema)]
struct Review {
    code: String,
}

/// Doc.
#[derive(Debug, Resource)]
#[mcp(uri = "service://terms")]
struct Terms;

/// Doc.
#[derive(Debug, Resource, Deserialize, JsonSchema)]
#[mcp(uri = "service://pages/{number}")]
struct OnePage {
    number: u8,
}

/// A public service with a private tool.
#[derive(Debug, Clone, Copy)]
pub struct Service;

#[toolwright::handlers(name = "service", version = "1", title = "Service", instructions = "Count.", workflow)]
impl Service {
    /// Counts.
    async fn count(&self, input: Count, _cx: &Context) -> Result<u64, ToolError> {
        std::future::ready(()).await;
        Ok(input.by)
    }

    fn page(&self, input: Page<String>) -> String {
        input.filter
    }

    /// Fills in.
    #[prompt]
    async fn review(&self, input: Review, _cx: &Context) -> Result<String, RequestError> {
        std::future::ready(()).await;
        Ok(input.code)
    }

    #[resource]
    fn terms(&self, _input: Terms) -> &'static str {
        "none"
    }

    #[cfg(all())]
    #[resource]
    async fn one_page(&self, input: OnePage, _cx: Context) -> Option<String> {
        (input.number < 3).then(|| "empty".to_owned())
    }

    #[cfg(any())]
    #[prompt]
    async fn missing(&self, input: Missing) -> String {
        input.text
    }
}

fn main() {
    let service = Server::of(Service).build().expect("a server");
    assert_eq!(service.info().name, "service");
}
