//! Agents behind a gateway, which is our server with tokens and a session endpoint.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use test_client::http::{Fixture, Reply, Request};
use toolwright::auth::{Access, Principal, Protection, Rejected, TokenVerifier};
use toolwright::{
    BoxFuture, Context, Http, HttpConfig, Provider, Server, ToolResult,
    definition::ToolDefinition,
    provider::{Changes, Outcome, ProviderCapabilities, ToolRequest},
};
use toolwright_agent::model_api::{Losses, ModelApi};
use toolwright_agent::value::{CommandTool, ToolValue};
use toolwright_client::ListedTool;
use toolwright_client::agent::{
    AgentContext, AgentError, AgentEvent, GatewayClient, GatewayClientBuilder, ToolSource, UrlSource,
};
use toolwright_client::config::Secret;

const SERVICE: &str = "service-token-7f3a";

/// The state that the gateway and the session endpoint share.
#[derive(Clone, Default)]
struct Run(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// The nodes of each valid token.
    tokens: Mutex<HashMap<String, Vec<String>>>,
    /// The number of issued tokens.
    minted: Mutex<usize>,
    /// Tools with their nodes.
    tools: Mutex<Vec<(String, ToolDefinition)>>,
    changes: Mutex<Option<Changes>>,
    /// The lifetime of new tokens in seconds; unlimited if not set.
    lifetime: Mutex<Option<u64>>,
    is_down: Mutex<bool>,
}

impl Run {
    fn register(&self, node: &str, tool: &str) {
        let schema = json!({"type": "object", "properties": {"ip": {"type": "string"}}, "required": ["ip"]});
        let mut definition = ToolDefinition::new(tool, schema);
        definition.description = Some(format!("Asks {node}."));
        let members = json!({"io.toolwright/node": node});
        definition.meta = members.as_object().cloned();
        self.0.tools.lock().unwrap().push((node.to_owned(), definition));
        if let Some(changes) = &*self.0.changes.lock().unwrap() {
            changes.tools();
        }
    }

    fn minted(&self) -> usize {
        *self.0.minted.lock().unwrap()
    }

    fn revoke(&self) {
        self.0.tokens.lock().unwrap().clear();
    }

    /// Starts the session endpoint.
    fn sessions(&self) -> Fixture {
        let run = self.clone();
        Fixture::start(move |request, reply| run.mint(request, reply))
    }

    fn mint(&self, request: &Request, reply: &mut Reply) {
        let sent = request.header("authorization").unwrap_or_default().to_owned();
        if sent != format!("Bearer {SERVICE}") {
            // A server that repeats the header.
            return reply.json(401, &json!({"error": sent}));
        }
        if *self.0.is_down.lock().unwrap() {
            return reply.send(503, &[], "no");
        }
        // Makes concurrent requests for a token overlap.
        std::thread::sleep(Duration::from_millis(50));
        let number = {
            let mut minted = self.0.minted.lock().unwrap();
            *minted += 1;
            *minted
        };
        let nodes = serde_json::from_value(request.json()["nodes"].clone()).unwrap();
        let token = format!("session-{number}");
        self.0.tokens.lock().unwrap().insert(token.clone(), nodes);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let expires = self.0.lifetime.lock().unwrap().map(|lifetime| now + lifetime);
        reply.json(200, &json!({"token": token, "expiresAt": expires, "claims": {}}));
    }

    /// Starts the gateway; returns its URL.
    fn gateway(&self) -> String {
        let http = Http::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
        let protection = Protection::new(&url, self.clone()).unwrap();
        let http = http.path("/mcp/gateway").config(HttpConfig::new().protect(protection));
        let service = Server::new(()).name("stand-in").provider(self.clone()).build().unwrap();
        tokio::spawn(async move { service.serve(http).await });
        url
    }
}

fn builder(sessions: &Fixture, gateway: &str, nodes: &[&str]) -> GatewayClientBuilder {
    let internal = sessions.url.trim_end_matches("/mcp");
    GatewayClient::builder(context(nodes)).url(gateway).sessions(internal, Secret::new(SERVICE))
}

