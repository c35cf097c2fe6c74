//! `cargo mcp gateway`: the servers of a file as one.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{cargo, run, scratch, target};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-mcp");

/// A file that names the same program as several servers.
fn config(folder: &Path, names: &[&str]) -> String {
    cargo("workflow", "build --bin workflow").ok();
    let program = target().join("debug/workflow");
    let servers: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"command": program}))).collect();
    let file = folder.join("mcp.json");
    fs::write(&file, json!({"mcpServers": servers}).to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

/// A gateway over HTTP, which ends with the test.
struct Running(Child, String);

impl Running {
    fn start(config: &str) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["mcp", "gateway", "--config", config, "--http", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = lines
            .find_map(|line| line.unwrap().split_once("http://").map(|(_, rest)| format!("http://{rest}")));
        // Its later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child, url.expect("it listens"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn names(folder: &Path, url: &str) -> Vec<String> {
    let listed: Value = serde_json::from_str(&run(folder, &["list", "--json", url]).ok().stdout).unwrap();
    listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_client_starts_it_and_calls_a_tool_of_a_server() {
    let scratch = scratch();
    let config = config(scratch.path(), &["desk", "help"]);
    let command = ["--", PROGRAM, "mcp", "gateway", "-q", "--config", &config];
    let listed = run(scratch.path(), &[&["list"], &command[..]].concat()).ok().stdout;
    assert!(listed.contains("desk__find_orders") && listed.contains("help__find_orders"), "{listed}");
    let call = ["call", "desk__help", "command=help", "workitem_path=orders"];
    let called = run(scratch.path(), &[&call[..], &command[..]].concat()).ok();
    assert_eq!(called.stdout, "done\n");
}

#[test]
fn a_single_server_may_keep_its_names() {
    let scratch = scratch();
    let folder = scratch.path();
    let file = config(folder, &["desk"]);
    let command = ["--", PROGRAM, "mcp", "gateway", "-q", "--plain-names", "--config", &file];
    let call = ["call", "help", "command=help", "workitem_path=orders"];
    assert_eq!(run(folder, &[&call[..], &command[..]].concat()).ok().stdout, "done\n");

    let file = config(folder, &["desk", "help"]);
    run(folder, &["gateway", "--plain-names", "--config", &file])
        .ended(2)
        .says(&["2 servers", "plain names"]);
}

#[test]
fn a_line_in_the_file_adds_a_server_without_a_restart() {
    let scratch = scratch();
    let file = config(scratch.path(), &["desk"]);
    let gateway = Running::start(&file);
    assert!(gateway.1.ends_with("/mcp/gateway"), "{}", gateway.1);
    let before = names(scratch.path(), &gateway.1);
    assert!(before.iter().all(|name| name.starts_with("desk__")), "{before:?}");

    // An invalid file changes nothing.
    fs::write(&file, "{").unwrap();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(names(scratch.path(), &gateway.1), before);

    config(scratch.path(), &["desk", "second"]);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !names(scratch.path(), &gateway.1).contains(&"second__help".to_owned()) {
        assert!(Instant::now() < deadline, "the new server is not taken up");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn startup_errors_are_reported() {
    let scratch = scratch();
    let folder = scratch.path();
    run(folder, &["gateway", "--config", "none.json"]).ended(2).says(&["none.json"]);
    let file = config(folder, &["desk"]);
    run(folder, &["gateway", "--config", &file, "--http", "0.0.0.0:8080"])
        .ended(2)
        .says(&["0.0.0.0:8080", "--state"]);
    let words = ["gateway", "--config", &file, "--http", "0.0.0.0:0", "--state", "state"];
    run(folder, &words).ended(2).says(&["--url", "0.0.0.0"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(folder, &["gateway", "--config", &file, "--http", &address]).ended(6).says(&["in use"]);
    let needed = json!({"mcpServers": {"gone": {"command": "no-such-program", "required": true}}});
    fs::write(&file, needed.to_string()).unwrap();
    run(folder, &["gateway", "--config", &file]).ended(3).says(&["no-such-program"]);
}

#[test]
fn tools_are_pinned_reviewed_and_blocked() {
    let scratch = scratch();
    let folder = scratch.path();
    let file = config(folder, &["desk"]);
    let pins = |words: &[&str]| run(folder, &[&["gateway", "pins"], words, &["--config", &file]].concat());
    pins(&["review"]).ended(6).says(&["cargo mcp gateway pins update"]);
    pins(&["update"]).ok().says(&["mcp.pins.json pins"]);
    pins(&["review"]).ok().says(&["every tool is as it was pinned"]);

    // As if `help` had been different when it was reviewed.
    let path = folder.join("mcp.pins.json");
    let mut pinned: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let pin = &mut pinned["servers"]["desk"]["tools"]["help"];
    pin["definition"] = "sha256:00".into();
    pin["members"]["description"] = "sha256:00".into();
    fs::write(&path, pinned.to_string()).unwrap();
    let review = pins(&["review"]).ended(1);
    assert_eq!(review.stdout, "desk: the tool `help` is not as it was pinned: description changed\n");

    let listed = |mode: &[&str]| {
        let command = ["--", PROGRAM, "mcp", "gateway", "-q", "--config", &file, "--pins", "mcp.pins.json"];
        run(folder, &[&["list"], &command[..], mode].concat()).ok()
    };
    let blocked = listed(&["--pin-mode", "block"]);
    assert!(
        blocked.stdout.contains("desk__find_orders") && !blocked.stdout.contains("desk__help"),
        "{blocked:?}"
    );
    let warned = listed(&[]).says(&["the tool `help` is not as it was pinned"]);
    assert!(warned.stdout.contains("desk__help"), "{warned:?}");
    assert!(!listed(&["--pin-mode", "off"]).stderr.contains("pinned"));

    pins(&["update", "desk__none"]).ended(2).says(&["`desk__none`"]);
    pins(&["update", "desk__help"]).ok();
    pins(&["review"]).ok();
    run(folder, &["gateway", "--config", &file, "--pin-mode", "block"]).ended(2).says(&["--pins"]);
}
