//! A workflow whose agent finds and calls the tools that are wired to it: from the graph to the worker.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_client::agent::{AgentContext, AgentError, GatewayClient, ToolSource};
use toolwright_client::config::Secret;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::ToolResult;
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{CallBus, MemoryBus};
use toolwright_gateway::graph::{self, Action, Rules, Workflow};
use toolwright_gateway::internal::{InternalApi, Orgs, Right, ServiceKeys};
use toolwright_gateway::registry::{Entry, MemoryStore, RUN_TTL, Registry, RegistryStore, RunId};
use toolwright_gateway::tokens::{KeyRing, SessionTokens};
use toolwright_server::auth::{Access, Protection};
use toolwright_server::{
    BoxFuture, Context, Http, HttpConfig, Outcome, Provider, Server, Service, ToolRequest,
};

/// Tools that know how bad an address is, each under its own name.
struct Reputation(&'static [&'static str]);

fn lookup(name: &str) -> ToolDefinition {
    let ip = json!({"type": "string", "description": "IPv4 address."});
    ToolDefinition::new(name, json!({"type": "object", "properties": {"ip": ip}, "required": ["ip"]}))
}

impl Provider for Reputation {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        self.0.iter().map(|name| lookup(name)).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let arguments: Value = serde_json::from_str(request.arguments.unwrap().get()).unwrap();
        let text = format!("{} of {}: 0", request.name, arguments["ip"].as_str().unwrap());
        Outcome::from_future(async move { ToolResult::text(text) })
    }
}

fn service(tools: &'static [&'static str]) -> Service {
    Server::new(()).provider(Reputation(tools)).build().unwrap()
}

/// A gateway, its internal API, and a worker, over a store and a bus.
struct Stand {
    url: String,
    internal: String,
    key: String,
    store: Arc<dyn RegistryStore>,
}

impl Stand {
    async fn new(store: Arc<dyn RegistryStore>, bus: Arc<dyn CallBus>) -> Self {
        let http = Http::bind("127.0.0.1:0").unwrap().path("/mcp/gateway");
        let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
        let registry = Registry::with_store(Arc::clone(&store)).shared_bus(Arc::clone(&bus)).start();
        let tokens = Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), &url));
        let protection = Protection::new(&url, registry.verifier(Arc::clone(&tokens))).unwrap();
        let front = Server::new(()).provider(registry.clone()).build().unwrap();
        let http = http.config(HttpConfig::new().protect(protection));
        tokio::spawn(async move { front.serve(http).await });

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services.json");
        let rights = [Right::Register, Right::Sessions].into();
        let key = ServiceKeys::add(&file, "engine", Orgs::Only(Some("acme".to_owned())), rights).unwrap();
        let api = InternalApi::new(registry, tokens, ServiceKeys::open(&file).unwrap());
        let listener = InternalApi::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let internal = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(api.serve(listener, std::future::pending()));

        tokio::spawn(Worker::new(bus, "security", service(&["abuseipdb", "virustotal", "whois"])).run());
        Self { url, internal, key, store }
    }

    async fn in_memory() -> Self {
        Self::new(Arc::new(MemoryStore::new()), Arc::new(MemoryBus::new())).await
    }

    /// Runs a workflow up to its agents: its tool nodes are registered, and none of them is run.
    async fn run(&self, run: &str, workflow: &Workflow) {
        let id = RunId::new(Some("acme"), run);
        self.store.open(&id, RUN_TTL).await.unwrap();
        let plan = graph::plan(workflow, &Rules::default()).unwrap();
        for (node, planned) in &plan.nodes {
            if planned.action == Action::Register {
                let entry = Entry::component(node, "security", lookup(node)).bind(["apiKey"]);
                self.store.register(&id, entry).await.unwrap();
            }
        }
    }

    /// The tools of an agent, with those that the graph has connected to it.
    async fn agent(&self, run: &str, workflow: &Workflow, node: &str) -> Result<GatewayClient, AgentError> {
        let compiled = graph::compile(workflow, &Rules::default()).unwrap();
        let mut context = AgentContext::new(run, node);
        context.org = Some("acme".to_owned());
        context.connected_tool_node_ids =
            compiled.nodes[node].connected_tool_node_ids.clone().unwrap_or_default();
        context.gateway_url = Some(self.url.clone());
        let builder =
            GatewayClient::builder(context).sessions(&self.internal, Secret::new(self.key.as_str()));
        match ToolSource::choose(builder, Vec::new(), Duration::from_secs(10)).await? {
            ToolSource::Gateway(client) => Ok(*client),
            other => panic!("{other:?}"),
        }
    }
}

/// A workflow with these tools, each wired to the agents named.
fn workflow(tools: &[(&str, &[&str])], agents: &[&str]) -> Workflow {
    let mut nodes = vec![json!({"id": "start", "type": "core.workflow.entrypoint"})];
    let mut edges = Vec::new();
    for (tool, to) in tools {
        nodes.push(json!({"id": tool, "type": format!("security.{tool}"), "mode": "tool"}));
        edges.push(json!({"source": "start", "target": tool}));
        for agent in *to {
            edges.push(
                json!({"source": tool, "sourceHandle": "tools", "target": agent, "targetHandle": "tools"}),
            );
        }
    }
    nodes.extend(agents.iter().map(|agent| json!({"id": agent, "type": "core.ai.agent"})));
    serde_json::from_value(json!({"name": "Agent Tool Mode Test", "nodes": nodes, "edges": edges})).unwrap()
}