fn context(nodes: &[&str]) -> AgentContext {
    AgentContext {
        org: Some("acme".to_owned()),
        connected_tool_node_ids: nodes.iter().map(ToString::to_string).collect(),
        ..AgentContext::new("run-1", "agent")
    }
}

impl TokenVerifier for Run {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        let nodes = self.0.tokens.lock().unwrap().get(token).cloned();
        let principal = nodes.map(|nodes| Principal::new("agent").with_scopes(nodes));
        Box::pin(std::future::ready(principal.ok_or_else(|| Rejected::invalid("the session has ended"))))
    }
}

impl Provider for Run {
    fn attach(&self, changes: Changes) {
        *self.0.changes.lock().unwrap() = Some(changes);
    }

    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS.with_lists_by_caller()
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        let Some(principal) = caller.principal() else { return Arc::default() };
        let tools = self.0.tools.lock().unwrap();
        tools.iter().filter(|(node, _)| principal.has_scope(node)).map(|(_, tool)| tool.clone()).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _: &'a Context) -> BoxFuture<'a, Outcome> {
        let arguments: Value =
            request.arguments.map(|raw| serde_json::from_str(raw.get()).unwrap()).unwrap_or_default();
        let text = format!("{} is not listed", arguments["ip"].as_str().unwrap_or("nothing"));
        Box::pin(std::future::ready(ToolResult::text(text).into()))
    }
}

#[tokio::test]
async fn an_agent_discovers_and_calls_its_connected_tools() {
    let run = Run::default();
    run.register("abuseipdb", "abuseipdb_lookup");
    run.register("shodan", "shodan_lookup");
    let (sessions, url) = (run.sessions(), run.gateway());
    let gateway = builder(&sessions, &url, &["abuseipdb"]).connect().await.unwrap();
    gateway.wait_for_tools(Duration::from_secs(5)).await.unwrap();
    let toolbox = gateway.toolbox().await.unwrap();
    let names: Vec<_> = toolbox.tools().iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["abuseipdb_lookup"]);

    let message = toolbox.call("abuseipdb_lookup", json!({"ip": "8.8.8.8"})).await;
    assert_eq!((message.text.as_str(), message.is_error), ("8.8.8.8 is not listed", false));
    assert!(toolbox.call("shodan_lookup", json!({"ip": "8.8.8.8"})).await.is_error);
    let error = gateway.call("shodan_lookup", json!({"ip": "8.8.8.8"})).await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32602);

    let mut losses = Losses::default();
    for model in [ModelApi::OpenAi, ModelApi::Anthropic, ModelApi::Gemini] {
        let tools = toolbox.for_model_api(model, &mut losses).to_string();
        assert!(tools.contains("abuseipdb_lookup") && tools.contains("Asks abuseipdb."), "{tools}");
    }
    let request = &sessions.requests()[0];
    assert_eq!((request.http_method.as_str(), request.path.as_str()), ("POST", "/internal/sessions"));
    assert_eq!(
        request.json(),
        json!({"run": "run-1", "org": "acme", "node": "agent", "nodes": ["abuseipdb"]})
    );
    // Closing the toolbox leaves the agent's connection open.
    toolbox.close().await;
    gateway.list_tools().await.unwrap();
    assert_eq!(run.minted(), 1);
}

#[tokio::test]
async fn an_agent_waits_for_tools_that_register_late() {
    let run = Run::default();
    run.register("a", "first");
    let (sessions, url) = (run.sessions(), run.gateway());
    let gateway = builder(&sessions, &url, &["a", "b"]).connect().await.unwrap();
    let late = run.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        late.register("c", "of_others");
        late.register("b", "second");
    });
    let tools = gateway.wait_for_tools(Duration::from_secs(30)).await.unwrap();
    assert_eq!(tools.iter().map(ListedTool::name).collect::<Vec<_>>(), ["first", "second"]);
}

