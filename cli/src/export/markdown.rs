//! A reference page of the tools, as Markdown.

use std::fmt::Write as _;

use toolwright_core::arguments;
use toolwright_core::definition::ToolDefinition;

use super::reference::{Row, hints, rows};
use crate::packages::Document;

pub(super) fn page(documents: &[Document]) -> String {
    documents.iter().map(server).collect::<Vec<_>>().join("\n")
}

// Writing to a string cannot fail.

fn server(document: &Document) -> String {
    let manifest = &document.manifest;
    let title = manifest.server.title.as_ref().unwrap_or(&manifest.server.name);
    let mut text = format!("# {title}\n\n`{}` {}\n", manifest.server.name, manifest.server.version);
    if let Some(instructions) = &manifest.instructions {
        _ = write!(text, "\n{}\n", instructions.trim());
    }
    text.push_str("\n| tool | what it does | hints |\n|---|---|---|\n");
    for tool in &manifest.tools {
        let summary = first_sentence(tool.description.as_deref().unwrap_or_default());
        _ = writeln!(
            text,
            "| [`{0}`](#{0}) | {1} | {2} |",
            tool.name,
            cell(&summary),
            hints(tool).join(", ")
        );
    }
    for tool in &manifest.tools {
        add_tool(&mut text, tool);
    }
    text
}

fn add_tool(text: &mut String, tool: &ToolDefinition) {
    _ = write!(text, "\n## {}\n", tool.name);
    if let Some(title) = &tool.title {
        _ = write!(text, "\n**{title}**\n");
    }
    if let Some(description) = &tool.description {
        _ = write!(text, "\n{}\n", description.trim());
    }
    let hints = hints(tool);
    if !hints.is_empty() {
        _ = write!(text, "\nHints: {}.\n", hints.join(", "));
    }
    table(text, "Parameters", &rows(&tool.input_schema));
    _ = write!(text, "\nExample:\n\n```json\n{:#}\n```\n", arguments::example(&tool.input_schema));
    if let Some(output) = &tool.output_schema {
        table(text, "Result", &rows(output));
    }
}

fn table(text: &mut String, heading: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    _ = write!(text, "\n### {heading}\n\n| name | type | what it is |\n|---|---|---|\n");
    for row in rows {
        let required = if row.is_required { " (required)" } else { "" };
        let parts = std::iter::once(row.description.clone()).filter(|text| !text.is_empty());
        let parts: Vec<_> = parts.chain(row.rules.iter().map(|rule| format!("`{rule}`"))).collect();
        _ = writeln!(
            text,
            "| `{}`{required} | {} | {} |",
            row.path,
            cell(&row.kind),
            cell(&parts.join("; "))
        );
    }
}

/// Text for a cell of a table: on one line, without the sign that ends a cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn first_sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.find(". ") {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}
