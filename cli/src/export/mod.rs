//! The export formats of `cargo mcp manifest --format`, each made from the manifest.
//!
//! A format that cannot express everything lists what it leaves out: a [`Loss`] is something that decides which calls are
//! accepted, or that a model reads. What belongs to clients alone (titles, hints, icons, `_meta`, the output schema) has
//! no place in the formats of model providers and is not a loss.

mod format;

mod bounds;
mod loss;
mod merge;
mod walk;

mod features;
mod reference;

mod anthropic;
mod gemini;
mod openai;

mod mcpb;
mod openapi;
mod server_json;

mod html;
mod markdown;
mod typescript;

#[cfg(test)]
mod tests;

use toolwright_core::manifest::Kind;

use crate::packages::Document;

pub(crate) use features::{lines as feature_lines, markdown as feature_pages};
pub(crate) use format::Format;
pub(crate) use loss::Loss;
use loss::Losses;

/// An export, and what its format could not express.
#[derive(Debug)]
pub(crate) struct Exported {
    pub(crate) text: String,
    pub(crate) losses: Vec<Loss>,
}

/// Exports the documents; `None` for the format that is the manifest itself.
pub(crate) fn export(documents: &[Document], format: Format) -> Option<Exported> {
    let mut losses = Losses::default();
    let text = match format {
        Format::Mcp => return None,
        Format::Jsonl => lines(documents),
        Format::Openai => openai::tools(documents, &mut losses),
        Format::OpenaiStrict => openai::strict_tools(documents, &mut losses),
        Format::Anthropic => anthropic::tools(documents, &mut losses),
        Format::Gemini => gemini::tools(documents, &mut losses),
        Format::Openapi => join(documents, |document| openapi::document(document, &mut losses)),
        Format::ServerJson => join(documents, |document| server_json::document(document, &mut losses)),
        Format::Mcpb => join(documents, |document| mcpb::document(document, &mut losses)),
        Format::Markdown => markdown::page(documents, &mut losses),
        Format::Html => html::page(documents, &mut losses),
        Format::Typescript => typescript::module(documents, &mut losses),
    };
    if format.holds_tools_only() {
        add_lost_lists(documents, &mut losses);
    }
    Some(Exported { text, losses: losses.into_list() })
}

/// Lists the prompts, resources and templates that a format of tools leaves out.
fn add_lost_lists(documents: &[Document], losses: &mut Losses) {
    for document in documents {
        for kind in Kind::FEATURES {
            let count = document.manifest.entries(kind).map_or(0, |entries| entries.len());
            if count > 0 {
                let are =
                    if count == 1 { format!("1 {} is", kind.one()) } else { format!("{count} {kind} are") };
                losses.add(
                    None,
                    format!("/{}", kind.member()),
                    format!("the format holds tools only, so {are} left out"),
                );
            }
        }
    }
}

/// One tool definition per line.
fn lines(documents: &[Document]) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    tools.map(|tool| serde_json::json!(tool).to_string() + "\n").collect()
}

/// For formats that hold one server per file.
fn join(documents: &[Document], one: impl FnMut(&Document) -> serde_json::Value) -> String {
    documents.iter().map(one).map(|document| pretty(&document)).collect()
}

/// Indents by two spaces per level and ends with a newline, as the manifest.
fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
