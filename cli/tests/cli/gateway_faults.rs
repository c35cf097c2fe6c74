//! `cargo mcp gateway` when it is killed or shut down during calls, and when its servers, clients and disk fail. What the tools do
//! is written into a ledger.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolwright_client::config::{HttpSpec, ServerSpec, StdioSpec};
use toolwright_client::{Client, ErrorKind};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::ToolResult;
use toolwright_gateway::Worker;
use toolwright_gateway::redis::RedisBus;
use toolwright_server::auth::Access;
use toolwright_server::{BoxFuture, Context, Outcome, Provider, Server, ToolRequest};

use crate::common::{run, scratch};
use crate::gateway_controls::{Running as Process, until};
use crate::gateway_runs::Running;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-mcp");

fn ledger(folder: &Path) -> PathBuf {
    folder.join("ledger")
}

fn lines(folder: &Path) -> Vec<String> {
    std::fs::read_to_string(ledger(folder)).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn count(folder: &Path, line: &str) -> usize {
    lines(folder).iter().filter(|known| *known == line).count()
}

/// Writes a configuration with these servers, which share the ledger.
fn config(folder: &Path, names: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/upstream.py");
    let servers: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| {
            let server = json!({"command": "python3", "args": [script, ledger(folder), name]});
            ((*name).to_owned(), server)
        })
        .collect();
    std::fs::write(folder.join("mcp.json"), json!({"mcpServers": servers}).to_string()).unwrap();
}

/// A client of a gateway over stdio, which it trusts.
async fn trusted(folder: &Path) -> Client {
    let mut program =
        StdioSpec::new(PROGRAM).arg("mcp").arg("gateway").arg("--quiet").arg("--config").arg("mcp.json");
    program.cwd = Some(folder.to_str().unwrap().into());
    Client::connect(ServerSpec::new("gateway", program)).await.unwrap()
}

fn client(url: &str, token: Option<&str>) -> Client {
    let mut http = HttpSpec::new(url);
    if let Some(token) = token {
        http.headers.set("Authorization", format!("Bearer {token}"));
    }
    Client::builder().connect_lazy(ServerSpec::new("gateway", http))
}

fn fault(result: &ToolResult) -> Value {
    assert!(result.is_error, "{result:?}");
    result.meta.as_ref().and_then(|meta| meta.get("io.toolwright.gateway/fault")).cloned().unwrap_or_default()
}

fn unknown(is_retryable: bool) -> Value {
    json!({"kind": "outcome_unknown", "retryable": is_retryable})
}

fn signal(process: u32, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap().success());
}

#[test]
fn a_crash_behind_is_explained_and_affects_no_other() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["till", "desk"]);
    Runtime::new().unwrap().block_on(async {
        let client = trusted(folder).await;
        let others: Vec<_> = (100..120)
            .map(|key| {
                let client = client.clone();
                tokio::spawn(async move { client.call("desk__charge", json!({"key": key, "ms": 100})).await })
            })
            .collect();
        let crashed = client.call("till__charge", json!({"key": 1, "crash": "always"})).await.unwrap();
        assert_eq!(fault(&crashed), unknown(false));
        let text = crashed.as_text();
        assert!(text.contains("exit status: 7") && text.contains("out of memory"), "{text}");
        let next = client.call("till__charge", json!({"key": 2})).await.unwrap();
        assert_eq!(next.as_text(), "till did 2", "it is started again");
        for (key, other) in (100..120).zip(others) {
            assert_eq!(other.await.unwrap().unwrap().as_text(), format!("desk did {key}"));
        }
        // A read-only call is made again, once.
        let look = async |key: u64, crash: &str| {
            client.call("till__look", json!({"key": key, "crash": crash})).await.unwrap()
        };
        assert_eq!(look(3, "once").await.as_text(), "till did 3");
        assert_eq!(fault(&look(4, "always").await), unknown(true));
        client.close().await;
    });
    for (key, times) in [(1, 1), (2, 1), (3, 2), (4, 2), (100, 1), (119, 1)] {
        assert_eq!(count(folder, &format!("begun {key}")), times, "{key}");
    }
}

