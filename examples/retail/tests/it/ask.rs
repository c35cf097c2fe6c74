//! The agent interface of the program: `retail ask` and `retail docs`.

use std::io::Write;
use std::process::{Command, Stdio};

/// What the program prints for these lines.
fn ask(lines: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_retail"))
        .arg("ask")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = program.stdin.take().expect("a pipe");
    for line in lines {
        writeln!(input, "{line}").expect("the program reads");
    }
    drop(input);
    let output = program.wait_with_output().expect("the program ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

const CANCEL: &str = r##"{"type":"mcp_tool_call","tool_call":{"name":"cancel_pending_order","arguments":{"order_id":"#W0000001","reason":"no longer needed"}}}"##;

#[test]
fn an_envelope_runs_the_command() {
    let answer = ask(&[CANCEL]);
    assert!(answer.contains(r#""status":"cancelled""#), "{answer}");
}

#[test]
fn plain_text_runs_the_same_command_on_the_same_state() {
    let answer = ask(&[
        "get order details order_id=#W0000001",
        CANCEL,
        "cancel_pending_order order_id=#W0000001 reason=\"no longer needed\"",
    ]);
    let lines: Vec<&str> = answer.lines().collect();
    assert!(lines[0].contains(r#""status":"pending""#), "{answer}");
    assert!(lines[1].contains(r#""status":"cancelled""#), "{answer}");
    assert!(lines[2].starts_with("error: ") && lines[2].contains("cancelled"), "{answer}");
}

#[test]
fn a_broken_envelope_is_routed_and_both_reasons_given() {
    let answer = ask(&[r#"{"type":"mcp_tool_call","tool_call":"#]);
    assert!(answer.starts_with("error: "), "{answer}");
}

#[test]
fn an_unknown_command_names_those_like_it() {
    let answer = ask(&["get order detail order_id=#W0000001"]);
    assert!(answer.starts_with("error: ") && answer.contains("get_order_details"), "{answer}");
}

#[test]
fn the_simple_docs_have_names_and_descriptions_and_no_schema() {
    let output = Command::new(env!("CARGO_BIN_EXE_retail")).arg("docs").output().expect("the program runs");
    let docs = String::from_utf8(output.stdout).expect("text");
    assert_eq!(docs.lines().filter(|line| line.contains("cancel_pending_order")).count(), 1, "{docs}");
    for key in ["inputSchema", "properties", "\"type\""] {
        assert!(!docs.contains(key), "{docs}");
    }
}
