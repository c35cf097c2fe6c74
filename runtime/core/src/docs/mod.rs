//! Tool documentation for agents in two levels of detail, and a filter for simple parameter types.
//!
//! Both are generated from the definition that clients receive, so they cannot disagree with it.

pub mod markdown;
pub mod outline;
mod simple_types;

use std::fmt::Write as _;

use crate::arguments;
use crate::definition::ToolDefinition;
use crate::manifest::visible;
use markdown::code;
use outline::{Label, Line, Phrase};

pub use simple_types::{ComplexParameter, Filtered, OnComplex, SimpleTypes};

/// Maximum length of a description in [`simple`], in characters.
pub const SIMPLE_DESCRIPTION_LIMIT: usize = 200;

/// Lists names and descriptions, one line per tool, for an agent that chooses a tool but does not fill in its
/// parameters.
///
/// The description is the first paragraph, truncated to [`SIMPLE_DESCRIPTION_LIMIT`] characters, or else the
/// title. A thousand tools take a thousand lines of bounded length, regardless of their schemas.
pub fn simple(tools: &[ToolDefinition]) -> String {
    let mut text = String::new();
    for tool in tools {
        text.push_str(&visible(&tool.name));
        if let Some(description) = tool.description.as_ref().or(tool.title.as_ref()) {
            text.push_str(": ");
            text.push_str(&first_paragraph(description));
        }
        text.push('\n');
    }
    text
}

/// Returns the first paragraph on one line, truncated at a word boundary.
fn first_paragraph(description: &str) -> String {
    let paragraph = description.trim().split("\n\n").next().unwrap_or_default();
    let line = visible(&paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let Some((end, _)) = line.char_indices().nth(SIMPLE_DESCRIPTION_LIMIT) else { return line };
    // Leaves room for the ellipsis.
    let last = line[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let cut = line[..last].rfind(' ').unwrap_or(last);
    format!("{}…", &line[..cut])
}

/// Documents everything that an agent needs to call the tool, as Markdown: title, description, hints, each
/// parameter with its type, constraints and examples, the variants of enums, and example arguments.
///
/// Strings of the definition cannot break the layout, see [`markdown`]. Nested and recursive types are
/// described within the limits of [`outline`].
pub fn full(tool: &ToolDefinition) -> String {
    let mut text = format!("## {}\n", markdown::line(&tool.name));
    // Writing to a string cannot fail.
    for part in [&tool.title, &tool.description].into_iter().flatten() {
        let _ = write!(text, "\n{}\n", markdown::paragraphs(part));
    }
    let hints = hints(tool);
    if !hints.is_empty() {
        let _ = write!(text, "\nHints: {}.\n", hints.join(", "));
    }
    let parameters = outline::outline(&tool.input_schema);
    if parameters.lines.is_empty() {
        text.push_str("\nNo parameters.\n");
    } else {
        text.push_str("\nParameters:\n\n");
    }
    for line in &parameters.lines {
        write_line(&mut text, line);
    }
    let example = markdown::json(&arguments::example(&tool.input_schema));
    let _ = write!(text, "\nExample of arguments: {}\n", code(&example));
    text
}

fn write_line(text: &mut String, line: &Line) {
    let kind = line.kind.markdown();
    let _ = write!(text, "{:indent$}- ", "", indent = line.depth * 2);
    let _ = match &line.label {
        Label::Member { name, is_required: true } => write!(text, "{} ({kind}, required)", code(name)),
        Label::Member { name, is_required: false } => write!(text, "{} ({kind}, optional)", code(name)),
        Label::Matching(pattern) => write!(text, "members that match {} ({kind})", code(pattern)),
        Label::Others => write!(text, "members of any other name ({kind})"),
        Label::Items => write!(text, "each item ({kind})"),
        Label::Item(number) => write!(text, "item {number} ({kind})"),
        Label::Variant { number, of } => write!(text, "variant {number} of {of} ({kind})"),
    };
    let description = Some(markdown::line(&line.description)).filter(|text| !text.is_empty());
    let parts: Vec<_> = description.into_iter().chain(line.rules.iter().map(Phrase::markdown)).collect();
    if !parts.is_empty() {
        let _ = write!(text, ": {}", parts.join("; "));
    }
    text.push('\n');
}

fn hints(tool: &ToolDefinition) -> Vec<&'static str> {
    let Some(annotations) = &tool.annotations else { return Vec::new() };
    let said = [
        (annotations.read_only_hint, "changes nothing", "changes data"),
        (annotations.destructive_hint, "may destroy or overwrite", "destroys nothing"),
        (
            annotations.idempotent_hint,
            "repeating it has no further effect",
            "repeating it has a further effect",
        ),
        (annotations.open_world_hint, "reaches beyond this server", "stays within this server"),
    ];
    said.into_iter().filter_map(|(hint, yes, no)| hint.map(|hint| if hint { yes } else { no })).collect()
}

#[cfg(test)]
mod tests;
