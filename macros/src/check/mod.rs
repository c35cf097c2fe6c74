//! The rules. Each reports its mistakes and continues.
//!
//! Rules about types that only the compiler can judge are in `expand::probes`.

mod field;
mod header;
mod members;
mod metadata;
mod name;
mod number;
mod pattern;
mod resource;
mod shape;
mod text;
mod toolset;
mod uri;

use crate::errors::Errors;
use crate::model::{Item, Kind};

pub(crate) use toolset::toolset;

/// Reports every mistake of a tool, a prompt or a resource.
pub(crate) fn item(item: &Item<'_>, errors: &Errors) {
    shape::check(item, errors);
    match item.kind {
        Kind::Tool | Kind::Prompt => name::check(item, errors),
        Kind::Resource => resource::check(item, errors),
    }
    metadata::check(item, errors);
    for field in &item.fields {
        field::check(field, errors);
    }
    members::check(item, errors);
    header::check(&item.fields, errors);
}
