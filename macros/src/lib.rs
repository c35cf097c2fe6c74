//! The macros of Toolwright: the derives `Tool` and `Toolset`, and the attribute `handlers`.
//!
//! The derives work in the same way: `attr` parses tokens into typed attributes, `model` describes the type, `check` holds
//! the rules, `expand` generates the implementation. `check` may report mistakes; `expand` cannot, and always
//! generates an implementation, so that one mistake never causes a second error.

mod attr;
mod model;

mod check;
mod expand;

mod handlers;

mod errors;
mod json;
mod suggest;
mod text;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a tool: its fields are the arguments, its doc comment is the description, `#[mcp(…)]` says the
/// rest.
///
/// Derive `serde::Deserialize` and `schemars::JsonSchema` beside it.
#[proc_macro_derive(Tool, attributes(mcp))]
pub fn derive_tool(input: TokenStream) -> TokenStream {
    let mut input = parse_macro_input!(input as DeriveInput);
    // The types of fields are also named outside of the type, where `Self` means nothing.
    serde_derive_internals::replace_receiver(&mut input);
    let errors = errors::Errors::new();
    let tool = model::Tool::read(&input, &errors);
    check::tool(&tool, &errors);
    let implementation = expand::tool(&tool);
    let errors = errors.into_compile_errors();
    quote::quote!(#errors #implementation).into()
}

/// Makes an enum the set of tools that one server offers: one variant per tool, `GetOrder(GetOrder)`.
#[proc_macro_derive(Toolset, attributes(mcp))]
pub fn derive_toolset(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let errors = errors::Errors::new();
    let toolset = model::Toolset::read(&input, &errors);
    check::toolset(&toolset, &errors);
    let implementation = expand::toolset(&toolset);
    let errors = errors.into_compile_errors();
    quote::quote!(#errors #implementation).into()
}

/// Makes the methods of an `impl` block the handlers of their tools, and their tools the set that
/// `Server::of` offers.
///
/// Each method takes `&self`, its tool by value and, if it needs one, `&Context` (or `Context`). It returns what a handler
/// function may return: text, a number, `Json<T>`, other results of tools, or a `Result` of one whose error converts into
/// `ToolError`. It may be `async`. Methods that are not handlers belong to another `impl` block; constants and types may stay.
///
/// `#[handlers(name = "shop", version = "1.2.0", title = "Shop", instructions = "…", workflow)]` sets what `#[mcp(…)]` sets on a
/// toolset.
#[proc_macro_attribute]
pub fn handlers(keys: TokenStream, item: TokenStream) -> TokenStream {
    handlers::handlers(&keys.into(), &item.into()).into()
}