#[test]
fn a_crash_loop_behind_is_slowed_down_and_affects_no_other() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["till", "desk"]);
    Runtime::new().unwrap().block_on(async {
        let client = trusted(folder).await;
        let mut kinds = Vec::new();
        for key in 1..=12 {
            let crashed = client.call("till__charge", json!({"key": key, "crash": "always"})).await.unwrap();
            kinds.push(fault(&crashed));
            let other = client.call("desk__charge", json!({"key": 100 + key})).await.unwrap();
            assert_eq!(other.as_text(), format!("desk did {}", 100 + key));
        }
        // After five crashes, it is left alone for half a minute.
        assert!(kinds[..5].iter().all(|kind| *kind == unknown(false)), "{kinds:?}");
        for kind in &kinds[5..] {
            assert_eq!((&kind["kind"], &kind["retryable"]), (&json!("circuit_open"), &json!(true)));
            assert!(kind["retry_after_ms"].is_u64(), "{kind}");
        }
        client.close().await;
    });
    let starts = lines(folder).iter().filter(|line| line.starts_with("started till")).count();
    assert!((5..=6).contains(&starts), "{starts} starts");
    for key in 1..=12 {
        assert!(count(folder, &format!("begun {key}")) <= 1);
        assert_eq!(count(folder, &format!("ended {}", 100 + key)), 1);
    }
}

#[test]
fn a_server_that_does_not_start_is_tried_again_later() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["till", "desk"]);
    let broken = folder.join("ledger.broken");
    Runtime::new().unwrap().block_on(async {
        let client = trusted(folder).await;
        std::fs::write(&broken, "").unwrap();
        let crashed = client.call("till__charge", json!({"key": 1, "crash": "always"})).await.unwrap();
        assert_eq!(fault(&crashed), unknown(false));
        let refused = client.call("till__charge", json!({"key": 2})).await.unwrap();
        assert_eq!(fault(&refused), json!({"kind": "unavailable", "retryable": true}));
        assert!(refused.as_text().contains("licence has expired"), "{refused:?}");
        std::fs::remove_file(&broken).unwrap();
        let mut result = refused;
        while result.is_error {
            assert_eq!(fault(&result)["kind"], "unavailable", "{result:?}");
            // No attempt is made sooner.
            tokio::time::sleep(Duration::from_millis(1_100)).await;
            result = client.call("till__charge", json!({"key": 2})).await.unwrap();
        }
        assert_eq!(result.as_text(), "till did 2");
        client.close().await;
    });
    assert_eq!(count(folder, "begun 2"), 1);
}

/// A worker's tool, which writes into the ledger.
struct Charge(PathBuf);

impl Charge {
    fn note(&self, text: &str) {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.0).unwrap();
        file.write_all(format!("{text}\n").as_bytes()).unwrap();
    }
}

impl Provider for Charge {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [ToolDefinition::new("charge", json!({"type": "object"}))].into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let arguments: Value = serde_json::from_str(request.arguments.unwrap().get()).unwrap();
        Outcome::from_future(async move {
            let key = &arguments["key"];
            self.note(&format!("begun {key}"));
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or(0))) => {}
                () = cx.cancellation().cancelled() => self.note(&format!("cancelled {key}")),
            }
            self.note(&format!("ended {key}"));
            ToolResult::text(format!("worker did {key}"))
        })
    }
}

/// A Redis, the key of a service, and how a gateway is started with both.
struct Shared {
    redis: Process,
    operator: String,
    engine: String,
}

/// The URL that tokens name, whatever port a gateway has.
const URL: &str = "http://127.0.0.1:1/mcp/gateway";

impl Shared {
    fn new(folder: &Path) -> Self {
        let redis = Process::redis(folder);
        let words = ["gateway", "keys", "service", "--state", "state"];
        let key = |more: &[&str]| run(folder, &[&words[..], more].concat()).ok().stdout.trim().to_owned();
        let engine = key(&["engine", "--org", "acme", "--right", "register", "--right", "sessions"]);
        let operator = key(&["operator", "--all-orgs", "--right", "read"]);
        Self { redis, operator, engine }
    }

    fn gateway(&self, folder: &Path) -> Running {
        Running::start(folder, &["--url", URL, "--store", &self.redis.url])
    }

    /// Registers the tool of the worker, and returns a token for it.
    fn open_run(&self, gateway: &Running) -> String {
        let post = |path: &str, body: Value| {
            let (status, answer) = gateway.ask("POST", path, &self.engine, &body);
            assert_eq!(status, 200, "{answer}");
            answer
        };
        post("runs", json!({"run": "r1"}));
        let tool = json!({"name": "charge", "inputSchema": {"type": "object"}});
        post("tools", json!({"run": "r1", "node": "charge", "kind": "component", "pool": "p", "tool": tool}));
        let session = post("sessions", json!({"run": "r1", "node": "agent", "nodes": ["charge"]}));
        session["token"].as_str().unwrap().to_owned()
    }

