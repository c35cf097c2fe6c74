//! Tests of a toolbox's names, calls and connections.

mod calls;
mod connections;
mod naming;
mod providers;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use toolwright_core::result::ToolResult;

use super::*;
use crate::value::McpTool;

/// A server's tool with an argument `a`.
fn mcp(name: &str, server_uri: &str) -> ToolValue {
    let mut tool = McpTool::new(name, server_uri, name);
    tool.parameter_schema =
        Map::from_iter([("properties".to_owned(), json!({"a": {"type": "integer", "description": "One."}}))]);
    tool.into()
}

/// Counting servers: `refuse:` rejects connections, `break:` breaks at each call, the others echo the call.
#[derive(Default)]
struct Servers {
    connects: AtomicUsize,
    calls: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

impl Servers {
    fn connects(&self) -> usize {
        self.connects.load(Ordering::SeqCst)
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

struct Server {
    uri: String,
    calls: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

impl Connector for Servers {
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>> {
        Box::pin(async move {
            self.connects.fetch_add(1, Ordering::SeqCst);
            // Other calls arrive while a connection is being opened.
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            if server.uri.starts_with("refuse:") {
                return Err(CallError::connect(server, std::io::Error::other("refused")));
            }
            let connection =
                Server { uri: server.uri.clone(), calls: self.calls.clone(), closed: self.closed.clone() };
            Ok(Arc::new(connection) as Arc<dyn Connection>)
        })
    }
}

impl Connection for Server {
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            match self.uri.split(':').next() {
                Some("break") => Err(CallError::disconnected(std::io::Error::other("end of file"))),
                Some("fail") => Err(CallError::failed("unknown tool (-32602)")),
                _ => Ok(ToolResult::text(format!("{tool} {}", Value::from(arguments)))),
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.closed.fetch_add(1, Ordering::SeqCst);
        })
    }
}

/// A toolbox on counting servers.
fn toolbox(values: impl IntoIterator<Item = ToolValue>) -> (Toolbox, Arc<Servers>) {
    let servers = Arc::new(Servers::default());
    (Toolbox::builder(values).mcp(servers.clone()).build(), servers)
}
