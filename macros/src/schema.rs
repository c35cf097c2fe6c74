//! What schemars' own derive makes of an item.

use std::fs;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Data, Field};

use crate::model::{Item, any_ident};

/// Keys of serde and schemars that give something a schema other than that of its type, or none.
const OTHER_SCHEMA: [&str; 10] = [
    "with",
    "schema_with",
    "skip",
    "skip_serializing",
    "skip_deserializing",
    "from",
    "try_from",
    "into",
    "transparent",
    "remote",
];

/// The fields whose types need a schema if that of the item is derived.
pub(crate) fn described_fields<'a>(item: &Item<'a>) -> Vec<&'a Field> {
    let input = item.input;
    let fields: Vec<&Field> = match &input.data {
        _ if has_other_schema(&input.attrs) => Vec::new(),
        Data::Struct(body) => body.fields.iter().collect(),
        Data::Enum(body) => {
            let variants = body.variants.iter().filter(|variant| !has_other_schema(&variant.attrs));
            variants.flat_map(|variant| &variant.fields).collect()
        }
        Data::Union(_) => Vec::new(),
    };
    fields.into_iter().filter(|field| !has_other_schema(&field.attrs)).collect()
}

fn has_other_schema(attributes: &[Attribute]) -> bool {
    let mut attributes = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde") || attribute.path().is_ident("schemars"));
    attributes.any(|attribute| {
        any_ident(attribute.meta.to_token_stream(), &|ident| OTHER_SCHEMA.iter().any(|key| ident == key))
    })
}

/// Whether `JsonSchema` is derived beside our own derive.
///
/// A derive gets the later attributes of its item, but not the list that it is in. That list is read from the source. Where there
/// is no source the answer is no, and then a field without a schema only gets the message of the compiler.
pub(crate) fn is_derived(item: &Item<'_>) -> bool {
    let later = item.input.attrs.iter().filter(|attribute| attribute.path().is_ident("derive"));
    let mut lists = later.map(|attribute| attribute.meta.to_token_stream()).chain(own_list());
    lists.any(|list| any_ident(list, &|ident| ident == "JsonSchema"))
}

/// The list of derives that our own is in.
fn own_list() -> Option<TokenStream> {
    let here = proc_macro::Span::call_site();
    let source = fs::read_to_string(here.local_file()?).ok()?;
    list_around(&source, here.line(), here.column())
}

/// What is in `derive(…)` around a place. Lines and columns are counted from 1.
fn list_around(source: &str, line: usize, column: usize) -> Option<TokenStream> {
    let start: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let indent: usize = source.get(start..)?.chars().take(column - 1).map(char::len_utf8).sum();
    let (before, after) = source.split_at(start + indent);
    let (before, first) = before.rsplit_once('(')?;
    let (rest, _) = after.split_once(')')?;
    before.ends_with("derive").then(|| format!("{first}{rest}").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::list_around;

    #[test]
    fn the_list_of_derives_is_found_around_one_of_them() {
        let list = |source: &str| {
            let place = source.find("Tool").unwrap();
            let line_start = source[..place].rfind('\n').map_or(0, |newline| newline + 1);
            let line = source[..place].matches('\n').count() + 1;
            let column = source[line_start..place].chars().count() + 1;
            list_around(source, line, column).map(|list| list.to_string())
        };
        assert_eq!(list("/// Ä.\n#[derive(Tool, JsonSchema)]").as_deref(), Some("Tool , JsonSchema"));
        assert_eq!(
            list("#[derive(\n    A,\n    Tool // JsonSchema\n)]\nstruct").as_deref(),
            Some("A , Tool")
        );
        assert_eq!(list("#[cfg_attr(all(), /* ä */ derive(A, x::Tool))]").as_deref(), Some("A , x :: Tool"));
        assert_eq!(list("#[derive(Tool /* not (yet) JsonSchema */)]"), None, "not understood");
        assert_eq!(list("tool!(Tool, JsonSchema);"), None, "not a derive");
        assert_eq!(list("Tool"), None);
    }
}
