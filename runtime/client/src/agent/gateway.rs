//! The connection of an agent to its gateway.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout_at};
use toolwright_agent::toolbox::{
    Arguments, BoxFuture, CallError, Connection, Connector, ServerAddress, Toolbox, ToolboxBuilder,
};
use toolwright_agent::value::{McpTool, ToolValue};
use toolwright_core::protocol::meta;
use toolwright_core::result::ToolResult;

use super::context::{AgentContext, GATEWAY_URL};
use super::session::{Endpoint, OnEvent, Session};
use super::{AgentError, AgentEvent};
use crate::client::{Client, ClientBuilder};
use crate::config::{HttpSpec, Secret, ServerSpec};
use crate::error::ClientError;
use crate::http::Address;
use crate::tool::ListedTool;

/// The default path of the gateway, on the internal URL.
pub const DEFAULT_PATH: &str = "/mcp/gateway";
/// The path of the session endpoint, on the internal URL.
pub const SESSIONS_PATH: &str = "/internal/sessions";

/// How often the list is read while tools are missing.
const POLL: Duration = Duration::from_secs(2);

/// An agent's connection to its gateway.
///
/// Lists and calls work as in [`Client`], in whichever revision the gateway supports. The session token is renewed
/// before it expires and after a 401, by one request for any number of concurrent calls.
///
/// See the example of [this module](super).
#[derive(Debug)]
pub struct GatewayClient {
    client: Client,
    url: String,
    nodes: Vec<String>,
}

/// Builds a [`GatewayClient`].
#[must_use = "nothing happens before `connect`"]
pub struct GatewayClientBuilder {
    pub(super) context: AgentContext,
    url: Option<String>,
    token: Option<Secret>,
    sessions: Option<(String, Secret)>,
    client: ClientBuilder,
    pub(super) on_event: OnEvent,
    allows_plain_http: bool,
}

/// Where the URL of a gateway comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlSource {
    /// [`GatewayClientBuilder::url`].
    Explicit,
    /// [`AgentContext::gateway_url`].
    Context,
    /// The environment variable `MCP_GATEWAY_URL`.
    Environment,
    /// [`DEFAULT_PATH`] on the internal address.
    Default,
}

impl GatewayClient {
    /// Returns a builder with the context of the agent.
    pub fn builder(context: AgentContext) -> GatewayClientBuilder {
        GatewayClientBuilder {
            context,
            url: None,
            token: None,
            sessions: None,
            client: Client::builder(),
            on_event: Arc::new(|_| {}),
            allows_plain_http: false,
        }
    }

    /// Returns the URL of the gateway.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the client, for everything else that a gateway offers: prompts, resources, subscriptions.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Lists the tools that the agent may currently use.
    ///
    /// # Errors
    /// [`AgentError::Gateway`].
    pub async fn list_tools(&self) -> Result<Arc<[ListedTool]>, AgentError> {
        Ok(self.client.list_tools().await?)
    }

    /// Calls a tool. A call that may have been executed is not repeated.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn call(&self, name: &str, arguments: impl Into<Value>) -> Result<ToolResult, ClientError> {
        self.client.call(name, arguments.into()).await
    }

    /// Waits until every connected node has at least one tool, and returns the list.
    ///
    /// The node of a tool is `io.toolwright/node` in its `_meta`; without it, the server's name, or the tool's own name
    /// if that is the node's id or starts with it and `__`. List-changed notifications end the wait immediately;
    /// without them, the list is read every 2 seconds.
    ///
    /// # Errors
    /// [`AgentError::ToolsNotReady`] with the missing nodes after `time_limit`; [`AgentError::Gateway`] immediately.
    pub async fn wait_for_tools(&self, time_limit: Duration) -> Result<Arc<[ListedTool]>, AgentError> {
        let started = Instant::now();
        let deadline = started + time_limit;
        let mut tools = self.list_tools().await?;
        if self.missing(&tools).is_empty() {
            return Ok(tools);
        }
        // A gateway without list-changed notifications is polled.
        let mut watch = timeout_at(deadline, self.client.watch_tools()).await.ok().and_then(Result::ok);
        if let Some(watch) = &watch {
            tools = Arc::clone(watch.items());
        }
        loop {
            let missing = self.missing(&tools);
            if missing.is_empty() {
                return Ok(tools);
            }
            if Instant::now() >= deadline {
                return Err(AgentError::ToolsNotReady { missing, waited: started.elapsed() });
            }
            let next = deadline.min(Instant::now() + POLL);
            match &mut watch {
                Some(changes) => match timeout_at(next, changes.changed()).await {
                    Ok(Ok(_)) => {
                        tools = Arc::clone(changes.items());
                        continue;
                    }
                    Ok(Err(_)) => watch = None,
                    Err(_) => {}
                },
                None => sleep_until(next).await,
            }
            self.client.shared.tool_cache.clear();
            tools = self.list_tools().await?;
        }
    }

    /// Returns the connected nodes without a tool.
    fn missing(&self, tools: &[ListedTool]) -> Vec<String> {
        let missing = self.nodes.iter().filter(|node| !tools.iter().any(|tool| belongs_to_node(tool, node)));
        missing.cloned().collect()
    }

    /// Returns the tools of the agent, to be passed to a model and called.
    ///
    /// # Errors
    /// [`AgentError::Gateway`].
    pub async fn toolbox(&self) -> Result<Toolbox, AgentError> {
        Ok(self.toolbox_builder().await?.build())
    }

    /// Returns a builder with the tools of the agent, to which other kinds of tools can be added.
    ///
    /// # Errors
    /// [`AgentError::Gateway`].
    pub async fn toolbox_builder(&self) -> Result<ToolboxBuilder, AgentError> {
        let tools = self.list_tools().await?;
        let values =
            tools.iter().map(|tool| ToolValue::from(McpTool::from_definition(&self.url, &tool.definition())));
        let link = Arc::new(Link { client: self.client.clone(), url: self.url.clone() });
        Ok(Toolbox::builder(values).mcp(link))
    }

    /// Closes the connection.
    pub async fn close(self) {
        self.client.close().await;
    }
}

