//! `impl Toolset`, `Dispatch`, and the registration of the set.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, Ident};

use super::{as_our_own, option, package, private, probes, respan, source_location};
use crate::model::{Member, Toolset};

/// The implementation of `Toolset` for the input, if that is an enum.
///
/// Anything else gets none: a struct that also derives `Tool` is already a toolset.
pub(crate) fn toolset(toolset: &Toolset<'_>) -> TokenStream {
    if !matches!(toolset.input.data, Data::Enum(_)) || !toolset.input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let private = private(toolset.crate_path());
    let implementation = implementation(toolset, &private);
    let dispatch = dispatch(toolset, &private);
    let probes = probes::of_toolset(toolset, &private);
    let registration = registration(&toolset.input.ident, &private);
    let read = use_variants(toolset);
    quote! {
        const _: () = {
            use #private::NoTool as _;

            #implementation
            #dispatch
            #probes
            #read
            #registration
        };
    }
}

/// A server reads the tools through `decode`, which the compiler does not see: without this it would warn that the
/// fields of a private set's variants are never read.
fn use_variants(toolset: &Toolset<'_>) -> TokenStream {
    let ident = &toolset.input.ident;
    let variants = toolset.tools.iter().map(|member| member.variant);
    // A rejected variant, or a reference to an empty set.
    let rest = toolset.has_other_variants().then(|| quote!(_ => {}));
    quote! {
        const _: fn(&#ident) = |set| match set {
            #(#ident::#variants(tool) => { let _ = tool; })*
            #rest
        };
    }
}

fn implementation(toolset: &Toolset<'_>, private: &TokenStream) -> TokenStream {
    let ident = &toolset.input.ident;
    let package = package(private);
    let metadata = metadata(toolset, private);
    let definitions = toolset.tools.iter().map(|member| definition(toolset, member, private));
    let decoders = toolset.tools.iter().map(|member| decoder(member, private));
    quote! {
        #[automatically_derived]
        impl #private::Toolset for #ident {
            const PACKAGE: #private::Package = #package;
            const METADATA: #private::ToolsetMetadata = #metadata;

            fn definitions() -> ::std::vec::Vec<#private::ToolDefinition> {
                let mut definitions = ::std::vec::Vec::new();
                #(#definitions)*
                definitions
            }

            fn decode(
                name: &::core::primitive::str,
                arguments: ::core::option::Option<&#private::RawValue>,
            ) -> ::core::result::Result<Self, #private::DecodeError> {
                #(#decoders)*
                ::core::result::Result::Err(#private::DecodeError::UnknownTool(::std::borrow::ToOwned::to_owned(name)))
            }
        }
    }
}

fn metadata(toolset: &Toolset<'_>, private: &TokenStream) -> TokenStream {
    let attributes = &toolset.attributes;
    let [name, version, title, instructions] =
        [&attributes.name, &attributes.version, &attributes.title, &attributes.instructions]
            .map(|text| option(text.as_ref().map(|given| &given.value)));
    let handler_known = attributes.handler.is_some();
    let workflow = attributes.workflow.as_ref().is_some_and(|given| given.value);
    quote! {
        #private::ToolsetMetadata {
            name: #name,
            version: #version,
            title: #title,
            instructions: #instructions,
            handler_known: #handler_known,
            workflow: #workflow,
        }
    }
}

fn definition(toolset: &Toolset<'_>, member: &Member<'_>, private: &TokenStream) -> TokenStream {
    let Member { variant, tool } = member;
    let plain = || quote!(#private::Slot::<#tool>::define(&mut definitions););
    toolset.attributes.handler.as_ref().map_or_else(plain, |handler| {
        let handler = &handler.value;
        // A missing handler is reported at the variant.
        let define = quote!(#private::ServedSlot::<#handler, #tool>::define(&mut definitions););
        respan(define, variant.span())
    })
}

fn decoder(member: &Member<'_>, private: &TokenStream) -> TokenStream {
    let Member { variant, tool } = member;
    quote! {
        if let ::core::option::Option::Some(tool) = #private::Slot::<#tool>::decode(name, arguments) {
            return tool.map(Self::#variant);
        }
    }
}

fn dispatch(toolset: &Toolset<'_>, private: &TokenStream) -> TokenStream {
    let ident = &toolset.input.ident;
    let tools = toolset.tools.iter().map(|member| member.tool);
    quote!(#private::dispatch! { #ident { #(#tools),* } })
}

fn registration(ident: &Ident, private: &TokenStream) -> TokenStream {
    let source = source_location(private, ident.span());
    as_our_own(quote! {
        #[#private::linkme::distributed_slice(#private::TOOLSETS)]
        #[linkme(crate = #private::linkme)]
        static TOOLSET: #private::LinkedToolset = #private::linked_toolset::<#ident>(#source);
    })
}
