//! `impl Tool` and the registration of the tool.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{GenericParam, Generics, Ident, parse_quote_spanned};

use super::{advice, as_our_own, metadata, package, private, probes};
use crate::model::{Field, Item, Role, Shape};

/// The implementation of `Tool` for the input, even if it has mistakes.
pub(crate) fn tool(tool: &Item<'_>) -> TokenStream {
    let private = private(tool.crate_path());
    let implementation = implementation(tool, &private);
    let probes = probes::of_tool(tool, &private);
    let described_fields = advice::described_fields(tool, &private);
    let registration = is_registered(tool).then(|| registration(&tool.input.ident, &private));
    quote! {
        const _: () = {
            use #private::{NoTool as _, UnknownKind as _};

            #implementation
            #probes
            #described_fields
            #registration
        };
    }
}

fn implementation(tool: &Item<'_>, private: &TokenStream) -> TokenStream {
    let ident = &tool.input.ident;
    let generics = add_bounds(tool, private);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let type_generics = type_generics(&tool.input.generics);
    let name = tool.name();
    let arguments = arguments(tool, private);
    let argument_names =
        tool.fields.iter().filter(|field| field.role == Role::Argument).map(|field| &field.name);
    let field_sources = field_sources(tool, private);
    let package = package(private);
    let metadata = metadata::of_tool(tool, private);
    let from_refused = is_refused(tool).then(|| {
        quote! {
            #[automatically_derived]
            impl #impl_generics ::core::convert::From<#private::Refused> for #ident #type_generics #where_clause {
                fn from(refused: #private::Refused) -> Self {
                    match refused {}
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::Tool for #ident #type_generics #where_clause {
            #arguments
            const NAME: &'static ::core::primitive::str = #name;
            const ARGUMENT_NAMES: &'static [&'static ::core::primitive::str] = &[#(#argument_names),*];
            const FIELD_SOURCES: &'static [#private::FieldSource] = &[#(#field_sources),*];
            const PACKAGE: #private::Package = #package;
            const METADATA: #private::ToolMetadata = #metadata;
        }
        #from_refused
    }
}

/// The source locations of the arguments, for reports of the command line.
fn field_sources(tool: &Item<'_>, private: &TokenStream) -> Vec<TokenStream> {
    let arguments = tool.fields.iter().filter(|field| field.role == Role::Argument);
    let source = |field: &Field<'_>| {
        let name = &field.name;
        let span = field.original.ident.as_ref()?.span();
        Some(quote_spanned! {span=>
            #private::FieldSource { name: #name, line: ::core::line!(), column: ::core::column!() }
        })
    };
    arguments.filter_map(source).collect()
}

/// What serde reads and schemars describes, at the span of the type's name, where the compiler reports a missing derive.
fn arguments(tool: &Item<'_>, private: &TokenStream) -> TokenStream {
    if is_refused(tool) {
        return quote!(type Arguments = #private::Refused;);
    }
    quote_spanned!(tool.input.ident.span()=> type Arguments = Self;)
}

/// The generics with the bounds under which the type is a tool: `Page<User>` is one if `User` can be deserialized.
///
/// A type without parameters gets no bounds, so that the compiler asks for what is missing at the type itself.
fn add_bounds(tool: &Item<'_>, private: &TokenStream) -> Generics {
    let mut generics = tool.input.generics.clone();
    generics.params =
        generics.params.into_iter().filter(|one| !matches!(one, GenericParam::Lifetime(_))).collect();
    if generics.params.is_empty() {
        return generics;
    }
    let ident = &tool.input.ident;
    let type_generics = type_generics(&tool.input.generics);
    let reads: Option<TokenStream> =
        (!is_refused(tool)).then(|| quote!(+ #private::ReadsArguments + #private::DescribesArguments));
    let bound = parse_quote_spanned! {ident.span()=>
        #ident #type_generics: ::core::marker::Send + 'static #reads
    };
    generics.make_where_clause().predicates.push(bound);
    generics
}

/// The generic arguments of the type. Lifetimes have been rejected; `'static` is used for each.
fn type_generics(generics: &Generics) -> TokenStream {
    let arguments = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Lifetime(_) => quote!('static),
        GenericParam::Type(parameter) => parameter.ident.to_token_stream(),
        GenericParam::Const(parameter) => parameter.ident.to_token_stream(),
    });
    quote!(<#(#arguments),*>)
}

fn is_refused(tool: &Item<'_>) -> bool {
    matches!(tool.shape, Shape::NotAnObject)
        || tool.input.generics.lifetimes().next().is_some()
        || tool.borrowed_fields().next().is_some()
}

/// A type with parameters is not a single tool, and a rejected type is not a tool.
fn is_registered(tool: &Item<'_>) -> bool {
    tool.input.generics.params.is_empty() && !is_refused(tool)
}

fn registration(ident: &Ident, private: &TokenStream) -> TokenStream {
    as_our_own(quote! {
        #[#private::linkme::distributed_slice(#private::TOOLS)]
        #[linkme(crate = #private::linkme)]
        static TOOL: #private::LinkedTool = #private::linked_tool::<#ident>();
    })
}