/// Returns whether a tool belongs to a node.
fn belongs_to_node(tool: &ListedTool, node: &str) -> bool {
    let members: Value =
        tool.member("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
    match members.get(meta::NODE).or_else(|| members.get(meta::SERVER)).and_then(Value::as_str) {
        Some(of) => of == node,
        None => tool.name().strip_prefix(node).is_some_and(|rest| rest.is_empty() || rest.starts_with("__")),
    }
}

impl GatewayClientBuilder {
    /// Sets the URL of the gateway. It takes precedence over those of the context and of the environment variable
    /// `MCP_GATEWAY_URL`, and over [`DEFAULT_PATH`] on the internal URL.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Sets a session token, which takes precedence over that of the context.
    pub fn token(mut self, token: Secret) -> Self {
        self.token = Some(token);
        self
    }

    /// Sets where session tokens are fetched: the internal URL, to which [`SESSIONS_PATH`] is appended, and the token
    /// of the service that the agent belongs to. An existing session token is used until the gateway rejects it.
    pub fn sessions(mut self, internal: impl Into<String>, service_token: Secret) -> Self {
        self.sessions = Some((internal.into(), service_token));
        self
    }

    /// Sets the settings of the client, such as its name, its limits and its handlers of input requests.
    pub fn client(mut self, client: ClientBuilder) -> Self {
        self.client = client;
        self
    }

    /// Sets a function that receives events. It must not block.
    pub fn on_event(mut self, on_event: impl Fn(AgentEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Arc::new(on_event);
        self
    }

    /// Allows sending tokens to other machines without TLS: for networks that are encrypted otherwise.
    pub fn allow_plain_http(mut self) -> Self {
        self.allows_plain_http = true;
        self
    }

    /// Gets a token and connects.
    ///
    /// # Errors
    /// Every [`AgentError`] but `ToolsNotReady`.
    pub async fn connect(self) -> Result<GatewayClient, AgentError> {
        let variable = std::env::var(GATEWAY_URL).ok();
        let internal = self.sessions.as_ref().map(|(internal, _)| internal.as_str());
        let named = [self.url.as_deref(), self.context.gateway_url.as_deref(), variable.as_deref()];
        let (url, source) = choose_url(named, internal).ok_or(AgentError::NoUrl)?;
        let has_token = self.token.is_some() || self.context.token.is_some() || self.sessions.is_some();
        let address = self.check_address(&url, has_token)?;
        (self.on_event)(AgentEvent::Gateway { url: address.to_string(), source });

        let endpoint = match &self.sessions {
            Some((internal, service)) => Some(self.endpoint(internal, service)?),
            None => None,
        };
        let initial_token = self.token.clone().or_else(|| self.context.token.clone());
        if initial_token.as_ref().is_some_and(Secret::is_placeholder) {
            return Err(AgentError::Placeholder("session token"));
        }
        let mut client = self.client;
        if initial_token.is_some() || endpoint.is_some() {
            let session = Session::new(initial_token, endpoint, Arc::clone(&self.on_event));
            // Fetched before connecting, so that an error says which of the two failed.
            session.token().await?;
            client = client.authorize(session);
        }
        let client = client.connect(ServerSpec::new("gateway", HttpSpec::new(&*url))).await?;
        Ok(GatewayClient { client, url, nodes: self.context.connected_tool_node_ids })
    }

    fn endpoint(&self, internal: &str, service: &Secret) -> Result<Endpoint, AgentError> {
        if service.is_placeholder() {
            return Err(AgentError::Placeholder("service token"));
        }
        let address =
            self.check_address(&format!("{}{SESSIONS_PATH}", internal.trim_end_matches('/')), true)?;
        let AgentContext { run, org, node, connected_tool_node_ids: nodes, .. } = &self.context;
        let body = json!({"run": run, "org": org, "node": node, "nodes": nodes}).to_string();
        Ok(Endpoint { address, service: service.clone(), body: body.into() })
    }

    fn check_address(&self, url: &str, has_token: bool) -> Result<Address, AgentError> {
        let invalid = |problem: String| AgentError::Address { url: without_query(url), problem };
        let address = Address::parse(url).map_err(invalid)?;
        if has_token && !address.is_tls && !address.is_local() && !self.allows_plain_http {
            return Err(invalid(
                "tokens are not sent without TLS to another machine: use https://, or allow plain HTTP"
                    .to_owned(),
            ));
        }
        Ok(address)
    }
}

impl fmt::Debug for GatewayClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayClientBuilder")
            .field("context", &self.context)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Chooses the URL of the gateway, and returns its source. Empty URLs are ignored.
fn choose_url(named: [Option<&str>; 3], internal: Option<&str>) -> Option<(String, UrlSource)> {
    let sources = [UrlSource::Explicit, UrlSource::Context, UrlSource::Environment];
    let named = named
        .into_iter()
        .zip(sources)
        .find_map(|(url, source)| Some((url?.trim(), source)).filter(|(url, _)| !url.is_empty()));
    if let Some((url, source)) = named {
        return Some((url.to_owned(), source));
    }
    Some((format!("{}{DEFAULT_PATH}", internal?.trim_end_matches('/')), UrlSource::Default))
}

fn without_query(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// The connection of the toolbox. It belongs to the agent, so the toolbox does not close it.
struct Link {
    client: Client,
    url: String,
}

impl Connector for Link {
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>> {
        let link = if server.uri == self.url && server.credential_ref.is_none() {
            Ok(Arc::new(Self { client: self.client.clone(), url: self.url.clone() }) as Arc<dyn Connection>)
        } else {
            Err(CallError::connect(server, "the agent only connects to its gateway"))
        };
        Box::pin(std::future::ready(link))
    }
}

impl Connection for Link {
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move { self.client.call(tool, arguments).await.map_err(CallError::failed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(named: [Option<&str>; 3], internal: Option<&str>, expected: Option<(&str, UrlSource)>) {
        let chosen = choose_url(named, internal);
        assert_eq!(chosen.as_ref().map(|(url, source)| (url.as_str(), *source)), expected);
    }

    #[test]
    fn an_explicit_url_comes_first() {
        check(
            [Some("http://a"), Some("http://b"), Some("http://c")],
            Some("http://d"),
            Some(("http://a", UrlSource::Explicit)),
        );
    }

    #[test]
    fn the_context_comes_before_the_environment() {
        check(
            [None, Some("http://b"), Some("http://c")],
            Some("http://d"),
            Some(("http://b", UrlSource::Context)),
        );
    }

    #[test]
    fn the_environment_comes_before_the_default() {
        check(
            [None, Some(" "), Some("http://c")],
            Some("http://d"),
            Some(("http://c", UrlSource::Environment)),
        );
    }

    #[test]
    fn the_default_is_a_path_on_the_internal_url() {
        check([None, None, Some("")], Some("http://d/"), Some(("http://d/mcp/gateway", UrlSource::Default)));
        check([None; 3], None, None);
    }

    #[test]
    fn a_tool_belongs_to_the_node_in_its_meta() {
        let tool = |value: Value| serde_json::from_value::<ListedTool>(value).unwrap();
        for (value, node, expected) in [
            (json!({"name": "lookup", "_meta": {"io.toolwright/node": "abuseipdb"}}), "abuseipdb", true),
            (json!({"name": "abuseipdb", "_meta": {"io.toolwright/node": "other"}}), "abuseipdb", false),
            (json!({"name": "web__get", "_meta": {"io.toolwright/server": "web"}}), "web", true),
            (json!({"name": "abuseipdb"}), "abuseipdb", true),
            (json!({"name": "abuseipdb__lookup"}), "abuseipdb", true),
            (json!({"name": "abuseipdb2"}), "abuseipdb", false),
        ] {
            let text = value.to_string();
            assert_eq!(belongs_to_node(&tool(value), node), expected, "{text}");
        }
    }
}
