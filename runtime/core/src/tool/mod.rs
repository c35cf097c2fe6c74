//! The trait of tools.

pub mod definition;
mod read;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::protocol::ToolDefinition;

pub use crate::metadata::{
    FieldMetadata, FieldSource, Hints, InputShape, Package, SourceLocation, ToolMetadata,
};
pub use crate::protocol::TaskSupport;
pub use read::decode;

/// One tool: a struct whose fields are the tool's arguments.
///
/// Use `#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]`, which implements all items.
///
/// ```
/// use toolwright_core::tool::Tool;
/// use toolwright_macros::Tool;
///
/// /// Look up an order by its id.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// #[mcp(read_only)]
/// # #[mcp(crate = toolwright_core)]
/// struct GetOrder {
///     /// Order id: `#W` and seven digits.
///     order_id: String,
/// }
///
/// let definition = GetOrder::definition();
/// assert_eq!(definition.name, "get_order");
/// assert_eq!(definition.description.as_deref(), Some("Look up an order by its id."));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "this type has no tool definition",
    note = "put `#[derive(toolwright::Tool, serde::Deserialize, schemars::JsonSchema)]` on `{Self}`",
    note = "in a `#[handlers]` block, the method of a prompt has `#[prompt]`, and that of a resource `#[resource]`"
)]
pub trait Tool: Sized + Send + 'static {
    /// The type that serde deserializes and schemars describes: the type itself.
    ///
    /// An associated type instead of a supertrait, so that a missing derive is reported once, at the struct,
    /// and not again at each handler.
    type Arguments: ReadsArguments + DescribesArguments + Into<Self>;

    /// The name: 1 to 128 characters of `A-Z a-z 0-9 _ - .` (2026-07-28, server/tools "Tool Names").
    const NAME: &'static str;

    /// The names of the struct's own arguments, without those of flattened types.
    const ARGUMENT_NAMES: &'static [&'static str] = &[];

    /// The locations of the fields that callers can set, for command-line reports; not part of the definition.
    const FIELD_SOURCES: &'static [FieldSource] = &[];

    /// The package of the derive.
    const PACKAGE: Package;

    /// The attributes of the struct and its fields.
    const METADATA: ToolMetadata;

    /// Returns the definition for `tools/list`; it has an output schema only if `output = Type` is given.
    fn definition() -> ToolDefinition {
        definition::of::<Self>()
    }
}

/// Types that can be deserialized from JSON arguments. Implemented for every `serde::de::DeserializeOwned` type.
#[diagnostic::on_unimplemented(
    message = "the arguments of `{Self}` cannot be read from JSON",
    label = "`{Self}` does not implement `serde::Deserialize`",
    note = "add `serde::Deserialize` to the derives of `{Self}`; it owns its arguments, so write `String` rather than `&str`"
)]
pub trait ReadsArguments: Sized {
    /// The type itself. As a bound of the trait, the compiler would report serde's trait as well, in many lines.
    type Read: DeserializeOwned + Into<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> ReadsArguments for T {
    type Read = T;
}

/// Types that have a JSON Schema. Implemented for every `schemars::JsonSchema` type of schemars 1.
#[diagnostic::on_unimplemented(
    message = "the arguments of `{Self}` have no JSON Schema",
    label = "`{Self}` does not implement `schemars::JsonSchema`",
    note = "add `schemars::JsonSchema` to the derives of `{Self}`",
    note = "if it is derived already, the derive comes from another major version of schemars: Toolwright needs `schemars = \"1\"`"
)]
pub trait DescribesArguments {
    /// The type itself, for the reason that [`ReadsArguments::Read`] gives.
    type Described: JsonSchema;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> DescribesArguments for T {
    type Described = T;
}

/// The type that serde deserializes for the tool `T`.
pub type Read<T> = <<T as Tool>::Arguments as ReadsArguments>::Read;

/// The type that schemars describes for the tool `T`.
pub type Described<T> = <<T as Tool>::Arguments as DescribesArguments>::Described;
