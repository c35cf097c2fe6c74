//! The client of an agent at its gateway.

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

/// The path of the gateway on the internal address, if nothing else is known.
pub const DEFAULT_PATH: &str = "/mcp/gateway";
/// The path of the session endpoint on the internal address.
pub const SESSIONS_PATH: &str = "/internal/sessions";

/// How long after a list the next one is asked for at the latest, while tools are missing.
const POLL: Duration = Duration::from_secs(2);

/// An agent's connection to its gateway.
///
/// Lists and calls are those of a [`Client`], in whatever revision the gateway speaks. The session token is renewed before it
/// expires, by one request however many calls run, and after a 401.
///
/// The example of [this module](super) has one.
#[derive(Debug)]
pub struct GatewayClient {
    client: Client,
    url: String,
    nodes: Vec<String>,
}

/// A [`GatewayClient`] that is not connected yet.
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

/// Who named the address of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlSource {
    /// [`GatewayClientBuilder::url`].
    Explicit,
    /// [`AgentContext::gateway_url`].
    Context,
    /// The variable `MCP_GATEWAY_URL`.
    Environment,
    /// [`DEFAULT_PATH`] on the internal address.
    Default,
}

impl GatewayClient {
    /// Begins with what an agent was told.
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

    /// The address of the gateway.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The client, for everything else that a gateway offers: prompts, resources, subscriptions.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The tools that the agent may use now.
    ///
    /// # Errors
    /// [`AgentError::Gateway`].
    pub async fn list_tools(&self) -> Result<Arc<[ListedTool]>, AgentError> {
        Ok(self.client.list_tools().await?)
    }

    /// Calls a tool. Nothing is sent twice that may have been carried out.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn call(&self, name: &str, arguments: impl Into<Value>) -> Result<ToolResult, ClientError> {
        self.client.call(name, arguments.into()).await
    }

    /// Waits until every connected node has at least one tool, and gives the list.
    ///
    /// Which node a tool is of, `io.toolwright/node` in its `_meta` says; without it, the server's name, or the tool's own
    /// name if that is the node's id or starts with it and `__`. Changes that the gateway announces end the wait at once;
    /// without announcements the list is asked for every 2 seconds.
    ///
    /// # Errors
    /// [`AgentError::ToolsNotReady`] with the nodes that are missing after `time_limit`; [`AgentError::Gateway`] at once.
    pub async fn wait_for_tools(&self, time_limit: Duration) -> Result<Arc<[ListedTool]>, AgentError> {
        let begun = Instant::now();
        let deadline = begun + time_limit;
        let mut tools = self.list_tools().await?;
        if self.missing(&tools).is_empty() {
            return Ok(tools);
        }
        // A gateway without announcements is asked again and again.
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
                return Err(AgentError::ToolsNotReady { missing, waited: begun.elapsed() });
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

    /// The connected nodes without a tool.
    fn missing(&self, tools: &[ListedTool]) -> Vec<String> {
        let missing = self.nodes.iter().filter(|node| !tools.iter().any(|tool| is_of_node(tool, node)));
        missing.cloned().collect()
    }

    /// The tools of the agent, to be shown to a model and called.
    ///
    /// # Errors
    /// [`AgentError::Gateway`].
    pub async fn toolbox(&self) -> Result<Toolbox, AgentError> {
        Ok(self.toolbox_builder().await?.build())
    }

    /// The same, to which other kinds of tools can be added.
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

    /// Ends the connection.
    pub async fn close(self) {
        self.client.close().await;
    }
}

/// Whether a tool is of a node.
fn is_of_node(tool: &ListedTool, node: &str) -> bool {
    let members: Value =
        tool.member("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
    match members.get(meta::NODE).or_else(|| members.get(meta::SERVER)).and_then(Value::as_str) {
        Some(of) => of == node,
        None => tool.name().strip_prefix(node).is_some_and(|rest| rest.is_empty() || rest.starts_with("__")),
    }
}

impl GatewayClientBuilder {
    /// The address of the gateway. It comes before that of the context, that of the variable `MCP_GATEWAY_URL`, and
    /// [`DEFAULT_PATH`] on the internal address.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// A session token. It comes before that of the context.
    pub fn token(mut self, token: Secret) -> Self {
        self.token = Some(token);
        self
    }

    /// Where session tokens are fetched: the internal address, to which [`SESSIONS_PATH`] is added, and the token of the
    /// service that the agent is part of. If there is a token already, that one is used until the gateway refuses it.
    pub fn sessions(mut self, internal: impl Into<String>, service_token: Secret) -> Self {
        self.sessions = Some((internal.into(), service_token));
        self
    }

    /// The settings of the client, such as its name, its limits and what answers elicitation.
    pub fn client(mut self, client: ClientBuilder) -> Self {
        self.client = client;
        self
    }

    /// Calls a function with what happens beside errors. It must not block.
    pub fn on_event(mut self, on_event: impl Fn(AgentEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Arc::new(on_event);
        self
    }

    /// Sends tokens without TLS to other machines, too: for networks that encrypt by themselves.
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
            // Before the connection, so that an error says which of the two failed.
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
        let wrong = |problem: String| AgentError::Address { url: without_query(url), problem };
        let address = Address::parse(url).map_err(wrong)?;
        if has_token && !address.is_tls && !address.is_local() && !self.allows_plain_http {
            return Err(wrong(
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

/// The address of the gateway, and who named it. Empty ones count as not given.
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

/// The connection of the toolbox. It is the agent's own, so the toolbox does not close it.
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
            Err(CallError::connect(server, "the agent is connected to its gateway only"))
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
    fn an_explicit_address_comes_first() {
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
    fn the_default_is_a_path_on_the_internal_address() {
        check([None, None, Some("")], Some("http://d/"), Some(("http://d/mcp/gateway", UrlSource::Default)));
        check([None; 3], None, None);
    }

    #[test]
    fn a_tool_is_of_the_node_that_its_meta_names() {
        let tool = |value: Value| serde_json::from_value::<ListedTool>(value).unwrap();
        for (value, node, is) in [
            (json!({"name": "lookup", "_meta": {"io.toolwright/node": "abuseipdb"}}), "abuseipdb", true),
            (json!({"name": "abuseipdb", "_meta": {"io.toolwright/node": "other"}}), "abuseipdb", false),
            (json!({"name": "web__get", "_meta": {"io.toolwright/server": "web"}}), "web", true),
            (json!({"name": "abuseipdb"}), "abuseipdb", true),
            (json!({"name": "abuseipdb__lookup"}), "abuseipdb", true),
            (json!({"name": "abuseipdb2"}), "abuseipdb", false),
        ] {
            let text = value.to_string();
            assert_eq!(is_of_node(&tool(value), node), is, "{text}");
        }
    }
}
