//! The organizations of the tests, their runs and nodes, and a gateway with all of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolwright_client::config::Secret;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::prompt::{Prompt, PromptMessage};
use toolwright_core::protocol::ErrorObject;
use toolwright_core::resource::{Resource, ResourceTemplate};
use toolwright_core::result::ToolResult;
use toolwright_gateway::audit::{AuditRecord, AuditSink};
use toolwright_gateway::calls::CallBus;
use toolwright_gateway::internal::{InternalApi, Orgs, Right, ServiceKeys};
use toolwright_gateway::registry::{Entry, RUN_TTL, Registry, RegistryStore, RunId};
use toolwright_gateway::secrets::{MasterKeys, SecretStore};
use toolwright_gateway::tokens::{KeyRing, SessionRequest, SessionTokens};
use toolwright_gateway::worker::Credentials;
use toolwright_gateway::{Controlled, Controls, Gateway, Selection, Worker};
use toolwright_server::auth::{Access, ApiKeys, Protection};
use toolwright_server::{
    BoxFuture, Context, Http, HttpConfig, LogLevel, Outcome, Provider, Reference, Server, ToolRequest,
};

const MODERN: &str = "2026-07-28";
pub(super) const LEGACY: &str = "2025-11-25";
pub(super) const ORGS: [&str; 2] = ["acme", "evil"];
/// What all secrets begin with.
pub(super) const SECRET: &str = "s3cret-canary";

/// A node of a run of an organization.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Tenant {
    pub(super) org: &'static str,
    pub(super) run: &'static str,
    pub(super) node: &'static str,
}

pub(super) fn tenants() -> Vec<Tenant> {
    let mut tenants = Vec::new();
    for (org, runs) in ORGS.into_iter().zip([["acme-1", "acme-2"], ["evil-1", "evil-2"]]) {
        for run in runs {
            tenants.extend(["red", "blue"].map(|node| Tenant { org, run, node }));
        }
    }
    tenants
}

impl Tenant {
    /// What is in all that this node says, and nowhere else.
    pub(super) fn mark(&self) -> String {
        format!("mark-of-{}-{}", self.run, self.node)
    }

    /// What opens the server of this node, and what its component is registered with.
    fn secret(&self) -> String {
        format!("{SECRET}-of-the-node-{}-{}", self.run, self.node)
    }

    /// The address of a resource that no other node has.
    pub(super) fn own_uri(&self) -> String {
        let number = tenants().iter().position(|tenant| tenant == self).unwrap();
        format!("shop://own/{number}")
    }

    pub(crate) fn run_id(&self) -> RunId {
        RunId::new(Some(self.org), self.run)
    }

    fn component(&self) -> ToolDefinition {
        ToolDefinition::new(format!("look_{}", self.node), json!({"type": "object", "title": self.mark()}))
    }

    /// The server of the node, which needs its secret.
    fn serve(self) -> String {
        let (http, mark) = (Http::bind("127.0.0.1:0").unwrap(), self.mark());
        let url = format!("http://{}/mcp", http.local_addr().unwrap());
        let ready = |text: &str| {
            let text = text.to_owned();
            move || std::future::ready(text.clone())
        };
        let (greeting, typed, dish) = (mark.clone(), mark.clone(), mark.clone());
        let service = Server::new(())
            .instructions(mark.as_str())
            .provider(self)
            .prompt(Prompt::new("greet").description(mark.as_str()), move |_: Greet| {
                std::future::ready(PromptMessage::user(greeting.clone()))
            })
            .resource(Resource::new("shop://menu", mark.as_str()), ready(&mark))
            .resource(Resource::new(self.own_uri(), mark.as_str()), ready(&mark))
            .resource_template(
                ResourceTemplate::new(format!("shop://{}/{{name}}", self.node), mark.as_str()),
                move |_: Greet| std::future::ready(dish.clone()),
            )
            .complete(Reference::prompt("greet"), "name", move |_, _| std::future::ready(vec![typed.clone()]))
            .build()
            .unwrap();
        let keys = ApiKeys::new().key("gateway", &self.secret(), [""; 0]).unwrap();
        let http = http.config(HttpConfig::new().protect(Protection::new(&url, keys).unwrap()));
        tokio::spawn(async move { service.serve(http).await });
        url
    }

    /// The worker of the node's component.
    fn work(self, bus: Arc<dyn CallBus>, secrets: Arc<dyn SecretStore>, keys: MasterKeys) {
        let service = Server::new(()).provider(Component(self)).build().unwrap();
        tokio::spawn(Worker::new(bus, self.mark(), service).credentials(secrets, keys).run());
    }

