//! Arguments are an object (2026-07-28, schema `Tool.inputSchema`).

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use serde_derive_internals::ast::Data;
use serde_derive_internals::attr::{Identifier, TagType};
use syn::{Attribute, Data as Body, Fields};

use crate::attr::keys;
use crate::errors::Errors;
use crate::model::{Item, Kind};

pub(super) fn check(item: &Item<'_>, errors: &Errors) {
    check_lifetimes(item, errors);
    match &item.input.data {
        Body::Union(body) => {
            let (noun, fields) = (item.kind.noun(), item.kind.fields());
            errors.on(
                body.union_token,
                format!("{noun} is a struct with its {fields} as fields; a union has no JSON form"),
            );
        }
        Body::Struct(body) => check_struct(item, &body.fields, errors),
        Body::Enum(body) if item.kind != Kind::Tool => {
            let (noun, fields) = (item.kind.noun(), item.kind.fields());
            errors.on(
                body.enum_token,
                format!("{noun} is a struct with its {fields} as fields; an enum can be the type of a field"),
            );
        }
        Body::Enum(_) => check_enum(item, errors),
    }
    if item.kind != Kind::Tool {
        check_parameters(item, errors);
    }
    check_replaced(item, errors);
}

/// A prompt or resource has one definition, under one name.
fn check_parameters(item: &Item<'_>, errors: &Errors) {
    for parameter in item.input.generics.type_params().map(|parameter| &parameter.ident) {
        let noun = item.kind.noun();
        errors.on(
            parameter,
            format!("{noun} has one definition; remove the parameter, and write the type that it stands for"),
        );
    }
    for parameter in item.input.generics.const_params().map(|parameter| &parameter.ident) {
        let noun = item.kind.noun();
        errors.on(parameter, format!("{noun} has one definition; remove the parameter"));
    }
}

fn check_lifetimes(item: &Item<'_>, errors: &Errors) {
    for lifetime in item.input.generics.lifetimes() {
        errors.on(
            &lifetime.lifetime,
            format!(
                "{} owns its {}, since its handler may run after the message is gone; \
                 write `String` for `&str` and `Vec<T>` for `&[T]`, and remove the lifetime",
                item.kind.noun(),
                item.kind.fields(),
            ),
        );
    }
    for field in item.borrowed_fields() {
        errors.on(
            &field.ty,
            format!(
                "{} owns its {}, which are read from a message; write `String` for `&str` and `Vec<T>` for `&[T]`",
                item.kind.noun(),
                item.kind.fields(),
            ),
        );
    }
}

fn check_struct(item: &Item<'_>, fields: &Fields, errors: &Errors) {
    let Fields::Unnamed(unnamed) = fields else { return };
    let replaced = item.serde.as_ref().is_some_and(|container| {
        container.attrs.type_from().or(container.attrs.type_try_from()).is_some()
            || container.attrs.transparent()
    });
    match unnamed.unnamed.len() {
        _ if replaced => {}
        _ if item.kind != Kind::Tool => errors.on(
            unnamed,
            format!("the names of fields are the names of {}; write `struct Name {{ field: Type, … }}`", item.kind.fields()),
        ),
        0 => errors.on(unnamed, "serde reads `[]` for this, but arguments are an object; write `struct Name;`"),
        1 => {}
        _ => errors.on(
            unnamed,
            "serde reads an array for this, but arguments are an object; name the fields: `struct Name { first: Type, … }`",
        ),
    }
}

fn check_enum(item: &Item<'_>, errors: &Errors) {
    let Some(container) = &item.serde else { return };
    let Data::Enum(variants) = &container.data else { return };
    let ident = &item.input.ident;
    for variant in variants {
        for attribute in mcp_attributes(&variant.original.attrs) {
            errors.on(attribute, "a variant takes no keys; put them on the enum or on the variant's fields");
        }
        if variant.attrs.untagged() {
            errors.at(
                find_serde_word(&variant.original.attrs, "untagged").unwrap_or_else(|| variant.ident.span()),
                "a variant without its tag makes the arguments ambiguous; remove `untagged`",
            );
        }
    }
    let replaced = container.attrs.type_from().or(container.attrs.type_try_from()).is_some();
    if replaced
        || container.attrs.remote().is_some()
        || !matches!(container.attrs.identifier(), Identifier::No)
    {
        return;
    }
    if variants.is_empty() {
        errors.on(
            ident,
            "an enum without variants has no values, so no call could succeed; write `struct Name;`",
        );
        return;
    }
    let attributes = &item.input.attrs;
    match container.attrs.tag() {
        TagType::Internal { .. } => {}
        TagType::External => errors.on(
            ident,
            "arguments are one object, but each variant of this enum has a different form; add `#[serde(tag = \"action\")]`, \
             make each variant a tool of its own, or derive `Toolset` if each variant holds a tool",
        ),
        TagType::Adjacent { .. } => errors.at(
            find_serde_word(attributes, "content").unwrap_or_else(|| ident.span()),
            "arguments are one flat object, but `content` nests them; remove `content = …` and keep the tag, or make each variant a tool of its own",
        ),
        TagType::None => errors.at(
            find_serde_word(attributes, "untagged").unwrap_or_else(|| ident.span()),
            "a model cannot see which variant it calls; write `#[serde(tag = \"action\")]` instead, or make each variant a tool of its own",
        ),
    }
}

/// Serde attributes that make the type deserialize something other than what it shows.
fn check_replaced(item: &Item<'_>, errors: &Errors) {
    let Some(container) = &item.serde else { return };
    let attributes = &item.input.attrs;
    let place = |word| find_serde_word(attributes, word).unwrap_or_else(|| item.input.ident.span());
    if container.attrs.remote().is_some() {
        errors.at(
            place("remote"),
            "serde does not implement `Deserialize` for a `remote` type, so it cannot be a tool; derive `Tool` on a struct of your own that has it as a field",
        );
    }
    match container.attrs.identifier() {
        Identifier::No => {}
        Identifier::Field => errors.at(place("field_identifier"), IDENTIFIER),
        Identifier::Variant => errors.at(place("variant_identifier"), IDENTIFIER),
    }
}

const IDENTIFIER: &str =
    "an identifier is read from a string, but arguments are an object; put it into a field of a struct";

pub(super) fn mcp_attributes(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident(keys::MCP))
}

/// The span of `word` in `#[serde(…)]`.
pub(super) fn find_serde_word(attributes: &[Attribute], word: &str) -> Option<Span> {
    find_word(attributes, "serde", word)
}

/// The span of `word` in the attribute `name`.
pub(super) fn find_word(attributes: &[Attribute], name: &str, word: &str) -> Option<Span> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident(name))
        .find_map(|attribute| find_word_in(attribute.meta.to_token_stream(), word))
}

fn find_word_in(tokens: TokenStream, word: &str) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == word => Some(ident.span()),
        TokenTree::Group(group) => find_word_in(group.stream(), word),
        _ => None,
    })
}
