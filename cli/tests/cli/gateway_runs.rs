//! `cargo mcp gateway` with tokens: callers of its servers, and agents of runs.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{cargo, run, run_with, scratch, target};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-mcp");

/// A gateway with a folder of keys, which ends with the test.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) url: String,
    internal: String,
}

impl Running {
    pub(crate) fn start(folder: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args([
            "mcp",
            "gateway",
            "--http",
            "127.0.0.1:0",
            "--internal",
            "127.0.0.1:0",
            "--state",
            "state",
        ]);
        let mut child = command.args(more).current_dir(folder).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut addresses = HashMap::new();
        while addresses.len() < 2 {
            let line = lines.next().expect("it listens").unwrap();
            for (word, name) in [("listening at ", "url"), ("services at ", "internal")] {
                if let Some((_, address)) = line.split_once(word) {
                    addresses.insert(name, address.to_owned());
                }
            }
        }
        // Its later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: addresses["url"].clone(), internal: addresses["internal"].clone() }
    }

    /// Sends a request to the internal API.
    pub(crate) fn ask(&self, verb: &str, path: &str, key: &str, body: &Value) -> (u16, Value) {
        let host = self.internal.trim_start_matches("http://").trim_end_matches("/internal");
        let mut stream = TcpStream::connect(host).unwrap();
        let body = body.to_string();
        let length = body.len();
        write!(
            stream,
            "{verb} /internal/{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or_default())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

pub(crate) fn config(folder: &Path, names: &[&str]) {
    cargo("workflow", "build --bin workflow").ok();
    let program = target().join("debug/workflow");
    let servers: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"command": program}))).collect();
    std::fs::write(folder.join("mcp.json"), json!({"mcpServers": servers}).to_string()).unwrap();
}

pub(crate) fn names(folder: &Path, url: &str, token: &str) -> Vec<String> {
    let header = format!("Authorization: Bearer {token}");
    let listed = run(folder, &["list", "--json", "--header", &header, url]).ok().stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn callers_with_a_token_see_their_servers() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["desk", "help"]);
    let gateway = Running::start(folder, &["--config", "mcp.json"]);
    run(folder, &["list", &gateway.url]).ended(3).says(&["401"]);
    let mint = |more: &[&str]| {
        let words = ["gateway", "sessions", "mint", "--state", "state", "--url", &gateway.url];
        run(folder, &[&words[..], more].concat()).ok().stdout.trim().to_owned()
    };
    let desk = mint(&["--server", "desk", "--agent", "ada"]);
    let seen = names(folder, &gateway.url, &desk);
    assert!(!seen.is_empty() && seen.iter().all(|name| name.starts_with("desk__")), "{seen:?}");
    assert_eq!(names(folder, &gateway.url, &mint(&["--all", "--tool", "help__help"])), ["help__help"]);
    let header = format!("Authorization: Bearer {desk}");
    run(folder, &["call", "--header", &header, &gateway.url, "help__help"]).ended(4).says(&["unknown tool"]);

    std::fs::write(folder.join("token"), &desk).unwrap();
    let words = ["gateway", "sessions", "inspect", "--state", "state", "--url", &gateway.url, "token"];
    let claims = run(folder, &words).ok().document();
    assert_eq!((&claims["sub"], &claims["nodes"]), (&json!("ada"), &json!(["desk"])));
    run(
        folder,
        &["gateway", "sessions", "inspect", "--state", "state", "--url", "http://other.example", "token"],
    )
    .ended(2)
    .says(&["another"]);
    run(folder, &["gateway", "sessions", "mint", "--state", "state", "--url", &gateway.url])
        .ended(2)
        .says(&["--server"]);
}

