//! The forms of `cargo mcp manifest --format` besides the manifest itself, each made from it.
//!
//! A form that cannot hold everything says what it leaves out: a [`Loss`] is something that decides which calls are
//! accepted, or that a model reads. What belongs to clients alone (titles, hints, icons, `_meta`, the output schema) has
//! no place in the forms of model providers and is no loss.

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

/// The text of a form, and what it could not hold.
#[derive(Debug)]
pub(crate) struct Exported {
    pub(crate) text: String,
    pub(crate) losses: Vec<Loss>,
}

/// The documents in this form; nothing for the one that is the manifest itself.
pub(crate) fn export(documents: &[Document], format: Format) -> Option<Exported> {
    let mut losses = Losses::default();
    let text = match format {
        Format::Mcp => return None,
        Format::Jsonl => lines(documents),
        Format::Openai => openai::tools(documents, &mut losses),
        Format::OpenaiStrict => openai::strict_tools(documents, &mut losses),
        Format::Anthropic => anthropic::tools(documents, &mut losses),
        Format::Gemini => gemini::tools(documents, &mut losses),
        Format::Openapi => joined(documents, |document| openapi::document(document, &mut losses)),
        Format::ServerJson => joined(documents, |document| server_json::document(document, &mut losses)),
        Format::Mcpb => joined(documents, |document| mcpb::document(document, &mut losses)),
        Format::Markdown => markdown::page(documents, &mut losses),
        Format::Html => html::page(documents, &mut losses),
        Format::Typescript => typescript::module(documents, &mut losses),
    };
    if format.holds_tools_only() {
        add_lost_lists(documents, &mut losses);
    }
    Some(Exported { text, losses: losses.into_list() })
}

/// Lists prompts, resources and templates for a form of tools: what a reader of it never hears of.
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
                    format!("the form holds tools only, so {are} left out"),
                );
            }
        }
    }
}

/// One tool definition a line.
fn lines(documents: &[Document]) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    tools.map(|tool| serde_json::json!(tool).to_string() + "\n").collect()
}

/// For forms of which a file holds one.
fn joined(documents: &[Document], one: impl FnMut(&Document) -> serde_json::Value) -> String {
    documents.iter().map(one).map(|document| pretty(&document)).collect()
}

/// Two spaces a level and one newline at the end, as the manifest has it.
fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
