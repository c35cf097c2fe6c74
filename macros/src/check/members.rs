//! Names of members: serde gives a member to the first field of its name, and the others never see it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use serde_derive_internals::ast::{Data, Field};
use serde_derive_internals::name::{MultiName, Name};
use syn::{Attribute, Lit};

use crate::errors::Errors;
use crate::model::Item;

pub(super) fn check(item: &Item<'_>, errors: &Errors) {
    let Some(container) = &item.serde else { return };
    let attributes = &container.attrs;
    if attributes.transparent() || attributes.type_from().or(attributes.type_try_from()).is_some() {
        return;
    }
    match &container.data {
        Data::Struct(_, fields) => check_fields(fields, errors),
        Data::Enum(variants) => {
            let read = variants.iter().filter(|variant| !variant.attrs.skip_deserializing());
            let named = read.clone().map(|variant| Named {
                what: "variant",
                ident: variant.ident.to_string(),
                names: names(variant.attrs.name(), variant.attrs.aliases()),
                attributes: &variant.original.attrs,
                span: variant.ident.span(),
            });
            check_names(named, errors);
            read.for_each(|variant| check_fields(&variant.fields, errors));
        }
    }
}

fn check_fields(fields: &[Field<'_>], errors: &Errors) {
    let read = fields.iter().filter(|field| !field.attrs.skip_deserializing() && !field.attrs.flatten());
    let named = read.filter_map(|field| {
        let ident = field.original.ident.as_ref()?;
        Some(Named {
            what: "field",
            ident: ident.to_string(),
            names: names(field.attrs.name(), field.attrs.aliases()),
            attributes: &field.original.attrs,
            span: ident.span(),
        })
    });
    check_names(named, errors);
}

/// A field or a variant with all that it goes by in JSON.
struct Named<'a> {
    what: &'static str,
    ident: String,
    names: Vec<String>,
    attributes: &'a [Attribute],
    span: Span,
}

/// The name, and the other names that are not the same.
fn names<'n>(name: &MultiName, aliases: impl IntoIterator<Item = &'n Name>) -> Vec<String> {
    let mut names = vec![name.deserialize_name().value.clone()];
    for alias in aliases {
        if !names.contains(&alias.value) {
            names.push(alias.value.clone());
        }
    }
    names
}

fn check_names<'a>(all: impl Iterator<Item = Named<'a>>, errors: &Errors) {
    let mut seen: Vec<Named<'a>> = Vec::new();
    for one in all {
        for name in &one.names {
            if let Some(other) = seen.iter().find(|other| other.names.contains(name)) {
                let span = literal(one.attributes, name).unwrap_or(one.span);
                let (what, first) = (one.what, &other.ident);
                errors.at(
                    span,
                    format!("`{name}` is a name of the {what} `{first}` as well, but serde reads only one of them; rename one"),
                );
            }
        }
        seen.push(one);
    }
}

/// Where one of serde's attributes has this string.
fn literal(attributes: &[Attribute], text: &str) -> Option<Span> {
    let serde = attributes.iter().filter(|attribute| attribute.path().is_ident("serde"));
    serde.into_iter().find_map(|attribute| literal_in(attribute.meta.to_token_stream(), text))
}

fn literal_in(tokens: TokenStream, text: &str) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Literal(literal) => match Lit::new(literal.clone()) {
            Lit::Str(string) if string.value() == text => Some(literal.span()),
            _ => None,
        },
        TokenTree::Group(group) => literal_in(group.stream(), text),
        TokenTree::Ident(_) | TokenTree::Punct(_) => None,
    })
}