#[tokio::test]
async fn missing_tools_are_an_error_that_names_the_nodes() {
    let run = Run::default();
    run.register("a", "first");
    let (sessions, url) = (run.sessions(), run.gateway());
    let started = builder(&sessions, &url, &["a", "b", "c"]);
    let error = ToolSource::choose(started, Vec::new(), Duration::from_millis(300)).await.unwrap_err();
    let AgentError::ToolsNotReady { missing, waited } = &error else { panic!("{error}") };
    assert_eq!(
        (missing.as_slice(), *waited >= Duration::from_millis(300)),
        (&["b".to_owned(), "c".to_owned()][..], true)
    );
    assert!(error.to_string().contains("the nodes `b`, `c` have registered none"), "{error}");
}

#[tokio::test]
async fn a_rejected_token_is_renewed_once_for_all_calls() {
    let run = Run::default();
    run.register("a", "look");
    let (sessions, url) = (run.sessions(), run.gateway());
    let gateway = Arc::new(builder(&sessions, &url, &["a"]).connect().await.unwrap());
    run.revoke();
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let gateway = Arc::clone(&gateway);
            tokio::spawn(async move {
                gateway.call("look", json!({"ip": "x"})).await.map(|result| result.is_error)
            })
        })
        .collect();
    for call in calls {
        assert!(!call.await.unwrap().unwrap());
    }
    assert_eq!(run.minted(), 2);
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires() {
    let run = Run::default();
    run.register("a", "look");
    // Renewed after 3 seconds at the latest.
    *run.0.lifetime.lock().unwrap() = Some(4);
    let (sessions, url) = (run.sessions(), run.gateway());
    let gateway = builder(&sessions, &url, &["a"]).connect().await.unwrap();
    tokio::time::sleep(Duration::from_millis(3_200)).await;
    *run.0.lifetime.lock().unwrap() = Some(900);
    gateway.call("look", json!({"ip": "x"})).await.unwrap();
    assert_eq!(run.minted(), 2, "the token was not rejected");
    gateway.call("look", json!({"ip": "x"})).await.unwrap();
    assert_eq!(run.minted(), 2);
}

#[tokio::test]
async fn an_unreachable_endpoint_is_named_after_a_rejection() {
    let run = Run::default();
    run.register("a", "look");
    let (sessions, url) = (run.sessions(), run.gateway());
    let events = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&events);
    let started = builder(&sessions, &url, &["a"]);
    let gateway =
        started.on_event(move |event| received.lock().unwrap().push(event)).connect().await.unwrap();
    *run.0.is_down.lock().unwrap() = true;
    // The token is valid, so the endpoint is not used.
    gateway.call("look", json!({"ip": "x"})).await.unwrap();
    run.revoke();
    let error = gateway.call("look", json!({"ip": "x"})).await.unwrap_err();
    assert!(error.to_string().contains("status 503"), "{error}");
    let events = events.lock().unwrap();
    assert_eq!(*events, [AgentEvent::Gateway { url: url.clone(), source: UrlSource::Explicit }]);
}

#[tokio::test]
async fn an_initial_token_is_used_and_its_rejection_is_an_error() {
    let run = Run::default();
    run.register("a", "look");
    run.0.tokens.lock().unwrap().insert("initial-9c1e".to_owned(), vec!["a".to_owned()]);
    let url = run.gateway();
    let context =
        AgentContext { gateway_url: Some(url), token: Some(Secret::new("initial-9c1e")), ..context(&["a"]) };
    let gateway = GatewayClient::builder(context).connect().await.unwrap();
    gateway.call("look", json!({"ip": "x"})).await.unwrap();
    run.revoke();
    let error = gateway.call("look", json!({"ip": "x"})).await.unwrap_err().to_string();
    assert!(
        error.contains("no session endpoint to renew the token: pass a new one") && !error.contains("9c1e"),
        "{error}"
    );
}

