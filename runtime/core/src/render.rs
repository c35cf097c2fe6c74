//! Renders results as text for a model.

use std::fmt::Write as _;

use crate::content::ContentBlock;
use crate::result::{StructuredContent, ToolResult};

/// Maximum number of characters of a rendered result: 25,000 tokens of four characters each, the limit of
/// common agents.
pub const LIMIT: usize = 100_000;

/// Renders the result of `tool` as text for a model.
///
/// Failures start with `error: `. Blocks other than text are rendered as one line each. If there are no blocks,
/// the structured content is rendered; an empty result is reported as such. Blocks beyond [`LIMIT`] characters
/// are omitted, and a longer first block is truncated; the text says so.
pub fn text(tool: &str, result: &ToolResult) -> String {
    parts(tool, result.is_error, &result.content, result.structured_content.as_ref())
}

/// Renders a result given by its parts.
pub fn parts(
    tool: &str,
    is_error: bool,
    content: &[ContentBlock],
    structured: Option<&StructuredContent>,
) -> String {
    let mut text = if is_error { "error: ".to_owned() } else { String::new() };
    // Writing to a string cannot fail.
    if content.is_empty() {
        let structured = structured.map(StructuredContent::as_text).unwrap_or_default();
        if structured.is_empty() && is_error {
            text.push_str("the tool failed and gave no reason");
        } else if structured.is_empty() {
            _ = write!(text, "({tool} returned nothing)");
        } else {
            push_cut(&mut text, &structured);
        }
        return text;
    }
    let mut left = LIMIT;
    for (index, block) in content.iter().enumerate() {
        let shown = block.to_text();
        let length = shown.chars().count();
        if index > 0 && length > left {
            _ = write!(text, "\n\n[{} more blocks omitted: too long]", content.len() - index);
            break;
        }
        if index > 0 {
            text.push_str("\n\n");
        }
        push_cut(&mut text, &shown);
        left = left.saturating_sub(length);
    }
    text
}

/// Appends `more`, up to the limit.
fn push_cut(text: &mut String, more: &str) {
    match more.char_indices().nth(LIMIT) {
        None => text.push_str(more),
        Some((end, _)) => {
            _ = write!(
                text,
                "{}\n[truncated: {} more characters]",
                &more[..end],
                more[end..].chars().count()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_result_is_reported() {
        assert_eq!(text("add", &ToolResult::default()), "(add returned nothing)");
        let failed = ToolResult { is_error: true, ..ToolResult::default() };
        assert_eq!(text("add", &failed), "error: the tool failed and gave no reason");
        let data = ToolResult { content: Vec::new(), ..ToolResult::structured(&[1, 2]).unwrap() };
        assert_eq!(text("add", &data), "[1,2]");
    }

    #[test]
    fn long_results_are_truncated_with_a_note() {
        let long = "ä".repeat(LIMIT + 3);
        assert!(text("a", &ToolResult::text(&long)).ends_with("ä\n[truncated: 3 more characters]"));
        let content = vec![ContentBlock::text("x"), ContentBlock::text(long), ContentBlock::text("y")];
        let result = ToolResult { content, ..ToolResult::default() };
        assert_eq!(text("a", &result), "x\n\n[2 more blocks omitted: too long]");
    }
}
