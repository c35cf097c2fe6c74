//! Handles an agent's messages.

use std::sync::Arc;
use std::time::Duration;

use toolwright_core::definition::ToolDefinition;
use toolwright_core::docs;
use toolwright_core::result::{StructuredContent, ToolResult};

use super::envelope::{EnvelopeError, ToolCall};
use super::message::{AgentMessage, Source};
use super::router::{self, CommandRouter, RouteError, TextRouter};
use super::tool::{InputForm, TextTool};
use crate::auth::Access;
use crate::connection::{Ended, finish};
use crate::context::Context;
use crate::limits::Limits;
use crate::panics::{UserFuture, catch};
use crate::provider::{Outcome, Provider};

/// Handles the messages of agents with the tools of a provider, such as a [`Service`](crate::Service).
pub struct Agent {
    provider: Arc<dyn Provider>,
    router: Box<dyn TextRouter>,
    context_path: Option<String>,
    call_timeout: Duration,
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("context_path", &self.context_path)
            .field("call_timeout", &self.call_timeout)
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// Creates an agent for the tools of `provider`, with the [`CommandRouter`] for text.
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        let call_timeout = Limits::default().call_timeout;
        Self { provider, router: Box::new(CommandRouter), context_path: None, call_timeout }
    }

    /// Sets the router for text.
    pub fn with_router(self, router: impl TextRouter) -> Self {
        Self { router: Box::new(router), ..self }
    }

    /// Sets the application context, such as `orders/42`. Available tools are those of the context and its ancestors,
    /// and calls are made in it instead of in that of each call's [`Context`].
    pub fn in_context(self, path: impl Into<String>) -> Self {
        Self { context_path: Some(path.into()), ..self }
    }

    /// Sets the time limit of a call in a [`Session`](super::Session); 5 minutes by default.
    pub fn with_call_timeout(self, call_timeout: Duration) -> Self {
        Self { call_timeout, ..self }
    }

    /// Handles one message: an envelope, or text for the router.
    ///
    /// A message that looks like JSON but is not a valid envelope goes to the router as well. The trace contains the
    /// reason, and so does the error if the router rejects it, too.
    pub async fn ask(&self, text: &str, cx: &Context) -> Turn {
        let mut trace = Vec::new();
        let outcome = self.answer(text, cx, &mut trace).await;
        trace.push(match &outcome {
            Ok(message) => TraceEvent::Finished { tool: message.tool.clone(), is_error: message.is_error },
            Err(error) => TraceEvent::Failed { error: error.to_string() },
        });
        Turn { trace, outcome }
    }

    async fn answer(
        &self,
        text: &str,
        cx: &Context,
        trace: &mut Vec<TraceEvent>,
    ) -> Result<AgentMessage, AgentError> {
        let (call, source) = match envelope(text) {
            Some(Ok(call)) => (call, Source::Mcp),
            refused => {
                let refused = refused.and_then(Result::err);
                if let Some(error) = &refused {
                    trace.push(TraceEvent::NoEnvelope { error: error.to_string() });
                }
                let routed = decide(self.router.route(text, &self.definitions()), cx).await?;
                (routed.map_err(|route| AgentError::Input { refused, route })?, Source::Command)
            }
        };
        if self.context_path.is_some()
            && !self.definitions().iter().any(|tool| router::is_name(tool, &call.name))
        {
            let result = ToolResult::error(format!("unknown tool `{}` in this context", call.name));
            return Ok(AgentMessage::new(source, call.name, result));
        }
        trace.push(TraceEvent::Called { tool: call.name.clone(), source });
        run(&*self.provider, &call, source, self.context_path.as_deref(), cx).await
    }

    /// Returns the tools that are currently available.
    pub fn definitions(&self) -> Arc<[ToolDefinition]> {
        let tools = self.provider.tools(&Access::Trusted);
        match &self.context_path {
            None => tools,
            Some(path) => tools.iter().filter(|tool| tool.is_visible_in(path)).cloned().collect(),
        }
    }

    /// Returns the names and descriptions of all tools, for the agent that selects one.
    pub fn simple_docs(&self) -> String {
        docs::simple(&self.definitions())
    }

    /// Returns one tool per command, in the given form.
    pub fn tools(&self, form: InputForm) -> Vec<TextTool> {
        let tool = |definition: &ToolDefinition| {
            let tool = TextTool::new(Arc::clone(&self.provider), definition.clone(), form);
            match &self.context_path {
                Some(path) => tool.in_context(path),
                None => tool,
            }
        };
        self.definitions().iter().map(tool).collect()
    }

    pub(super) fn call_timeout(&self) -> Duration {
        self.call_timeout
    }
}

/// Parses the envelope in a text that looks like JSON; `None` if it does not.
pub(super) fn envelope(text: &str) -> Option<Result<ToolCall, EnvelopeError>> {
    let text = text.trim_start_matches('\u{feff}').trim();
    text.starts_with('{').then(|| ToolCall::from_envelope(text))
}

