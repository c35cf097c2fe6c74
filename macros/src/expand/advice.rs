//! Checks that say what to write where a type lacks a trait of another crate: those of `derive_support::advice` in the runtime.
//!
//! Whoever uses one imports the traits beside it, whose methods stand in where a bound does not hold.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned as _;
use syn::{GenericArgument, PathArguments, Type};

use super::respan;
use crate::model::Item;
use crate::plain::is_made_of_plain;
use crate::schema;

/// Requires threads to be able to share `Self`, the state of a server.
///
/// Belongs into the body of a handler: then the compiler does not report the future of the handler as well.
pub(crate) fn shared_state(state: &Type, private: &TokenStream) -> TokenStream {
    respan(quote!(let _ = #private::State::<Self>::expect_shared;), state.span())
}

/// The future that the `call` of an async method of `self` returns, which is required to be `Send`.
pub(crate) fn send_future(call: &TokenStream, private: &TokenStream) -> TokenStream {
    quote!(#private::HandlerFuture(self, #call).expect_send())
}

/// Requires the fields to have schemas.
pub(super) fn described_fields(item: &Item<'_>, private: &TokenStream) -> Option<TokenStream> {
    // Most types are plain, and checking those would cost build time.
    let mut fields = schema::described_fields(item);
    fields.retain(|field| item.is_concrete(&field.ty) && !is_made_of_plain(&field.ty));
    if fields.is_empty() || !schema::is_derived(item) {
        return None;
    }
    let checks = fields.iter().map(|field| {
        let (field, part) = (&field.ty, last_part(&field.ty));
        let check = quote!((&#private::FieldType::<#field, #part>::NEW).expect_schema(););
        respan(check, field.span())
    });
    Some(quote! {
        const _: fn() = || {
            use #private::{OtherField as _, OtherPart as _};
            #(#checks)*
        };
    })
}

/// The type that others such as `Vec<Option<…>>` and `HashMap<String, …>` are made of, as far as their spelling tells.
fn last_part(ty: &Type) -> &Type {
    let Type::Path(path) = ty else { return ty };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return ty;
    };
    match arguments.args.last() {
        Some(GenericArgument::Type(inner)) => last_part(inner),
        _ => ty,
    }
}
