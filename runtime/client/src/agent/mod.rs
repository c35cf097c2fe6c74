//! Agents behind a gateway.
//!
//! An orchestrator starts an agent with an [`AgentContext`]: the run, the node, and the ids of the connected tool
//! nodes. A [`GatewayClient`] gets a session token for exactly these nodes, connects to the gateway, waits until the
//! tools are registered, and provides them as a [`Toolbox`]. [`ToolSource`] chooses between the gateway and inline
//! tools.
//!
//! An unreachable gateway is an error; it never results in an agent without tools.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use toolwright_client::agent::{AgentContext, GatewayClient};
//! use toolwright_client::config::Secret;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let context = AgentContext::from_env()?;
//! let gateway = GatewayClient::builder(context)
//!     .sessions("http://127.0.0.1:8081", Secret::new(std::env::var("SERVICE_TOKEN")?))
//!     .connect()
//!     .await?;
//! gateway.wait_for_tools(Duration::from_secs(120)).await?;
//! let toolbox = gateway.toolbox().await?;
//! for tool in toolbox.tools() {
//!     println!("{}", tool.name());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `context` is what the orchestrator passes, `session` manages the token, `gateway` is the client and `source` the
//! choice; `internal` is for services and operators.
//!
//! [`Toolbox`]: toolwright_agent::toolbox::Toolbox

mod context;
mod gateway;
mod internal;
mod session;
mod source;

use std::time::Duration;

use toolwright_core::manifest::visible;

use crate::error::ClientError;

pub use context::{
    AgentContext, CONNECTED_TOOL_NODE_IDS, ContextError, GATEWAY_TOKEN, GATEWAY_URL, MAX_CONNECTED_NODES,
    NODE, ORGANIZATION, RUN,
};
pub use gateway::{DEFAULT_PATH, GatewayClient, GatewayClientBuilder, SESSIONS_PATH, UrlSource};
pub use internal::{InternalClient, InternalError, Revoke};
pub use session::{RENEWAL_MARGIN, RENEWAL_RETRY_DELAY};
pub use source::ToolSource;

/// An error of an agent's gateway.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The URL of the gateway is unknown.
    #[error(
        "unknown gateway URL: set `{GATEWAY_URL}`, `gatewayUrl` in the context, \
         or the internal URL of its session endpoint"
    )]
    NoUrl,
    /// A URL is invalid, or a token would be sent to it without TLS.
    #[error("{}: {}", visible(.url), visible(.problem))]
    Address {
        /// The URL.
        url: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A token is empty or a placeholder.
    #[error("the {0} is empty or a placeholder such as `${{TOKEN}}`: set it to the real token")]
    Placeholder(&'static str),
    /// The session endpoint did not return a token.
    #[error("no session token from {}: {}", visible(.url), visible(.problem))]
    Session {
        /// The session endpoint.
        url: String,
        /// What happened.
        problem: String,
    },
    /// The gateway rejected the session token, and no other one can be fetched.
    #[error("there is no session endpoint to renew the token: pass a new one")]
    Expired,
    /// The gateway cannot be reached, or responded with an error.
    #[error("the tools of the gateway cannot be used: {0}")]
    Gateway(ClientError),
    /// Some connected nodes have not registered tools in time.
    #[error("tools not ready after {} s: the nodes {} have registered none; check whether they ran", .waited.as_secs(), format_names(.missing))]
    ToolsNotReady {
        /// The ids of these nodes.
        missing: Vec<String>,
        /// How long the client has waited.
        waited: Duration,
    },
}

impl From<ClientError> for AgentError {
    fn from(error: ClientError) -> Self {
        Self::Gateway(error)
    }
}

/// An event of an agent's connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentEvent {
    /// The gateway that was chosen. Sent once.
    Gateway {
        /// The URL, without its query.
        url: String,
        /// Where the URL comes from.
        source: UrlSource,
    },
    /// The inline tools are not used, as there are connected nodes.
    InlineIgnored {
        /// The number of inline tools.
        count: usize,
    },
    /// The session token could not be renewed. It is still valid, and the next call retries.
    RenewalFailed {
        /// The reason.
        problem: String,
    },
}

/// Formats the first names of a list.
fn format_names(names: &[String]) -> String {
    const MAX_NAMES: usize = 10;
    let first: Vec<_> = names.iter().take(MAX_NAMES).map(|name| format!("`{}`", visible(name))).collect();
    let more = if names.len() > MAX_NAMES {
        format!(" and {} more", names.len() - MAX_NAMES)
    } else {
        String::new()
    };
    first.join(", ") + &more
}
