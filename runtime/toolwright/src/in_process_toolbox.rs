//! A service of this process behind a toolbox.

use std::fmt;
use std::sync::{Arc, OnceLock};

use toolwright_agent::toolbox::{
    Arguments, BoxFuture, CallError, Connection, Connector, Runner, ServerAddress,
};
use toolwright_agent::value::ToolValue;
use toolwright_core::result::ToolResult;
use toolwright_server::{Client, Service};

/// A [`Service`] of this process as what a [`Toolbox`](crate::toolbox::Toolbox) calls: an MCP server at an address of your
/// choice, and what runs the COMMAND tools of the service. Calls take the same way as over any transport.
///
/// ```
/// use std::sync::{Arc, OnceLock};
///
/// use serde_json::json;
/// use toolwright::toolbox::Toolbox;
/// use toolwright::value::{McpTool, ToolValue};
/// use toolwright::{Client, Server, Tool, in_process::InProcess};
///
/// /// Says hello.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// struct Hello {
///     name: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hello = async |input: Hello| format!("Hello, {}!", input.name);
/// let service = Server::new(hello).tools::<Hello>().build()?;
///
/// let listed = Client::in_process(&service).list_tools().await?;
/// let values = listed.iter().map(|tool| ToolValue::from(McpTool::from_definition("local:hello", tool)));
/// let toolbox = Toolbox::builder(values).mcp(Arc::new(InProcess::new("local:hello", service))).build();
/// assert_eq!(toolbox.call("hello", json!({"name": "Ada"})).await.text, "Hello, Ada!");
/// # Ok(())
/// # }
/// ```
pub struct InProcess {
    uri: String,
    service: Service,
    /// The client for commands, made by the first call: that needs a runtime.
    commands: OnceLock<Client>,
}

impl InProcess {
    /// The service as the server at `uri`, which is no more than a name here.
    pub fn new(uri: impl Into<String>, service: Service) -> Self {
        Self { uri: uri.into(), service, commands: OnceLock::new() }
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").field("uri", &self.uri).finish_non_exhaustive()
    }
}

impl Connector for InProcess {
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>> {
        Box::pin(async move {
            if server.uri != self.uri {
                return Err(CallError::connect(server, format!("only {} is in this process", self.uri)));
            }
            Ok(Arc::new(Link(Client::in_process(&self.service))) as Arc<dyn Connection>)
        })
    }
}

impl Runner for InProcess {
    fn run<'a>(
        &'a self,
        tool: &'a ToolValue,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            let client = self.commands.get_or_init(|| Client::in_process(&self.service));
            call(client, &tool.name().unwrap_or_default(), arguments).await
        })
    }
}

/// A client as a connection.
struct Link(Client);

impl Connection for Link {
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(call(&self.0, tool, arguments))
    }
}

async fn call(client: &Client, tool: &str, arguments: Arguments) -> Result<ToolResult, CallError> {
    let result = client.call(tool, arguments.into()).await.map_err(CallError::failed)?;
    // An agent's toolbox has no person to ask (2026-07-28, basic/patterns/mrtr).
    if result.other.get("resultType").is_some_and(|kind| kind == "input_required") {
        return Err(CallError::failed("the tool asks its client a question, which nobody answers here"));
    }
    Ok(result)
}
