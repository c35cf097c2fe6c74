//! `cargo mcp docs`: prints the documentation for agents, from the definitions of the manifest.

use clap::Args;
use toolwright_core::docs;

use crate::error::Error;
use crate::exit::Exit;
use crate::export::{feature_lines, feature_pages};
use crate::flags::ToolsArgs;
use crate::packages::Document;
use crate::shell::{self, Shell};
use crate::source::{self, SourceArgs, help_with_sources};

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    #[command(flatten)]
    pub(crate) from: SourceArgs,
    /// Print names and descriptions only, one line each
    #[arg(long)]
    pub(crate) simple: bool,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
}

impl DocsArgs {
    /// What `--help` shows below the flags.
    pub(crate) fn help() -> String {
        help_with_sources(Self::EXAMPLES)
    }

    const EXAMPLES: &str = "\
Examples:
  cargo mcp docs > TOOLS.md                whole pages
  cargo mcp docs -p shop --simple          one line each
  cargo mcp docs http://localhost:8080/mcp a running server
  cargo mcp docs --context orders/42       the tools of one place";
}

/// Runs the command. Servers are sorted by name.
///
/// # Errors
/// Any [`Error`]; its exit code is [`Exit::from`] it.
pub(crate) fn run(args: DocsArgs, shell: Shell) -> Result<Exit, Error> {
    let DocsArgs { from, simple: is_simple, mut tools } = args;
    let loaded = source::load_documents(from.source(), &mut tools, shell)?;
    let documents: Vec<Document> = loaded.into_iter().map(|loaded| loaded.document).collect();
    shell::print(&if is_simple { simple(&documents) } else { full(&documents) })?;
    Ok(Exit::Ok)
}

fn simple(documents: &[Document]) -> String {
    let one =
        |document: &Document| docs::simple(&document.manifest.tools) + &feature_lines(&document.manifest);
    documents.iter().map(one).collect()
}

fn full(documents: &[Document]) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    let tools = tools.map(docs::full).collect::<Vec<_>>().join("\n");
    let features: String = documents.iter().map(|document| feature_pages(&document.manifest)).collect();
    // Sections are separated by a blank line.
    if tools.is_empty() { features.trim_start().to_owned() } else { tools + &features }
}
