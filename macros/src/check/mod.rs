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
mod shape;
mod text;
mod toolset;

use crate::errors::Errors;
use crate::model::Tool;

pub(crate) use toolset::toolset;

/// Reports every mistake of a tool.
pub(crate) fn tool(tool: &Tool<'_>, errors: &Errors) {
    shape::check(tool, errors);
    name::check(tool, errors);
    metadata::check(tool, errors);
    for field in &tool.fields {
        field::check(field, errors);
    }
    members::check(tool, errors);
    header::check(&tool.fields, errors);
}
