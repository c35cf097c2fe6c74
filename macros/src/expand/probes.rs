//! Constants that fail to evaluate when a rule about types is broken: only the compiler knows the types.
//!
//! Each calls one of the `expect_…` functions of the runtime at the span of the key that it is about.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Ident, Type};

use super::respan;
use crate::attr::{AttributeValue, FieldAttributes, JsonValue, Number};
use crate::model::{Field, Item, Role, SET_OF_BLOCK, Shape, Toolset};
use crate::plain::is_made_of_plain;

/// The largest integer that every JSON parser represents exactly: 2^53 - 1.
const LARGEST_SAFE: i64 = 9_007_199_254_740_991;

/// The rules about the types of a tool's fields, where these do not depend on the tool's type parameters.
pub(super) fn of_tool(tool: &Item<'_>, private: &TokenStream) -> TokenStream {
    let objects: &[Type] = match &tool.shape {
        Shape::Like(inner) => std::slice::from_ref(&**inner),
        Shape::Tagged(payloads) => payloads,
        Shape::Object | Shape::Unit | Shape::NotAnObject => &[],
    };
    let objects = objects.iter().filter(|inner| tool.is_concrete(inner));
    let objects =
        objects.map(|inner| probe(inner.span(), private, "expect_object", &kind_of(inner, private)));
    let fields = tool.fields.iter().filter(|field| tool.is_concrete(&field.original.ty));
    let fields = fields.map(|field| of_field(field, private));
    quote!(#(#objects)* #(#fields)*)
}

/// The rules about the types of the fields of a prompt or resource, which are read from strings.
pub(super) fn of_feature(item: &Item<'_>, private: &TokenStream) -> TokenStream {
    let fields = item.fields.iter().filter(|field| field.role == Role::Argument);
    let fields = fields.map(|field| {
        let inner = &field.original.ty;
        // A function reads the field, whatever its type is.
        let string = (!field.is_read_by_function)
            .then(|| probe(inner.span(), private, "expect_string", &kind_of(inner, private)));
        let keys = of_keys(field, private);
        quote!(#string #keys)
    });
    quote!(#(#fields)*)
}

/// The rules across the tools of a set.
pub(super) fn of_toolset(toolset: &Toolset<'_>, private: &TokenStream) -> TokenStream {
    // The handlers of a block require their tools to be tools themselves.
    let is_of_block = toolset.input.ident == SET_OF_BLOCK;
    let tools = toolset.tools.iter().filter(|_| !is_of_block).map(|member| {
        let tool = member.tool;
        respan(quote!(const _: () = #private::expect_tool::<#tool>();), member.tool.span())
    });
    let claims = toolset.tools.iter().map(|member| {
        let tool = member.tool;
        let variant = member.variant.to_string();
        quote!(#private::Claim { variant: #variant, names: #private::Slot::<#tool>::NAMES })
    });
    let names = toolset.tools.iter().enumerate().skip(1).map(|(index, member)| {
        probe(member.variant.span(), private, "expect_free_name", &quote!(CLAIMS, #index))
    });
    let workflow = toolset.attributes.workflow.as_ref().is_some_and(|given| given.value);
    let arguments = toolset.tools.iter().filter(|_| workflow).map(|member| {
        let tool = member.tool;
        let variant = member.variant.to_string();
        let arguments = quote!(#private::Slot::<#tool>::ARGUMENT_NAMES, #variant);
        probe(member.variant.span(), private, "expect_free_arguments", &arguments)
    });
    quote! {
        #(#tools)*
        const CLAIMS: &[#private::Claim] = &[#(#claims),*];
        #(#names)*
        #(#arguments)*
    }
}

fn of_field(field: &Field<'_>, private: &TokenStream) -> TokenStream {
    let no_keys = no_keys(&field.original.ty, private);
    match field.role {
        Role::Argument => {
            let keys = of_keys(field, private);
            quote!(#no_keys #keys)
        }
        Role::Flattened | Role::Nameless => quote!(#no_keys),
        Role::Skipped | Role::Replaced => TokenStream::new(),
    }
}

/// The type of a field must not itself be a tool with keys on its fields, since they would be ignored here.
fn no_keys(inner: &Type, private: &TokenStream) -> Option<TokenStream> {
    let keys = quote!(#private::Slot::<#inner>::HAS_KEYS);
    (!is_made_of_plain(inner)).then(|| probe(inner.span(), private, "expect_no_keys", &keys))
}

fn of_keys(field: &Field<'_>, private: &TokenStream) -> TokenStream {
    let attributes = &field.attributes;
    let kind = kind_of(&field.original.ty, private);
    let bounds = |rule: &str, keys: &[&Option<AttributeValue<Number>>]| -> TokenStream {
        let keys = keys.iter().filter_map(|given| given.as_ref()).map(|given| &given.key);
        keys.map(|key| bound(rule, key, &kind, private)).collect()
    };
    let strings = [&attributes.pattern, &attributes.format].into_iter().flatten();
    let strings = strings.map(|given| bound("expect_text", &given.key, &kind, private));
    let lengths = bounds("expect_text", &[&attributes.min_length, &attributes.max_length]);
    let lists = bounds("expect_list", &[&attributes.min_items, &attributes.max_items]);
    let numbers = bounds(
        "expect_number",
        &[
            &attributes.minimum,
            &attributes.maximum,
            &attributes.exclusive_minimum,
            &attributes.exclusive_maximum,
            &attributes.multiple_of,
        ],
    );
    let examples = attributes.all_examples().map(|example| {
        let found = match &example.value {
            JsonValue::Text(_) => quote!(Text),
            JsonValue::Number(number) if number.is_integer() => quote!(Integer),
            JsonValue::Number(_) => quote!(Number),
            JsonValue::Boolean => quote!(Boolean),
            JsonValue::List(_) => quote!(List),
        };
        probe(example.source.span(), private, "expect_example", &quote!(#kind, #private::Kind::#found))
    });
    let header = attributes.header.as_ref().map(|header| {
        let (low, high) = safe_bounds(attributes);
        probe(header.key.span(), private, "expect_header", &quote!(#kind, (#low, #high)))
    });
    quote!(#(#strings)* #lengths #lists #numbers #(#examples)* #header)
}

fn bound(rule: &str, key: &Ident, kind: &TokenStream, private: &TokenStream) -> TokenStream {
    let name = key.to_string();
    probe(key.span(), private, rule, &quote!(#name, #kind))
}

/// The kind of a type, whether or not the runtime knows it.
fn kind_of(inner: &Type, private: &TokenStream) -> TokenStream {
    quote!(#private::KindOf::<#inner>::KIND)
}

/// A constant that calls `rule`. Every token of the call is at `span`, where the compiler reports a broken rule.
fn probe(span: Span, private: &TokenStream, rule: &str, arguments: &TokenStream) -> TokenStream {
    let rule = Ident::new(rule, span);
    respan(quote!(const _: () = #private::#rule(#arguments);), span)
}

/// Whether the field's own bounds keep it in the range of safe integers, below and above.
fn safe_bounds(attributes: &FieldAttributes) -> (bool, bool) {
    let is_bounded =
        |bounds: [&Option<AttributeValue<Number>>; 2], limit: i64, safe: fn(std::cmp::Ordering) -> bool| {
            let limit = Number::from_integer(limit);
            bounds.into_iter().flatten().any(|bound| safe(bound.value.compare(&limit)))
        };
    (
        is_bounded(
            [&attributes.minimum, &attributes.exclusive_minimum],
            -LARGEST_SAFE,
            std::cmp::Ordering::is_ge,
        ),
        is_bounded(
            [&attributes.maximum, &attributes.exclusive_maximum],
            LARGEST_SAFE,
            std::cmp::Ordering::is_le,
        ),
    )
}