    /// Starts a worker in this process, and waits until it is there.
    async fn work(&self, folder: &Path) {
        let bus = Arc::new(RedisBus::connect(&self.redis.url).await.unwrap());
        let service = Server::new(()).provider(Charge(ledger(folder))).build().unwrap();
        tokio::spawn(Worker::new(bus, "p", service).run());
        until("the worker is there", || self.keys("mcp:1:workers:p").len() == 1);
    }

    fn keys(&self, pattern: &str) -> Vec<String> {
        let words = ["-u", &self.redis.url, "--scan", "--pattern", pattern];
        let output = Command::new("redis-cli").args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }
}

#[test]
fn a_killed_gateway_loses_no_call_of_a_worker() {
    let scratch = scratch();
    let folder = scratch.path();
    let shared = Shared::new(folder);
    let first = shared.gateway(folder);
    let token = shared.open_run(&first);
    Runtime::new().unwrap().block_on(async {
        shared.work(folder).await;
        let calling = client(&first.url, Some(&token));
        let call = tokio::spawn(async move { calling.call("charge", json!({"key": 1, "ms": 1_500})).await });
        until("the call has begun", || count(folder, "begun 1") == 1);
        drop(first);
        let lost = call.await.unwrap().unwrap_err();
        assert_eq!(lost.kind(), ErrorKind::Lost, "{lost}");

        // The token, the run and the record of the call are still there.
        let second = shared.gateway(folder);
        let calls = shared.keys("mcp:1:call:*");
        let id = calls[0].rsplit(':').next().unwrap().to_owned();
        let calling = client(&second.url, Some(&token));
        assert_eq!(calling.call("charge", json!({"key": 2})).await.unwrap().as_text(), "worker did 2");
        let outcome = || second.ask("GET", &format!("calls/{id}"), &shared.operator, &Value::Null).1;
        until("the first call is done", || outcome()["state"] == "done");
        assert_eq!(outcome()["result"]["content"][0]["text"], "worker did 1");
    });
    for key in [1, 2] {
        assert_eq!((count(folder, &format!("begun {key}")), count(folder, &format!("ended {key}"))), (1, 1));
    }
}

#[test]
fn tokens_stay_valid_while_keys_are_rotated() {
    let scratch = scratch();
    let folder = scratch.path();
    let shared = Shared::new(folder);
    let gateways = [shared.gateway(folder), shared.gateway(folder)];
    let old = shared.open_run(&gateways[0]);
    Runtime::new().unwrap().block_on(async {
        shared.work(folder).await;
        let calling = client(&gateways[1].url, Some(&old));
        let running =
            tokio::spawn(async move { calling.call("charge", json!({"key": 1, "ms": 1_000})).await });
        until("the call has begun", || count(folder, "begun 1") == 1);
        run(folder, &["gateway", "keys", "rotate", "--state", "state"]).ok();
        assert_eq!(running.await.unwrap().unwrap().as_text(), "worker did 1");
        let new = shared.open_run(&gateways[0]);
        let mut key = 2;
        for gateway in &gateways {
            for token in [&old, &new] {
                let done =
                    client(&gateway.url, Some(token)).call("charge", json!({"key": key})).await.unwrap();
                assert_eq!(done.as_text(), format!("worker did {key}"));
                key += 1;
            }
        }
    });
}

#[test]
fn a_gateway_that_is_terminated_finishes_its_calls() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["till"]);
    let mint = |url: &str| {
        let words = ["gateway", "sessions", "mint", "--state", "state", "--server", "till", "--url", url];
        run(folder, &words).ok().stdout.trim().to_owned()
    };
    let mut gateway = Running::start(folder, &["--config", "mcp.json"]);
    let token = mint(&gateway.url);
    let ready = |gateway: &Running| gateway.ask("GET", "ready", "", &Value::Null);
    assert_eq!(ready(&gateway).0, 204);
    Runtime::new().unwrap().block_on(async {
        let calling = client(&gateway.url, Some(&token));
        let running =
            tokio::spawn(async move { calling.call("till__charge", json!({"key": 1, "ms": 3_000})).await });
        until("the call has begun", || count(folder, "begun 1") == 1);
        signal(gateway.child.id(), "TERM");
        until("it is not ready", || ready(&gateway).0 == 503);
        assert_eq!(ready(&gateway).1["error"]["kind"], "draining");
        assert_eq!(gateway.ask("GET", "live", "", &Value::Null).0, 204);
        let refused =
            client(&gateway.url, Some(&token)).call("till__charge", json!({"key": 2})).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Connect, "{refused}");
        assert_eq!(running.await.unwrap().unwrap().as_text(), "till did 1");
    });
    assert!(gateway.child.wait().unwrap().success());
    let started =
        lines(folder).into_iter().find_map(|line| Some(line.strip_prefix("started till ")?.to_owned()));
    let process = PathBuf::from(format!("/proc/{}", started.unwrap()));
    assert!(!process.exists(), "the server behind has ended");
    assert_eq!((count(folder, "ended 1"), count(folder, "begun 2")), (1, 0));
}