async fn names(client: &GatewayClient) -> Vec<String> {
    client.list_tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect()
}

async fn one_agent_one_tool(stand: &Stand) {
    let workflow = workflow(&[("abuseipdb", &["agent"]), ("virustotal", &[])], &["agent"]);
    stand.run("run-1", &workflow).await;
    let agent = stand.agent("run-1", &workflow, "agent").await.unwrap();
    assert_eq!(names(&agent).await, ["abuseipdb"]);
    let result = agent.call("abuseipdb", json!({"ip": "8.8.8.8"})).await.unwrap();
    assert_eq!(result.as_text(), "abuseipdb of 8.8.8.8: 0");
    let hidden = agent.call("virustotal", json!({"ip": "8.8.8.8"})).await.unwrap_err();
    assert!(hidden.to_string().contains("unknown tool"), "{hidden}");
}

#[tokio::test]
async fn an_agent_calls_the_tool_that_is_wired_to_it() {
    one_agent_one_tool(&Stand::in_memory().await).await;
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn an_agent_calls_its_tool_through_redis() {
    use toolwright_gateway::redis::{RedisBus, RedisStore};

    use crate::redis_cost::count_scripts;
    use crate::redis_server::{Keeps, RedisServer};
    let server = RedisServer::start(Keeps::Nothing);
    let store = RedisStore::connect(&server.url()).await.unwrap();
    let bus = RedisBus::connect(&server.url()).await.unwrap();
    let stand = Stand::new(Arc::new(store), Arc::new(bus)).await;
    one_agent_one_tool(&stand).await;

    let workflow = workflow(&[("abuseipdb", &["agent"])], &["agent"]);
    stand.run("run-2", &workflow).await;
    let agent = stand.agent("run-2", &workflow, "agent").await.unwrap();
    agent.call("abuseipdb", json!({"ip": "8.8.8.8"})).await.unwrap();
    let ran = count_scripts(&server, async || {
        for _ in 0..20 {
            agent.call("abuseipdb", json!({"ip": "8.8.8.8"})).await.unwrap();
        }
    });
    // Each call is submitted, claimed and finished; the state of the token is read once a second.
    let ran = ran.await;
    assert!((60..75).contains(&ran), "{ran} scripts for 20 calls");
}

#[tokio::test]
async fn an_agent_calls_all_of_its_tools() {
    let stand = Stand::in_memory().await;
    let workflow = workflow(&[("abuseipdb", &["agent"]), ("virustotal", &["agent"])], &["agent"]);
    stand.run("r", &workflow).await;
    let agent = stand.agent("r", &workflow, "agent").await.unwrap();
    assert_eq!(names(&agent).await, ["abuseipdb", "virustotal"]);
    for tool in ["abuseipdb", "virustotal"] {
        let result = agent.call(tool, json!({"ip": "1.1.1.1"})).await.unwrap();
        assert_eq!(result.as_text(), format!("{tool} of 1.1.1.1: 0"));
    }
}

#[tokio::test]
async fn agents_of_one_run_see_different_tools() {
    let stand = Stand::in_memory().await;
    let tools: [(&str, &[&str]); 3] =
        [("abuseipdb", &["first"]), ("virustotal", &["second"]), ("whois", &["first", "second"])];
    let workflow = workflow(&tools, &["first", "second"]);
    stand.run("r", &workflow).await;
    let first = stand.agent("r", &workflow, "first").await.unwrap();
    let second = stand.agent("r", &workflow, "second").await.unwrap();
    assert_eq!(names(&first).await, ["abuseipdb", "whois"]);
    assert_eq!(names(&second).await, ["virustotal", "whois"]);
    assert!(first.call("virustotal", json!({"ip": "1.1.1.1"})).await.is_err());
    assert!(second.call("virustotal", json!({"ip": "1.1.1.1"})).await.is_ok());
}

#[tokio::test]
async fn bound_inputs_are_not_the_agents_to_give() {
    let stand = Stand::in_memory().await;
    let workflow = workflow(&[("abuseipdb", &["agent"])], &["agent"]);
    stand.run("r", &workflow).await;
    let agent = stand.agent("r", &workflow, "agent").await.unwrap();
    let result = agent.call("abuseipdb", json!({"ip": "8.8.8.8", "apiKey": "mine"})).await.unwrap();
    assert!(result.is_error && result.as_text().contains("`apiKey`"), "{}", result.as_text());
}

#[tokio::test]
async fn a_dead_gateway_fails_the_agent() {
    let mut stand = Stand::in_memory().await;
    let workflow = workflow(&[("abuseipdb", &["agent"])], &["agent"]);
    stand.run("r", &workflow).await;
    stand.url = "http://127.0.0.1:9/mcp/gateway".to_owned();
    let error = stand.agent("r", &workflow, "agent").await.unwrap_err();
    assert!(error.to_string().contains("127.0.0.1:9"), "{error}");
}
