//! The four kinds of definitions of a server, each with its list in the protocol.

use serde::Serialize;
use serde_json::Value;

use crate::protocol::{Prompt, Resource, ResourceTemplate};

pub use crate::protocol::{DefinitionMap as Entry, ListKind as Kind};

/// The return type of a function that `toolwright::declare!` adds to the manifest: a [`Prompt`], a
/// [`Resource`], a [`ResourceTemplate`], or a list of one of them, which may be empty.
///
/// ```
/// use toolwright_core::prompt::Prompt;
///
/// // Next to the server's code: `toolwright::declare!(fn prompts);`
/// fn prompts() -> Vec<Prompt> {
///     vec![Prompt::new("review").description("Asks for a review of a file.")]
/// }
/// # use toolwright_core::manifest::Declare;
/// # assert_eq!(prompts().entries().len(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be declared",
    label = "return a `Prompt`, a `Resource`, a `ResourceTemplate`, or a `Vec` of one of these"
)]
pub trait Declare {
    /// The list that the definitions belong to.
    const KIND: Kind;

    /// Returns the definitions in the form of the protocol.
    fn entries(self) -> Vec<Entry>;
}

impl Declare for Prompt {
    const KIND: Kind = Kind::Prompts;

    fn entries(self) -> Vec<Entry> {
        vec![entry(&self)]
    }
}

impl Declare for Resource {
    const KIND: Kind = Kind::Resources;

    fn entries(self) -> Vec<Entry> {
        vec![entry(&self)]
    }
}

impl Declare for ResourceTemplate {
    const KIND: Kind = Kind::ResourceTemplates;

    fn entries(self) -> Vec<Entry> {
        vec![entry(&self)]
    }
}

impl<T: Declare> Declare for Vec<T> {
    const KIND: Kind = T::KIND;

    fn entries(self) -> Vec<Entry> {
        self.into_iter().flat_map(T::entries).collect()
    }
}

/// Converts a prompt, resource or template to JSON.
pub fn entry(definition: &impl Serialize) -> Entry {
    match serde_json::json!(definition) {
        Value::Object(entry) => entry,
        _ => Entry::new(),
    }
}
