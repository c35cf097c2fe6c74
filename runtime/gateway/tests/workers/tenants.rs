//! Two organizations, two runs of each, two nodes of each run, every method, in both eras: nobody is shown what is another's.
//!
//! All runs have nodes, tools, prompts and addresses of the same names. What each says has a mark of its own, and so does each
//! secret; the marks of others are searched for in everything that a caller receives.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::prompt::{Prompt, PromptMessage};
use toolwright_core::protocol::ErrorObject;
use toolwright_core::resource::{Resource, ResourceTemplate};
use toolwright_core::result::ToolResult;
use toolwright_gateway::calls::{CallBus, MemoryBus};
use toolwright_gateway::registry::{Entry, MemoryStore, RUN_TTL, Registry, RegistryStore, Revocation, RunId};
use toolwright_gateway::tokens::{KeyRing, SessionRequest, SessionTokens};
use toolwright_gateway::{Selection, Worker};
use toolwright_server::auth::{Access, Protection};
use toolwright_server::{
    BoxFuture, Context, Http, HttpConfig, LogLevel, Outcome, Provider, Reference, Server, ToolRequest,
};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// A node of a run of an organization.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Tenant {
    org: &'static str,
    run: &'static str,
    node: &'static str,
}

fn tenants() -> Vec<Tenant> {
    let mut tenants = Vec::new();
    for (org, runs) in [("acme", ["acme-1", "acme-2"]), ("evil", ["evil-1", "evil-2"])] {
        for run in runs {
            tenants.extend(["red", "blue"].map(|node| Tenant { org, run, node }));
        }
    }
    tenants
}

impl Tenant {
    /// What is in all that this node says, and nowhere else.
    fn mark(&self) -> String {
        format!("mark-of-{}-{}", self.run, self.node)
    }

    /// The address of a resource that no other node has.
    fn own_uri(&self) -> String {
        let number = tenants().iter().position(|tenant| tenant == self).unwrap();
        format!("shop://own/{number}")
    }

    pub(crate) fn run_id(&self) -> RunId {
        RunId::new(Some(self.org), self.run)
    }

    fn component(&self) -> ToolDefinition {
        ToolDefinition::new(format!("look_{}", self.node), json!({"type": "object", "title": self.mark()}))
    }

    /// The server of the node.
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
        tokio::spawn(async move { service.serve(http).await });
        url
    }

    /// The worker of the node's component.
    fn work(self, bus: Arc<dyn CallBus>) {
        let service = Server::new(()).provider(Component(self)).build().unwrap();
        tokio::spawn(Worker::new(bus, self.mark(), service).run());
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
            ToolResult::text(self.0.mark()).into()
        })
    }
}

/// A gateway, and a token of each node.
pub(crate) struct Table {
    host: String,
    pub(crate) store: Arc<dyn RegistryStore>,
    pub(crate) callers: Vec<(Tenant, String)>,
    #[cfg(feature = "redis")]
    tokens: Arc<SessionTokens>,
}

