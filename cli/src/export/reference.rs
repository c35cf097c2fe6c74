//! The shared parts of reference pages: descriptions of tools, and what pages cannot show.

use toolwright_agent::model_api::Losses;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::docs::outline::{Label, Line, outline};
use toolwright_core::pointer::below;

/// A tool with its description for pages.
#[derive(Debug)]
pub(super) struct DescribedTool<'a> {
    pub(super) tool: &'a ToolDefinition,
    pub(super) title: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) parameters: Vec<Line>,
    /// The rows of the result; empty without an output schema.
    pub(super) result: Vec<Line>,
}

pub(super) fn describe<'a>(tool: &'a ToolDefinition, losses: &mut Losses) -> DescribedTool<'a> {
    let mut lines = |pointer: &str, schema: Option<&serde_json::Value>| {
        let outline = schema.map(outline).unwrap_or_default();
        for omitted in outline.omitted {
            losses.add(Some(&tool.name), format!("{pointer}{}", omitted.pointer), omitted.what);
        }
        outline.lines
    };
    let parameters = lines("/inputSchema", Some(&tool.input_schema));
    let result = lines("/outputSchema", tool.output_schema.as_ref());
    let mut text = |member: &str, text: &'a Option<String>| {
        losses.text(Some(&tool.name), &below("", member), text.as_deref())
    };
    let (title, description) = (text("title", &tool.title), text("description", &tool.description));
    DescribedTool { tool, title, description, parameters, result }
}

/// Returns the note of a row: `variant 1 of 3`, `required`.
pub(super) fn note(line: &Line) -> String {
    match &line.label {
        Label::Member { is_required: true, .. } => "required".to_owned(),
        Label::Others => "any other name".to_owned(),
        Label::Items => "each item".to_owned(),
        Label::Variant { number, of } => format!("variant {number} of {of}"),
        _ => String::new(),
    }
}

/// Returns the path of a row; for members with a pattern, the pattern instead of a name.
pub(super) fn path(line: &Line) -> String {
    match (&line.label, line.path.strip_suffix('*')) {
        (Label::Matching(pattern), Some(path)) => format!("{path}/{pattern}/"),
        _ => line.path.clone(),
    }
}

/// Describes the hints of a tool for people.
pub(super) fn hints(tool: &ToolDefinition) -> Vec<&'static str> {
    let Some(hints) = &tool.annotations else { return Vec::new() };
    [
        (hints.read_only_hint, "read-only", "writes"),
        (hints.destructive_hint, "destructive", "destroys nothing"),
        (hints.idempotent_hint, "idempotent", "not idempotent"),
        (hints.open_world_hint, "open world", "closed world"),
    ]
    .into_iter()
    .filter_map(|(hint, yes, no)| hint.map(|hint| if hint { yes } else { no }))
    .collect()
}
