//! A reference page of the tools, as Markdown. Strings of definitions cannot break the layout:
//! see [`toolwright_core::docs::markdown`].

use std::collections::HashMap;
use std::fmt::Write as _;

use toolwright_agent::model_api::Losses;
use toolwright_core::arguments;
use toolwright_core::docs::markdown::{code, code_in_cell, json_block, line, line_in_cell, paragraphs};
use toolwright_core::docs::outline::Line;

use super::features;
use super::reference::{DescribedTool, describe, hints, note, path};
use crate::packages::Document;

pub(super) fn render(documents: &[Document], losses: &mut Losses) -> String {
    let mut anchors = Anchors::default();
    let servers = documents.iter().map(|document| render_server(document, &mut anchors, losses));
    servers.collect::<Vec<_>>().join("\n")
}

// Writing to a string cannot fail.

fn render_server(document: &Document, anchors: &mut Anchors, losses: &mut Losses) -> String {
    let manifest = &document.manifest;
    let server = &manifest.server;
    let title = losses.text(None, "/server/title", server.title.as_deref()).unwrap_or(&server.name);
    let mut text = format!("# {}\n\n{} {}\n", line(title), code(&server.name), line(&server.version));
    if let Some(instructions) = losses.text(None, "/instructions", manifest.instructions.as_deref()) {
        _ = write!(text, "\n{}\n", paragraphs(instructions));
    }
    let tools: Vec<_> = manifest.tools.iter().map(|tool| describe(tool, losses)).collect();
    text.push_str("\n| tool | what it does | hints |\n|---|---|---|\n");
    anchors.of(title);
    for tool in &tools {
        let name = &tool.tool.name;
        let anchor = anchors.of(name);
        for (heading, lines) in tables(tool) {
            if !lines.is_empty() {
                anchors.of(heading);
            }
        }
        let summary = first_sentence(tool.description.unwrap_or_default());
        let (name, summary) = (code_in_cell(name), line_in_cell(&summary));
        _ = writeln!(text, "| [{name}](#{anchor}) | {summary} | {} |", hints(tool.tool).join(", "));
    }
    for tool in &tools {
        add_tool(&mut text, tool);
    }
    text + &features::markdown(manifest)
}

fn add_tool(text: &mut String, described: &DescribedTool<'_>) {
    let tool = described.tool;
    _ = write!(text, "\n## {}\n", line(&tool.name));
    if let Some(title) = described.title {
        _ = write!(text, "\n**{}**\n", line(title));
    }
    if let Some(description) = described.description {
        _ = write!(text, "\n{}\n", paragraphs(description));
    }
    let hints = hints(tool);
    if !hints.is_empty() {
        _ = write!(text, "\nHints: {}.\n", hints.join(", "));
    }
    let [(parameters, rows), (result, result_rows)] = tables(described);
    write_table(text, parameters, rows);
    let example = json_block(&arguments::example(&tool.input_schema));
    _ = write!(text, "\nExample:\n\n```json\n{example}\n```\n");
    write_table(text, result, result_rows);
}

fn tables<'d>(described: &'d DescribedTool<'_>) -> [(&'static str, &'d [Line]); 2] {
    [("Parameters", &described.parameters), ("Result", &described.result)]
}

fn write_table(text: &mut String, heading: &str, lines: &[Line]) {
    if lines.is_empty() {
        return;
    }
    _ = write!(text, "\n### {heading}\n\n| name | type | what it is |\n|---|---|---|\n");
    for row in lines {
        let path = path(row);
        let name = if path.is_empty() { String::new() } else { code_in_cell(&path) };
        let name = match (name.as_str(), note(row)) {
            (name, note) if note.is_empty() => name.to_owned(),
            ("", note) => note,
            (name, note) => format!("{name} ({note})"),
        };
        let description = Some(line_in_cell(&row.description)).filter(|text| !text.is_empty());
        let rules = row.rules.iter().map(|rule| rule.render_with(code_in_cell));
        let about: Vec<_> = description.into_iter().chain(rules).collect();
        _ = writeln!(text, "| {name} | {} | {} |", row.kind.render_with(code_in_cell), about.join("; "));
    }
}

/// Anchors of headings as GitHub generates them from the text, with a number for duplicates.
#[derive(Debug, Default)]
struct Anchors(HashMap<String, usize>);

impl Anchors {
    /// Returns the anchor of the next heading on the page.
    fn of(&mut self, heading: &str) -> String {
        let kept = heading.chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
        let anchor: String =
            kept.flat_map(char::to_lowercase).map(|one| if one == ' ' { '-' } else { one }).collect();
        let before = self.0.entry(anchor.clone()).or_insert(0);
        *before += 1;
        if *before == 1 { anchor } else { format!("{anchor}-{}", *before - 1) }
    }
}

fn first_sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.find(". ") {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}