impl Table {
    pub(crate) async fn new(store: Arc<dyn RegistryStore>, bus: Arc<dyn CallBus>) -> Self {
        let http = Http::bind("127.0.0.1:0").unwrap().path("/mcp/gateway");
        let host = http.local_addr().unwrap().to_string();
        let url = format!("http://{host}/mcp/gateway");
        let tokens = Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), &url));
        let registry = Registry::with_store(Arc::clone(&store)).shared_bus(Arc::clone(&bus)).start();
        let protection = Protection::new(&url, registry.verifier(Arc::clone(&tokens))).unwrap();
        let front = Server::new(()).provider(registry).build().unwrap();
        let http = http.config(HttpConfig::new().protect(protection));
        tokio::spawn(async move { front.serve(http).await });

        let mut callers = Vec::new();
        for tenant in tenants() {
            let run = tenant.run_id();
            let epoch = store.open(&run, RUN_TTL).await.unwrap().epoch;
            store.register(&run, Entry::remote(tenant.node, tenant.serve())).await.unwrap();
            let component =
                Entry::component(format!("look-{}", tenant.node), tenant.mark(), tenant.component());
            store.register(&run, component).await.unwrap();
            tenant.work(Arc::clone(&bus));
            let nodes = [tenant.node.to_owned(), format!("look-{}", tenant.node)];
            let request = SessionRequest::new(tenant.node).run(Some(tenant.org), tenant.run, epoch);
            callers.push((tenant, tokens.mint(&request.nodes(Selection::only(nodes))).unwrap().token));
        }
        let table = Self {
            host,
            store,
            callers,
            #[cfg(feature = "redis")]
            tokens,
        };
        table.wait_for_servers().await;
        table
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

    async fn send(&self, verb: &str, token: &str, headers: &str, body: &str) -> TcpStream {
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
    async fn send_modern(&self, token: &str, method: &str, params: &Value) -> TcpStream {
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

    async fn legacy(&self, token: &str, session: &str, method: &str, params: &Value) -> String {
        let mut params = params.clone();
        params["_meta"] = json!({"progressToken": 1});
        let headers = format!("MCP-Protocol-Version: {LEGACY}\r\nMcp-Session-Id: {session}\r\n");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        read_all(self.send("POST", token, &headers, &body).await).await
    }

    async fn open_session(&self, token: &str) -> String {
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
        let answer = read_all(self.send("POST", token, "", &body).await).await;
        let line = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        line.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

async fn read_all(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("an answer").unwrap();
    String::from_utf8(answer).unwrap()
}

/// A request, and whether its answer must have the mark of the caller.
type Row = (&'static str, Value, bool);

/// Every method, first for what is the caller's own, then for what is of other nodes and runs.
fn rows(caller: Tenant) -> Vec<Row> {
    let mut rows: Vec<Row> = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
        .map(|method| (method, json!({}), true))
        .to_vec();
    let completion = |reference: Value| json!({"ref": reference, "argument": {"name": "name", "value": "m"}});
    for node in ["red", "blue"] {
        let is_own = node == caller.node;
        for tool in ["say", "fail", "refuse"] {
            rows.push(("tools/call", json!({"name": format!("{node}__{tool}"), "arguments": {}}), is_own));
        }
        rows.push(("tools/call", json!({"name": format!("look_{node}"), "arguments": {}}), is_own));
        let greet = format!("{node}__greet");
        rows.push(("prompts/get", json!({"name": greet, "arguments": {"name": "a"}}), is_own));
        rows.push(("completion/complete", completion(json!({"type": "ref/prompt", "name": greet})), is_own));
        rows.push(("resources/read", json!({"uri": format!("shop://{node}/pie")}), is_own));
        let template = json!({"type": "ref/resource", "uri": format!("shop://{node}/{{name}}")});
        rows.push(("completion/complete", completion(template), false));
    }
    rows.push(("resources/read", json!({"uri": "shop://menu"}), true));
    for tenant in tenants() {
        rows.push(("resources/read", json!({"uri": tenant.own_uri()}), tenant == caller));
        // Names as another run might have them.
        rows.push(("tools/call", json!({"name": format!("{}__{}__say", tenant.run, tenant.node)}), false));
    }
    for method in ["tasks/get", "tasks/cancel", "tasks/result"] {
        rows.push((method, json!({"taskId": "1"}), false));
    }
    rows.push(("tasks/list", json!({}), false));
    rows.push(("no/such", json!({}), false));
    rows.push(("tools/list", json!({"cursor": "look_red"}), false));
    rows
}

/// Fails if there is the mark of another in what a caller was sent.
fn check(caller: Tenant, what: &str, answer: &str, has_own: bool) {
    for other in tenants().into_iter().filter(|other| *other != caller) {
        let leaked = answer.contains(&other.mark());
        assert!(!leaked, "{} was sent {}: {what}: {answer}", caller.mark(), other.mark());
    }
    assert!(!has_own || answer.contains(&caller.mark()), "{}: {what}: {answer}", caller.mark());
}

async fn every_method_keeps_to_its_tenant(table: &Table) {
    for (caller, token) in &table.callers {
        let session = table.open_session(token).await;
        for (method, params, has_own) in rows(*caller) {
            let what = format!("{method} {params}");
            let answer = table.modern(token, method, &params).await;
            check(*caller, &what, &answer, has_own);
            // As in HelpCode-ai/anythingmcp#533: what differs by caller is no one else's to keep.
            if answer.contains("\"ttlMs\"") {
                assert!(answer.contains("\"cacheScope\":\"private\""), "{what}: {answer}");
            }
            check(*caller, &what, &table.legacy(token, &session, method, &params).await, has_own);
        }
        for method in ["ping", "logging/setLevel", "resources/subscribe"] {
            let params = json!({"level": "debug", "uri": "shop://menu"});
            check(*caller, method, &table.legacy(token, &session, method, &params).await, false);
        }
        check(*caller, "server/discover", &table.modern(token, "server/discover", &json!({})).await, false);
    }
}

/// As in IBM/mcp-context-forge#1915: the error of what is hidden is that of what does not exist.
async fn hidden_and_unknown_are_one(table: &Table) {
    for (caller, token) in &table.callers {
        let other = if caller.node == "red" { "blue" } else { "red" };
        for (method, hidden) in [
            ("tools/call", json!({"name": format!("{other}__say"), "arguments": {}})),
            ("tools/call", json!({"name": format!("look_{other}"), "arguments": {}})),
            ("prompts/get", json!({"name": format!("{other}__greet"), "arguments": {"name": "a"}})),
            ("resources/read", json!({"uri": format!("shop://{other}/pie")})),
        ] {
            let unknown: Value = serde_json::from_str(&hidden.to_string().replace(other, "teal")).unwrap();
            let body = |answer: String| answer.split_once("\r\n\r\n").unwrap().1.to_owned();
            let hidden = body(table.modern(token, method, &hidden).await);
            let unknown = body(table.modern(token, method, &unknown).await);
            assert_eq!(hidden.replace(other, "teal"), unknown, "{method}");
        }
    }
}

/// A session is its owner's: with the token of another, it does not exist, and neither do its events.
async fn sessions_are_their_owners(table: &Table) {
    let (_, owner) = &table.callers[0];
    let session = table.open_session(owner).await;
    let call = json!({"name": "red__say", "arguments": {}});
    let answer = table.legacy(owner, &session, "tools/call", &call).await;
    let last = answer.lines().find_map(|line| line.strip_prefix("id: ")).unwrap_or("r1-1").to_owned();
    for (caller, token) in &table.callers[1..] {
        let refused = table.legacy(token, &session, "tools/list", &json!({})).await;
        assert!(refused.starts_with("HTTP/1.1 404"), "{refused}");
        let headers = format!(
            "MCP-Protocol-Version: {LEGACY}\r\nMcp-Session-Id: {session}\r\nLast-Event-ID: {last}\r\n"
        );
        let resumed = read_all(table.send("GET", token, &headers, "").await).await;
        assert!(resumed.starts_with("HTTP/1.1 404"), "{resumed}");
        check(*caller, "resumption", &resumed, false);
        let ended = read_all(table.send("DELETE", token, &headers, "").await).await;
        assert!(ended.starts_with("HTTP/1.1 404"), "{ended}");
    }
    assert!(table.legacy(owner, &session, "tools/list", &json!({})).await.starts_with("HTTP/1.1 200"));
}

/// Changes in one run are not told in others, and say nothing of themselves. Ends all runs.
async fn subscriptions_say_nothing_of_others(table: &Table) {
    let uris: Vec<String> = tenants().iter().map(Tenant::own_uri).collect();
    let wanted = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true,
        "resourcesListChanged": true, "resourceSubscriptions": uris}});
    let mut open = Vec::new();
    for (caller, token) in &table.callers {
        open.push((*caller, table.send_modern(token, "subscriptions/listen", &wanted).await));
    }
    // The next change must find them open.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let grown = tenants()[0];
    let further = ToolDefinition::new("look_red_again", json!({"type": "object", "title": grown.mark()}));
    table.store.register(&grown.run_id(), Entry::component("look-red", grown.mark(), further)).await.unwrap();
    let seen = async {
        loop {
            let listed = table.modern(&table.callers[0].1, "tools/list", &json!({})).await;
            if listed.contains("look_red_again") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), seen).await.expect("the change is seen");
    for tenant in tenants() {
        table.store.revoke(&Revocation::Run(tenant.run_id())).await.unwrap();
    }
    for (caller, stream) in open {
        let all = read_all(stream).await;
        assert!(all.contains("subscriptions/acknowledged"), "{all}");
        check(caller, "subscriptions/listen", &all, false);
        let changes = all.matches("tools/list_changed").count();
        // The caller's own run has changed when it was revoked.
        assert!(changes <= 1 || caller.run == grown.run, "{}: {all}", caller.mark());
    }
}

async fn whole(table: Table) {
    every_method_keeps_to_its_tenant(&table).await;
    hidden_and_unknown_are_one(&table).await;
    sessions_are_their_owners(&table).await;
    subscriptions_say_nothing_of_others(&table).await;
}

#[tokio::test]
async fn nothing_crosses_tenants_in_memory() {
    whole(Table::new(Arc::new(MemoryStore::new()), Arc::new(MemoryBus::new())).await).await;
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn nothing_crosses_tenants_on_redis() {
    use toolwright_gateway::redis::{RedisBus, RedisStore};

    use crate::redis_server::{Keeps, RedisServer};
    let server = RedisServer::start(Keeps::Nothing);
    let store = RedisStore::connect(&server.url()).await.unwrap();
    let bus = RedisBus::connect(&server.url()).await.unwrap();
    let table = Table::new(Arc::new(store), Arc::new(bus)).await;
    let tokens: Vec<String> = table.callers.iter().map(|(_, token)| token.clone()).collect();
    whole(table).await;
    let kept = server.dump();
    assert!(kept.contains("mark-of-acme-1-red"), "what is kept is seen");
    for token in &tokens {
        let signature = token.rsplit('.').next().unwrap();
        assert!(!kept.contains(token.as_str()) && !kept.contains(signature), "a token is kept");
    }
}
