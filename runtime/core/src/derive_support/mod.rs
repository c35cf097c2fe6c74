//! Rules that derived code asks the compiler to check: about types, which a derive cannot see, and about the
//! tools of a set.
//!
//! Each `expect_…` function is evaluated in a constant and panics if a rule is broken. This is a compile error
//! at the location of the call, with the panic message.

mod field;
mod kind;
mod set;
mod text;

pub use field::{
    expect_example, expect_header, expect_list, expect_no_keys, expect_number, expect_object, expect_text,
};
pub use kind::{Kind, KindOf, UnknownKind};
pub use set::{Claim, NoTool, Slot, expect_free_arguments, expect_free_name, expect_tool};

use crate::link::{LinkedTool, LinkedToolset};
use crate::tool::{SourceLocation, Tool};
use crate::toolset::{Toolset, definitions_of};

/// The arguments of a type that the derive has rejected. It has no values, so that nothing else about the type
/// is reported.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
pub enum Refused {}

/// Creates the registration of a tool.
pub const fn linked_tool<T: Tool>() -> LinkedTool {
    LinkedTool {
        name: T::NAME,
        package: T::PACKAGE,
        source: T::METADATA.source,
        fields: T::FIELD_SOURCES,
        definition: T::definition,
    }
}

/// Creates the registration of a toolset.
pub const fn linked_toolset<T: Toolset>(source: SourceLocation) -> LinkedToolset {
    LinkedToolset { package: T::PACKAGE, metadata: T::METADATA, source, definitions: definitions_of::<T> }
}
