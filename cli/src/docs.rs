//! `cargo mcp docs`: the documentation for agents, from the definitions that the manifest shows.

use toolwright_core::docs;

use crate::args::DocsArgs;
use crate::error::Error;
use crate::exit::Exit;
use crate::offer;
use crate::packages::Document;
use crate::shell::{self, Shell};

/// Runs the command. The tools of several servers follow one another, in the order of the servers' names.
///
/// # Errors
/// Any [`Error`]; its exit code is [`Exit::from`] it.
pub(crate) fn run(args: DocsArgs, shell: Shell) -> Result<Exit, Error> {
    let DocsArgs { from, simple: is_simple, mut tools } = args;
    let found = offer::found(from.source(), &mut tools, shell)?;
    let documents: Vec<Document> = found.into_iter().map(|found| found.document).collect();
    shell::print(&if is_simple { simple(&documents) } else { full(&documents) })?;
    Ok(Exit::Ok)
}

fn simple(documents: &[Document]) -> String {
    documents.iter().map(|document| docs::simple(&document.manifest.tools)).collect()
}

fn full(documents: &[Document]) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    tools.map(docs::full).collect::<Vec<_>>().join("\n")
}
