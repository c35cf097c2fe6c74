//! Handlers in one block, in a crate with strict lints.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, future_incompatible, rust_2018_idioms, unreachable_pub)]
#![deny(unused_qualifications, unused_results, unused_lifetimes, missing_debug_implementations)]
#![deny(let_underscore_drop, single_use_lifetimes, clippy::all, clippy::pedantic)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Server, Tool, ToolError};

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
}

fn main() {
    let service = Server::of(Service).build().expect("a server");
    assert_eq!(service.info().name, "service");
}
