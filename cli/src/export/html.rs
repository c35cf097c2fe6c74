//! A reference page of the tools in one file: no scripts, styles or fonts from elsewhere.

use std::collections::HashMap;
use std::fmt::Write as _;

use toolwright_agent::model_api::Losses;
use toolwright_core::arguments;
use toolwright_core::docs::markdown::json_block;
use toolwright_core::docs::outline::{Label, Line, Phrase};
use toolwright_core::manifest::visible;

use super::features;
use super::reference::{DescribedTool, describe, hints, note, path};
use crate::packages::Document;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/search.js");

// Writing to a string cannot fail.

pub(super) fn render(documents: &[Document], losses: &mut Losses) -> String {
    let mut titles = Vec::new();
    let mut anchors = Anchors::default();
    let mut menu = String::new();
    let mut main = String::new();
    for document in documents {
        let manifest = &document.manifest;
        let server = &manifest.server;
        let title = losses.text(None, "/server/title", server.title.as_deref()).unwrap_or(&server.name);
        let title = one_line(title);
        _ = writeln!(
            main,
            "<header><h1>{title}</h1><p class=\"version\">{} {}</p>",
            one_line(&server.name),
            one_line(&server.version)
        );
        if let Some(instructions) = losses.text(None, "/instructions", manifest.instructions.as_deref()) {
            _ = writeln!(main, "{}", paragraphs(instructions));
        }
        main.push_str("</header>\n");
        for tool in &manifest.tools {
            let anchor = anchors.of(&server.name, &tool.name);
            _ = writeln!(menu, "<li><a href=\"#{anchor}\">{}</a></li>", one_line(&tool.name));
            add_tool(&mut main, &describe(tool, losses), &anchor);
        }
        features::html(&mut menu, &mut main, manifest);
        titles.push(title);
    }
    let title = titles.join(", ");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<nav aria-label=\"Tools\">\n<input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search \
         the tools\">\n<ul>\n{menu}</ul>\n</nav>\n<main>\n{main}<p id=\"nothing\" hidden>No tool fits.</p>\n</main>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn add_tool(text: &mut String, described: &DescribedTool<'_>, anchor: &str) {
    let tool = described.tool;
    _ = writeln!(
        text,
        "<section id=\"{anchor}\">\n<h2><a href=\"#{anchor}\">{}</a></h2>",
        one_line(&tool.name)
    );
    if let Some(title) = described.title {
        _ = writeln!(text, "<p class=\"title\">{}</p>", one_line(title));
    }
    let hints = hints(tool);
    if !hints.is_empty() {
        let marks = hints.iter().map(|hint| format!("<span>{hint}</span>"));
        _ = writeln!(text, "<p class=\"hints\">{}</p>", marks.collect::<Vec<_>>().join(" "));
    }
    if let Some(description) = described.description {
        _ = writeln!(text, "{}", paragraphs(description));
    }
    write_table(text, "Parameters", &described.parameters);
    let example = json_block(&arguments::example(&tool.input_schema));
    _ = writeln!(text, "<h3>Example</h3>\n<pre><code>{}</code></pre>", escape(&example));
    write_table(text, "Result", &described.result);
    text.push_str("</section>\n");
}

fn write_table(text: &mut String, heading: &str, lines: &[Line]) {
    if lines.is_empty() {
        return;
    }
    _ = writeln!(
        text,
        "<h3>{heading}</h3>\n<table>\n<thead><tr><th>Name</th><th>Type</th><th>What it is</th></tr></thead>\n<tbody>"
    );
    for line in lines {
        let class = if matches!(line.label, Label::Variant { .. }) { " class=\"variant\"" } else { "" };
        let path = path(line);
        let name = if path.is_empty() { String::new() } else { code(&path) };
        let note = Some(note(line)).filter(|note| !note.is_empty());
        let note = note.map_or_else(String::new, |note| format!(" <em>{note}</em>"));
        let rules: Vec<_> = line.rules.iter().map(|rule| format!("<span>{}</span>", phrase(rule))).collect();
        _ = writeln!(
            text,
            "<tr{class}><td>{name}{note}</td><td>{}</td><td>{} {}</td></tr>",
            phrase(&line.kind),
            one_line(&line.description),
            rules.join(" ")
        );
    }
    text.push_str("</tbody>\n</table>\n");
}

fn phrase(phrase: &Phrase) -> String {
    phrase.render_with(code)
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(&visible(text)))
}

fn paragraphs(text: &str) -> String {
    let paragraphs = text.trim().split("\n\n").map(|paragraph| format!("<p>{}</p>", escape(paragraph)));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// Unique ids of the tools.
#[derive(Debug, Default)]
struct Anchors(HashMap<String, usize>);

impl Anchors {
    /// Returns an id without characters that URLs would escape.
    fn of(&mut self, server: &str, tool: &str) -> String {
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "_-.".contains(one);
        let plain = |text: &str| -> String {
            text.chars().map(|one| if is_plain(one) { one } else { '-' }).collect()
        };
        let mut anchor = format!("{}--{}", plain(server), plain(tool));
        loop {
            let before = self.0.entry(anchor.clone()).or_insert(0);
            *before += 1;
            if *before == 1 {
                return anchor;
            }
            // Plain names contain no colon, so the result is unique.
            anchor = format!("{anchor}:{before}");
        }
    }
}

fn one_line(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Escapes text for HTML, including hidden characters.
fn escape(text: &str) -> String {
    let text = text.replace('\t', " ");
    let lines = text.split('\n').map(|line| visible(line.trim_end_matches('\r')));
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
