//! Checks results that no type vouches for against what their tools declare: those of providers, and of handlers that
//! return [`ToolResult`]s of their own making.

use toolwright_core::definition::ToolDefinition;
use toolwright_core::external::{NotChecked, OutputChecker, drop_reserved};
use toolwright_core::result::ToolResult;

use crate::log;

/// What the results of one tool are held to.
#[derive(Debug)]
pub(crate) struct ResultCheck {
    tool: String,
    output: Output,
}

/// What the tool says of its structured content.
#[derive(Debug)]
enum Output {
    /// Nothing, or nobody is to look.
    Free,
    /// There is some. Whether it fits cannot be told.
    There,
    /// It fits this.
    Checked(OutputChecker),
}

impl ResultCheck {
    /// What is asked of the results of a tool. `checks_output` is whether they are held to the output schema.
    pub(crate) fn new(definition: &ToolDefinition, checks_output: bool) -> (Self, Option<NotChecked>) {
        let (output, not_checked) =
            match definition.output_schema.as_ref().filter(|_| checks_output).map(OutputChecker::compile) {
                None => (Output::Free, None),
                Some(Ok(checker)) => (Output::Checked(checker), None),
                Some(Err(not_checked)) => (Output::There, Some(not_checked)),
            };
        (Self { tool: definition.name.clone(), output }, not_checked)
    }

    /// The result as it may be passed on: a breach of the promise becomes a result with `isError` that names it
    /// (2026-07-28, server/tools "Output Schema": servers MUST provide results that conform), and a line for the people
    /// who run the server.
    pub(crate) fn check(&self, mut result: ToolResult) -> ToolResult {
        if let Some(breach) = self.breach(&result) {
            return self.refusal(&breach);
        }
        drop_reserved(&mut result.meta);
        result
    }

    /// What takes the place of a result that breaks the promise.
    pub(crate) fn refusal(&self, breach: &str) -> ToolResult {
        let text = format!("the result of the tool `{}` cannot be passed on: {breach}", self.tool);
        log::warn(format_args!("{text}"));
        ToolResult::error(text)
    }

    /// What is wrong with a result.
    pub(crate) fn breach(&self, result: &ToolResult) -> Option<String> {
        // A result that is not whole is good for the one who asked for it, and that was not this server's client
        // (2026-07-28, basic "ResultType").
        if let Some(kind) = result.other.get("resultType").filter(|kind| *kind != "complete") {
            let kind = crate::error::shortened(&kind.to_string());
            return Some(format!("it is of the type {kind}, and only a complete one can be"));
        }
        let content = result.structured_content.as_ref();
        if let Some(fault) = content.and_then(|content| content.fault()) {
            return Some(format!("its structured content {fault}"));
        }
        // Errors are not bound by the schema.
        if result.is_error {
            return None;
        }
        match (&self.output, content) {
            (Output::Free, _) | (Output::There, Some(_)) => None,
            (_, None) => {
                Some("it has no structured content, which the tool's output schema promises".to_owned())
            }
            (Output::Checked(checker), Some(content)) => {
                let problems = checker.check(content).err()?;
                Some(format!("its structured content does not fit the tool's output schema: {problems}"))
            }
        }
    }
}
