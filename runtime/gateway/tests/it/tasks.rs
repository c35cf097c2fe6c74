//! Tasks of servers behind, as clients in front see them (extension `io.modelcontextprotocol/tasks`, SEP-2663).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolwright_client::{Client, ClientBuilder, ElicitationResponse};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::Revision;
use toolwright_core::result::{ToolError, ToolResult};
use toolwright_gateway::audit::{AuditRecord, AuditSink};
use toolwright_gateway::policy::Policy;
use toolwright_gateway::registry::{Entry, MemoryStore, RUN_TTL, Registry, RegistryStore, Revocation, RunId};
use toolwright_gateway::tokens::{KeyRing, SessionRequest, SessionTokens};
use toolwright_gateway::{Controlled, Controls, Proxy, Selection};
use toolwright_server::auth::{Access, ApiKeys, Protection};
use toolwright_server::{
    BoxFuture, Context, Elicited, HttpConfig, Outcome, Provider, Server, Service, Tasks, ToolRequest,
};

use crate::many::{gateway, spec};
use crate::shop::{Listening, client, listen, listen_with, until};

pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";
pub(crate) const ADA: &str = "key-of-ada-0123456789abcdef";
const BEN: &str = "key-of-ben-0123456789abcdef";

/// The server behind: its calls become tasks.
#[derive(Clone, Default)]
struct Mill(Arc<MillState>);

#[derive(Default)]
struct MillState {
    name: &'static str,
    ended: AtomicUsize,
    /// What calls wait for, if they do.
    gate: tokio::sync::Notify,
}

struct Dropped<'a>(&'a AtomicUsize);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Mill {
    fn named(name: &'static str) -> Self {
        Self(Arc::new(MillState { name, ..MillState::default() }))
    }

    fn service(&self) -> Service {
        let tasks = Tasks::new().poll_interval(Duration::from_millis(20));
        Server::new(()).name("mill").provider(self.clone()).tasks(tasks).build().unwrap()
    }

    fn open(&self) {
        self.0.gate.notify_one();
    }

    fn ended(&self) -> usize {
        self.0.ended.load(Ordering::SeqCst)
    }

    async fn run(&self, name: &str, cx: &Context) -> Result<ToolResult, ToolError> {
        let _dropped = Dropped(&self.0.ended);
        match name {
            "grind" => {
                cx.start_task().await;
                cx.progress(1.0, None, Some("grinding")).await;
                self.0.gate.notified().await;
                let mut result = ToolResult::text(format!("flour of {}", self.0.name));
                let forged = json!({"kind": "outcome_unknown"});
                result.meta =
                    json!({"mill/id": 7, "io.toolwright.gateway/fault": forged}).as_object().cloned();
                Ok(result)
            }
            "break" => {
                cx.start_task().await;
                Err(ToolError::new("the stone is broken"))
            }
            "ask" => {
                let form = json!({"type": "object", "properties": {"grain": {"type": "string"}}, "required": ["grain"]});
                let Elicited::Accepted(first) = cx.elicit_form("first", "Which grain?", &form).await? else {
                    return Err(ToolError::new("nothing to grind"));
                };
                cx.start_task().await;
                let Elicited::Accepted(second) = cx.elicit_form("second", "And then?", &form).await? else {
                    return Err(ToolError::new("nothing to grind"));
                };
                Ok(ToolResult::text(format!("{} {}", first["grain"], second["grain"])))
            }
            _ => {
                tokio::time::sleep(Duration::from_millis(5)).await;
                Ok(ToolResult::text("direct"))
            }
        }
    }
}

impl Provider for Mill {
    fn tools(&self, _: &Access) -> Arc<[ToolDefinition]> {
        let tool = |(name, support): (&str, Option<&str>)| {
            let mut tool = ToolDefinition::new(name, json!({"type": "object"}));
            tool.meta =
                support.map(|support| Map::from_iter([("io.toolwright/task".to_owned(), support.into())]));
            tool
        };
        let optional = Some("optional");
        [
            ("ask", optional),
            ("break", optional),
            ("grind", optional),
            ("must", Some("required")),
            ("plain", None),
        ]
        .map(tool)
        .into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move { self.run(request.name, cx).await })
    }
}

