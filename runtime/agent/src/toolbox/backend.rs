//! The traits through which a toolbox runs calls.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_core::future::BoxFuture;
use toolwright_core::result::ToolResult;

use super::pool::Pool;
use crate::value::{McpTool, STDIO_SCHEME, ToolType, ToolValue};

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
    /// Connects to a server, including the handshake.
    ///
    /// # Errors
    /// [`CallError::connect`].
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>>;
}

/// A connection to an MCP server, which serves concurrent calls.
///
/// The example of [`Connector`] implements it.
pub trait Connection: Send + Sync + 'static {
    /// Calls a tool by its name on the server. A failed tool is a result with `is_error`.
    ///
    /// # Errors
    /// [`CallError::disconnected`] if the connection is unusable from now on, [`CallError::failed`] for anything else.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>>;

    /// Closes the connection gracefully.
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
/// /// Prints what it would run.
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
    /// Runs the tool. A failed tool is a result with `is_error`.
    ///
    /// # Errors
    /// [`CallError::failed`] if there is no result.
    fn run<'a>(
        &'a self,
        tool: &'a ToolValue,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>>;
}

/// The server of a tool and the credential to use. Tools with equal addresses share a connection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerAddress {
    /// The server's address.
    pub uri: String,
    /// The credential's name.
    pub credential_ref: Option<String>,
}

impl ServerAddress {
    /// Returns the address of a tool's server.
    pub fn of(tool: &McpTool) -> Self {
        Self { uri: tool.server_uri.clone(), credential_ref: tool.credential_ref.clone() }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(without_secrets(&self.uri))
    }
}

/// Removes an address's query and user info, or a program's arguments: all of these may contain secrets, and models
/// read error messages.
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
            // Without its scheme, the address remains a single fragment of the message.
            authority.rfind('@').map_or(shown, |at| &rest[at + 1..])
        }
        None => shown,
    }
}

/// A call that has no result. The error becomes a message for the model, so its text must not contain secrets.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Connecting to the server failed; the call was not made.
    #[error("cannot connect to {server}: {reason}")]
    Connect {
        /// The server's address.
        server: String,
        /// The cause.
        reason: Reason,
    },
    /// The connection broke. Whether the call ran is unknown.
    #[error("the connection to the server broke during the call, which may or may not have run: {0}")]
    Disconnected(Reason),
    /// The call was rejected, or ended without a result.
    #[error("{0}")]
    Failed(Reason),
    /// No runner is configured for this kind of tool.
    #[error("no runner is configured for {0} tools")]
    NoRunner(ToolType),
}

/// The cause of a [`CallError`].
#[derive(Clone)]
pub struct Reason(Arc<dyn Error + Send + Sync>);

impl fmt::Display for Reason {
    /// Writes the error and its sources, without repeating a source's text.
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
    /// Creates an error for a failed connection attempt.
    pub fn connect(server: &ServerAddress, reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Connect { server: server.to_string(), reason: Reason(reason.into().into()) }
    }

    /// Creates an error for a broken connection. The next call opens a new one.
    pub fn disconnected(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Disconnected(Reason(reason.into().into()))
    }

    /// Creates an error for a call without a result.
    pub fn failed(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(Reason(reason.into().into()))
    }
}

/// Everything that runs the calls of one toolbox.
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
