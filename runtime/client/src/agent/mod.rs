//! Agents behind a gateway.
//!
//! An orchestrator starts an agent with an [`AgentContext`]: the run, the node, and the ids of the tool nodes that are
//! connected to it. A [`GatewayClient`] gets a session token for exactly these nodes, connects to the gateway, waits until the
//! tools are there, and gives them to the agent as a [`Toolbox`]. [`ToolSource`] decides between the gateway and tools that
//! the agent was given inline.
//!
//! A gateway that cannot be reached is an error, and never an agent without tools.
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
//! `context` is what an agent is told, `session` keeps its token, `gateway` is the client and `source` the choice;
//! `internal` is for services and operators.
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
pub use session::{RENEWAL_MARGIN, RETRY_PAUSE};
pub use source::ToolSource;

/// Why an agent has no tools of its gateway.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The address of the gateway is not known.
    #[error(
        "the address of the gateway is not known: set `{GATEWAY_URL}`, `gatewayUrl` in the context, \
         or the internal address of its session endpoint"
    )]
    NoUrl,
    /// An address is invalid, or would get a token without TLS.
    #[error("{}: {}", visible(.url), visible(.problem))]
    Address {
        /// The address.
        url: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A token is empty or a placeholder.
    #[error("the {0} is empty or a placeholder such as `${{TOKEN}}`: set it to the real one")]
    Placeholder(&'static str),
    /// The session endpoint gave no token.
    #[error("no session token from {}: {}", visible(.url), visible(.problem))]
    Session {
        /// The session endpoint.
        url: String,
        /// What happened.
        problem: String,
    },
    /// The gateway refused the session token, and no other one can be fetched.
    #[error("there is no session endpoint to renew the token: pass a new one")]
    Expired,
    /// The gateway cannot be reached, or answered with an error.
    #[error("the tools of the gateway cannot be used: {0}")]
    Gateway(ClientError),
    /// Some connected nodes have no tools yet.
    #[error("tools not ready after {} s: the nodes {} have registered none; see whether they were run", .waited.as_secs(), list(.missing))]
    ToolsNotReady {
        /// The ids of these nodes.
        missing: Vec<String>,
        /// How long was waited.
        waited: Duration,
    },
}

impl From<ClientError> for AgentError {
    fn from(error: ClientError) -> Self {
        Self::Gateway(error)
    }
}

/// What happens to the connection of an agent, beside its errors.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentEvent {
    /// The gateway that is used, and who named it. Sent once.
    Gateway {
        /// The address, without its query.
        url: String,
        /// Who named it.
        source: UrlSource,
    },
    /// There are connected nodes, so these inline tools are not used.
    InlineIgnored {
        /// How many there are.
        count: usize,
    },
    /// The session token could not be renewed. It is still valid, and the next call tries again.
    RenewalFailed {
        /// Why.
        problem: String,
    },
}

/// The first names of a list.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{}`", visible(name))).collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    shown.join(", ") + &more
}