/// Waits for the selection of a tool, until the call's deadline or its cancellation.
pub(super) async fn decide<T>(choice: impl Future<Output = T>, cx: &Context) -> Result<T, AgentError> {
    let deadline = tokio::time::Instant::from_std(cx.deadline());
    let choice = cx.cancellation().run_until_cancelled(choice);
    tokio::time::timeout_at(deadline, choice).await.ok().flatten().ok_or(AgentError::Undecided)
}

/// Runs a call until it completes, its deadline passes, or it is cancelled.
pub(super) async fn run(
    provider: &dyn Provider,
    call: &ToolCall,
    source: Source,
    context_path: Option<&str>,
    cx: &Context,
) -> Result<AgentMessage, AgentError> {
    let request = call.request(context_path.or(cx.context_path()));
    let tool = call.name.clone();
    let Ok(running) = catch(|| provider.call_tool(request, cx)) else {
        return Err(AgentError::Panicked { tool });
    };
    match finish(UserFuture::new(running), cx).await {
        Ended::Done(outcome) => {
            let result = result_of(outcome);
            let fault = result.structured_content.as_ref().and_then(StructuredContent::fault);
            let unfit =
                fault.map(|fault| format!("the structured content of `{tool}` is invalid: it {fault}"));
            Ok(AgentMessage::new(source, tool, unfit.map_or(result, ToolResult::error)))
        }
        Ended::TimedOut => Err(AgentError::TimedOut { tool }),
        Ended::Cancelled => Err(AgentError::Cancelled { tool }),
        Ended::Panicked => Err(AgentError::Panicked { tool }),
    }
}

/// Converts an outcome to the result that the agent receives.
fn result_of(outcome: Outcome) -> ToolResult {
    match outcome {
        Outcome::Result(result) => result,
        Outcome::Error(error) => ToolResult::error(error.message),
        Outcome::Raw(raw) => {
            raw.parse().unwrap_or_else(|error| ToolResult::error(format!("invalid result: {error}")))
        }
        Outcome::InputRequired(_) | Outcome::Task(_) | Outcome::Created(_) => {
            ToolResult::error("the tool requires input, which an agent cannot provide")
        }
    }
}

/// The outcome of one message.
#[derive(Debug)]
#[non_exhaustive]
pub struct Turn {
    /// The steps that were taken, in order. Contains no arguments.
    pub trace: Vec<TraceEvent>,
    /// The response. A failed tool is a response with `is_error`.
    pub outcome: Result<AgentMessage, AgentError>,
}

/// A step in handling a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceEvent {
    /// The message looks like JSON but is not a valid envelope; it goes to the router.
    NoEnvelope {
        /// The reason.
        error: String,
    },
    /// A tool is called.
    Called {
        /// The tool.
        tool: String,
        /// How the call was expressed.
        source: Source,
    },
    /// The tool has returned.
    Finished {
        /// The tool.
        tool: String,
        /// Whether the result is a failure.
        is_error: bool,
    },
    /// The message failed.
    Failed {
        /// The error.
        error: String,
    },
}

/// A message could not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The message is neither a tool call nor a command.
    #[error("{route}{}", also(.refused.as_ref()))]
    Input {
        /// Why it is not a tool call, if it looks like one.
        refused: Option<EnvelopeError>,
        /// Why it is not a command.
        route: RouteError,
    },
    /// The router, or the selection of a [`Delegate`](super::Delegate), did not finish in time, or the call was
    /// cancelled before it did.
    #[error("no tool was selected in time")]
    Undecided,
    /// A tool received an envelope for another one.
    #[error("the call is for `{called}`, but this tool is `{tool}`")]
    OtherTool {
        /// The tool that received it.
        tool: String,
        /// The tool that the envelope names.
        called: String,
    },
    /// The selection of a [`Delegate`](super::Delegate) failed.
    #[error("no tool could be selected")]
    Selection(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The selection of a [`Delegate`](super::Delegate) named an unknown tool.
    #[error("the selected tool `{tool}` does not exist")]
    NotATool {
        /// The name.
        tool: String,
    },
    /// The call took longer than its context allows; the handler was dropped.
    #[error("`{tool}` did not finish in time and was stopped; ask for less at a time, or try again later")]
    TimedOut {
        /// The tool.
        tool: String,
    },
    /// The call was cancelled.
    #[error("the call of `{tool}` was cancelled")]
    Cancelled {
        /// The tool.
        tool: String,
    },
    /// The handler panicked; the panic message is on stderr.
    #[error("`{tool}` failed unexpectedly; the program's log has the reason")]
    Panicked {
        /// The tool.
        tool: String,
    },
}

fn also(refused: Option<&EnvelopeError>) -> String {
    refused.map(|error| format!("; it is {error}")).unwrap_or_default()
}
