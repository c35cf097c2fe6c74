//! What a server offers, wherever that is known from: a file, a revision of it, a package, or the server itself.

mod definitions;
mod locator;

mod git;
mod live;
mod saved;

mod load;

pub(crate) use definitions::{DefinitionsError, Entries, ServerDefinitions};
pub(crate) use load::{LoadedDocument, load, load_documents};
pub(crate) use locator::{SOURCES, Source, SourceArgs, help_with_sources};
