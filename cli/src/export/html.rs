//! A reference page of the tools in one file: no scripts, styles or fonts from elsewhere.

use std::fmt::Write as _;

use toolwright_core::arguments;
use toolwright_core::definition::ToolDefinition;

use super::reference::{Row, hints, rows};
use crate::packages::Document;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/search.js");

// Writing to a string cannot fail.

pub(super) fn page(documents: &[Document]) -> String {
    let servers: Vec<_> = documents.iter().map(|document| &document.manifest.server).collect();
    let titles: Vec<_> =
        servers.iter().map(|server| escaped(server.title.as_ref().unwrap_or(&server.name))).collect();
    let title = titles.join(", ");
    let mut menu = String::new();
    let mut main = String::new();
    for (document, title) in documents.iter().zip(&titles) {
        let manifest = &document.manifest;
        let server = &manifest.server;
        _ = writeln!(
            main,
            "<header><h1>{title}</h1><p class=\"version\">{} {}</p>",
            escaped(&server.name),
            escaped(&server.version)
        );
        if let Some(instructions) = &manifest.instructions {
            _ = writeln!(main, "{}", paragraphs(instructions));
        }
        main.push_str("</header>\n");
        for tool in &manifest.tools {
            let anchor = anchor(&server.name, &tool.name);
            _ = writeln!(menu, "<li><a href=\"#{anchor}\">{}</a></li>", escaped(&tool.name));
            add_tool(&mut main, tool, &anchor);
        }
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<nav aria-label=\"Tools\">\n<input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search \
         the tools\">\n<ul>\n{menu}</ul>\n</nav>\n<main>\n{main}<p id=\"nothing\" hidden>No tool fits.</p>\n</main>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn add_tool(text: &mut String, tool: &ToolDefinition, anchor: &str) {
    _ = writeln!(
        text,
        "<section id=\"{anchor}\">\n<h2><a href=\"#{anchor}\">{}</a></h2>",
        escaped(&tool.name)
    );
    if let Some(title) = &tool.title {
        _ = writeln!(text, "<p class=\"title\">{}</p>", escaped(title));
    }
    let hints = hints(tool);
    if !hints.is_empty() {
        let marks = hints.iter().map(|hint| format!("<span>{hint}</span>"));
        _ = writeln!(text, "<p class=\"hints\">{}</p>", marks.collect::<Vec<_>>().join(" "));
    }
    if let Some(description) = &tool.description {
        _ = writeln!(text, "{}", paragraphs(description));
    }
    table(text, "Parameters", &rows(&tool.input_schema));
    let example = format!("{:#}", arguments::example(&tool.input_schema));
    _ = writeln!(text, "<h3>Example</h3>\n<pre><code>{}</code></pre>", escaped(&example));
    if let Some(output) = &tool.output_schema {
        table(text, "Result", &rows(output));
    }
    text.push_str("</section>\n");
}

fn table(text: &mut String, heading: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    _ = writeln!(
        text,
        "<h3>{heading}</h3>\n<table>\n<thead><tr><th>Name</th><th>Type</th><th>What it is</th></tr></thead>\n<tbody>"
    );
    for row in rows {
        let required = if row.is_required { " <em>required</em>" } else { "" };
        let rules: Vec<_> = row.rules.iter().map(|rule| format!("<code>{}</code>", escaped(rule))).collect();
        _ = writeln!(
            text,
            "<tr><td><code>{}</code>{required}</td><td>{}</td><td>{} {}</td></tr>",
            escaped(&row.path),
            escaped(&row.kind),
            escaped(&row.description),
            rules.join(" ")
        );
    }
    text.push_str("</tbody>\n</table>\n");
}

fn paragraphs(text: &str) -> String {
    let paragraphs = text.trim().split("\n\n").map(|paragraph| format!("<p>{}</p>", escaped(paragraph)));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// An id without the characters that an address would escape.
fn anchor(server: &str, tool: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars()
            .map(|one| if one.is_ascii_alphanumeric() || "_-.".contains(one) { one } else { '-' })
            .collect()
    };
    format!("{}--{}", plain(server), plain(tool))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
