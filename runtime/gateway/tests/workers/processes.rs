//! Workers that are processes, and end or stop as processes do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::ToolResult;
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{Call, CallBus, CallState};
use toolwright_gateway::redis::RedisBus;
use toolwright_server::auth::Access;
use toolwright_server::{BoxFuture, Context, Outcome, Provider, Server, ToolRequest};

use crate::redis::{LEASE, bus};
use crate::redis_server::{Keeps, RedisServer};
use crate::sides::{end_of, later, raw, result_of};

const ADDRESS: &str = "TEST_WORKER_REDIS";
const LEDGER: &str = "TEST_WORKER_LEDGER";
const LONG: Duration = Duration::from_secs(30);

/// What the processes below run: a worker, until it is killed. Does nothing in a run of the tests, which do not set `ADDRESS`.
#[tokio::test]
async fn this_program_is_a_worker_if_asked_to() {
    let Ok(url) = std::env::var(ADDRESS) else { return };
    let tool = AppendingTool(std::env::var_os(LEDGER).unwrap().into());
    let bus = RedisBus::connect_with_lease(&url, LEASE).await.unwrap();
    Worker::new(Arc::new(bus), "p", Server::new(()).provider(tool).build().unwrap()).run().await;
}

/// Writes that a call has begun into a file, takes its time, and writes that it has ended.
struct AppendingTool(PathBuf);

impl AppendingTool {
    fn append(&self, what: &str) {
        use std::io::Write;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.0).unwrap();
        // In one write, so that lines of several processes do not mix, and none is cut when a process is killed.
        file.write_all(format!("{what}\n").as_bytes()).unwrap();
    }
}

impl Provider for AppendingTool {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [ToolDefinition::new("append", json!({"type": "object"}))].into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let arguments: serde_json::Value = serde_json::from_str(request.arguments.unwrap().get()).unwrap();
        Outcome::from_future(async move {
            let name = arguments["id"].as_str().map_or_else(|| std::process::id().to_string(), str::to_owned);
            self.append(&format!("begun {name}"));
            tokio::time::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap())).await;
            self.append(&format!("ended {name}"));
            ToolResult::text(std::process::id().to_string())
        })
    }
}

/// A worker in a process of its own, killed when this is dropped.
struct Process(Child);

