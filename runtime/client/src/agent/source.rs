//! The source of an agent's tools.

use std::time::Duration;

use toolwright_agent::toolbox::{Toolbox, ToolboxBuilder};
use toolwright_agent::value::ToolValue;

use super::gateway::{GatewayClient, GatewayClientBuilder};
use super::{AgentError, AgentEvent};

/// The source of an agent's tools: its gateway if nodes are connected, otherwise inline tools.
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
    /// The gateway, with registered tools of all connected nodes.
    Gateway(Box<GatewayClient>),
    /// Inline tools. Deprecated in favor of connected nodes.
    Inline(Vec<ToolValue>),
}

impl ToolSource {
    /// Chooses the gateway if there are connected nodes, and waits for their tools; otherwise the inline tools.
    ///
    /// # Errors
    /// Any [`AgentError`] of the gateway. Inline tools are never a fallback.
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

    /// Returns the tools. Those of a gateway can be called directly; for inline tools, add their runners.
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
