//! The tools of one agent: what a model is shown, and what happens when it calls.
//!
//! A [`Toolbox`] is made of [values](crate::value) of any kind, in one list. Each value that can be called becomes an
//! [`AgentTool`]: a name, a description, a schema of the arguments and a call. Who runs the calls is behind traits: a
//! [`Connector`] opens connections to MCP servers, a [`Runner`] runs commands, workflows or requests.
//!
//! A model gets an answer to every call: a failure of any kind is a [`ToolMessage`] that says what to do.
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
//! // What a model said, as an object or as the JSON text of one.
//! let message = toolbox.call("shout", r#"{"text": "hello"}"#).await;
//! assert_eq!((message.text.as_str(), message.is_error), ("HELLO", false));
//! let message = toolbox.call("whisper", json!({})).await;
//! assert_eq!(message.text, "error: there is no tool `whisper`; there is shout");
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

pub use backend::{Arguments, BoxFuture, CallError, Connection, Connector, Runner, ServerAddress};
pub use message::ToolMessage;
pub use names::Note;
pub use tool::AgentTool;

use backend::Backends;
use names::Named;
use pool::Pool;

/// The tools of one agent.
///
/// Each MCP server has one connection, opened at the first call of one of its tools and shared by all of them; one that
/// broke is opened again by the next call. No call is made twice. Nothing here ends a call that takes long: what runs it
/// does, and dropping the future of a call lets go of it.
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<AgentTool>,
    by_name: HashMap<String, usize>,
    /// Tools of kinds that nobody can call, by name.
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
    /// Begins with these values, such as those of a [`ToolCollection`](crate::value::ToolCollection).
    pub fn builder(values: impl IntoIterator<Item = ToolValue>) -> ToolboxBuilder {
        ToolboxBuilder { values: values.into_iter().collect(), connector: None, runners: HashMap::new() }
    }

    /// The tools, in the order of their values.
    pub fn tools(&self) -> &[AgentTool] {
        &self.tools
    }

    /// The tool that the model calls by this name, letter by letter.
    pub fn find(&self, name: &str) -> Option<&AgentTool> {
        self.by_name.get(name).map(|index| &self.tools[*index])
    }

    /// What became of values that could not be listed as they are: for the log.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The tools as the API of a model provider takes them; see [`ModelApi::tools`].
    pub fn for_model_api(&self, api: ModelApi, losses: &mut Losses) -> Value {
        api.tools(self.tools.iter().map(AgentTool::definition), losses)
    }

    /// Calls a tool by the name that the model knows. The arguments are an object, or the JSON text of one, as models
    /// send both; an empty text and `null` are no arguments.
    pub async fn call(&self, name: &str, arguments: impl Into<Value>) -> ToolMessage {
        if let Some(tool) = self.find(name) {
            return tool.call(arguments).await;
        }
        let text = match self.unsupported.get(name) {
            Some(tool_type) => format!("the tool `{name}` is of the unsupported type {tool_type}"),
            None if self.tools.is_empty() => format!("there is no tool `{name}`; there are none"),
            None => {
                let known: Vec<&str> = self.tools.iter().map(AgentTool::name).take(NAMES_SHOWN).collect();
                let more = if self.tools.len() > NAMES_SHOWN { ", …" } else { "" };
                format!("there is no tool `{name}`; there is {}{more}", known.join(", "))
            }
        };
        ToolMessage::failed(name, text)
    }

    /// Closes the connections to all servers. Dropping the toolbox lets go of them, too, but waits for nothing.
    pub async fn close(self) {
        self.backends.pool.close().await;
    }
}

/// How many names an answer lists to a model that called a tool that there is not.
const NAMES_SHOWN: usize = 50;

impl ToolboxBuilder {
    /// What opens connections to MCP servers.
    pub fn mcp(self, connector: Arc<dyn Connector>) -> Self {
        Self { connector: Some(connector), ..self }
    }

    /// What runs COMMAND tools.
    pub fn commands(self, runner: Arc<dyn Runner>) -> Self {
        self.runner(ToolType::Command, runner)
    }

    /// What runs WORKFLOW tools.
    pub fn workflows(self, runner: Arc<dyn Runner>) -> Self {
        self.runner(ToolType::Workflow, runner)
    }

    /// What runs HTTP tools.
    pub fn http(self, runner: Arc<dyn Runner>) -> Self {
        self.runner(ToolType::Http, runner)
    }

    fn runner(mut self, kind: ToolType, runner: Arc<dyn Runner>) -> Self {
        self.runners.insert(kind, runner);
        self
    }

    /// Names the tools, and connects to nothing.
    ///
    /// Names are those that every model provider takes. Where several tools want one name, the one whose name need not be
    /// changed keeps it, then the first in the order of the alphabet by kind and place; the others get a digest of what
    /// they are behind it. So a name depends on the set of the tools, and not on their order. Of equal values one is left.
    pub fn build(self) -> Toolbox {
        let Named { tools, unsupported, notes } = names::settle(self.values);
        let backends = Arc::new(Backends { pool: Pool::new(self.connector), runners: self.runners });
        let tools: Vec<AgentTool> =
            tools.into_iter().map(|(name, value)| AgentTool::new(name, value, &backends)).collect();
        let by_name = tools.iter().enumerate().map(|(index, tool)| (tool.name().to_owned(), index)).collect();
        Toolbox { tools, by_name, unsupported, notes, backends }
    }
}

#[cfg(test)]
mod tests;
