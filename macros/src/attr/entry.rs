//! One `key`, `key = value` or `key(list)` of `#[mcp(…)]`, and the list of them.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Ident, MacroDelimiter, Meta, MetaList, Path, Token, Type, parenthesized, token};

use super::keys::{self, Place};
use crate::errors::Errors;
use crate::suggest;

/// One key with its value.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// What follows a key.
pub(crate) enum Value {
    Nothing,
    Expression(Expr),
    Type(Box<Type>),
    Path(Path),
    List(MetaList),
}

/// Reads the entries of all `#[mcp(…)]` attributes at one place. A key that is unknown here or cannot be parsed is
/// reported and skipped; the keys after it are still read.
pub(crate) fn entries_of(attributes: &[Attribute], place: Place, errors: &Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(keys::MCP)) {
        if let Meta::List(list) = &attribute.meta {
            entries.extend(entries_in(&list.tokens, place, errors));
        } else {
            errors.on(attribute, format!("write `#[mcp(…)]`, for example `#[mcp({})]`", place.example()));
        }
    }
    entries
}

/// The entries in `tokens`.
pub(crate) fn entries_in(tokens: &TokenStream, place: Place, errors: &Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    let read_all = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match read_entry(input, place) {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    errors.push(error);
                    skip_to_comma(input);
                }
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    if let Err(error) = read_all.parse2(tokens.clone()) {
        errors.push(error);
    }
    entries.retain(|entry| {
        let known = place.knows(&entry.name());
        if !known {
            errors.on(&entry.key, unknown_key(&entry.name(), place));
        }
        known
    });
    entries
}

impl Entry {
    /// The key as a string.
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }

    /// How this key is written, for messages.
    pub(crate) fn usage(&self) -> String {
        self.place.usage(&self.name())
    }
}

fn read_entry(input: ParseStream<'_>, place: Place) -> syn::Result<Entry> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error(format!("expected a key, for example `{}`", place.example())));
    }
    let key = input.call(Ident::parse_any)?;
    let value = if input.peek(token::Paren) {
        let content;
        let paren = parenthesized!(content in input);
        let delimiter = MacroDelimiter::Paren(paren);
        Value::List(MetaList { path: key.clone().into(), delimiter, tokens: content.parse()? })
    } else if input.parse::<Option<Token![=]>>()?.is_some() {
        read_value(input, &key, place)?
    } else {
        Value::Nothing
    };
    if !at_end_of_entry(input) {
        return Err(input.error(match value {
            Value::Nothing => "expected `=`, `(…)` or `,` after the key",
            _ => "expected `,` and the next key",
        }));
    }
    Ok(Entry { key, place, value })
}

fn read_value(input: ParseStream<'_>, key: &Ident, place: Place) -> syn::Result<Value> {
    let name = key.unraw().to_string();
    if !place.knows(&name) {
        return read_any_value(input);
    }
    match name.as_str() {
        keys::OUTPUT | keys::HANDLER => input.parse().map(Box::new).map(Value::Type),
        keys::CRATE | keys::COMPLETE => input.call(Path::parse_mod_style).map(Value::Path),
        _ => input.parse().map(Value::Expression),
    }
    .map_err(|error| {
        let span = if input.is_empty() { key.span() } else { error.span() };
        syn::Error::new(span, place.usage(&name))
    })
}

/// Skips the value of an unknown key.
fn read_any_value(input: ParseStream<'_>) -> syn::Result<Value> {
    let ahead = input.fork();
    if let Ok(value) = ahead.parse::<Type>()
        && at_end_of_entry(&ahead)
    {
        input.advance_to(&ahead);
        return Ok(Value::Type(Box::new(value)));
    }
    input.parse().map(Value::Expression)
}

fn at_end_of_entry(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !at_end_of_entry(input) {
        // Before the end there is always a token tree, so this cannot fail and always makes progress.
        if input.parse::<proc_macro2::TokenTree>().is_err() {
            return;
        }
    }
}

fn unknown_key(name: &str, place: Place) -> String {
    if let Some(elsewhere) = Place::ALL.into_iter().find(|other| other.knows(name)) {
        return format!("`{name}` belongs on {}, not on {}", elsewhere.description(), place.description());
    }
    let names = place.keys().iter().map(|key| key.name);
    let near = suggest::nearest(name, names.clone());
    let near = near.map_or_else(|| ";".to_owned(), |near| format!(", did you mean `{near}`?"));
    let known: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!("unknown key `{name}`{near} {} takes {}", place.description(), known.join(", "))
}
