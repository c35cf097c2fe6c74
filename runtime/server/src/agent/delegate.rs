//! An agent that delegates each request to one of its tools.

use std::error::Error;

use toolwright_core::future::BoxFuture;

use super::ask::{AgentError, decide};
use super::message::AgentMessage;
use super::tool::TextTool;
use crate::context::Context;

/// The outcome of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// The name of the tool.
    pub tool: String,
    /// The tool's input: text, an envelope, or arguments as JSON; see [`TextTool::call`].
    pub input: String,
}

type Select = dyn for<'a> Fn(&'a str, &'a [TextTool]) -> BoxFuture<'a, Result<Selection, Box<dyn Error + Send + Sync>>>
    + Send
    + Sync;

/// Delegates requests to tools. Your function selects the tool and its input, for example by asking a model and showing
/// it [`TextTool::docs`].
pub struct Delegate {
    tools: Vec<TextTool>,
    select: Box<Select>,
}

impl std::fmt::Debug for Delegate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delegate").field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl Delegate {
    /// Creates a delegate for these tools, with the function that selects.
    pub fn new<S>(tools: Vec<TextTool>, select: S) -> Self
    where
        S: for<'a> Fn(
                &'a str,
                &'a [TextTool],
            ) -> BoxFuture<'a, Result<Selection, Box<dyn Error + Send + Sync>>>
            + Send
            + Sync
            + 'static,
    {
        Self { tools, select: Box::new(select) }
    }

    /// Returns the tools.
    pub fn tools(&self) -> &[TextTool] {
        &self.tools
    }

    /// Selects a tool for the request and calls it.
    ///
    /// # Errors
    /// [`AgentError::Selection`] with the error of the selection, [`AgentError::NotATool`] if it names an unknown tool,
    /// [`AgentError::Undecided`] if it does not finish in time, and the errors of [`TextTool::call`].
    pub async fn run(&self, request: &str, cx: &Context) -> Result<AgentMessage, AgentError> {
        let selection =
            decide((self.select)(request, &self.tools), cx).await?.map_err(AgentError::Selection)?;
        let Some(tool) = self.tools.iter().find(|tool| tool.name() == selection.tool) else {
            return Err(AgentError::NotATool { tool: selection.tool });
        };
        tool.call(&selection.input, cx).await
    }
}
