//! Rules for the address of a resource and its variables, and for what describes its contents.

use proc_macro2::Span;

use super::{text, uri};
use crate::attr::{AttributeValue, keys};
use crate::errors::Errors;
use crate::model::{Item, Role, Shape};

const MISSING_ADDRESS: &str = "a resource has an address; write `#[mcp(uri = \"tickets://open\")]`, or \
    `#[mcp(uri = \"tickets://{id}\")]` with a field for each variable";

pub(super) fn check(item: &Item<'_>, errors: &Errors) {
    let attributes = &item.attributes;
    text::check_not_empty(attributes.name.as_ref(), errors);
    text::check_not_empty(attributes.mime_type.as_ref(), errors);
    if let Some(audience) = &attributes.audience {
        text::check_unique("the audience", &audience.value, errors);
        for one in audience.value.iter().filter(|one| !matches!(one.value().as_str(), "user" | "assistant")) {
            errors.on(one, "an audience is `user` or `assistant`");
        }
    }
    if let Some(priority) = &attributes.priority
        && !(0.0..=1.0).contains(&priority.value.as_f64())
    {
        errors.on(&priority.value.source, "a priority is a number from 0 (optional) to 1 (required)");
    }
    let Some(given) = &attributes.uri else {
        // A misspelt key is one mistake, not two.
        if !attributes.faulty {
            errors.on(&item.input.ident, MISSING_ADDRESS);
        }
        return;
    };
    let address = given.value.value();
    match uri::variables(&address) {
        Err(problem) => errors.on(&given.value, problem),
        Ok(variables) => {
            check_size(attributes.size.as_ref(), &variables, errors);
            check_variables(item, &variables, given.value.span(), errors);
        }
    }
}

/// 2026-07-28, schema `ResourceTemplate`: only a `Resource` has a size.
fn check_size<T>(size: Option<&AttributeValue<T>>, variables: &[&str], errors: &Errors) {
    if let Some(size) = size
        && !variables.is_empty()
    {
        errors.on(&size.key, "resources of a template differ in size; remove `size`");
    }
}

/// The variables are the fields, one for one.
fn check_variables(item: &Item<'_>, variables: &[&str], address: Span, errors: &Errors) {
    // What serde reads as another type, or flattens, has fields that a derive cannot see; building the server checks them.
    let is_seen = matches!(item.shape, Shape::Object | Shape::Unit);
    if !is_seen || item.fields.iter().any(|field| field.role == Role::Flattened) {
        return;
    }
    let fields = || item.fields.iter().filter(|field| field.role == Role::Argument);
    let has_field = |variable: &str| fields().any(|field| field.name == variable);
    let is_variable = |name: &str| variables.contains(&name);
    let mut renamed = Vec::new();
    for variable in variables.iter().filter(|variable| !has_field(variable)) {
        let of_ident =
            fields().find(|field| field.original.ident.as_ref().is_some_and(|ident| ident == variable));
        if let Some(field) = of_ident.filter(|field| !is_variable(&field.name)) {
            let name = &field.name;
            errors.at(address, format!("serde reads the field `{variable}` as `{name}`; write `{{{name}}}`"));
            renamed.push(name);
        } else {
            errors.at(
                address,
                format!(
                    "`{{{variable}}}` has no field; write the field `{variable}: String`, or another type, in the struct"
                ),
            );
        }
    }
    for field in fields().filter(|field| !is_variable(&field.name) && !renamed.contains(&&field.name)) {
        let name = &field.name;
        errors.on(
            &field.original.ident,
            format!(
                "`{name}` is not in the address; write `{{{name}}}` in `{}`, or remove the field",
                keys::URI
            ),
        );
    }
}
