//! Where the tools of an agent come from.

use std::time::Duration;

use toolwright_agent::toolbox::{Toolbox, ToolboxBuilder};
use toolwright_agent::value::ToolValue;

use super::gateway::{GatewayClient, GatewayClientBuilder};
use super::{AgentError, AgentEvent};

/// Where the tools of an agent come from: its gateway if nodes are connected to it, otherwise tools that it was given inline.
///
/// ```no_run
/// use std::time::Duration;
///
/// use toolwright_client::agent::{AgentContext, GatewayClient, ToolSource};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let builder = GatewayClient::builder(AgentContext::from_env()?);
/// let source = ToolSource::choose(builder, Vec::new(), Duration::from_secs(120)).await?;
/// let toolbox = source.toolbox_builder().await?.build();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolSource {
    /// The tools of the connected nodes, all of them registered.
    Gateway(Box<GatewayClient>),
    /// Tools that the agent was given. Deprecated in favor of connected nodes.
    Inline(Vec<ToolValue>),
}

impl ToolSource {
    /// Chooses: with connected nodes the gateway, whose tools are waited for; without, the inline tools.
    ///
    /// # Errors
    /// Any [`AgentError`] of the gateway. Inline tools never take its place.
    pub async fn choose(
        gateway: GatewayClientBuilder,
        inline: Vec<ToolValue>,
        time_limit: Duration,
    ) -> Result<Self, AgentError> {
        if gateway.context.connected_tool_node_ids.is_empty() {
            return Ok(Self::Inline(inline));
        }
        if !inline.is_empty() {
            (gateway.on_event)(AgentEvent::InlineIgnored { count: inline.len() });
        }
        let gateway = gateway.connect().await?;
        gateway.wait_for_tools(time_limit).await?;
        Ok(Self::Gateway(Box::new(gateway)))
    }

    /// The tools. Those of a gateway can be called as they are; for inline tools, set what runs them.
    ///
    /// # Errors
    /// [`AgentError::Gateway`].
    pub async fn toolbox_builder(&self) -> Result<ToolboxBuilder, AgentError> {
        match self {
            Self::Gateway(gateway) => gateway.toolbox_builder().await,
            Self::Inline(values) => Ok(Toolbox::builder(values.iter().cloned())),
        }
    }
}
