//! Logs on standard error for operators; foreign strings stay on one line.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Sends calls to the server on stdio, and returns its responses and its log.
fn run(calls: &[(&str, &str)]) -> (Vec<Value>, Vec<String>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_stage-server"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut input = server.stdin.take().expect("piped");
    for (id, (tool, text)) in calls.iter().enumerate() {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/logLevel": "debug",
            "progressToken": 1,
        });
        let params = json!({"name": tool, "arguments": {"text": text}, "_meta": meta});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        writeln!(input, "{call}").expect("the server reads");
    }
    drop(input);
    let output = server.wait_with_output().expect("it ends");
    let lines = |bytes: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(bytes).split_terminator('\n').map(str::to_owned).collect()
    };
    let messages =
        lines(&output.stdout).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (messages, lines(&output.stderr))
}

/// Filters lines by their prefix.
fn starting<'a>(lines: &'a [String], start: &str) -> Vec<&'a String> {
    lines.iter().filter(|line| line.starts_with(start)).collect()
}

#[test]
fn skipped_tools_are_logged_once_with_the_reason() {
    let (_, told) = run(&[("toggle", ""), ("toggle", "")]);
    let left_out = starting(&told, "toolwright: skipping the tool ");
    assert_eq!(left_out.len(), 9, "once each, however often the list is read: {told:#?}");
    for part in [
        r#"skipping the tool "" of a provider: the name is empty"#,
        r#"skipping the tool "relay twice" of a provider: the name has ' '"#,
        r#"skipping the tool "relay_true" of a provider: its input schema must be an object, but is true"#,
        r#"skipping the tool "relay_openapi" of a provider: its input schema has the dialect"#,
    ] {
        assert!(left_out.iter().any(|line| line.contains(part)), "{part}: {left_out:#?}");
    }
}

#[test]
fn broken_promises_are_logged_with_the_tool_and_reason() {
    let breach = r#"{"structuredContent":{"n":"a\u001b[2J\n::error::b"}}"#;
    let (answers, told) = run(&[
        ("relay_checked", breach),
        ("relay_checked", r#"{"structuredContent":{"n":1}}"#),
        ("relay", "{\"structuredContent\":[1e999]}"),
        ("relay_log", "[\"\\ud800\"]"),
        ("relay_progress", "[1, 1, 1, 2]"),
        ("relay_progress", "[1, 2]"),
    ]);
    // Four calls with a result that is not an error, two errors, one log message, and four reports.
    assert_eq!(answers.len(), 6 + 1 + 4, "{answers:#?}");
    let broken = starting(&told, "toolwright: invalid result of the tool `relay_checked`: ");
    assert_eq!(broken.len(), 1, "{told:#?}");
    assert!(broken[0].contains("/n: expected an integer"), "{broken:#?}");
    assert_eq!(starting(&told, "toolwright: invalid result of the tool `relay`: ").len(), 1);
    assert_eq!(starting(&told, "toolwright: cannot send the data of a log message: ").len(), 1, "{told:#?}");
    let unsent =
        starting(&told, "toolwright: `relay_progress` reported progress 2 times without an increase");
    assert_eq!(unsent.len(), 1, "{told:#?}");
    for line in &told {
        assert!(line.starts_with("toolwright: ") && !line.contains(char::is_control), "{line:?}");
    }
}

/// `script` runs a program in a terminal of its own; it is part of every Debian.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_told_how_to_connect_a_client() {
    let program = env!("CARGO_BIN_EXE_stage-server");
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", program, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .expect("the program `script` of the package bsdutils");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in ["is an MCP server with ", &format!(r#"{{"command":"{program}"}}"#), "cargo mcp list -- "] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let (_, piped) = run(&[]);
    assert_eq!(starting(&piped, "toolwright: to end it"), [] as [&String; 0]);
}