#[tokio::test]
async fn a_failing_gateway_is_an_error_and_never_no_tools() {
    let run = Run::default();
    let inline = || {
        vec![ToolValue::from(CommandTool::from_definition(
            None,
            &ToolDefinition::new("x", json!({"type": "object"})),
        ))]
    };
    let (sessions, url) = (run.sessions(), run.gateway());
    let base = sessions.url.trim_end_matches("/mcp").to_owned();
    let choose = async |builder: GatewayClientBuilder| {
        ToolSource::choose(builder, inline(), Duration::from_secs(1)).await.unwrap_err().to_string()
    };
    // Nothing listens at port 1.
    let dead = builder(&sessions, "http://127.0.0.1:1/mcp/gateway", &["a"]);
    assert!(choose(dead).await.contains("the tools of the gateway cannot be used"));
    let dead = GatewayClient::builder(context(&["a"]))
        .url(&url)
        .sessions("http://127.0.0.1:1", Secret::new(SERVICE));
    assert!(choose(dead).await.contains("no session token from http://127.0.0.1:1/internal/sessions"));
    let wrong =
        GatewayClient::builder(context(&["a"])).url(&url).sessions(&base, Secret::new("wrong-service-5b2d"));
    let error = choose(wrong).await;
    assert!(error.contains("rejected the service token") && !error.contains("5b2d"), "{error}");
    let without = GatewayClient::builder(context(&["a"])).url(&url);
    assert!(choose(without).await.contains("401"));
    assert!(choose(GatewayClient::builder(context(&["a"]))).await.contains("unknown gateway URL"));
}

#[tokio::test]
async fn inline_tools_are_used_without_connected_nodes() {
    let inline = || {
        vec![ToolValue::from(CommandTool::from_definition(
            None,
            &ToolDefinition::new("x", json!({"type": "object"})),
        ))]
    };
    let source =
        ToolSource::choose(GatewayClient::builder(context(&[])), inline(), Duration::ZERO).await.unwrap();
    let toolbox = source.toolbox_builder().await.unwrap().build();
    assert!(matches!(source, ToolSource::Inline(_)) && toolbox.find("x").is_some());
    let none =
        ToolSource::choose(GatewayClient::builder(context(&[])), Vec::new(), Duration::ZERO).await.unwrap();
    assert!(none.toolbox_builder().await.unwrap().build().tools().is_empty());

    let run = Run::default();
    run.register("a", "look");
    let (sessions, url) = (run.sessions(), run.gateway());
    let events = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&events);
    let started =
        builder(&sessions, &url, &["a"]).on_event(move |event| received.lock().unwrap().push(event));
    let source = ToolSource::choose(started, inline(), Duration::from_secs(5)).await.unwrap();
    let toolbox = source.toolbox_builder().await.unwrap().build();
    assert!(toolbox.find("x").is_none() && toolbox.find("look").is_some());
    assert!(events.lock().unwrap().contains(&AgentEvent::InlineIgnored { count: 1 }));
}

#[tokio::test]
async fn tokens_do_not_leave_the_machine_without_tls() {
    let to = |url: &str| GatewayClient::builder(context(&["a"])).url(url).token(Secret::new("t-4f6a8b"));
    let error = to("http://gateway.example/mcp?key=k3y").connect().await.unwrap_err().to_string();
    assert!(error.contains("http://gateway.example/mcp: tokens are not sent without TLS"), "{error}");
    assert!(!error.contains("k3y"), "{error}");
    let internal =
        GatewayClient::builder(context(&["a"])).sessions("http://internal.example", Secret::new(SERVICE));
    assert!(matches!(internal.connect().await, Err(AgentError::Address { .. })));
}

#[tokio::test]
async fn placeholders_are_not_sent_as_tokens() {
    for token in ["", "${MCP_GATEWAY_TOKEN}", "changeme"] {
        let builder =
            GatewayClient::builder(context(&["a"])).url("http://127.0.0.1:1/mcp").token(Secret::new(token));
        assert!(matches!(builder.connect().await, Err(AgentError::Placeholder("session token"))));
        let sessions =
            GatewayClient::builder(context(&["a"])).sessions("http://127.0.0.1:1", Secret::new(token));
        assert!(matches!(sessions.connect().await, Err(AgentError::Placeholder("service token"))));
    }
}