    /// Registers its server and its component, each with its secret.
    async fn register(self, registry: &Registry) {
        let credentials =
            |name: &str, value: String| Some(BTreeMap::from([(name.to_owned(), Secret::new(value))]));
        let header = credentials("Authorization", format!("Bearer {}", self.secret()));
        let server = Entry::remote(self.node, self.serve());
        registry.register(&self.run_id(), server, header).await.unwrap();
        let component = Entry::component(format!("look-{}", self.node), self.mark(), self.component());
        registry.register(&self.run_id(), component, credentials("apiKey", self.secret())).await.unwrap();
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    #[expect(dead_code, reason = "whatever it is, the answer is the same")]
    name: String,
}

impl Provider for Tenant {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        ["say", "fail", "refuse"]
            .map(|name| ToolDefinition::new(name, json!({"type": "object", "title": self.mark()})))
            .into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            cx.progress(1.0, None, Some(&self.mark())).await;
            cx.log(LogLevel::Error, None, json!(self.mark())).await;
            match request.name {
                "say" => ToolResult::text(self.mark()).into(),
                "fail" => ToolResult::error(self.mark()).into(),
                _ => ErrorObject::new(-31999, self.mark()).with_data(&json!(self.mark())).into(),
            }
        })
    }
}

/// What workers answer for a node.
struct Component(Tenant);

impl Provider for Component {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [self.0.component()].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            cx.progress(1.0, None, Some(&self.0.mark())).await;
            let key = Credentials::of(cx).expect("the worker has credentials").open("apiKey").await;
            match key.as_ref().ok().and_then(|key| key.expose_str()) {
                Some(own) if own == self.0.secret() => {
                    ToolResult::text(format!("{} {own}", self.0.mark())).into()
                }
                _ => ToolResult::error("this is not the credential of the node").into(),
            }
        })
    }
}

/// What was recorded.
#[derive(Clone, Default)]
struct Records(Arc<Mutex<Vec<Value>>>);

impl AuditSink for Records {
    fn record(&self, record: &AuditRecord) {
        self.0.lock().unwrap().push(serde_json::to_value(record).unwrap());
    }
}

/// A gateway with its internal API, and a token of each node.
pub(crate) struct Table {
    host: String,
    internal: String,
    pub(crate) store: Arc<dyn RegistryStore>,
    pub(crate) callers: Vec<(Tenant, String)>,
    /// The ids of the tokens, and whose they are.
    pub(super) ids: BTreeMap<String, Tenant>,
    /// The key of a service of each organization, and of all.
    pub(super) services: BTreeMap<&'static str, String>,
    pub(super) operator: String,
    records: Records,
    /// The keys of services are read again when their file changes.
    _folder: TempDir,
    #[cfg(feature = "redis")]
    tokens: Arc<SessionTokens>,
}

