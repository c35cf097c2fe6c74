//! `impl TypedPrompt` or `impl TypedResource`, the completions of the fields, and the registration.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{advice, as_our_own, metadata, option, package, private, probes, respan, source_location};
use crate::attr::ItemAttributes;
use crate::json::{self, Object};
use crate::model::{Item, Kind, Role, Shape};

/// The scopes in `_meta`, as `toolwright_core::definition::meta_keys` names them.
const META_SCOPES: &str = "io.toolwright/scopes";

/// The implementation for a prompt or resource, even if it has mistakes. Nothing for a type with parameters, which the check
/// has rejected.
pub(crate) fn feature(item: &Item<'_>) -> TokenStream {
    if !item.input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let private = private(item.crate_path());
    let implementation = implementation(item, &private);
    let completions = completions(item, &private);
    let probes = probes::of_feature(item, &private);
    let described_fields = advice::described_fields(item, &private);
    let registration = (!is_refused(item)).then(|| registration(item, &private));
    quote! {
        const _: () = {
            use #private::UnknownKind as _;

            #implementation
            #completions
            #probes
            #described_fields
            #registration
        };
    }
}

fn implementation(item: &Item<'_>, private: &TokenStream) -> TokenStream {
    let ident = &item.input.ident;
    let package = package(private);
    let metadata = feature_metadata(item, private);
    let read = respan(read_type(item, private), ident.span());
    let (trait_name, read, key) = match item.kind {
        Kind::Tool | Kind::Prompt => {
            let name = item.name();
            (
                quote!(TypedPrompt),
                quote_spanned!(ident.span()=> type Arguments = #read;),
                quote!(NAME: &'static ::core::primitive::str = #name),
            )
        }
        Kind::Resource => {
            let uri = item.attributes.uri.as_ref().map(|given| given.value.value()).unwrap_or_default();
            (
                quote!(TypedResource),
                quote_spanned!(ident.span()=> type Variables = #read;),
                quote!(URI: &'static ::core::primitive::str = #uri),
            )
        }
    };
    let from = conversion(item, private);
    quote! {
        #[automatically_derived]
        impl #private::#trait_name for #ident {
            #read
            const #key;
            const PACKAGE: #private::Package = #package;
            const METADATA: #private::FeatureMetadata = #metadata;
        }
        #from
    }
}

/// What serde reads for the whole struct.
fn read_type(item: &Item<'_>, private: &TokenStream) -> TokenStream {
    if is_refused(item) {
        quote!(#private::Refused)
    } else if item.is_fieldless() {
        quote!(())
    } else {
        quote!(Self)
    }
}

/// What makes the struct from the type that is read, if that is another one.
fn conversion(item: &Item<'_>, private: &TokenStream) -> Option<TokenStream> {
    let ident = &item.input.ident;
    let (from, value) = if is_refused(item) {
        (quote!(#private::Refused), quote!(match read {}))
    } else if item.is_fieldless() {
        (
            quote!(()),
            quote!({
                let () = read;
                Self {}
            }),
        )
    } else {
        return None;
    };
    Some(quote! {
        #[automatically_derived]
        impl ::core::convert::From<#from> for #ident {
            fn from(read: #from) -> Self {
                #value
            }
        }
    })
}

fn feature_metadata(item: &Item<'_>, private: &TokenStream) -> TokenStream {
    let attributes = &item.attributes;
    let definition = definition(item);
    let description = match &attributes.description {
        Some(given) => option(Some(&given.value)),
        None => option(item.documentation.as_ref()),
    };
    let fields = item.fields.iter().filter_map(|field| metadata::field_metadata(field, private));
    let source = source_location(private, item.input.ident.span());
    quote! {
        #private::FeatureMetadata {
            definition: #definition,
            description: #description,
            fields: &[#(#fields),*],
            source: #source,
        }
    }
}

/// The JSON of an MCP `Prompt`, `Resource` or `ResourceTemplate`, without description and arguments.
fn definition(item: &Item<'_>) -> String {
    let attributes = &item.attributes;
    let mut definition = Object::default();
    if item.kind == Kind::Resource {
        let uri = attributes.uri.as_ref().map(|given| given.value.value()).unwrap_or_default();
        definition.add(if uri.contains('{') { "uriTemplate" } else { "uri" }, &json::string(&uri));
    }
    definition.add("name", &json::string(&item.name()));
    for (member, given) in [("title", &attributes.title), ("mimeType", &attributes.mime_type)] {
        if let Some(given) = given {
            definition.add(member, &json::string(&given.value.value()));
        }
    }
    if let Some(size) = &attributes.size {
        definition.add("size", &size.value.json);
    }
    if let Some(annotations) = annotations(attributes) {
        definition.add("annotations", &annotations);
    }
    if !attributes.icons.is_empty() {
        definition.add("icons", &json::array(attributes.icons.iter().map(metadata::icon)));
    }
    if let Some(meta) = meta(attributes) {
        definition.add("_meta", &meta);
    }
    definition.finish()
}

fn annotations(attributes: &ItemAttributes) -> Option<String> {
    let mut annotations = Object::default();
    if let Some(audience) = &attributes.audience {
        annotations
            .add("audience", &json::array(audience.value.iter().map(|one| json::string(&one.value()))));
    }
    if let Some(priority) = &attributes.priority {
        annotations.add("priority", &priority.value.json);
    }
    annotations.finish_unless_empty()
}

fn meta(attributes: &ItemAttributes) -> Option<String> {
    let mut meta = Object::default();
    for (name, value) in attributes.meta.iter().flat_map(|given| &given.value) {
        meta.add(&name.value(), &value.text);
    }
    if let Some(scopes) = &attributes.scopes {
        meta.add(META_SCOPES, &json::array(scopes.value.iter().map(|scope| json::string(&scope.value()))));
    }
    meta.finish_unless_empty()
}

/// The functions that complete the fields. A macro, so that it expands to nothing without the server.
fn completions(item: &Item<'_>, private: &TokenStream) -> TokenStream {
    let ident = &item.input.ident;
    let fields = item.fields.iter().filter_map(|field| {
        let complete = &field.attributes.complete.as_ref()?.value;
        let name = &field.name;
        let add = quote_spanned!(complete.span()=> add);
        Some(quote!(#add #name => (#complete);))
    });
    quote!(#private::completions! { #ident { #(#fields)* } })
}

/// Whether the input cannot be a prompt or a resource at all.
fn is_refused(item: &Item<'_>) -> bool {
    matches!(item.shape, Shape::NotAnObject | Shape::Tagged(_))
        || item.borrowed_fields().next().is_some()
        || item.fields.iter().any(|field| field.role == Role::Nameless)
        || (item.kind == Kind::Resource && item.attributes.uri.is_none())
}

fn registration(item: &Item<'_>, private: &TokenStream) -> TokenStream {
    let ident = &item.input.ident;
    let linked = match item.kind {
        Kind::Tool | Kind::Prompt => quote!(linked_prompt),
        Kind::Resource => quote!(linked_resource),
    };
    as_our_own(quote! {
        #[#private::linkme::distributed_slice(#private::FEATURES)]
        #[linkme(crate = #private::linkme)]
        static FEATURE: #private::LinkedFeatures = #private::#linked::<#ident>();
    })
}
