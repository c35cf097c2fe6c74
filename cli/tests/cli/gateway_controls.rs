//! `cargo mcp gateway` with a policy, an audit log and changing pins, and the commands for operators.

use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{cargo, run, run_with, scratch, target};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-mcp");

/// A process that ends with the test.
pub(crate) struct Running {
    child: Child,
    pub(crate) url: String,
    internal: String,
}

impl Running {
    /// A gateway over HTTP.
    fn start(folder: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["mcp", "gateway", "--http", "127.0.0.1:0", "--config", "mcp.json"]).args(more);
        let mut child = command.current_dir(folder).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (mut url, mut internal) = (String::new(), String::new());
        while url.is_empty() || (internal.is_empty() && more.contains(&"--internal")) {
            let line = lines.next().expect("it listens").unwrap();
            if let Some((_, address)) = line.split_once("listening at ") {
                address.clone_into(&mut url);
            }
            if let Some((_, address)) = line.split_once("services at ") {
                address.clone_into(&mut internal);
            }
        }
        // Its later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, internal }
    }

    /// A Redis.
    pub(crate) fn redis(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        let child = command.current_dir(folder).stdout(Stdio::null()).spawn().unwrap();
        let redis = Self { child, url: format!("redis://127.0.0.1:{port}"), internal: String::new() };
        until("Redis listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        redis
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Waits until a condition holds.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn config(folder: &Path) {
    cargo("workflow", "build --bin workflow").ok();
    let program = target().join("debug/workflow");
    let servers = json!({"mcpServers": {"desk": {"command": program}}});
    std::fs::write(folder.join("mcp.json"), servers.to_string()).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn half_of_the_cores_handle_requests_or_as_many_as_asked_for() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder);
    let threads = |gateway: &Running| {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", gateway.child.id())).unwrap();
        let names = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
        names.filter(|name| name.trim() == "tokio-rt-worker").count()
    };
    // A single thread is that of the program. What looks names up or opens files has threads of the same name, which end
    // after a while.
    let half = std::thread::available_parallelism().unwrap().get() / 2;
    let half = if half > 1 { half } else { 0 };
    for (flags, expected) in [(&[][..], half), (&["--threads", "1"], 0), (&["--threads", "5"], 5)] {
        let gateway = Running::start(folder, flags);
        assert!(!names(folder, &gateway.url).is_empty());
        until("only the threads of the runtime are left", || threads(&gateway) == expected);
    }
    run(folder, &["gateway", "--config", "mcp.json", "--threads", "0"]).ended(2).says(&["--threads", "0"]);
}

fn names(folder: &Path, url: &str) -> Vec<String> {
    let listed: Value = serde_json::from_str(&run(folder, &["list", "--json", url]).ok().stdout).unwrap();
    listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn calls_are_recorded_and_held_to_a_policy_that_may_change() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder);
    std::fs::write(folder.join("policy.json"), r#"{"rules":[{"callsPerMinute":1000}]}"#).unwrap();
    let gateway = Running::start(folder, &["--audit", "audit.jsonl", "--policy", "policy.json"]);
    let call = || run(folder, &["call", &gateway.url, "desk__help"]);
    call();
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(folder.join("audit.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    until("the call is recorded", || !lines().is_empty());
    let first = lines().remove(0);
    assert_eq!((&first["method"], &first["target"]), (&json!("tools/call"), &json!("desk__help")));
    assert!(first["configuration"].as_str().unwrap().starts_with("sha256:"), "{first}");

    // An invalid file changes nothing.
    std::fs::write(folder.join("policy.json"), r#"{"rules":[{"callPerMinute":1}]}"#).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert!(!call().stdout.contains("may not be called"));
    let refuse = r#"{"rules":[{"tools":["desk__*"],"approval":"refuse"}]}"#;
    std::fs::write(folder.join("policy.json"), refuse).unwrap();
    until("the policy is taken up", || {
        call();
        lines().last().is_some_and(|line| line["outcome"] == "refused")
    });
    run(folder, &["gateway", "--config", "mcp.json", "--policy", "mcp.json"])
        .ended(2)
        .says(&["mcp.json", "rules"]);
}

#[test]
fn pins_that_change_are_taken_up() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder);
    std::fs::write(folder.join("mcp.pins.json"), r#"{"pinVersion":1,"servers":{}}"#).unwrap();
    let gateway = Running::start(folder, &["--pins", "mcp.pins.json", "--pin-mode", "block"]);
    assert_eq!(names(folder, &gateway.url), [] as [&str; 0], "nothing has been reviewed");
    run(folder, &["gateway", "pins", "update", "--config", "mcp.json", "--pins", "mcp.pins.json"]).ok();
    until("the pins are taken up", || !names(folder, &gateway.url).is_empty());
}

#[test]
fn the_status_shows_servers_and_what_is_in_force() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder);
    let words =
        ["gateway", "keys", "service", "operator", "--state", "state", "--all-orgs", "--right", "read"];
    let key = run(folder, &words).ok().stdout.trim().to_owned();
    let gateway = Running::start(folder, &["--state", "state", "--internal", "127.0.0.1:0"]);
    let status = |more: &[&str]| {
        let words = ["gateway", "status", "--internal", &gateway.internal];
        run_with(folder, &[&words[..], more].concat(), |command| {
            command.env("MCP_SERVICE_KEY", &key);
        })
    };
    let all = status(&["--json"]).ok().document();
    assert_eq!(
        (&all["servers"][0]["name"], &all["servers"][0]["state"]),
        (&json!("desk"), &json!("up")),
        "{all}"
    );
    assert!(all["configuration"].as_str().unwrap().starts_with("sha256:"), "{all}");
    let text = status(&[]).ok().stdout;
    assert!(text.contains("desk  up\n") && text.contains("store          answers\n"), "{text}");
}

#[test]
fn a_redis_is_looked_at_and_its_credentials_are_rekeyed() {
    let scratch = scratch();
    let folder = scratch.path();
    let redis = Running::redis(folder);
    let looked = run(folder, &["gateway", "doctor", "redis", &redis.url]).ok();
    assert!(
        looked.stdout.contains("warning  persistence") && looked.stdout.contains("appendonly"),
        "{}",
        looked.stdout
    );
    let checks: Value =
        serde_json::from_str(&run(folder, &["gateway", "doctor", "redis", "--json", &redis.url]).ok().stdout)
            .unwrap();
    assert!(checks.as_array().unwrap().iter().any(|check| check["name"] == "eviction"), "{checks}");
    run(folder, &["gateway", "doctor", "redis", "redis://127.0.0.1:9"]).ended(2).says(&["cannot be reached"]);

    config(folder);
    let key = |first: u128| {
        format!("{:032x}{:032x}", first * 0x1f2e_3d4c_5b6a_7988, first * 0x0f1e_2d3c_4b5a_6978 + 1)
    };
    let write = |text: &str| {
        std::fs::write(folder.join("master.keys"), text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(folder.join("master.keys"), mode).unwrap();
        }
    };
    write(&key(1));
    let words = ["gateway", "keys", "service", "engine", "--state", "state", "--right", "register"];
    let service = run(folder, &words).ok().stdout.trim().to_owned();
    let options = [
        "--state",
        "state",
        "--internal",
        "127.0.0.1:0",
        "--store",
        &redis.url,
        "--master-keys",
        "master.keys",
    ];
    let gateway = Running::start(folder, &options);
    let ask = |path: &str, body: &Value| -> String {
        use std::io::{Read as _, Write as _};
        let host = gateway.internal.trim_start_matches("http://").trim_end_matches("/internal");
        let (mut stream, body) = (TcpStream::connect(host).unwrap(), body.to_string());
        write!(
            stream,
            "POST /internal/{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {service}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(ask("runs", &json!({"run": "r1"})).contains("200 OK"));
    let node = json!({"run": "r1", "node": "files", "kind": "remote", "url": "http://127.0.0.1:9/mcp",
        "credentials": {"Authorization": "Bearer s3cret-canary-of-the-header"}});
    let answer = ask("tools", &node);
    assert!(answer.contains("200 OK"), "{answer}");

    let rekey =
        || run(folder, &["gateway", "keys", "rekey", "--store", &redis.url, "--master-keys", "master.keys"]);
    write(&format!("{}\n{}", key(2), key(1)));
    assert_eq!(rekey().ok().stdout, "1 rekeyed, 0 unchanged\n");
    write(&key(2));
    assert_eq!(rekey().ok().stdout, "0 rekeyed, 1 unchanged\n");
    write(&key(3));
    rekey().ended(1).says(&["files/Authorization", "is missing"]);
}
