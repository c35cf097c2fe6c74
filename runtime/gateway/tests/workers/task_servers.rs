//! Servers that share tasks and events in Redis, without a gateway in front.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::Notify;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::ToolResult;
use toolwright_gateway::redis::{RedisEvents, RedisTasks, TaskSettings};
use toolwright_server::auth::Access;
use toolwright_server::tasks::{TaskState, TaskStore as _, Tasks};
use toolwright_server::{
    BoxFuture, Context, EventLimits, EventStore as _, Lines, Outcome, Provider, Server, StoredEvent,
    ToolRequest,
};

use crate::redis::LEASE;
use crate::redis_server::{Keeps, RedisServer};
use crate::tasks::{task, text};

const ADDRESS: &str = "TEST_TASKS_REDIS";
const STARTED: &str = "TEST_TASKS_STARTED";
const LONG: Duration = Duration::from_secs(30);

fn settings() -> TaskSettings {
    TaskSettings { lease: LEASE, ..TaskSettings::default() }
}

async fn store(url: &str) -> RedisTasks {
    RedisTasks::connect_with(url, settings()).await.unwrap()
}

/// The tool `wait`, whose calls become tasks and end when the test says so.
#[derive(Clone, Default)]
struct Waiting(Arc<Signals>);

#[derive(Default)]
struct Signals {
    ends: Notify,
    dropped: Notify,
}

struct Dropped(Arc<Signals>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.dropped.notify_one();
    }
}

impl Provider for Waiting {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let mut tool = ToolDefinition::new("wait", json!({"type": "object"}));
        tool.meta = json!({"io.toolwright/task": "required"}).as_object().cloned();
        [tool].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let signals = Arc::clone(&self.0);
        Outcome::from_future(async move {
            let _dropped = Dropped(Arc::clone(&signals));
            signals.ends.notified().await;
            ToolResult::text("done")
        })
    }
}

/// A client of a server of its own.
struct Caller {
    requests: WriteHalf<DuplexStream>,
    answers: BufReader<ReadHalf<DuplexStream>>,
    id: u64,
}

impl Caller {
    fn of(store: RedisTasks, waiting: &Waiting) -> Self {
        let server = Server::new(()).provider(waiting.clone()).tasks(Tasks::new().store(store));
        let service = server.build().unwrap();
        let (client, server) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(server);
        tokio::spawn(async move { service.serve(Lines::new(reader, writer)).await });
        let (answers, requests) = tokio::io::split(client);
        Self { requests, answers: BufReader::new(answers), id: 0 }
    }

