//! Rules that derived code asks the compiler to check: about types, which a derive cannot see, and about the
//! tools of a set.
//!
//! Each `expect_…` function is evaluated in a constant and panics if a rule is broken. This is a compile error
//! at the location of the call, with the panic message.

mod advice;
mod field;
mod kind;
mod set;
mod text;

pub use advice::{
    DescribedField, FieldType, FutureOfOtherState, HandlerFuture, OtherField, OtherFuture, OtherPart,
    OtherState, SendFuture, SharedState, State,
};
pub use field::{
    expect_example, expect_header, expect_list, expect_no_keys, expect_number, expect_object, expect_string,
    expect_text,
};
pub use kind::{Kind, KindOf, UnknownKind};
pub use set::{Claim, NoTool, Slot, expect_free_arguments, expect_free_name, expect_other_name, expect_tool};

use crate::link::{LinkedFeatures, LinkedTool, LinkedToolset, ServerOf};
use crate::manifest::{Kind as ListKind, entry};
use crate::prompt::TypedPrompt;
use crate::resource::{ResourceDefinition, TypedResource, is_template};
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

/// Creates the registration of a prompt.
pub const fn linked_prompt<P: TypedPrompt>() -> LinkedFeatures {
    LinkedFeatures {
        name: P::NAME,
        package: P::PACKAGE,
        source: P::METADATA.source,
        server: None,
        kind: ListKind::Prompts,
        entries: || vec![entry(&P::definition())],
        is_derived: true,
    }
}

/// Creates the registration of a resource or a resource template.
pub const fn linked_resource<R: TypedResource>() -> LinkedFeatures {
    LinkedFeatures {
        name: R::URI,
        package: R::PACKAGE,
        source: R::METADATA.source,
        server: None,
        kind: if is_template(R::URI) { ListKind::ResourceTemplates } else { ListKind::Resources },
        entries: || match R::definition() {
            ResourceDefinition::Resource(resource) => vec![entry(&resource)],
            ResourceDefinition::Template(template) => vec![entry(&template)],
        },
        is_derived: true,
    }
}

/// Registers a derived prompt or resource for the server that offers it.
pub const fn offered(features: LinkedFeatures, server: ServerOf) -> LinkedFeatures {
    LinkedFeatures { server: Some(server), ..features }
}
