//! What runs the calls: traits, because programs have many ways.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_core::result::ToolResult;

use super::pool::Pool;
use crate::value::{McpTool, STDIO_SCHEME, ToolType, ToolValue};

/// A future that can be sent between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The arguments of a call: the members of a JSON object.
pub type Arguments = Map<String, Value>;

/// Opens connections to MCP servers.
///
/// ```
/// use std::sync::Arc;
///
/// use serde_json::Value;
/// use toolwright_agent::toolbox::{Arguments, BoxFuture, CallError, Connection, Connector, ServerAddress};
/// use toolwright_core::result::ToolResult;
///
/// /// A server that repeats what it is called with.
/// struct Echo;
///
/// impl Connector for Echo {
///     fn connect<'a>(
///         &'a self,
///         server: &'a ServerAddress,
///     ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>> {
///         Box::pin(async move {
///             if server.uri != "echo:" {
///                 return Err(CallError::connect(server, std::io::Error::other("only echo: is known")));
///             }
///             Ok(Arc::new(Echo) as Arc<dyn Connection>)
///         })
///     }
/// }
///
/// impl Connection for Echo {
///     fn call<'a>(
///         &'a self,
///         _tool: &'a str,
///         arguments: Arguments,
///     ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
///         Box::pin(async move { Ok(ToolResult::text(Value::from(arguments).to_string())) })
///     }
/// }
/// ```
pub trait Connector: Send + Sync + 'static {
    /// Connects to a server, the handshake included.
    ///
    /// # Errors
    /// [`CallError::connect`].
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>>;
}

/// A connection to an MCP server, used by several calls at once.
///
/// The example of [`Connector`] has one.
pub trait Connection: Send + Sync + 'static {
    /// Calls a tool by its name on the server. A tool that failed is a result with `is_error`.
    ///
    /// # Errors
    /// [`CallError::disconnected`] where the connection can be used no more, [`CallError::failed`] for anything else.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>>;

    /// Ends the connection in order.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Runs tools of one kind: commands, workflows or HTTP requests.
///
/// ```
/// use toolwright_agent::toolbox::{Arguments, BoxFuture, CallError, Runner};
/// use toolwright_agent::value::ToolValue;
/// use toolwright_core::result::ToolResult;
///
/// /// Says what it would run.
/// struct DryRun;
///
/// impl Runner for DryRun {
///     fn run<'a>(
///         &'a self,
///         tool: &'a ToolValue,
///         arguments: Arguments,
///     ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
///         Box::pin(async move { Ok(ToolResult::text(format!("{tool:?} with {arguments:?}"))) })
///     }
/// }
/// # let _: &dyn Runner = &DryRun;
/// ```
pub trait Runner: Send + Sync + 'static {
    /// Runs the tool. One that failed is a result with `is_error`.
    ///
    /// # Errors
    /// [`CallError::failed`] where there is no result.
    fn run<'a>(
        &'a self,
        tool: &'a ToolValue,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>>;
}

/// Which server a tool is on, and as whom it is called. Tools with equal addresses share a connection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerAddress {
    /// The address of the server.
    pub uri: String,
    /// The name of the credential.
    pub credential_ref: Option<String>,
}

impl ServerAddress {
    /// The address of a tool's server.
    pub fn of(tool: &McpTool) -> Self {
        Self { uri: tool.server_uri.clone(), credential_ref: tool.credential_ref.clone() }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(without_secrets(&self.uri))
    }
}

/// An address up to its query, and without what stands before an `@`; of a program without its arguments: all of these may
/// hold secrets, and errors are read by models.
fn without_secrets(uri: &str) -> &str {
    if let Some(line) = uri.strip_prefix(STDIO_SCHEME) {
        let program = line.trim_start().split_ascii_whitespace().next().unwrap_or_default();
        return &uri[..uri.len() - line.trim_start().len() + program.len()];
    }
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    let shown = &uri[..end];
    match shown.split_once("://") {
        Some((_, rest)) => {
            let authority = rest.split('/').next().unwrap_or_default();
            // The scheme goes with them: what is left is one part of the text.
            authority.rfind('@').map_or(shown, |at| &rest[at + 1..])
        }
        None => shown,
    }
}

/// Why a call has no result. It becomes a message for the model, so its texts must hold no secrets.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// There is no connection to the server; the call was not made.
    #[error("cannot connect to {server}: {reason}")]
    Connect {
        /// The server.
        server: String,
        /// What is wrong.
        reason: Reason,
    },
    /// The connection broke. Whether the call ran is not known.
    #[error("the connection to the server broke during the call, which may have run or not: {0}")]
    Disconnected(Reason),
    /// The call was refused, or is over without a result.
    #[error("{0}")]
    Failed(Reason),
    /// Nothing was set that runs tools of this kind.
    #[error("nothing here runs {0} tools")]
    NoRunner(ToolType),
}

/// An error of whoever runs calls.
#[derive(Clone)]
pub struct Reason(Arc<dyn Error + Send + Sync>);

impl fmt::Display for Reason {
    /// The error and its sources, without what an error repeats of its source.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.0.to_string();
        let mut source = self.0.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text = text + ": " + &cause_text;
            }
            source = cause.source();
        }
        f.write_str(&text)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl CallError {
    /// There is no connection.
    pub fn connect(server: &ServerAddress, reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Connect { server: server.to_string(), reason: Reason(reason.into().into()) }
    }

    /// The connection broke: the next call opens another one.
    pub fn disconnected(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Disconnected(Reason(reason.into().into()))
    }

    /// The call has no result.
    pub fn failed(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(Reason(reason.into().into()))
    }
}

/// Everything that runs calls of one toolbox.
pub(super) struct Backends {
    pub(super) pool: Pool,
    pub(super) runners: HashMap<ToolType, Arc<dyn Runner>>,
}

impl Backends {
    /// Runs a call of a tool of any kind.
    pub(super) async fn run(&self, tool: &ToolValue, arguments: Arguments) -> Result<ToolResult, CallError> {
        let kind = match tool {
            ToolValue::Mcp(tool) => return self.pool.call(tool, arguments).await,
            ToolValue::Command(_) => ToolType::Command,
            ToolValue::Workflow(_) => ToolType::Workflow,
            ToolValue::Http(_) => ToolType::Http,
            ToolValue::Other(tool) => {
                return Err(CallError::failed(format!("unsupported type {}", tool.tool_type())));
            }
        };
        match self.runners.get(&kind) {
            Some(runner) => runner.run(tool, arguments).await,
            None => Err(CallError::NoRunner(kind)),
        }
    }
}

impl fmt::Debug for Backends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backends").field("runners", &self.runners.keys()).finish_non_exhaustive()
    }
}

impl fmt::Debug for dyn Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl fmt::Debug for dyn Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runner")
    }
}