    /// The whole response to a request.
    async fn request(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities":
                {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        });
        self.id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        self.requests.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(LONG, self.answers.read_line(&mut line)).await;
            assert!(read.expect("a response").unwrap() > 0, "the server has ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.id {
                return answer;
            }
        }
    }

    async fn start(&mut self) -> String {
        let made = self.request("tools/call", json!({"name": "wait", "arguments": {}})).await;
        assert_eq!(made["result"]["status"], "working", "{made}");
        made["result"]["taskId"].as_str().unwrap().to_owned()
    }

    async fn get(&mut self, id: &str) -> Value {
        let answer = self.request("tasks/get", json!({"taskId": id})).await;
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    async fn cancel(&mut self, id: &str) {
        let answer = self.request("tasks/cancel", json!({"taskId": id})).await;
        assert!(answer["result"].is_object(), "{answer}");
    }

    /// Asks for a task until it has this status.
    async fn until(&mut self, id: &str, status: &str) -> Value {
        let asking = async {
            loop {
                let task = self.get(id).await;
                if task["status"] == status {
                    return task;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(LONG, asking).await.unwrap_or_else(|_| panic!("it should become {status}"))
    }
}

#[tokio::test]
async fn a_task_of_one_server_is_shown_and_cancelled_by_another() {
    let server = RedisServer::start(Keeps::Nothing);
    let (here, there) = (Waiting::default(), Waiting::default());
    let mut one = Caller::of(store(&server.url()).await, &here);
    let mut other = Caller::of(store(&server.url()).await, &there);
    let (first, second) = (one.start().await, one.start().await);
    assert_eq!(other.get(&first).await, one.get(&first).await);
    other.cancel(&first).await;
    // Its handler says nothing, and is dropped nevertheless.
    tokio::time::timeout(LONG, here.0.dropped.notified()).await.expect("the handler should be dropped");
    for caller in [&mut one, &mut other] {
        caller.until(&first, "cancelled").await;
    }
    here.0.ends.notify_one();
    let done = other.until(&second, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "done");
    let gone = other.request("tasks/get", json!({"taskId": "0".repeat(32)})).await;
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
}

#[tokio::test]
async fn a_lost_message_only_delays_the_end_of_a_task() {
    let server = RedisServer::start(Keeps::Nothing);
    let store = store(&server.url()).await;
    store.create(&task("a")).await.unwrap();
    let ended = store.ended("a");
    // It ends without a message.
    let set =
        Command::new("redis-cli").args(["-u", &server.url(), "hset", "mcp:1:task:a", "ended", "1"]).output();
    assert!(set.unwrap().status.success());
    tokio::time::timeout(LONG, ended).await.expect("the process should find it");
    // Its own end is not one of others.
    store.create(&task("b")).await.unwrap();
    store.create(&task("c")).await.unwrap();
    let mut end = task("c");
    end.state = TaskState::Cancelled;
    assert!(store.update(&end).await.unwrap());
    assert!(tokio::time::timeout(LEASE, store.ended("b")).await.is_err());
}

/// What the process below runs: a server with a task, until it is killed. Does nothing in a run of the tests, which do not set
/// `ADDRESS`.
#[tokio::test]
async fn this_program_runs_a_task_if_asked_to() {
    let Ok(url) = std::env::var(ADDRESS) else { return };
    let mut caller = Caller::of(store(&url).await, &Waiting::default());
    let id = caller.start().await;
    let file = std::env::var_os(STARTED).unwrap();
    std::fs::write(&file, id).unwrap();
    std::future::pending::<()>().await;
}

/// A process, killed when this is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have been killed already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_task_of_a_killed_process_fails() {
    let server = RedisServer::start(Keeps::Nothing);
    let started = server.folder().join("started");
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "task_servers::this_program_runs_a_task_if_asked_to"])
        .env(ADDRESS, server.url())
        .env(STARTED, &started)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let process = Process(child.unwrap());
    let wait = async {
        loop {
            match std::fs::read_to_string(&started) {
                Ok(id) if !id.is_empty() => return id,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let id = tokio::time::timeout(LONG, wait).await.expect("the process should start a task");
    let mut callers = Vec::new();
    for _ in 0..2 {
        callers.push(Caller::of(store(&server.url()).await, &Waiting::default()));
    }
    // It is renewed for as long as the process is there.
    for _ in 0..3 {
        tokio::time::sleep(LEASE).await;
        assert_eq!(callers[0].get(&id).await["status"], "working");
    }
    drop(process);
    let failed = callers[0].until(&id, "failed").await;
    assert_eq!(failed["error"]["data"]["kind"], "process_lost", "{failed}");
    assert_eq!(failed["error"]["data"]["retryable"], false);
    assert_eq!(callers[1].get(&id).await, failed);
}

#[tokio::test]
async fn an_outage_ends_no_tasks() {
    let server = RedisServer::start(Keeps::Nothing);
    let waiting = Waiting::default();
    let mut one = Caller::of(store(&server.url()).await, &waiting);
    let mut other = Caller::of(store(&server.url()).await, &Waiting::default());
    let id = one.start().await;
    server.pause();
    // Longer than a lease.
    for method in ["tasks/get", "tasks/cancel"] {
        let down = other.request(method, json!({"taskId": id})).await;
        assert_eq!(down["error"]["code"], -32603, "{down}");
        let data = &down["error"]["data"];
        assert_eq!(
            (&data["kind"], &data["retryable"]),
            (&json!("store_unavailable"), &json!(true)),
            "{down}"
        );
    }
    let refused = one.request("tools/call", json!({"name": "wait", "arguments": {}})).await;
    assert_eq!(refused["error"]["data"]["kind"], "store_unavailable", "{refused}");
    assert_eq!(one.get(&id).await["status"], "working", "it is known here");
    server.go_on();
    let asking = async {
        loop {
            let answer = other.request("tasks/get", json!({"taskId": id})).await;
            if answer["result"].is_object() {
                return answer["result"]["status"].clone();
            }
        }
    };
    assert_eq!(tokio::time::timeout(LONG, asking).await.unwrap(), "working");
    waiting.0.ends.notify_one();
    other.until(&id, "completed").await;
}

#[tokio::test]
async fn an_owner_has_a_share_of_the_tasks() {
    let server = RedisServer::start(Keeps::Nothing);
    let settings =
        TaskSettings { max_tasks_per_owner: 2, max_bytes_per_owner: 5_000, ..TaskSettings::default() };
    let one = RedisTasks::connect_with(&server.url(), settings.clone()).await.unwrap();
    let other = RedisTasks::connect_with(&server.url(), settings).await.unwrap();
    one.create(&task("a")).await.unwrap();
    other.create(&task("b")).await.unwrap();
    let refused = other.create(&task("c")).await.unwrap_err();
    assert!(refused.kind() == "overloaded" && refused.to_string().contains("of this caller"), "{refused}");
    let mut large = task("a");
    large.state = TaskState::Completed(crate::sides::raw(&format!("\"{}\"", "x".repeat(5_000))));
    let refused = one.update(&large).await.unwrap_err();
    assert!(refused.kind() == "invalid" && refused.to_string().contains("of this caller"), "{refused}");
    for owner in [None, Some("bob".to_owned())] {
        for id in ["1", "2"] {
            let mut theirs = task(&format!("{owner:?}-{id}"));
            theirs.owner.clone_from(&owner);
            one.create(&theirs).await.unwrap();
        }
    }
    // Those without an owner have no share.
    let mut third = task("third");
    third.owner = None;
    one.create(&third).await.unwrap();
    assert_eq!(
        other.get("a").await.unwrap().as_ref().map(text),
        Some(text(&one.get("a").await.unwrap().unwrap()))
    );
}

#[tokio::test]
async fn keys_contain_neither_sessions_nor_owners() {
    let server = RedisServer::start(Keeps::Nothing);
    let events = RedisEvents::connect(&server.url()).await.unwrap();
    let message = "{}".into();
    events.append("session-canary", StoredEvent { stream: 1, sequence: 1, message }).await;
    assert!(events.after("session-canary", 1, 0).await.unwrap().is_some());
    let tasks = store(&server.url()).await;
    let mut owned = task("a");
    owned.owner = Some("owner-canary".to_owned());
    tasks.create(&owned).await.unwrap();
    let keys = Command::new("redis-cli").args(["-u", &server.url(), "--scan"]).output().unwrap();
    let keys = String::from_utf8(keys.stdout).unwrap();
    assert!(keys.contains("mcp:1:events:") && keys.contains("mcp:1:ledger:tasks:"), "{keys}");
    assert!(!keys.contains("canary"), "{keys}");
    assert!(!server.dump().contains("session-canary"));
}

#[tokio::test]
async fn events_are_not_waited_for_while_redis_is_down() {
    let server = RedisServer::start(Keeps::Nothing);
    let events = RedisEvents::connect_with(&server.url(), EventLimits::default()).await.unwrap();
    let event = |sequence| StoredEvent { stream: 1, sequence, message: "{}".into() };
    events.append("a", event(1)).await;
    server.pause();
    let appending = async {
        for sequence in 2..100 {
            events.append("a", event(sequence)).await;
        }
    };
    tokio::time::timeout(LONG, appending).await.expect("only the first one waits");
    assert!(events.discarded() > 90);
    let failed = events.after("a", 1, 1).await.unwrap_err();
    assert!(failed.to_string().contains("cannot be reached"), "{failed}");
    server.go_on();
    let back = async {
        let mut sequence = 100;
        loop {
            events.append("a", event(sequence)).await;
            match events.after("a", 1, 1).await {
                Ok(Some(kept)) if kept.iter().any(|event| event.sequence >= 100) => return,
                _ => sequence += 1,
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LONG, back).await.expect("events should be stored again");
}
