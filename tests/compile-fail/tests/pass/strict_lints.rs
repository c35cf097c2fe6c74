//! A crate that refuses unsafe code, warnings and undocumented items.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, future_incompatible, rust_2018_idioms, unreachable_pub)]
#![deny(unused_qualifications, unused_results, unused_lifetimes, trivial_casts, missing_debug_implementations)]
#![deny(missing_copy_implementations, let_underscore_drop, single_use_lifetimes, variant_size_differences)]
#![deny(clippy::all, clippy::pedantic)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError, Toolset};

/// Doc.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "T", read_only, was("former"), output = u8, icon(src = "https://example.com/a.png"))]
struct Strict {
    /// A number.
    #[mcp(minimum = 1, header = "N")]
    number: u8,
}

/// Doc.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Page<T> {
    /// A filter.
    filter: T,
}

#[derive(Debug, Clone, Copy)]
struct Service;

impl Handler<Strict> for Service {
    type Output = Result<u8, ToolError>;

    async fn call(&self, input: Strict, _: &Context) -> Self::Output {
        Ok(input.number)
    }
}

impl Handler<Page<String>> for Service {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Page<String>, _: &Context) -> Self::Output {
        Ok(input.filter)
    }
}

#[derive(Debug, Toolset)]
#[mcp(name = "strict", handler = Service, workflow)]
enum Tools {
    Strict(Strict),
    Page(Page<String>),
}

fn main() {
    assert_eq!(Tools::definitions().len(), 2);
    assert!(matches!(Tools::decode("nothing", None), Err(_)));
    let service = Service;
    drop(format!("{service:?}"));
}
