//! What derived code asks the compiler: rules about types, which a derive cannot see, and about the tools of a set
//! together.
//!
//! Each `expect_…` function is called in a constant and panics where a rule is broken: that is a compile error at
//! the place of the call, with the panic's text.

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

/// The arguments of a type that the derive has refused. There are none, so that nothing else about the type is
/// reported.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
pub enum Refused {}

/// The registration of a tool.
pub const fn linked_tool<T: Tool>() -> LinkedTool {
    LinkedTool {
        name: T::NAME,
        package: T::PACKAGE,
        source: T::METADATA.source,
        fields: T::FIELD_SOURCES,
        definition: T::definition,
    }
}

/// The registration of a toolset.
pub const fn linked_toolset<T: Toolset>(source: SourceLocation) -> LinkedToolset {
    LinkedToolset { package: T::PACKAGE, metadata: T::METADATA, source, definitions: definitions_of::<T> }
}
