//! Rules for the tools of a set.

use std::marker::PhantomData;

use serde_json::value::RawValue;

use super::text::{Text, equal, fail};
use crate::protocol::ToolDefinition;
use crate::tool::{self, FieldMetadata, Tool};
use crate::toolset::DecodeError;

/// Requires the type of a variant to be a tool.
pub const fn expect_tool<T: Tool>() {}

/// The tool of a variant. `Slot::<T>::NAMES` and the others are those of `T` if `T` is a tool, and those of
/// [`NoTool`] otherwise, so that only [`expect_tool`] reports an error.
#[derive(Debug)]
pub struct Slot<T>(PhantomData<T>);

impl<T: Tool> Slot<T> {
    /// The names that clients can call the tool by.
    pub const NAMES: Names = Names { now: T::NAME, was: T::METADATA.was };
    /// The names of its arguments.
    pub const ARGUMENT_NAMES: &'static [&'static str] = T::ARGUMENT_NAMES;

    /// Whether its fields have keys, which another tool would ignore.
    pub const HAS_KEYS: bool = have_keys(T::METADATA.fields);

    /// Adds the tool's definition.
    pub fn define(definitions: &mut Vec<ToolDefinition>) {
        definitions.push(T::definition());
    }

    /// Decodes the arguments, if `name` calls the tool.
    pub fn decode(name: &str, arguments: Option<&RawValue>) -> Option<Result<T, DecodeError>> {
        let called = name == T::NAME || T::METADATA.was.contains(&name);
        called.then(|| tool::decode::<T>(arguments).map_err(DecodeError::Arguments))
    }
}

/// The counterparts of [`Slot`] for a type that is not a tool.
pub trait NoTool<T> {
    /// No name.
    const NAMES: Names = Names { now: "", was: &[] };
    /// No arguments.
    const ARGUMENT_NAMES: &'static [&'static str] = &[];

    /// No fields with keys.
    const HAS_KEYS: bool = false;

    /// Does nothing.
    fn define(_: &mut Vec<ToolDefinition>) {}

    /// Returns `None`.
    fn decode(_: &str, _: Option<&RawValue>) -> Option<Result<T, DecodeError>> {
        None
    }
}

impl<T> NoTool<T> for Slot<T> {}

/// The names of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// The current name; empty for a type that is not a tool.
    pub now: &'static str,
    /// The former names.
    pub was: &'static [&'static str],
}

/// A variant of a toolset, for the checks between tools.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// The name of the variant.
    pub variant: &'static str,
    /// The names of its tool.
    pub names: Names,
}

/// Requires the variant at `index` to use no name of an earlier one. Dispatch takes the first match, so the
/// later tool would never run.
#[track_caller]
pub const fn expect_free_name(claims: &[Claim], index: usize) {
    let later = claims[index];
    let mut earlier = 0;
    while earlier < index {
        let first = claims[earlier];
        if let Some(name) = common_name(first.names, later.names) {
            fail(
                &Text::new("the tool name `")
                    .and(name)
                    .and("` is taken by the variant `")
                    .and(first.variant)
                    .and("`, so the tool of `")
                    .and(later.variant)
                    .and("` would never run; give one of the two another name with `#[mcp(name = \"…\")]`"),
            );
        }
        earlier += 1;
    }
}

/// Requires a prompt or resource, as `what` says, to have another name or address than the earlier ones of its server.
#[track_caller]
pub const fn expect_other_name(what: &str, earlier: &[&str], name: &str) {
    if contains(earlier, name) {
        fail(
            &Text::new("a ")
                .and(what)
                .and(" above is `")
                .and(name)
                .and("` as well, and clients could not tell them apart; change one of the two"),
        );
    }
}

/// Requires a tool to have no argument with the name of a parameter that `workflow` adds to all tools.
#[track_caller]
pub const fn expect_free_arguments(arguments: &[&str], variant: &str) {
    let mut index = 0;
    while index < arguments.len() {
        let name = arguments[index];
        if equal(name, "command") || equal(name, "workitem_path") {
            fail(
                &Text::new("`workflow` adds the parameter `")
                    .and(name)
                    .and("` to every tool, but the tool of `")
                    .and(variant)
                    .and("` has a field of that name; rename the field, or remove `workflow`"),
            );
        }
        index += 1;
    }
}

const fn have_keys(fields: &[FieldMetadata]) -> bool {
    let mut index = 0;
    while index < fields.len() {
        let field = &fields[index];
        if field.secret || field.credential || !equal(field.schema, "{}") {
            return true;
        }
        index += 1;
    }
    false
}

const fn common_name(first: Names, later: Names) -> Option<&'static str> {
    if first.now.is_empty() || later.now.is_empty() {
        return None;
    }
    if equal(first.now, later.now) || contains(first.was, later.now) {
        return Some(later.now);
    }
    if contains(later.was, first.now) {
        return Some(first.now);
    }
    let mut index = 0;
    while index < later.was.len() {
        if contains(first.was, later.was[index]) {
            return Some(later.was[index]);
        }
        index += 1;
    }
    None
}

const fn contains(names: &[&str], name: &str) -> bool {
    let mut index = 0;
    while index < names.len() {
        if equal(names[index], name) {
            return true;
        }
        index += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Names, common_name};

    #[test]
    fn former_names_are_compared_too() {
        let names = |now, was| Names { now, was };
        assert_eq!(common_name(names("a", &[]), names("a", &[])), Some("a"));
        assert_eq!(common_name(names("a", &["b"]), names("b", &[])), Some("b"));
        assert_eq!(common_name(names("a", &[]), names("b", &["a"])), Some("a"));
        assert_eq!(common_name(names("a", &["x", "y"]), names("b", &["z", "y"])), Some("y"));
        assert_eq!(common_name(names("a", &["c"]), names("b", &["d"])), None);
        assert_eq!(common_name(names("", &[]), names("", &[])), None, "neither is a tool");
    }
}
