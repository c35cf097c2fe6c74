//! Validates results that types do not guarantee against their tools' declarations: those of providers, and of handlers
//! that construct [`ToolResult`]s themselves.

use toolwright_core::definition::ToolDefinition;
use toolwright_core::external::{CompileError, OutputChecker, drop_reserved};
use toolwright_core::result::{StructuredContent, ToolResult};

use crate::log;
use crate::tool::wraps;

/// The rules for the results of one tool.
#[derive(Debug)]
pub(crate) struct ResultCheck {
    tool: String,
    /// As [`ToolEntry::wraps`](crate::tool::ToolEntry::wraps).
    pub(crate) wraps: bool,
    output: Output,
}

/// The rule for structured content.
#[derive(Debug)]
enum Output {
    /// None, or validation is off.
    Free,
    /// It must be present; its schema cannot be checked.
    There,
    /// It must match the schema.
    Checked(OutputChecker),
}

impl ResultCheck {
    /// Creates the rules for a tool. `checks_output` is whether results are validated against the output schema.
    pub(crate) fn new(definition: &ToolDefinition, checks_output: bool) -> (Self, Option<CompileError>) {
        let (output, not_checked) =
            match definition.output_schema.as_ref().filter(|_| checks_output).map(OutputChecker::compile) {
                None => (Output::Free, None),
                Some(Ok(checker)) => (Output::Checked(checker), None),
                Some(Err(not_checked)) => (Output::There, Some(not_checked)),
            };
        (Self { tool: definition.name.clone(), wraps: wraps(definition), output }, not_checked)
    }

    /// Returns a valid result unchanged. An invalid one becomes a result with `isError` that names the problem
    /// (2026-07-28, server/tools "Output Schema": servers MUST provide results that conform), which is also logged for
    /// the operators.
    pub(crate) fn check(&self, mut result: ToolResult) -> ToolResult {
        if let Some(breach) = self.breach(&result) {
            return self.refusal(&breach);
        }
        drop_reserved(&mut result.meta);
        result
    }

    /// The replacement for an invalid result.
    pub(crate) fn refusal(&self, breach: &str) -> ToolResult {
        let text = format!("invalid result of the tool `{}`: {breach}", self.tool);
        log::warn(format_args!("{text}"));
        ToolResult::error(text)
    }

    /// Returns what is wrong with a result.
    pub(crate) fn breach(&self, result: &ToolResult) -> Option<String> {
        // An incomplete result is for the client that requested it, which was not this server's client (2026-07-28, basic
        // "ResultType").
        if let Some(kind) = result.other.get("resultType").filter(|kind| *kind != "complete") {
            let kind = crate::error::shorten(&kind.to_string());
            return Some(format!("its `resultType` is {kind}, but only complete results can be forwarded"));
        }
        let content = result.structured_content.as_ref();
        if let Some(fault) = content.and_then(|content| content.fault()) {
            return Some(format!("its structured content {fault}"));
        }
        self.mismatch(result.is_error, content.map(StructuredContent::get))
    }

    /// Returns why structured content, as JSON that parsers accept, does not match the tool's declaration.
    pub(crate) fn mismatch(&self, is_error: bool, content: Option<&str>) -> Option<String> {
        // The schema does not apply to errors.
        if is_error {
            return None;
        }
        match (&self.output, content) {
            (Output::Free, _) | (Output::There, Some(_)) => None,
            (_, None) => {
                Some("it has no structured content, which the tool's output schema requires".to_owned())
            }
            (Output::Checked(checker), Some(content)) => {
                let problems = checker.check_text(content).err()?;
                Some(format!("its structured content does not match the tool's output schema: {problems}"))
            }
        }
    }
}