impl Process {
    fn start(server: &RedisServer) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::this_program_is_a_worker_if_asked_to"])
            .env(ADDRESS, server.url())
            .env(LEDGER, ledger(server))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    fn id(&self) -> String {
        self.0.id().to_string()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.id()]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have been killed already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn ledger(server: &RedisServer) -> PathBuf {
    server.folder().join("ledger")
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Waits until so much has been written into the ledger.
async fn written(server: &RedisServer, count: usize) -> Vec<String> {
    let wait = async {
        loop {
            let lines = lines(&ledger(server));
            if lines.len() >= count {
                return lines;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, wait).await.expect("the worker should write")
}

async fn submit(gateway: &RedisBus, is_repeatable: bool, millis: u32) {
    let arguments = raw(&json!({"ms": millis}).to_string());
    let mut call = Call::new("a".to_owned(), "node".to_owned(), "append".to_owned(), arguments, later(60));
    call.is_repeatable = is_repeatable;
    let wait = async {
        while gateway.submit("p", call.clone()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LONG, wait).await.expect("the worker should announce itself");
}

#[tokio::test]
async fn a_repeatable_call_of_a_killed_process_is_made_again() {
    let server = RedisServer::start(Keeps::Nothing);
    let gateway = bus(&server).await;
    let first = Process::start(&server);
    submit(&gateway, true, 700).await;
    written(&server, 1).await;
    first.signal("KILL");
    let second = Process::start(&server);
    let record = end_of(&*gateway, "a", LONG).await;
    assert_eq!(record.attempt, 2);
    assert!(result_of(&record).contains(&second.id()));
    let expected =
        [format!("begun {}", first.id()), format!("begun {}", second.id()), format!("ended {}", second.id())];
    assert_eq!(lines(&ledger(&server)), expected);
}

#[tokio::test]
async fn an_effect_of_a_killed_process_is_not_made_twice() {
    let server = RedisServer::start(Keeps::Nothing);
    let gateway = bus(&server).await;
    let first = Process::start(&server);
    submit(&gateway, false, 700).await;
    written(&server, 1).await;
    first.signal("KILL");
    let _second = Process::start(&server);
    let record = end_of(&*gateway, "a", LONG).await;
    assert!(matches!(record.state, CallState::Unknown), "{record:?}");
    tokio::time::sleep(LEASE).await;
    assert_eq!(lines(&ledger(&server)), [format!("begun {}", first.id())]);
}

#[tokio::test]
async fn a_process_that_comes_back_late_changes_nothing() {
    let server = RedisServer::start(Keeps::Nothing);
    let gateway = bus(&server).await;
    let first = Process::start(&server);
    submit(&gateway, true, 700).await;
    written(&server, 1).await;
    first.signal("STOP");
    let second = Process::start(&server);
    let record = end_of(&*gateway, "a", LONG).await;
    assert!(result_of(&record).contains(&second.id()));
    first.signal("CONT");
    tokio::time::sleep(LEASE).await;
    let late = gateway.record("a").await.unwrap();
    assert_eq!((late.version, result_of(&late)), (record.version, result_of(&record)));
}

/// Processes are killed one after the other while calls are made, for 6 seconds or `SOAK_SECONDS`.
#[tokio::test]
async fn killed_processes_neither_lose_nor_repeat_effects() {
    let seconds = std::env::var("SOAK_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(6);
    let mut server = RedisServer::start(Keeps::Everything);
    let gateways = [bus(&server).await, bus(&server).await];
    let mut workers: Vec<_> = (0..4).map(|_| Process::start(&server)).collect();
    let ends = Instant::now() + Duration::from_secs(seconds);
    let calls: Vec<_> = (0..8_usize)
        .map(|lane| {
            let gateway = Arc::clone(&gateways[lane % 2]);
            tokio::spawn(async move {
                let mut done = Vec::new();
                for number in 0.. {
                    if Instant::now() > ends {
                        break;
                    }
                    let id = format!("{lane}-{number}");
                    done.push((id.clone(), outcome_of(&gateway, &id).await));
                }
                done
            })
        })
        .collect();
    let mut round = 0;
    while Instant::now() < ends {
        tokio::time::sleep(Duration::from_millis(600)).await;
        round += 1;
        if round % 4 == 0 {
            server.restart();
        } else {
            workers.remove(0).signal("KILL");
            workers.push(Process::start(&server));
        }
    }
    let (mut done, mut unknown) = (0, 0);
    let mut outcomes = Vec::new();
    for lane in calls {
        outcomes.extend(lane.await.unwrap());
    }
    let ledger = lines(&ledger(&server));
    let count = |line: &str| ledger.iter().filter(|known| *known == line).count();
    for (id, is_done) in &outcomes {
        let (begun, ended) = (count(&format!("begun {id}")), count(&format!("ended {id}")));
        if *is_done {
            done += 1;
            assert_eq!((begun, ended), (1, 1), "{id}");
        } else {
            unknown += 1;
            assert!(begun <= 1, "{id} was made {begun} times");
        }
    }
    assert!(done > 20 && unknown < done, "{done} done, {unknown} unknown");
}

/// Makes a call that must not be repeated. Gives whether it is done; else nobody knows.
async fn outcome_of(gateway: &RedisBus, id: &str) -> bool {
    let arguments = raw(&json!({"ms": 5, "id": id}).to_string());
    let call = Call::new(id.to_owned(), "node".to_owned(), "append".to_owned(), arguments, later(60));
    let (limit, mut seen) = (Instant::now() + LONG, 0);
    while let Err(error) = gateway.submit("p", call.clone()).await {
        assert!(Instant::now() < limit, "{id}: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    loop {
        match tokio::time::timeout(LONG, gateway.wait(id, seen)).await.expect("the call should end") {
            Ok(record) if record.state.is_final() => return matches!(record.state, CallState::Done { .. }),
            Ok(record) => seen = record.version,
            Err(error) => assert!(Instant::now() < limit, "{id}: {error}"),
        }
    }
}
