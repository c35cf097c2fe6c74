//! Tests of the program over stdio.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// After the input ends, all requests are answered and the program exits.
#[test]
fn the_program_serves_stdio() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_retail"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let client = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let cancel = json!({
        "name": "cancel_pending_order",
        "arguments": { "order_id": "#W0000001", "reason": "no longer needed" },
    });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": cancel }),
    ];
    let mut input = program.stdin.take().expect("a pipe");
    for message in messages {
        writeln!(input, "{message}").expect("the program reads");
    }
    drop(input);

    let mut output = String::new();
    program.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
    assert!(program.wait().expect("the program ends").success());

    let answers: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).expect("one message a line")).collect();
    let result = |id: u32| &answers.iter().find(|answer| answer["id"] == id).expect("an answer")["result"];
    assert_eq!(result(1)["serverInfo"]["name"], "retail");
    assert_eq!(result(1)["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result(2)["tools"].as_array().map(Vec::len), Some(15));
    assert_eq!(result(3)["structuredContent"]["status"], "cancelled");
    assert_eq!(answers.len(), 3);
}