impl Table {
    pub(crate) async fn new(
        store: Arc<dyn RegistryStore>,
        secrets: Arc<dyn SecretStore>,
        bus: Arc<dyn CallBus>,
    ) -> Self {
        let http = Http::bind("127.0.0.1:0").unwrap().path("/mcp/gateway");
        let host = http.local_addr().unwrap().to_string();
        let url = format!("http://{host}/mcp/gateway");
        let keys = MasterKeys::generate().unwrap();
        let tokens = Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), &url));
        let registry = Registry::with_store(Arc::clone(&store))
            .shared_bus(Arc::clone(&bus))
            .credentials(Arc::clone(&secrets), keys.clone())
            .start();
        let protection = Protection::new(&url, registry.verifier(Arc::clone(&tokens))).unwrap();
        let (controls, records) = (Controls::new(), Records::default());
        controls.set_audit(Arc::new(records.clone()));
        let front = Server::new(()).provider(Controlled::new(registry.clone(), &controls)).build().unwrap();
        let http = http.config(HttpConfig::new().protect(protection));
        tokio::spawn(async move { front.serve(http).await });

        let (mut callers, mut ids) = (Vec::new(), BTreeMap::new());
        for tenant in tenants() {
            let run = tenant.run_id();
            let epoch = store.open(&run, RUN_TTL).await.unwrap().epoch;
            tenant.register(&registry).await;
            tenant.work(Arc::clone(&bus), Arc::clone(&secrets), keys.clone());
            let nodes = [tenant.node.to_owned(), format!("look-{}", tenant.node)];
            let request = SessionRequest::new(tenant.node).run(Some(tenant.org), tenant.run, epoch);
            let minted = tokens.mint(&request.nodes(Selection::only(nodes))).unwrap();
            ids.insert(minted.claims.jti, tenant);
            callers.push((tenant, minted.token));
        }
        let folder = tempfile::tempdir().unwrap();
        let (services, operator, internal) = observe(folder.path(), registry, &tokens, controls).await;
        let table = Self {
            host,
            internal,
            store,
            callers,
            ids,
            services,
            operator,
            records,
            _folder: folder,
            #[cfg(feature = "redis")]
            tokens,
        };
        table.wait_for_servers().await;
        table
    }

    /// The lines of the audit so far.
    pub(super) fn audited(&self) -> Vec<Value> {
        self.records.0.lock().unwrap().clone()
    }

    /// Another token of a node.
    #[cfg(feature = "redis")]
    pub(crate) async fn mint_again(&self, tenant: Tenant) -> String {
        let epoch = self.store.state(tenant.run, None).await.unwrap().unwrap().epoch;
        let request = SessionRequest::new(tenant.node).run(Some(tenant.org), tenant.run, epoch);
        self.tokens.mint(&request.nodes(Selection::only([tenant.node]))).unwrap().token
    }

    /// Until every caller sees its server, its component, and its worker.
    async fn wait_for_servers(&self) {
        for (tenant, token) in &self.callers {
            let ready = async {
                loop {
                    let listed = self.modern(token, "tools/list", &json!({})).await;
                    let called = json!({"name": format!("look_{}", tenant.node), "arguments": {}});
                    let called = self.modern(token, "tools/call", &called).await;
                    if listed.contains(&format!("{}__say", tenant.node)) && !called.contains("no_worker") {
                        return;
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), ready).await.expect("the nodes are there");
        }
    }

    pub(super) async fn send(&self, verb: &str, token: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).await.unwrap();
        let head = format!(
            "{verb} /mcp/gateway HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nConnection: close\r\n\
             {headers}Content-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }

    /// Sends a request of 2026-07-28.
    pub(super) async fn send_modern(&self, token: &str, method: &str, params: &Value) -> TcpStream {
        let mut params = params.clone();
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": MODERN, "progressToken": 1,
            "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/logLevel": "debug"});
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str);
        let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let headers = format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n{name}");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        self.send("POST", token, &headers, &body).await
    }

    /// The complete response to a request, including its head.
    pub(crate) async fn modern(&self, token: &str, method: &str, params: &Value) -> String {
        read_all(self.send_modern(token, method, params).await).await
    }

    /// The complete response of the internal API to a request with a service's key.
    pub(super) async fn internal(&self, verb: &str, path: &str, key: &str, body: &Value) -> String {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(&self.internal).await.unwrap();
        let head = format!(
            "{verb} /internal/{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.internal,
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        read_all(stream).await
    }

    pub(super) async fn legacy(&self, token: &str, session: &str, method: &str, params: &Value) -> String {
        let mut params = params.clone();
        params["_meta"] = json!({"progressToken": 1});
        let headers = format!("MCP-Protocol-Version: {LEGACY}\r\nMcp-Session-Id: {session}\r\n");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        read_all(self.send("POST", token, &headers, &body).await).await
    }

    pub(super) async fn open_session(&self, token: &str) -> String {
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
        let answer = read_all(self.send("POST", token, "", &body).await).await;
        let line = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        line.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

pub(super) async fn read_all(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("an answer").unwrap();
    String::from_utf8(answer).unwrap()
}

/// Starts the internal API. Returns the keys of a service of each organization, that of an operator, and the address.
async fn observe(
    folder: &Path,
    registry: Registry,
    tokens: &Arc<SessionTokens>,
    controls: Controls,
) -> (BTreeMap<&'static str, String>, String, String) {
    let path = folder.join("services.json");
    let rights = [Right::Register, Right::Sessions, Right::Revoke, Right::Read];
    let key = |name: &str, orgs: Orgs| ServiceKeys::add(&path, name, orgs, rights.into()).unwrap();
    let services = ORGS.map(|org| (org, key(org, Orgs::Only(Some(org.to_owned()))))).into();
    let operator = key("operator", Orgs::All);
    let api = InternalApi::new(registry, Arc::clone(tokens), ServiceKeys::open(&path).unwrap());
    let listener = InternalApi::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(api.observing(Gateway::new(), controls).serve(listener, std::future::pending()));
    (services, operator, address)
}
