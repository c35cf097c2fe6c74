//! Tools for agents in the same process: tool calls as JSON or text, one tool per command, delegation, and sessions.
//!
//! An agent's message is a string. [`Agent::ask`] parses it as the envelope
//! `{"type":"mcp_tool_call","tool_call":{"name":…,"arguments":{…}}}`; if that fails, a [`TextRouter`] finds the command
//! in the text. Either way it becomes a [`ToolCall`], then a [`ToolRequest`](crate::provider::ToolRequest) for the
//! [`Provider`](crate::provider::Provider). The result is an [`AgentMessage`], which states how the call was expressed.
//!
//! ```
//! # use std::{sync::Arc, time::Duration};
//! use toolwright_server::Context;
//! use toolwright_server::agent::{Agent, Source};
//!
//! # async fn example(service: toolwright_server::Service) -> Result<(), Box<dyn std::error::Error>> {
//! let agent = Agent::new(Arc::new(service));
//! let turn = agent.ask("get order details order_id=7", &Context::detached(Duration::from_secs(10))).await;
//! let answer = turn.outcome?;
//! assert_eq!((answer.source, answer.tool.as_str()), (Source::Command, "get_order_details"));
//! let text_for_the_model = answer.to_text();
//! # Ok(())
//! # }
//! ```
//!
//! This module is for agents that run in the process of their service and write text. For a model that calls functions,
//! with tools of several kinds and servers, use `Toolbox` (crate `toolwright-agent`): its `AgentTool` accepts
//! arguments, while a [`TextTool`] accepts whatever text the agent wrote.

mod ask;
mod envelope;
mod router;
mod text;
mod typing;

mod message;
mod tool;

mod delegate;
mod session;

pub use ask::{Agent, AgentError, TraceEvent, Turn};
pub use delegate::{Delegate, Selection};
pub use envelope::{EnvelopeError, ToolCall};
pub use message::{AgentMessage, RENDER_LIMIT, Source};
pub use router::{CommandRouter, RouteError, TextRouter};
pub use session::{Session, SessionClosed, SessionInput};
pub use tool::{InputForm, TextTool};

#[cfg(test)]
mod tests;
