//! The export formats of `cargo mcp manifest --format`, each generated from the manifest.
//!
//! A format that cannot express everything lists its omissions: a [`Loss`] is a part that affects which calls are accepted,
//! or that a model reads. Parts for clients only (titles, hints, icons, `_meta`, the output schema) are not supported by the
//! formats of model APIs, and their omission is not a loss.

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

/// An export, with the parts that its format cannot express.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) text: String,
    pub(crate) losses: Vec<Loss>,
}

/// Exports the documents; returns `None` for the format of the manifest itself.
pub(crate) fn export(documents: &[Document], format: Format) -> Option<Export> {
    let mut losses = Losses::default();
    let text = match format {
        Format::Mcp => return None,
        Format::Jsonl => write_records(documents),
        Format::Openai => convert_tools(ModelApi::OpenAi, documents, &mut losses),
        Format::OpenaiStrict => convert_tools(ModelApi::OpenAiStrict, documents, &mut losses),
        Format::Anthropic => convert_tools(ModelApi::Anthropic, documents, &mut losses),
        Format::Gemini => convert_tools(ModelApi::Gemini, documents, &mut losses),
        Format::Openapi => join(documents, |document| openapi::convert(document, &mut losses)),
        Format::ServerJson => join(documents, |document| server_json::convert(document, &mut losses)),
        Format::Mcpb => join(documents, |document| mcpb::convert(document, &mut losses)),
        Format::Markdown => markdown::render(documents, &mut losses),
        Format::Html => html::render(documents, &mut losses),
        Format::Typescript => typescript::render(documents, &mut losses),
    };
    if format.supports_only_tools() {
        add_lost_lists(documents, &mut losses);
    }
    Some(Export { text, losses: losses.into_list() })
}

/// Lists the prompts, resources and templates that a format for tools omits.
fn add_lost_lists(documents: &[Document], losses: &mut Losses) {
    for document in documents {
        for kind in Kind::FEATURES {
            let count = document.manifest.entries(kind).map_or(0, |entries| entries.len());
            if count > 0 {
                let omitted =
                    if count == 1 { format!("1 {} is", kind.one()) } else { format!("{count} {kind} are") };
                losses.add(
                    None,
                    format!("/{}", kind.member()),
                    format!("the format only supports tools, so {omitted} omitted"),
                );
            }
        }
    }
}

/// Writes one tool record per line: of a server that was queried, or of commands.
fn write_records(documents: &[Document]) -> String {
    let tools = documents
        .iter()
        .flat_map(|document| document.manifest.tools.iter().map(move |tool| (document, tool)));
    let record = |(document, tool): (&Document, _)| match &document.sources.server_uri {
        Some(uri) => ToolValue::from(McpTool::from_definition(uri, tool)),
        None => ToolValue::from(CommandTool::from_definition(Some(document.server()), tool)),
    };
    tools.map(|tool| record(tool).to_json() + "\n").collect()
}

/// Converts the tools for a model API.
fn convert_tools(api: ModelApi, documents: &[Document], losses: &mut Losses) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    pretty(&api.tools(tools, losses))
}

/// Joins the documents of a format with one server per file.
fn join(documents: &[Document], convert: impl FnMut(&Document) -> serde_json::Value) -> String {
    documents.iter().map(convert).map(|document| pretty(&document)).collect()
}

/// Formats JSON like the manifest: two spaces per level, and a newline at the end.
fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
