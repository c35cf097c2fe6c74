//! Rules for a set of tools.

use syn::{Data, Fields, GenericParam, Variant};

use super::shape::mcp_attributes;
use super::text;
use crate::errors::Errors;
use crate::model::Toolset;

/// Reports every mistake of a toolset.
pub(crate) fn toolset(toolset: &Toolset<'_>, errors: &Errors) {
    for parameter in &toolset.input.generics.params {
        let reason = "a toolset is the closed set of one server, so its tools are known types; \
                      remove the parameter and write the type where it is used, as in `Search(Page<User>)`";
        match parameter {
            GenericParam::Lifetime(lifetime) => errors.on(&lifetime.lifetime, reason),
            GenericParam::Type(parameter) => errors.on(&parameter.ident, reason),
            GenericParam::Const(parameter) => errors.on(&parameter.ident, reason),
        }
    }
    match &toolset.input.data {
        Data::Enum(body) => body.variants.iter().for_each(|variant| check_variant(variant, errors)),
        Data::Struct(body) => errors.on(
            body.struct_token,
            "a toolset is an enum with one variant per tool, as in `enum Tools { GetOrder(GetOrder) }`; \
             a struct that derives `Tool` is a toolset of one without `Toolset`",
        ),
        Data::Union(body) => errors.on(
            body.union_token,
            "a toolset is an enum with one variant per tool, as in `enum Tools { GetOrder(GetOrder) }`",
        ),
    }
    let attributes = &toolset.attributes;
    text::check_not_empty(attributes.name.as_ref(), errors);
    text::check_not_empty(attributes.version.as_ref(), errors);
    text::check_not_empty(attributes.title.as_ref(), errors);
    text::check_not_empty(attributes.instructions.as_ref(), errors);
}

fn check_variant(variant: &Variant, errors: &Errors) {
    let inside = variant.fields.iter().flat_map(|field| &field.attrs);
    for attribute in mcp_attributes(&variant.attrs).chain(inside.filter(|one| one.path().is_ident("mcp"))) {
        errors.on(attribute, "a variant takes no keys; put them on the tool's own struct");
    }
    let ident = &variant.ident;
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {}
        Fields::Unit => errors.on(ident, format!("a variant holds its tool; write `{ident}({ident})`")),
        fields @ Fields::Named(_) => errors.on(
            fields,
            format!("a variant holds its tool; make the fields a struct that derives `Tool` and write `{ident}({ident})`"),
        ),
        fields @ Fields::Unnamed(_) => {
            errors.on(fields, format!("a variant holds one tool; write `{ident}({ident})`"));
        }
    }
}
