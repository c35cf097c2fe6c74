//! The benchmark cases: measured by criterion here, and by instruction counts in `tests/bench-limits`.
//!
//! The server is measured through its stdio transport in a separate process: the benchmark starts itself again with
//! [`SERVE`].

pub(crate) mod peer;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::{Json, ToolResult};
use toolwright_macros::Tool;
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, BuildError, Context, Handler, Outcome, Provider, ServeError, Server, Service, Stdio,
    ToolRequest,
};

/// The argument that makes the program serve; the number of additional tools follows.
pub(crate) const SERVE: &str = "serve";

/// One benchmark case: a message that is sent many times to one server.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The argument that makes the program serve.
    pub(crate) serve: &'static str,
    /// The number of tools besides the one that is called.
    pub(crate) other_tools: usize,
    /// Messages that are sent once, before the measured one.
    pub(crate) opening: &'static str,
    pub(crate) message: &'static str,
}

pub(crate) const CALL_LEGACY: Case =
    Case { name: "call_legacy", serve: SERVE, other_tools: 0, opening: OPENING, message: LEGACY };
pub(crate) const CALL_MODERN: Case =
    Case { name: "call_modern", serve: SERVE, other_tools: 0, opening: "", message: MODERN };
pub(crate) const CALL_OF_1000: Case =
    Case { name: "call_modern_1000_tools", other_tools: 999, ..CALL_MODERN };
pub(crate) const LIST_1000: Case =
    Case { name: "list_1000_tools", serve: SERVE, other_tools: 999, opening: "", message: LIST };

const OPENING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

const LEGACY: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1234,"b":7}}}"#,
    "\n",
);

const MODERN: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1234,"b":7},"#,
    r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    "\n",
);

const LIST: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"#,
    r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    "\n",
);

/// Adds two integers.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(crate = toolwright_core, output = Sum, read_only)]
pub(crate) struct Add {
    /// The first.
    a: i64,
    /// The second.
    b: i64,
}

/// The sum.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Sum {
    sum: i64,
}

pub(crate) async fn add(Add { a, b }: Add) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

/// Tools that are listed but never called.
pub(crate) struct Others(Arc<[ToolDefinition]>);

impl Others {
    pub(crate) fn new(count: usize) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for"},
                "limit": {"type": "integer", "description": "At most this many"},
                "exact": {"type": "boolean", "description": "Match exactly"},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let numbered = |number| {
            let mut tool = ToolDefinition::new(format!("tool_{number:04}"), schema.clone());
            tool.description = Some(format!("Generated tool number {number}"));
            tool
        };
        Self((0..count).map(numbered).collect())
    }
}

impl Provider for Others {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        Arc::clone(&self.0)
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let text = format!("`{}` is only listed", request.name);
        Outcome::from_future(std::future::ready(ToolResult::error(text)))
    }
}

/// The measured service.
pub(crate) fn service(other_tools: usize) -> Result<Service, BuildError> {
    server(other_tools).build()
}

/// The measured service, to be extended.
pub(crate) fn server(other_tools: usize) -> Server<impl Handler<Add>> {
    Server::new(add).tools::<Add>().provider(Others::new(other_tools)).name("bench")
}

/// Serves on stdio until the input ends.
pub(crate) fn serve(other_tools: usize) -> Result<(), ServeError> {
    serve_on_stdio(&service(other_tools)?)
}

/// Serves on stdio until the input ends.
pub(crate) fn serve_on_stdio(service: &Service) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|source| ServeError::Stream { stream: "input", source })?;
    // A thread of the transport may hold the service until the process exits. Whether a thousand definitions are
    // freed before that is up to chance, and would affect the counts.
    std::mem::forget(service.clone());
    runtime.block_on(service.clone().serve(Stdio))
}