#[test]
fn keys_are_listed_rotated_and_created() {
    let scratch = scratch();
    let folder = scratch.path();
    let keys = |words: &[&str]| run(folder, &[&["gateway", "keys"], words, &["--state", "state"]].concat());
    let shown = keys(&["show"]).ok().stdout;
    assert!(shown.contains("  next\n") && shown.contains("  active\n"), "{shown}");
    assert!(keys(&["rotate"]).ok().stdout.contains("  verify-only\n"));
    keys(&["rotate"]).ended(2).says(&["seconds"]);
    keys(&["rotate", "--force"]).ok();
    assert!(keys(&["show", "--jwks"]).ok().stdout.contains("\"Ed25519\""));
    let key = keys(&["service", "engine", "--org", "acme", "--right", "register"]).ok().stdout;
    assert!(key.starts_with("twsk_"), "{key}");
    keys(&["service", "engine", "--right", "read"]).ended(2).says(&["`engine`"]);
    let files = std::fs::read_to_string(folder.join("state/services.json")).unwrap();
    assert!(!files.contains(key.trim()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = folder.join("state/signing-keys.json");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        keys(&["show"]).ended(2).says(&["chmod 600"]);
    }
}

#[test]
fn agents_of_a_run_get_the_tools_wired_to_them() {
    let scratch = scratch();
    let folder = scratch.path();
    let words = ["gateway", "keys", "service", "engine", "--state", "state", "--org", "acme"];
    let rights = ["--right", "register", "--right", "sessions", "--right", "read"];
    let key = run(folder, &[&words[..], &rights].concat()).ok().stdout.trim().to_owned();
    config(folder, &["desk"]);
    // The server of a node is another gateway.
    let node = Running::start_open(folder);
    let gateway = Running::start(folder, &[]);
    let (status, opened) = gateway.ask("POST", "runs", &key, &json!({"run": "r1"}));
    assert_eq!((status, &opened["org"]), (200, &json!("acme")), "{opened}");
    for name in ["orders", "other"] {
        let entry = json!({"run": "r1", "node": name, "kind": "remote", "url": node.url});
        assert_eq!(gateway.ask("POST", "tools", &key, &entry).0, 200);
    }
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let (_, report) = gateway.ask("GET", "runs/r1", &key, &Value::Null);
        if report["nodes"].as_array().unwrap().iter().all(|node| node["isReady"] == true) {
            break;
        }
        assert!(Instant::now() < deadline, "{report}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let session = json!({"run": "r1", "node": "agent", "nodes": ["orders"]});
    let (status, session) = gateway.ask("POST", "sessions", &key, &session);
    assert_eq!(status, 200, "{session}");
    let token = session["token"].as_str().unwrap();
    let seen = names(folder, &gateway.url, token);
    assert!(!seen.is_empty() && seen.iter().all(|name| name.starts_with("orders__")), "{seen:?}");
    let words = ["agent", "tools", "--gateway", &gateway.url, "--format", "openai"];
    let tools = run_with(folder, &words, |command| {
        command.env("MCP_GATEWAY_TOKEN", token);
    });
    assert!(tools.ok().stdout.contains("orders__desk__help"));
    assert_eq!(gateway.ask("POST", "runs", "twsk_wrong", &json!({"run": "r2"})).0, 401);
}

impl Running {
    /// A gateway without tokens.
    pub(crate) fn start_open(folder: &Path) -> Self {
        Self::start_open_with(folder, &[])
    }

    pub(crate) fn start_open_with(folder: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["mcp", "gateway", "--http", "127.0.0.1:0", "--config", "mcp.json"]).args(more);
        command.current_dir(folder);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = lines.find_map(|line| Some(line.unwrap().split_once("listening at ")?.1.to_owned()));
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: url.expect("it listens"), internal: String::new() }
    }
}

