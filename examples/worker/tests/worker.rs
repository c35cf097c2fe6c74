//! The program in each of its three roles.

use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tempfile::TempDir;
use test_http::program::Program;
use toolwright::client::Client;
use toolwright::client::config::{HttpSpec, ServerSpec, StdioSpec};
use toolwright::gateway::calls::{Call, CallBus as _, CallState};
use toolwright::gateway::redis::RedisBus;

const WORKER: &str = env!("CARGO_BIN_EXE_worker");
const LIMIT: Duration = Duration::from_secs(20);

async fn check(server: impl Into<ServerSpec>) {
    let client = Client::connect(server).await.unwrap();
    let names: Vec<_> =
        client.list_tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["check_address", "find_owner"]);
    let result = client.call("check_address", json!({"ip": "203.0.113.5"})).await.unwrap();
    assert_eq!(result.as_text(), "203.0.113.5: 7 reports of abuse");
    let wrong = client.call("find_owner", json!({"ip": "everywhere"})).await.unwrap();
    assert!(wrong.is_error && wrong.as_text().contains("such as 8.8.8.8"), "{}", wrong.as_text());
    client.close().await;
}

#[tokio::test]
async fn it_serves_over_stdio() {
    check(StdioSpec::new(WORKER)).await;
}

#[tokio::test]
async fn it_serves_over_http() {
    let program = Program::start(Command::new(WORKER).args(["--http", "127.0.0.1:0"]));
    check(HttpSpec::new(format!("http://{}/mcp", program.address()))).await;
    assert!(program.end_by("TERM").success());
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Starts a Redis server on a free port.
fn redis(folder: &TempDir) -> (Running, String) {
    // Another process may take the port in between: then another is tried.
    for _ in 0..5 {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server should be there: `tests/setup.sh redis` installs it");
        let mut server = Running(server);
        let ends = Instant::now() + LIMIT;
        while Instant::now() < ends && server.0.try_wait().unwrap().is_none() {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return (server, format!("redis://127.0.0.1:{port}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    panic!("redis-server does not listen");
}

#[tokio::test]
async fn it_works_for_a_pool_until_it_is_told_to_stop() {
    let folder = tempfile::tempdir().unwrap();
    let (_redis, url) = redis(&folder);
    let mut command = Command::new(WORKER);
    command.args(["--pool", "security"]).env("REDIS_URL", &url).stderr(Stdio::piped());
    let mut worker = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(worker.0.stderr.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "a worker of the pool security");

    let bus = RedisBus::connect(&url).await.unwrap();
    let arguments = serde_json::value::to_raw_value(&json!({"ip": "8.8.8.8"})).unwrap();
    let deadline = (SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + LIMIT).as_millis();
    let deadline = u64::try_from(deadline).unwrap();
    let call = Call::new("a".to_owned(), "node".to_owned(), "check_address".to_owned(), arguments, deadline);
    let submitted = Instant::now();
    while let Err(error) = bus.submit("security", call.clone()).await {
        assert!(submitted.elapsed() < LIMIT, "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut record = bus.record("a").await.unwrap();
    while !record.state.is_final() {
        record = tokio::time::timeout(LIMIT, bus.wait("a", record.version)).await.unwrap().unwrap();
    }
    let CallState::Done { result } = &record.state else { panic!("{record:?}") };
    assert!(result.get().contains("8.8.8.8: 0 reports of abuse"), "{record:?}");

    let id = worker.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(worker.0.wait().unwrap().success());
}

#[test]
fn mistakes_are_explained() {
    for (words, expected) in [
        (&["--pool"][..], "usage: worker"),
        (&["--pool", "security"], "REDIS_URL"),
        (&["--http", "nowhere"], "nowhere"),
    ] {
        let output = Command::new(WORKER).args(words).env_remove("REDIS_URL").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{words:?}: {said}");
    }
}