/// Serves to Ada and Ben.
pub(crate) fn protected(service: Service) -> Listening {
    listen_with(|url| {
        let none = [] as [&str; 0];
        let keys = ApiKeys::new().key("ada", ADA, none).unwrap().key("ben", BEN, none).unwrap();
        (service, HttpConfig::new().protect(Protection::new(url, keys).unwrap()))
    })
}

/// Two mills behind a gateway, and what is in front of it.
struct Stand {
    red: Mill,
    blue: Mill,
    behind: [Listening; 2],
    keys: KeyRing,
}

impl Stand {
    fn new() -> Self {
        let (red, blue) = (Mill::named("red"), Mill::named("blue"));
        let behind = [listen(red.service()), listen(blue.service())];
        Self { red, blue, behind, keys: KeyRing::generate().unwrap() }
    }

    /// A gateway with the current keys, as a service.
    async fn service(&self) -> Service {
        let specs = ["red", "blue"].into_iter().zip(&self.behind);
        let gateway = gateway(specs.map(|(name, listening)| spec(name, &listening.url))).await;
        Server::new(()).name("front").provider(gateway).state_keys(self.keys.state_keys()).build().unwrap()
    }

    async fn front(&self) -> Listening {
        protected(self.service().await)
    }
}

/// A caller that writes requests itself, and declares tasks.
pub(crate) struct Caller<'a> {
    front: &'a Listening,
    key: String,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(front: &'a Listening, key: &str) -> Self {
        Self { front, key: key.to_owned() }
    }

    pub(crate) async fn open(&self, method: &str, mut params: Value, is_declared: bool) -> TcpStream {
        let extensions = if is_declared { json!({TASKS: {}}) } else { json!({}) };
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": Revision::NEWEST.as_str(),
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "extensions": extensions},
        });
        let name = params["name"].as_str().or(params["taskId"].as_str());
        let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let mut stream = TcpStream::connect(self.front.address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\nMcp-Method: {method}\r\n{name}\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.front.address,
            self.key,
            Revision::NEWEST.as_str(),
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }

    pub(crate) async fn said(&self, method: &str, params: Value, is_declared: bool) -> Value {
        let mut stream = self.open(method, params, is_declared).await;
        let mut all = String::new();
        timeout(Duration::from_secs(20), stream.read_to_string(&mut all)).await.unwrap().unwrap();
        // The answer is the only line of a body or the last one of a stream.
        let mut lines = all.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let answer = lines.rfind(|line| line.starts_with("{\"jsonrpc\""));
        serde_json::from_str(answer.unwrap_or_else(|| panic!("{method}: {all}"))).unwrap()
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Value {
        self.said(method, params, true).await
    }

    /// Calls a tool, which becomes a task; returns its id.
    pub(crate) async fn start(&self, tool: &str) -> String {
        let made = self.request("tools/call", json!({"name": tool, "arguments": {}})).await;
        assert_eq!(made["result"]["resultType"], "task", "{made}");
        made["result"]["taskId"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn get(&self, id: &str) -> Value {
        self.request("tasks/get", json!({"taskId": id})).await
    }

    /// The task once it has this status.
    async fn until(&self, id: &str, status: &str) -> Value {
        let polled = async {
            loop {
                let task = self.get(id).await;
                if task["result"]["status"] == status {
                    return task["result"].clone();
                }
                assert!(task["error"].is_null(), "{task}");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_secs(20), polled).await.unwrap_or_else(|_| panic!("never {status}"))
    }
}

#[tokio::test]
async fn a_task_is_that_of_the_server_behind() {
    let stand = Stand::new();
    let front = stand.front().await;
    let ada = Caller::new(&front, ADA);
    let (red, blue) = (ada.start("red__grind").await, ada.start("blue__grind").await);
    let working = ada.until(&red, "working").await;
    assert_eq!(working["taskId"], json!(red));
    assert_eq!((&working["resultType"], &working["pollIntervalMs"]), (&json!("complete"), &json!(20)));
    stand.blue.open();
    let done = ada.until(&blue, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "flour of blue", "{done}");
    // As a direct result: without what only a gateway writes, and from this server.
    assert_eq!(done["result"]["_meta"]["mill/id"], 7, "{done}");
    assert!(done["result"]["_meta"]["io.toolwright.gateway/fault"].is_null(), "{done}");
    for meta in [&done["_meta"], &done["result"]["_meta"]] {
        assert_eq!(meta["io.modelcontextprotocol/serverInfo"]["name"], "front", "{done}");
    }
    assert_eq!(ada.until(&red, "working").await["statusMessage"], "grinding");
    stand.red.open();
    assert_eq!(ada.until(&red, "completed").await["result"]["content"][0]["text"], "flour of red");
    let broken = ada.start("red__break").await;
    let broken = ada.until(&broken, "completed").await;
    assert_eq!(broken["result"]["isError"], true, "{broken}");
}

#[tokio::test]
async fn input_reaches_a_task_before_and_after_it_exists() {
    let stand = Stand::new();
    let front = stand.front().await;
    let ada = Caller::new(&front, ADA);
    let call = json!({"name": "red__ask", "arguments": {}});
    let asked = ada.request("tools/call", call.clone()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let grain = |grain: &str| json!({"action": "accept", "content": {"grain": grain}});
    let mut again = call;
    again["requestState"] = asked["result"]["requestState"].clone();
    again["inputResponses"] = json!({"first": grain("rye")});
    let made = ada.request("tools/call", again).await;
    let id = made["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let open = ada.until(&id, "input_required").await;
    assert_eq!(open["inputRequests"]["second"]["params"]["message"], "And then?", "{open}");
    let update = json!({"taskId": id, "inputResponses": {"second": grain("oats"), "unknown": {}}});
    let told = ada.request("tasks/update", update).await;
    assert_eq!(told["result"]["resultType"], "complete", "{told}");
    let done = ada.until(&id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], r#""rye" "oats""#);
}

#[tokio::test]
async fn a_cancelled_task_is_cancelled_behind() {
    let stand = Stand::new();
    let front = stand.front().await;
    let ada = Caller::new(&front, ADA);
    let id = ada.start("blue__grind").await;
    let told = ada.request("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(told["result"]["resultType"], "complete", "{told}");
    until("the handler behind is dropped", || stand.blue.ended() == 1).await;
    ada.until(&id, "cancelled").await;
}

// "Task IDs" of others are as those that do not exist (SEP-2663 "Security Considerations").
#[tokio::test]
async fn a_task_exists_only_for_its_caller() {
    let stand = Stand::new();
    let front = stand.front().await;
    let (ada, ben) = (Caller::new(&front, ADA), Caller::new(&front, BEN));
    let id = ada.start("red__grind").await;
    let mut forged = id.clone();
    forged.replace_range(0..1, if id.starts_with('A') { "B" } else { "A" });
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = |id: &str| json!({"taskId": id, "inputResponses": {}});
        let unknown = ada.request(method, params(&forged)).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        let message = unknown["error"]["message"].as_str().unwrap().replace(&forged[..16], &id[..16]);
        let hidden = ben.request(method, params(&id)).await;
        assert_eq!(hidden["error"]["message"], json!(message), "{method}");
        assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
        let undeclared = ada.said(method, params(&id), false).await;
        assert_eq!(undeclared["error"]["code"], -32021, "{undeclared}");
    }
    // Nobody has cancelled it.
    ada.until(&id, "working").await;
    stand.red.open();
    ada.until(&id, "completed").await;
}

#[tokio::test]
async fn tasks_outlive_the_gateway() {
    let stand = Stand::new();
    let first = stand.front().await;
    let id = Caller::new(&first, ADA).start("red__grind").await;
    drop(first);
    // One rotation does not make an id invalid, neither that of the key before nor that of the next one.
    stand.keys.rotate(false).unwrap();
    let again = stand.front().await;
    Caller::new(&again, ADA).until(&id, "working").await;
    stand.red.open();
    let done = Caller::new(&again, ADA).until(&id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "flour of red");
    stand.keys.rotate(true).unwrap();
    let other = stand.front().await;
    let unknown = Caller::new(&other, ADA).get(&id).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

/// As in IBM/mcp-context-forge#1915: what a token does not admit does not exist, and neither does what is of another run.
#[tokio::test]
async fn tasks_of_runs_are_held_to_the_token() {
    let stand = Stand::new();
    let store = Arc::new(MemoryStore::new());
    let registry = Registry::with_store(Arc::clone(&store) as Arc<dyn RegistryStore>).start();
    let mut tokens = None;
    let front = listen_with(|url| {
        let minting = Arc::new(SessionTokens::new(stand.keys.clone(), url));
        let verifier = registry.verifier(Arc::clone(&minting));
        tokens = Some(minting);
        let service = Server::new(()).provider(registry).state_keys(stand.keys.state_keys()).build().unwrap();
        (service, HttpConfig::new().protect(Protection::new(url, verifier).unwrap()))
    });
    let tokens = tokens.unwrap();
    let mut callers = Vec::new();
    for run in ["one", "other"] {
        let id = RunId::new(Some("acme"), run);
        let epoch = store.open(&id, RUN_TTL).await.unwrap().epoch;
        for (node, listening) in ["red", "blue"].into_iter().zip(&stand.behind) {
            store.register(&id, Entry::remote(node, &*listening.url)).await.unwrap();
        }
        for nodes in [vec!["red", "blue"], vec!["blue"]] {
            let request = SessionRequest::new("agent").run(Some("acme"), run, epoch.clone());
            let token = tokens.mint(&request.nodes(Selection::only(nodes))).unwrap().token;
            callers.push(Caller::new(&front, &token));
        }
    }
    for caller in &callers {
        let listed = async {
            while !caller.request("tools/list", json!({})).await.to_string().contains("blue__grind") {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(20), listed).await.expect("the servers are connected");
    }
    let [agent, renewed, others @ ..] = &callers[..] else { panic!("two runs") };
    let (red, blue) = (agent.start("red__grind").await, agent.start("blue__grind").await);
    // Another token of the agent reaches its tasks, but only those of tools that it admits.
    renewed.until(&blue, "working").await;
    let unknown = renewed.get(&red).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    for other in others {
        for id in [&red, &blue] {
            let unknown = other.request("tasks/cancel", json!({"taskId": id})).await;
            assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        }
    }
    stand.red.open();
    agent.until(&red, "completed").await;
    store.revoke(&Revocation::Run(RunId::new(Some("acme"), "one"))).await.unwrap();
    let mut stream = agent.open("tasks/get", json!({"taskId": blue}), true).await;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(!answer.contains("working"), "{answer}");
}

/// A client of a program, which polls tasks itself.
fn polling(revision: Revision) -> ClientBuilder {
    let grain = json!({"grain": "rye"}).as_object().cloned().unwrap();
    Client::builder()
        .revision(revision)
        .on_elicitation(move |_| std::future::ready(ElicitationResponse::Accept(grain.clone())))
}

#[tokio::test]
async fn the_gateway_waits_for_clients_without_tasks() {
    let stand = Stand::new();
    let service = stand.service().await;
    for builder in [
        polling(Revision::NEWEST),
        polling(Revision::NEWEST_LEGACY),
        // Tasks of 2025-11-25 are not served, so its clients are made to wait.
        polling(Revision::NEWEST_LEGACY).tasks(),
        polling(Revision::NEWEST).tasks(),
    ] {
        let client = client(&service, builder).await;
        stand.red.open();
        assert_eq!(client.call("red__grind", ()).await.unwrap().as_text(), "flour of red");
        assert_eq!(client.call("blue__ask", ()).await.unwrap().as_text(), r#""rye" "rye""#);
        assert_eq!(client.call("red__plain", ()).await.unwrap().as_text(), "direct");
    }
}

#[tokio::test]
async fn a_tool_that_needs_tasks_is_refused_without_them() {
    let stand = Stand::new();
    let service = stand.service().await;
    let modern = client(&service, polling(Revision::NEWEST)).await;
    let refused = modern.call("red__must", ()).await.unwrap_err();
    assert_eq!(refused.rpc().unwrap().code, -32021, "{refused}");
    let tasks = client(&service, polling(Revision::NEWEST).tasks()).await;
    assert_eq!(tasks.call("red__must", ()).await.unwrap().as_text(), "direct");
    let legacy = client(&service, polling(Revision::NEWEST_LEGACY)).await;
    let listed = legacy.list_tools().await.unwrap();
    assert!(listed.iter().all(|tool| tool.name() != "red__must"), "it is not listed");
}

#[tokio::test]
async fn tasks_of_a_legacy_server_are_waited_for() {
    let mill = Mill::named("old");
    let builder = Client::builder().revision(Revision::NEWEST_LEGACY).relay_input_requests();
    let proxy = Proxy::new(client(&mill.service(), builder).await).await.unwrap();
    assert!(!proxy.capabilities().tasks);
    let service = Server::new(()).provider(proxy).build().unwrap();
    let client = client(&service, polling(Revision::NEWEST)).await;
    mill.open();
    assert_eq!(client.call("grind", ()).await.unwrap().as_text(), "flour of old");
}

/// Reads what the stream says until a text comes.
pub(crate) async fn read_until(stream: &mut TcpStream, all: &mut String, text: &str) {
    let reading = async {
        let mut part = [0; 4096];
        while !all.contains(text) {
            let length = stream.read(&mut part).await.unwrap();
            assert!(length > 0, "no {text}: {all}");
            all.push_str(std::str::from_utf8(&part[..length]).unwrap());
        }
    };
    timeout(Duration::from_secs(20), reading).await.unwrap();
}

#[tokio::test]
async fn subscribers_are_notified_of_tasks() {
    let stand = Stand::new();
    let front = stand.front().await;
    let (ada, ben) = (Caller::new(&front, ADA), Caller::new(&front, BEN));
    let id = ada.start("red__grind").await;
    let wanted = json!({"notifications": {"taskIds": [id, "unknown"]}});
    let undeclared = ada.said("subscriptions/listen", wanted.clone(), false).await;
    assert_eq!(undeclared["error"]["code"], -32021, "{undeclared}");
    let mut foreign = String::new();
    let mut stream = ben.open("subscriptions/listen", wanted.clone(), true).await;
    read_until(&mut stream, &mut foreign, "subscriptions/acknowledged").await;
    assert!(!foreign.contains(&id), "{foreign}");

    let mut all = String::new();
    let mut stream = ada.open("subscriptions/listen", wanted, true).await;
    read_until(&mut stream, &mut all, "subscriptions/acknowledged").await;
    assert!(all.contains(&id) && !all.contains("\"unknown\""), "{all}");
    read_until(&mut stream, &mut all, r#""status":"working""#).await;
    stand.red.open();
    read_until(&mut stream, &mut all, r#""status":"completed""#).await;
    assert!(all.contains("notifications/tasks") && all.contains("flour of red"), "{all}");
    assert!(!all.contains("io.toolwright.gateway/"), "{all}");
}

/// What was recorded.
#[derive(Clone, Default)]
struct Records(Arc<Mutex<Vec<Value>>>);

impl AuditSink for Records {
    fn record(&self, record: &AuditRecord) {
        self.0.lock().unwrap().push(serde_json::to_value(record).unwrap());
    }
}

#[tokio::test]
async fn results_of_tasks_are_limited_and_recorded() {
    let stand = Stand::new();
    let specs = [spec("red", &stand.behind[0].url)];
    let (controls, records) = (Controls::new(), Records::default());
    controls.set_audit(Arc::new(records.clone()));
    let rules = r#"{"rules":[{"tools":["red__grind"],"maxResultBytes":20}]}"#;
    controls.set_policy(Policy::parse(rules).unwrap());
    let provider = Controlled::new(gateway(specs).await, &controls);
    // One service in another, so that ids are passed through both.
    let inner = Server::new(()).provider(Mill::named("other")).provider(provider).build().unwrap();
    let service = Server::new(()).provider(inner).build().unwrap();
    let front = protected(service);
    let ada = Caller::new(&front, ADA);
    for (tool, is_error, kind) in
        [("red__grind", true, json!("result_too_large")), ("red__break", true, Value::Null)]
    {
        let id = ada.start(tool).await;
        stand.red.open();
        let done = ada.until(&id, "completed").await;
        let result = &done["result"];
        assert_eq!(result["isError"], is_error, "{done}");
        assert_eq!(result["_meta"]["io.toolwright.gateway/fault"]["kind"], kind, "{done}");
    }
    let id = ada.start("red__grind").await;
    ada.request("tasks/cancel", json!({"taskId": id})).await;
    let members = |record: &Value| format!("{} {}", record["method"], record["outcome"]).replace('"', "");
    let all: Vec<_> = records.0.lock().unwrap().iter().map(members).collect();
    let expected = [
        "tools/call task",
        "tasks/get refused",
        "tools/call task",
        "tasks/get tool_error",
        "tools/call task",
        "tasks/cancel ok",
    ];
    assert_eq!(all, expected);
}
