//! Items that derived code names. Not part of the public API: they may change in any version.

pub use linkme;
pub use serde_json::value::RawValue;

pub use crate::definition::ToolDefinition;
pub use crate::derive_support::{
    Claim, DescribedField, FieldType, FutureOfOtherState, HandlerFuture, Kind, KindOf, NoTool, OtherField,
    OtherFuture, OtherPart, OtherState, Refused, SendFuture, SharedState, Slot, State, UnknownKind,
    expect_example, expect_free_arguments, expect_free_name, expect_header, expect_list, expect_no_keys,
    expect_number, expect_object, expect_other_name, expect_string, expect_text, expect_tool, linked_prompt,
    linked_resource, linked_tool, linked_toolset, offered,
};
pub use crate::link::{
    LinkedFeatures, LinkedTool, LinkedToolset, ServerOf, TOOLWRIGHT_FEATURES as FEATURES,
    TOOLWRIGHT_TOOLS as TOOLS, TOOLWRIGHT_TOOLSETS as TOOLSETS,
};
pub use crate::manifest::{Declare, Entry};
pub use crate::metadata::FeatureMetadata;
pub use crate::prompt::TypedPrompt;
pub use crate::resource::TypedResource;
pub use crate::tool::{
    DescribesArguments, FieldMetadata, FieldSource, Hints, InputShape, ReadsArguments, SourceLocation,
    TaskSupport, Tool, ToolMetadata, decode,
};
pub use crate::toolset::{DecodeError, Package, Toolset, ToolsetMetadata, definitions_of};

/// Without a server, prompts and resources have definitions only.
#[doc(hidden)]
#[macro_export]
macro_rules! __no_completions {
    ($($ignored:tt)*) => {};
}
pub use __no_completions as completions;

/// Returns the output schema; called for `output = Type`.
pub fn output_schema<T: crate::result::OutputData>() -> serde_json::Value {
    crate::schema::output::<T>(crate::schema::Profile::Portable)
}

/// Returns the list that the result of a declared function belongs to.
pub const fn kind_of<R: Declare, F: Fn() -> R>(_: &F) -> crate::manifest::Kind {
    R::KIND
}

/// Returns the entries of a declaration; called by `declare!`.
pub fn entries_of(declared: impl Declare) -> Vec<Entry> {
    declared.entries()
}
