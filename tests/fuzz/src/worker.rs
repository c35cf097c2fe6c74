//! What travels between a gateway and those behind it: calls to workers, their records, and results of servers. The first line of an
//! input says what the rest is.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use toolwright::{HttpService, Server, transport::Lines};
use toolwright_client::Client;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::{Revision, meta};
use toolwright_gateway::calls::{
    Call, CallBus, CallError, CallRecord, CallState, Claim, Finish, Lease, MemoryBus, Progress,
};
use toolwright_gateway::registry::{Entry, MemoryStore, RUN_TTL, Registry, RegistryStore as _, RunId};
use toolwright_gateway::tokens::{KeyRing, SessionRequest, SessionTokens};
use toolwright_gateway::{Clock, Proxy, Selection, Worker};
use toolwright_server::auth::{Access, Protection};
use toolwright_server::{BoxFuture, Context, HttpConfig, Outcome, Provider, RawResult, ToolRequest};

use crate::answer::messages;
use crate::server::{Endpoint, runtime, service};

const URL: &str = "http://localhost/mcp";
/// Longer than any call of the lab takes.
const A_WHILE: Duration = Duration::from_secs(3600);
/// The kinds of faults of a proxy.
const OF_PROXY: [&str; 6] =
    ["auth_required", "circuit_open", "outcome_unknown", "timeout", "unavailable", "upstream_error"];

/// Checks an input; `None` if it is none of these: `call` and the JSON of a call; `record N`, for the attempt, and a line with the JSON
/// of progress (or nothing), then that of a state; `result` and the JSON of a result.
pub fn check(input: &str) -> Option<()> {
    let (what, text) = input.split_once('\n')?;
    match what.split_once(' ') {
        None if what == "call" => carry_to_a_worker(text),
        None if what == "result" => forward_from_a_server(text),
        Some(("record", attempt)) => {
            let (progress, state) = text.split_once('\n')?;
            let progress =
                if progress.is_empty() { None } else { Some(serde_json::from_str(progress).ok()?) };
            let state = serde_json::from_str(state).ok()?;
            answer_a_caller(Told { attempt: attempt.parse().ok()?, progress, state })
        }
        _ => None,
    }
}

/// A call is read as it was written, and a worker finishes it in its first attempt.
fn carry_to_a_worker(text: &str) -> Option<()> {
    let call: Call = serde_json::from_str(text).ok()?;
    let written = serde_json::to_string(&call).expect("a call can be written");
    let again: Call = serde_json::from_str(&written).expect("what is written is read");
    assert_eq!(serde_json::to_string(&again).expect("a call can be written"), written);
    let soon = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970") + A_WHILE;
    if u128::from(call.deadline) < soon.as_millis() {
        return Some(());
    }
    runtime().block_on(async {
        let bus = Arc::new(MemoryBus::new());
        tokio::spawn(Worker::new(Arc::clone(&bus) as Arc<dyn CallBus>, "p", service()).run());
        loop {
            match bus.submit("p", call.clone()).await {
                Ok(id) => {
                    assert_eq!(id, call.id, "no call has its key");
                    break;
                }
                Err(CallError::NoWorker(_)) => tokio::time::sleep(Duration::from_millis(1)).await,
                Err(_) => return,
            }
        }
        let end = async {
            let mut seen = 0;
            loop {
                let record = bus.wait(&call.id, seen).await.expect("the record is kept");
                if record.state.is_final() {
                    return record;
                }
                seen = record.version;
            }
        };
        let record = timeout(A_WHILE, end).await.expect("the call ends");
        assert_eq!(record.attempt, 1);
        match record.state {
            CallState::Done { result } => {
                let result: Map<String, Value> =
                    serde_json::from_str(result.get()).expect("a result is an object");
                assert!(result.contains_key("content"), "{result:?}");
            }
            CallState::Failed { .. } => {}
            other => panic!("no worker was lost: {other:?}"),
        }
    });
    Some(())
}

/// A bus that has the record of every call.
struct Told {
    attempt: u32,
    progress: Option<Progress>,
    state: CallState,
}

impl CallBus for Told {
    fn submit<'a>(&'a self, _pool: &'a str, call: Call) -> BoxFuture<'a, Result<String, CallError>> {
        Box::pin(async { Ok(call.id) })
    }

    fn wait<'a>(&'a self, _call: &'a str, seen: u64) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        Box::pin(async move {
            let state = match seen {
                0 | 1 => CallState::Running,
                2 => self.state.clone(),
                _ => std::future::pending().await,
            };
            Ok(CallRecord::new(state, self.attempt, self.progress.clone(), seen.max(1) + 1))
        })
    }

    fn record<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        self.wait(call, 0)
    }

    fn cancel<'a>(&'a self, _call: &'a str) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Ok(()) })
    }

    fn announce<'a>(
        &'a self,
        _pool: &'a str,
        _worker: &'a str,
        _is_there: bool,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Ok(()) })
    }

    fn claim<'a>(&'a self, _pool: &'a str, _worker: &'a str) -> BoxFuture<'a, Result<Claim, CallError>> {
        Box::pin(std::future::pending())
    }

    fn renew<'a>(
        &'a self,
        _call: &'a str,
        _lease: &'a str,
        _progress: Option<Progress>,
    ) -> BoxFuture<'a, Result<Lease, CallError>> {
        Box::pin(async { Ok(Lease::Lost) })
    }

    fn cancelled<'a>(&'a self, _call: &'a str, _lease: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(std::future::pending())
    }

    fn finish<'a>(
        &'a self,
        _call: &'a str,
        _lease: &'a str,
        _with: Finish,
    ) -> BoxFuture<'a, Result<bool, CallError>> {
        Box::pin(async { Ok(false) })
    }
}

