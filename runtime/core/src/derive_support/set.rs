//! The tools of a set, and the rules between them.

use std::marker::PhantomData;

use serde_json::value::RawValue;

use super::text::{Text, refuse, same};
use crate::protocol::ToolDefinition;
use crate::tool::{self, FieldMetadata, Tool};
use crate::toolset::DecodeError;

/// The type of a variant is a tool.
pub const fn expect_tool<T: Tool>() {}

/// A variant's tool, as far as it is one: `Slot::<T>::NAMES` and the rest are of `T` where `T` is a tool, and of
/// [`NoTool`] otherwise, so that [`expect_tool`] is the only one to complain.
#[derive(Debug)]
pub struct Slot<T>(PhantomData<T>);

impl<T: Tool> Slot<T> {
    /// The names that call the tool.
    pub const NAMES: Names = Names { now: T::NAME, was: T::METADATA.was };
    /// The names of its arguments.
    pub const ARGUMENT_NAMES: &'static [&'static str] = T::ARGUMENT_NAMES;

    /// Whether its fields have keys of their own, which another tool would leave aside.
    pub const HAS_KEYS: bool = have_keys(T::METADATA.fields);

    /// Adds the tool's definition.
    pub fn define(definitions: &mut Vec<ToolDefinition>) {
        definitions.push(T::definition());
    }

    /// Reads the arguments, if `name` calls the tool.
    pub fn decode(name: &str, arguments: Option<&RawValue>) -> Option<Result<T, DecodeError>> {
        let called = name == T::NAME || T::METADATA.was.contains(&name);
        called.then(|| tool::decode::<T>(arguments).map_err(DecodeError::Arguments))
    }
}

/// What [`Slot`] offers for a type that is not a tool.
pub trait NoTool<T> {
    /// No name.
    const NAMES: Names = Names { now: "", was: &[] };
    /// No arguments.
    const ARGUMENT_NAMES: &'static [&'static str] = &[];

    /// No fields with keys.
    const HAS_KEYS: bool = false;

    /// Adds nothing.
    fn define(_: &mut Vec<ToolDefinition>) {}

    /// Reads nothing.
    fn decode(_: &str, _: Option<&RawValue>) -> Option<Result<T, DecodeError>> {
        None
    }
}

impl<T> NoTool<T> for Slot<T> {}

/// The names that call a tool.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// The present one; empty for a type that is not a tool.
    pub now: &'static str,
    /// The former ones.
    pub was: &'static [&'static str],
}

/// A variant of a toolset, for the rules between tools.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// The name of the variant.
    pub variant: &'static str,
    /// The names that call its tool.
    pub names: Names,
}

/// The variant at `index` claims no name that an earlier one has. Dispatch takes the first that matches, so the
/// later tool would never run.
#[track_caller]
pub const fn expect_free_name(claims: &[Claim], index: usize) {
    let later = claims[index];
    let mut earlier = 0;
    while earlier < index {
        let first = claims[earlier];
        if let Some(name) = common_name(first.names, later.names) {
            refuse(
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

/// No argument of a tool has the name of a parameter that `workflow` adds to all tools.
#[track_caller]
pub const fn expect_free_arguments(arguments: &[&str], variant: &str) {
    let mut index = 0;
    while index < arguments.len() {
        let name = arguments[index];
        if same(name, "command") || same(name, "workitem_path") {
            refuse(
                &Text::new("`workflow` adds the parameter `")
                    .and(name)
                    .and("` to every tool, and the tool of `")
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
        if field.secret || field.credential || !same(field.schema, "{}") {
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
    if same(first.now, later.now) || contains(first.was, later.now) {
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
        if same(names[index], name) {
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
    fn former_names_are_names() {
        let names = |now, was| Names { now, was };
        assert_eq!(common_name(names("a", &[]), names("a", &[])), Some("a"));
        assert_eq!(common_name(names("a", &["b"]), names("b", &[])), Some("b"));
        assert_eq!(common_name(names("a", &[]), names("b", &["a"])), Some("a"));
        assert_eq!(common_name(names("a", &["x", "y"]), names("b", &["z", "y"])), Some("y"));
        assert_eq!(common_name(names("a", &["c"]), names("b", &["d"])), None);
        assert_eq!(common_name(names("", &[]), names("", &[])), None, "neither is a tool");
    }
}
