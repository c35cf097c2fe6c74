//! The tools of one agent: their definitions for a model, and the calls that it makes.
//!
//! A [`Toolbox`] is built from a list of [values](crate::value) of any kind. Each callable value becomes an
//! [`AgentTool`], which has a name, a description, an argument schema and a call. Traits run the calls: a [`Connector`]
//! opens connections to MCP servers, a [`Runner`] runs commands, workflows or HTTP requests.
//!
//! Every call yields a message for the model: a failure of any kind is a [`ToolMessage`] that says what to do.
//!
//! ```
//! use std::sync::Arc;
//!
//! use serde_json::json;
//! use toolwright_agent::toolbox::{Arguments, BoxFuture, CallError, Runner, Toolbox};
//! use toolwright_agent::value::{CommandTool, ToolValue};
//! use toolwright_core::definition::ToolDefinition;
//! use toolwright_core::result::ToolResult;
//!
//! struct Shout;
//!
//! impl Runner for Shout {
//!     fn run<'a>(
//!         &'a self,
//!         _tool: &'a ToolValue,
//!         arguments: Arguments,
//!     ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
//!         let text = arguments["text"].as_str().unwrap_or_default().to_uppercase();
//!         Box::pin(async move { Ok(ToolResult::text(text)) })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let definition = ToolDefinition::new("shout", json!({"type": "object", "properties": {"text": {"type": "string"}}}));
//! let value = ToolValue::from(CommandTool::from_definition(None, &definition));
//! let toolbox = Toolbox::builder([value]).commands(Arc::new(Shout)).build();
//!
//! // The model's arguments, as an object or a JSON string.
//! let message = toolbox.call("shout", r#"{"text": "hello"}"#).await;
//! assert_eq!((message.text.as_str(), message.is_error), ("HELLO", false));
//! let message = toolbox.call("whisper", json!({})).await;
//! assert_eq!(message.text, "error: unknown tool `whisper`; available: shout");
//! # }
//! ```

mod backend;
mod message;
mod names;
mod pool;
mod tool;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::model_api::{Losses, ModelApi};
use crate::value::{ToolType, ToolValue};

pub use toolwright_core::future::BoxFuture;

pub use backend::{Arguments, CallError, Connection, Connector, Runner, ServerAddress};
pub use message::ToolMessage;
pub use names::Note;
pub use tool::AgentTool;

use backend::Backends;
use names::NamedTools;
use pool::Pool;

/// The tools of one agent.
///
/// Each MCP server has one connection, opened by the first call of one of its tools and shared by all of them. If it
/// breaks, the next call reconnects. No call is retried. The toolbox imposes no timeouts: the connectors and runners
/// do, and dropping a call's future abandons the call.
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<AgentTool>,
    by_name: HashMap<String, usize>,
    /// Tools of unsupported kinds, by name.
    unsupported: HashMap<String, String>,
    notes: Vec<Note>,
    backends: Arc<Backends>,
}

/// A [`Toolbox`] under construction.
#[derive(Debug)]
pub struct ToolboxBuilder {
    values: Vec<ToolValue>,
    connector: Option<Arc<dyn Connector>>,
    runners: HashMap<ToolType, Arc<dyn Runner>>,
}

impl Toolbox {
    /// Creates a builder from values, such as those of a [`ToolCollection`](crate::value::ToolCollection).
    pub fn builder(values: impl IntoIterator<Item = ToolValue>) -> ToolboxBuilder {
        ToolboxBuilder { values: values.into_iter().collect(), connector: None, runners: HashMap::new() }
    }

    /// Returns the tools, in the order of their values.
    pub fn tools(&self) -> &[AgentTool] {
        &self.tools
    }

    /// Returns the tool with this exact name.
    pub fn find(&self, name: &str) -> Option<&AgentTool> {
        self.by_name.get(name).map(|index| &self.tools[*index])
    }

    /// Returns notes about values that could not be listed unchanged, for the log.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Formats the tools for a model provider's API; see [`ModelApi::tools`].
    pub fn for_model_api(&self, api: ModelApi, losses: &mut Losses) -> Value {
        api.tools(self.tools.iter().map(AgentTool::definition), losses)
    }

    /// Calls a tool by its name for the model. The arguments are an object or a JSON string of one, since models send
    /// both; an empty string and `null` mean no arguments.
    pub async fn call(&self, name: &str, arguments: impl Into<Value>) -> ToolMessage {
        if let Some(tool) = self.find(name) {
            return tool.call(arguments).await;
        }
        let text = match self.unsupported.get(name) {
            Some(tool_type) => format!("the tool `{name}` has the unsupported type {tool_type}"),
            None if self.tools.is_empty() => format!("unknown tool `{name}`; no tools are available"),
            None => {
                let known: Vec<&str> = self.tools.iter().map(AgentTool::name).take(NAMES_SHOWN).collect();
                let more = if self.tools.len() > NAMES_SHOWN { ", …" } else { "" };
                format!("unknown tool `{name}`; available: {}{more}", known.join(", "))
            }
        };
        ToolMessage::failed(name, text)
    }

    /// Closes the connections to all servers. Dropping the toolbox closes them as well, but without waiting.
    pub async fn close(self) {
        self.backends.pool.close().await;
    }
}

/// The maximum number of names in an error about an unknown tool.
const NAMES_SHOWN: usize = 50;

impl ToolboxBuilder {
    /// Sets the connector for MCP servers.
    pub fn mcp(self, connector: Arc<dyn Connector>) -> Self {
        Self { connector: Some(connector), ..self }
    }

    /// Sets the runner of COMMAND tools.
    pub fn commands(self, runner: Arc<dyn Runner>) -> Self {
        self.runner(ToolType::Command, runner)
    }

    /// Sets the runner of WORKFLOW tools.
    pub fn workflows(self, runner: Arc<dyn Runner>) -> Self {
        self.runner(ToolType::Workflow, runner)
    }

    /// Sets the runner of HTTP tools.
    pub fn http(self, runner: Arc<dyn Runner>) -> Self {
        self.runner(ToolType::Http, runner)
    }

    fn runner(mut self, kind: ToolType, runner: Arc<dyn Runner>) -> Self {
        self.runners.insert(kind, runner);
        self
    }

    /// Builds the toolbox and assigns names, without connecting to any server.
    ///
    /// Names fit all model providers. If several tools claim a name, the one whose name needs no change keeps it,
    /// otherwise the first one in alphabetical order by kind and location; the others get a digest appended. Names
    /// therefore depend on the set of tools, not on their order. Of equal values, one remains.
    pub fn build(self) -> Toolbox {
        let NamedTools { tools, unsupported, notes } = names::assign(self.values);
        let backends = Arc::new(Backends { pool: Pool::new(self.connector), runners: self.runners });
        let tools: Vec<AgentTool> =
            tools.into_iter().map(|(name, value)| AgentTool::new(name, value, &backends)).collect();
        let by_name = tools.iter().enumerate().map(|(index, tool)| (tool.name().to_owned(), index)).collect();
        Toolbox { tools, by_name, unsupported, notes, backends }
    }
}

#[cfg(test)]
mod tests;