#[test]
fn tokens_are_revoked_through_the_internal_api() {
    let scratch = scratch();
    let folder = scratch.path();
    let words = ["gateway", "keys", "service", "--state", "state", "--org", "acme"];
    let service = |more: &[&str]| run(folder, &[&words[..], more].concat()).ok().stdout.trim().to_owned();
    let engine = service(&["engine", "--right", "register", "--right", "sessions"]);
    let operator = service(&["operator", "--right", "revoke"]);
    let gateway = Running::start(folder, &[]);
    assert_eq!(gateway.ask("POST", "runs", &engine, &json!({"run": "r1"})).0, 200);
    let token = || {
        let session = json!({"run": "r1", "node": "agent", "nodes": []});
        let (_, session) = gateway.ask("POST", "sessions", &engine, &session);
        session["token"].as_str().unwrap().to_owned()
    };
    let revoke = |key: &str, more: &[&str]| {
        let words = ["gateway", "sessions", "revoke", "--internal", &gateway.internal];
        run_with(folder, &[&words[..], more].concat(), |command| {
            command.env("MCP_SERVICE_KEY", key);
        })
    };
    let lists = |token: &str| {
        let header = format!("Authorization: Bearer {token}");
        run(folder, &["list", "--json", "--header", &header, &gateway.url])
    };
    let (first, second) = (token(), token());
    std::fs::write(folder.join("token"), &first).unwrap();
    let words = ["gateway", "sessions", "inspect", "--state", "state", "--url", &gateway.url, "token"];
    let id = run(folder, &words).ok().document()["jti"].as_str().unwrap().to_owned();
    lists(&first).ok();
    revoke(&operator, &["--token", &id]).ok();
    // Ids may look like flags.
    revoke(&operator, &["--token", "-T0"]).ok();
    lists(&first).ended(3).says(&["revoked"]);
    lists(&second).ok();
    revoke(&operator, &["--run", "r1"]).ok();
    lists(&second).ended(3).says(&["revoked"]);
    let third = token();
    lists(&third).ok();
    std::fs::write(folder.join("key"), format!("{operator}\n")).unwrap();
    revoke("", &["--key-file", "key", "--all-of-org", "--org", "acme"]).ok();
    lists(&third).ended(3).says(&["revoked"]);

    revoke(&operator, &["--all-of-org", "--org", "evil"]).ended(4).says(&["not of that organization"]);
    revoke(&engine, &["--run", "r1"]).ended(4).says(&["`revoke`"]);
    revoke("wrong", &["--run", "r1"]).ended(4).says(&["401"]);
    revoke("", &["--run", "r1"]).ended(2).says(&["placeholder"]);
    revoke(&operator, &[]).ended(2).says(&["--token"]);
    revoke(&operator, &["--run", "r1", "--token", "x"]).ended(2);
    let words = ["gateway", "sessions", "revoke", "--run", "r1", "--internal", "http://127.0.0.1:9"];
    run_with(folder, &words, |command| {
        command.env("MCP_SERVICE_KEY", &operator);
    })
    .ended(3)
    .says(&["127.0.0.1:9"]);
}

#[test]
fn events_of_a_run_are_printed_and_followed() {
    let scratch = scratch();
    let folder = scratch.path();
    let words = ["gateway", "keys", "service", "engine", "--state", "state", "--org", "acme"];
    let rights = ["--right", "register", "--right", "sessions", "--right", "read"];
    let key = run(folder, &[&words[..], &rights].concat()).ok().stdout.trim().to_owned();
    let gateway = Running::start(folder, &[]);
    let mut command = Command::new(PROGRAM);
    let words = ["mcp", "gateway", "events", "--internal", &gateway.internal, "--run", "r&1"];
    let events = |more: &[&str]| {
        run_with(folder, &[&words[1..], more].concat(), |command| {
            command.env("MCP_SERVICE_KEY", &key);
        })
    };
    events(&[]).ended(4).says(&["404", "`r&1`"]);
    assert_eq!(gateway.ask("POST", "runs", &key, &json!({"run": "r&1"})).0, 200);
    let mut following = command
        .args(words)
        .arg("--follow")
        .env("MCP_SERVICE_KEY", &key)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["event"], "run.opened");
    let entry =
        json!({"run": "r&1", "node": "desk", "kind": "remote", "url": "http://127.0.0.1:9/?key=s3cret"});
    assert_eq!(gateway.ask("POST", "tools", &key, &entry).0, 200);
    let registered = next();
    assert_eq!(
        (&registered["event"], &registered["node"], &registered["sequence"]),
        (&json!("tool.registered"), &json!("desk"), &json!(2))
    );
    assert_eq!(gateway.ask("DELETE", "runs/r&1", &key, &Value::Null).0, 400, "null is no organization");
    assert_eq!(gateway.ask("DELETE", "runs/r&1", &key, &json!({})).0, 204);
    assert_eq!(next()["event"], "run.ended");
    assert!(following.wait().unwrap().success(), "it ends with the run");

    let printed = events(&[]).ok().stdout;
    assert_eq!(printed.lines().count(), 3, "{printed}");
    assert!(!printed.contains("s3cret"), "{printed}");
    let later = events(&["--after", "2", "--org", "acme"]).ok().document();
    assert_eq!(
        (&later["event"], &later["run"], &later["org"]),
        (&json!("run.ended"), &json!("r&1"), &json!("acme"))
    );
    assert_eq!(events(&["--after", "3"]).ok().stdout, "");
    events(&["--org", "evil"]).ended(4).says(&["404"]);
}
