//! The section of a tool.

use std::fmt::Write as _;

use toolwright_agent::model_api::Losses;
use toolwright_core::arguments;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::docs::markdown::json_block;

use super::calls::{self, Address, Call};
use super::{Page, Section, fields, hints};
use crate::export::reference::{DescribedTool, describe};
use crate::packages::Document;

/// The most nested lines of arguments, and of results, that are unfolded.
const UNFOLDED_ARGUMENTS: usize = 24;
const UNFOLDED_RESULTS: usize = 4;

pub(super) fn add(
    page: &mut Page,
    document: &Document,
    tool: &ToolDefinition,
    address: &Address,
    losses: &mut Losses,
) {
    let DescribedTool { tool, title, description, parameters, result } = describe(tool, losses);
    let anchor = page.anchors.of(&document.manifest.server.name, &tool.name);
    let class = (hints::danger(tool) == hints::Danger::Stated).then_some("destructive");
    let section =
        Section { anchor: &anchor, name: &tool.name, title, kind: "Tool", class, mark: &hints::mark(tool) };
    page.open_section(&section);
    hints::write(&mut page.main, tool);
    page.add_description(description);
    if parameters.is_empty() {
        page.main.push_str("<p class=\"none\">No parameters.</p>\n");
    }
    fields::write(&mut page.main, "Parameters", &parameters, UNFOLDED_ARGUMENTS);
    calls::write(&mut page.main, &Call::Tool(tool), address, &anchor);
    fields::write(&mut page.main, "Result", &result, UNFOLDED_RESULTS);
    if let Some(schema) = tool.output_schema.as_ref().filter(|_| !result.is_empty()) {
        // Writing to a string cannot fail.
        _ = writeln!(
            page.main,
            "<details>\n<summary>Example of a result</summary>\n{}</details>",
            calls::block("result", &json_block(&arguments::example(schema)))
        );
    }
    page.close_section();
}
