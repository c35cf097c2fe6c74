//! The macros of Toolwright: the derives `Tool`, `Toolset`, `Prompt` and `Resource`, and the attribute `handlers`.
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
mod plain;
mod schema;
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
    derive(model::Kind::Tool, input, expand::tool)
}

/// Makes a struct a prompt: its fields are the arguments, its doc comment is the description, `#[mcp(…)]` says the
/// rest.
///
/// Derive `serde::Deserialize` and `schemars::JsonSchema` beside it, unless the struct has no fields.
#[proc_macro_derive(Prompt, attributes(mcp))]
pub fn derive_prompt(input: TokenStream) -> TokenStream {
    derive(model::Kind::Prompt, input, expand::feature)
}

/// Makes a struct a resource with the address `#[mcp(uri = "…")]`, or all resources of a URI template, whose variables are the
/// fields.
///
/// Derive `serde::Deserialize` and `schemars::JsonSchema` beside it, unless the struct has no fields.
#[proc_macro_derive(Resource, attributes(mcp))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    derive(model::Kind::Resource, input, expand::feature)
}

fn derive(
    kind: model::Kind,
    input: TokenStream,
    expand: fn(&model::Item<'_>) -> proc_macro2::TokenStream,
) -> TokenStream {
    let mut input = parse_macro_input!(input as DeriveInput);
    // The types of fields are also named outside of the type, where `Self` means nothing.
    serde_derive_internals::replace_receiver(&mut input);
    let errors = errors::Errors::new();
    let item = model::Item::read(kind, &input, &errors);
    check::item(&item, &errors);
    let implementation = expand(&item);
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

/// Makes the methods of an `impl` block the handlers of their tools, prompts and resources, which `Server::of` offers.
///
/// Each method takes `&self`, its tool by value and, if it needs one, `&Context` (or `Context`). It returns what a handler
/// function may return: text, a number, `Json<T>`, other results of tools, or a `Result` of one whose error converts into
/// `ToolError`. It may be `async`. A method with `#[prompt]` takes a struct that derives `Prompt`, and one with `#[resource]` a
/// struct that derives `Resource`; they return what prompts and resources may consist of. Methods that are not handlers belong to
/// another `impl` block; constants and types may stay.
///
/// `#[handlers(name = "shop", version = "1.2.0", title = "Shop", instructions = "…", workflow)]` sets what `#[mcp(…)]` sets on a
/// toolset.
#[proc_macro_attribute]
pub fn handlers(keys: TokenStream, item: TokenStream) -> TokenStream {
    handlers::handlers(&keys.into(), &item.into()).into()
}
