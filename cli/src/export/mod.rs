//! The export formats of `cargo mcp manifest --format`, each made from the manifest.
//!
//! A format that cannot express everything lists what it leaves out: a [`Loss`] is something that decides which calls are
//! accepted, or that a model reads. What belongs to clients alone (titles, hints, icons, `_meta`, the output schema) has
//! no place in the formats of model providers and is not a loss.

mod format;

mod features;
mod reference;

mod mcpb;
mod openapi;
mod server_json;

mod html;
mod markdown;
mod typescript;

#[cfg(test)]
mod tests;

use toolwright_agent::model_api::{Loss, Losses, ModelApi};
use toolwright_agent::value::{CommandTool, McpTool, ToolValue};
use toolwright_core::manifest::Kind;

use crate::packages::Document;

pub(crate) use features::{lines as feature_lines, markdown as feature_pages};
pub(crate) use format::Format;

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
        Format::Openai => tools(ModelApi::OpenAi, documents, &mut losses),
        Format::OpenaiStrict => tools(ModelApi::OpenAiStrict, documents, &mut losses),
        Format::Anthropic => tools(ModelApi::Anthropic, documents, &mut losses),
        Format::Gemini => tools(ModelApi::Gemini, documents, &mut losses),
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

/// One record of a tool per line: of a server that was asked, or of commands.
fn lines(documents: &[Document]) -> String {
    let tools = documents
        .iter()
        .flat_map(|document| document.manifest.tools.iter().map(move |tool| (document, tool)));
    let value = |(document, tool): (&Document, _)| match &document.sources.server_uri {
        Some(uri) => ToolValue::from(McpTool::from_definition(uri, tool)),
        None => ToolValue::from(CommandTool::from_definition(Some(document.server()), tool)),
    };
    tools.map(|tool| value(tool).to_json() + "\n").collect()
}

/// For the forms of model providers.
fn tools(api: ModelApi, documents: &[Document], losses: &mut Losses) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    pretty(&api.tools(tools, losses))
}

/// For formats that hold one server per file.
fn join(documents: &[Document], one: impl FnMut(&Document) -> serde_json::Value) -> String {
    documents.iter().map(one).map(|document| pretty(&document)).collect()
}

/// Indents by two spaces per level and ends with a newline, as the manifest.
fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
