//! The tools that a gateway lists for an agent.

use std::time::Duration;

use toolwright_agent::toolbox::Toolbox;
use toolwright_client::Client;
use toolwright_client::agent::{AgentContext, AgentError, GATEWAY_TOKEN, GatewayClient};
use toolwright_client::config::Secret;

use super::args::GatewayToolsArgs;
use crate::client::RequestError;
use crate::error::Error;
use crate::text_file;

/// Fetches the tools of the gateway, and disconnects.
pub(super) fn fetch_toolbox(url: &str, args: &GatewayToolsArgs) -> Result<Toolbox, RequestError> {
    let mut builder = GatewayClient::builder(AgentContext {
        connected_tool_node_ids: args.node.clone(),
        ..AgentContext::new("", "cargo-mcp")
    });
    if let Some(token) = find_token(args)? {
        builder = builder.token(token);
    }
    let builder = builder.url(url).client(Client::builder().name("mcp-client", "1.0.0"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let toolbox = runtime.block_on(async {
        let gateway = builder.connect().await?;
        if !args.node.is_empty() {
            gateway.wait_for_tools(Duration::from_secs(args.wait)).await?;
        }
        let toolbox = gateway.toolbox().await?;
        gateway.close().await;
        Ok::<_, AgentError>(toolbox)
    });
    toolbox.map_err(|error| RequestError::Agent(Box::new(error)))
}

/// Returns the token from the flags, a file or the environment; `None` for anonymous access.
fn find_token(args: &GatewayToolsArgs) -> Result<Option<Secret>, RequestError> {
    if let Some(token) = &args.token {
        return Ok(Some(Secret::new(token.as_str())));
    }
    if let Some(file) = &args.token_file {
        let text = text_file::read(file).map_err(|source| Error::Read { file: file.clone(), source })?;
        return Ok(Some(Secret::new(text.trim())));
    }
    Ok(std::env::var(GATEWAY_TOKEN).ok().filter(|token| !token.is_empty()).map(Secret::new))
}