/// Whatever the record of a call says, its caller gets one response, which names the attempt if there was more than one.
fn answer_a_caller(told: Told) -> Option<()> {
    static KEYS: LazyLock<KeyRing> = LazyLock::new(|| KeyRing::generate().expect("random numbers"));
    let expected = attempt_of(&told);
    let runtime = runtime();
    let (http, token) = runtime.block_on(async {
        let clock = Clock::new(|| Duration::from_secs(1_000_000));
        let (store, run) = (Arc::new(MemoryStore::new()), RunId::new(Some("acme"), "r"));
        let epoch = store.open(&run, RUN_TTL).await.expect("a run").epoch;
        store.register(&run, Entry::component("n", "p", tool())).await.expect("a node");
        let tokens = SessionTokens::new(KEYS.clone(), URL).clock(clock.clone());
        let request = SessionRequest::new("agent").run(Some("acme"), "r", epoch);
        let token = tokens.mint(&request.nodes(Selection::only(["n"]))).expect("a token").token;
        let registry = Registry::with_store(store).bus(told).clock(clock).start();
        let protection = Protection::new(URL, registry.verifier(Arc::new(tokens))).expect("a URL");
        let front = Server::new(()).provider(registry).build().expect("the names differ");
        // The comments of a pending call would take all frames that are read.
        let config = HttpConfig::new().keep_alive(None).protect(protection);
        (HttpService::with_config(&front, config), token)
    });
    let result = call_look(&mut Endpoint::on(runtime, http), Some(&token));
    if let (Some(expected), Some(result)) = (expected, result) {
        assert_eq!(result["_meta"][meta::ATTEMPT], expected, "{result}");
    }
    Some(())
}

/// The attempt that a result must name: of a complete result that has a place for it.
fn attempt_of(told: &Told) -> Option<u32> {
    let CallState::Done { result } = &told.state else { return None };
    let members: Map<String, Value> = serde_json::from_str(result.get()).ok()?;
    let is_complete = members.get("resultType").is_none_or(|kind| kind == "complete");
    let has_place = members.get("_meta").is_none_or(Value::is_object);
    (told.attempt > 1 && is_complete && has_place).then_some(told.attempt)
}

/// A server whose tool has this result.
struct Upstream(Box<RawValue>);

impl Provider for Upstream {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [tool()].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async { RawResult::new(Revision::NEWEST, self.0.clone()).into() })
    }
}

/// Nothing that only the gateway writes is forwarded from a server.
fn forward_from_a_server(text: &str) -> Option<()> {
    let result = RawValue::from_string(text.to_owned()).ok()?;
    let runtime = runtime();
    let http = runtime.block_on(async {
        let behind = Server::new(()).provider(Upstream(result)).build().expect("the names differ");
        let (ours, theirs) = tokio::io::duplex(4 << 10);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(async move { behind.serve(Lines::new(reader, writer)).await });
        let (reader, writer) = tokio::io::split(ours);
        let client = Client::builder().connect_streams("lab", reader, writer).await.expect("a connection");
        let proxy = Proxy::new(client).await.expect("lists");
        HttpService::new(&Server::new(()).provider(proxy).build().expect("the names differ"))
    });
    let Some(result) = call_look(&mut Endpoint::on(runtime, http), None) else { return Some(()) };
    let own = result["_meta"].as_object().into_iter().flatten();
    for (name, value) in own.filter(|(name, _)| meta::is_of_gateway(name)) {
        let kind = value["kind"].as_str().unwrap_or_default();
        assert!(name == meta::FAULT && OF_PROXY.contains(&kind) && result["isError"] == true, "{result}");
    }
    Some(())
}

fn tool() -> ToolDefinition {
    ToolDefinition::new("look", json!({"type": "object"}))
}

/// Calls the tool, and returns the result of the only response, if it is one.
fn call_look(endpoint: &mut Endpoint, token: Option<&str>) -> Option<Value> {
    let revision = Revision::NEWEST.as_str();
    let own = json!({"progressToken": 1, "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": "look", "arguments": {}, "_meta": own});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let mut request = Request::post("/mcp")
        .header("Host", "localhost")
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", revision)
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "look");
    if let Some(token) = token {
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    let response = endpoint.send(request.body(Full::new(Bytes::from(body))).expect("a request"));
    let messages = messages(&response);
    let mut answers = messages.iter().filter(|message| message.get("method").is_none());
    let answer = answers.next().expect("each call is answered");
    assert!(answers.next().is_none() && answer["id"] == 1, "{messages:?}");
    answer.get("result").cloned()
}
