//! The definitions of a server from any source: a file, a Git revision, a package, or the running server.

mod definitions;
mod locator;

mod git;
mod live;
mod saved;

mod load;

pub(crate) use definitions::{DefinitionsError, Entries, ServerDefinitions};
pub(crate) use load::{LoadedDocument, load, load_documents};
pub(crate) use locator::{SOURCES, Source, SourceArgs, help_with_sources};
