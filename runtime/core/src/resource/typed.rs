//! Resources as types: structs with `#[derive(Resource)]`.

use serde::de::DeserializeOwned;

use super::{Resource, ResourceTemplate};
use crate::arguments::{StringArgumentsError, StringReader};
use crate::feature;
use crate::metadata::{FeatureMetadata, Package};
use crate::tool::{DescribesArguments, ReadsArguments};

/// A resource, or a family of resources with one URI template, as a struct whose fields are the variables of the
/// template.
///
/// Use `#[derive(Resource)]`, which implements all items. A template's struct also derives `serde::Deserialize` and
/// `schemars::JsonSchema`; a struct without fields, of a resource with one address, needs neither.
///
/// ```
/// use toolwright_core::resource::{ResourceDefinition, TypedResource};
/// use toolwright_macros::Resource;
///
/// /// A ticket with its comments.
/// #[derive(Resource, serde::Deserialize, schemars::JsonSchema)]
/// #[mcp(uri = "tickets://{id}", mime_type = "text/markdown")]
/// # #[mcp(crate = toolwright_core)]
/// struct Ticket {
///     id: i64,
/// }
///
/// let ResourceDefinition::Template(template) = Ticket::definition() else { panic!("it has a variable") };
/// assert_eq!(template.name, "ticket");
/// assert_eq!(template.description.as_deref(), Some("A ticket with its comments."));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "this type has no address",
    note = "put `#[derive(toolwright::Resource, serde::Deserialize, schemars::JsonSchema)]` and `#[mcp(uri = \"…\")]` on `{Self}`"
)]
pub trait TypedResource: Sized + Send + 'static {
    /// The type that the variables are read as: the type itself, or `()` for a struct without fields.
    type Variables: ReadsArguments + DescribesArguments + Into<Self>;

    /// The URI, or the URI template; unique per server.
    const URI: &'static str;

    /// The package of the derive.
    const PACKAGE: Package;

    /// The attributes of the struct and its fields.
    const METADATA: FeatureMetadata;

    /// Returns the definition for `resources/list` or `resources/templates/list`.
    fn definition() -> ResourceDefinition {
        if is_template(Self::URI) {
            ResourceDefinition::Template(described(&Self::METADATA, ResourceTemplate::description))
        } else {
            ResourceDefinition::Resource(described(&Self::METADATA, Resource::description))
        }
    }
}

/// Returns the reader of the variables of `R`; see [`StringReader::read`].
///
/// # Errors
/// [`StringArgumentsError`] if a string cannot stand for a field, or the schema cannot be enforced.
pub fn reader_of<R: TypedResource>() -> Result<StringReader, StringArgumentsError> {
    StringReader::with_fields::<<R::Variables as DescribesArguments>::Described>(R::METADATA.fields)
}

/// The definition of a [`TypedResource`].
#[derive(Debug, Clone, PartialEq)]
pub enum ResourceDefinition {
    /// A resource with one URI.
    Resource(Resource),
    /// All resources whose URIs match a template.
    Template(ResourceTemplate),
}

/// Returns whether a URI has variables.
pub const fn is_template(uri: &str) -> bool {
    let bytes = uri.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        if bytes[index] == b'{' {
            return true;
        }
        index += 1;
    }
    false
}

fn described<T: DeserializeOwned>(metadata: &FeatureMetadata, describe: fn(T, String) -> T) -> T {
    let definition = feature::parse_definition(metadata);
    match feature::description_of(metadata) {
        Some(description) => describe(definition, description),
        None => definition,
    }
}
