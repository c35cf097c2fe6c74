//! Generates the implementations. Nothing in here can fail.

pub(crate) mod advice;
mod feature;
mod metadata;
mod probes;
mod tool;
mod toolset;

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

pub(crate) use feature::feature;
pub(crate) use tool::tool;
pub(crate) use toolset::toolset;

/// The hidden module that generated code names.
pub(crate) fn private(crate_path: Option<&Path>) -> TokenStream {
    crate_path.map_or_else(|| quote!(::toolwright::__private), |path| quote!(#path::__private))
}

/// Returns the same tokens, all at `span`.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let respan_token = |mut token| {
        match &mut token {
            TokenTree::Group(group) => {
                let mut moved = Group::new(group.delimiter(), respan(group.stream(), span));
                moved.set_span(span);
                *group = moved;
            }
            // `$crate` of a macro_rules macro finds its crate by its span.
            TokenTree::Ident(ident) if *ident == "$crate" => {}
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.set_span(span),
        }
        token
    };
    tokens.into_iter().map(respan_token).collect()
}

/// Returns the same tokens with spans that belong to this macro.
///
/// Link-time registration contains an `unsafe` attribute. With a span in the user's source it would count as the
/// user's unsafe code, which `#![forbid(unsafe_code)]` rejects.
pub(crate) fn as_our_own(tokens: TokenStream) -> TokenStream {
    respan(tokens, Span::mixed_site())
}

/// `Some(value)` or `None`, whatever these names mean in the user's module.
fn option(value: Option<impl ToTokens>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
}

/// The package that is being compiled.
fn package(private: &TokenStream) -> TokenStream {
    quote! {
        #private::Package {
            name: ::core::env!("CARGO_PKG_NAME"),
            version: ::core::env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The place of `span` in the user's source.
fn source_location(private: &TokenStream, span: Span) -> TokenStream {
    quote_spanned! {span=>
        #private::SourceLocation {
            file: ::core::file!(),
            line: ::core::line!(),
            column: ::core::column!(),
        }
    }
}