#[test]
fn a_gateway_waits_for_its_calls_only_as_long_as_it_is_told() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["till"]);
    let mut gateway = Running::start_open_with(folder, &["--grace", "1"]);
    Runtime::new().unwrap().block_on(async {
        let calling = client(&gateway.url, None);
        let running =
            tokio::spawn(async move { calling.call("till__charge", json!({"key": 1, "ms": 600_000})).await });
        until("the call has begun", || count(folder, "begun 1") == 1);
        signal(gateway.child.id(), "TERM");
        let ended = running.await.unwrap().unwrap_err();
        assert!(ended.rpc().is_some() || ended.kind() == ErrorKind::Lost, "{ended}");
    });
    assert!(gateway.child.wait().unwrap().success());
}

/// Sends a request with this body, and disconnects as soon as `begun` holds.
fn send_and_leave(url: &str, headers: &str, body: &Value, begun: impl Fn() -> bool) {
    let mut stream = post(url, headers, body);
    until("the call has begun", begun);
    stream.shutdown(std::net::Shutdown::Both).unwrap();
    _ = stream.read(&mut [0]);
}

fn post(url: &str, headers: &str, body: &Value) -> TcpStream {
    let host = url.trim_start_matches("http://").split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "POST /mcp/gateway HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

#[test]
fn a_client_that_disconnects_cancels_its_call_since_2026() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["till"]);
    let gateway = Running::start_open(folder);
    let call = |key: u64, ms: u64, meta: Value| {
        let params = json!({"name": "till__charge", "arguments": {"key": key, "ms": ms}, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    };
    // The closed response cancels the request (2026-07-28, basic/transports/streamable-http "Cancellation").
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: till__charge\r\n";
    send_and_leave(&gateway.url, headers, &call(1, 60_000, meta), || count(folder, "begun 1") == 1);
    until("the call is cancelled behind", || count(folder, "cancelled") == 1);

    // A disconnect is not a cancellation (2025-11-25, basic/transports "Sending Messages to the Server").
    let initialize = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize});
    let mut opened = String::new();
    post(&gateway.url, "Connection: close\r\n", &body).read_to_string(&mut opened).unwrap();
    let session = opened.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let headers = format!("MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {session}\r\n");
    send_and_leave(&gateway.url, &headers, &call(2, 1_000, json!({})), || count(folder, "begun 2") == 1);
    until("the call goes on behind", || count(folder, "ended 2") == 1);
    assert_eq!(count(folder, "cancelled"), 1);
}

#[test]
fn a_full_disk_for_the_audit_stops_no_call() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["till"]);
    let audit = folder.join("audit.jsonl");
    std::os::unix::fs::symlink("/dev/full", &audit).unwrap();
    let gateway = Running::start_open_with(folder, &["--audit", "audit.jsonl"]);
    Runtime::new().unwrap().block_on(async {
        let client = client(&gateway.url, None);
        for key in 1..=30 {
            let done = client.call("till__charge", json!({"key": key})).await.unwrap();
            assert_eq!(done.as_text(), format!("till did {key}"));
        }
        // The line buffer is written every second; what was rejected is reported as soon as there is room.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        std::fs::remove_file(&audit).unwrap();
        let written = || std::fs::read_to_string(&audit).unwrap_or_default();
        client.call("till__charge", json!({"key": 31})).await.unwrap();
        until("the loss is reported", || written().starts_with("{\"lost\":30}\n"));
        until("calls are recorded again", || written().lines().count() == 2);
    });
    assert_eq!(lines(folder).iter().filter(|line| line.starts_with("begun")).count(), 31);
}
