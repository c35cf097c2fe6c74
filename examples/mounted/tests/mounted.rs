//! Tests of the program: the endpoint next to the pages, and its shutdown.

use std::process::Command;

use serde_json::{Value, json};
use test_http::client::{Call, Response};
use test_http::lab::{MODERN, with_meta};
use test_http::program::Program;
use test_http::transcript;

fn start() -> Program {
    Program::start(Command::new(env!("CARGO_BIN_EXE_mounted")).arg("127.0.0.1:0"))
}

/// A page as a browser asks for it.
fn page(program: &Program, path: &str) -> Response {
    Call::new(program.address(), "GET", path).send()
}

#[test]
fn the_readme_shows_what_happens() {
    let program = start();
    transcript::check(include_str!("../README.md"), program.address());
    assert!(program.end_by("INT").success());
}

// As reported in BerriAI/litellm#34845, PrefectHQ/fastmcp#1867.
#[test]
fn both_spellings_of_the_path_are_served_directly() {
    let program = start();
    for (count, path) in ["/mcp", "/mcp/"].into_iter().enumerate() {
        let post = |body: &Value| {
            Call::new(program.address(), "POST", path)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .body(body)
        };
        let sign = with_meta(&json!({"name": "sign", "arguments": {"name": "Ada"}}));
        let mut signed = post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": sign}))
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "sign")
            .validate_as(MODERN, "tools/call")
            .send();
        assert_eq!(signed.status, 200, "{path}");
        let thanks = format!("Thank you, Ada! You are guest {}.", count + 1);
        assert_eq!(signed.json()["result"]["content"][0]["text"], thanks);

        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        });
        let opened =
            post(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})).send();
        assert_eq!(opened.status, 200, "{path}");
        assert!(opened.header("mcp-session-id").is_some(), "{path}");
    }
    assert_eq!(page(&program, "/guests").text(), "Ada\nAda");
    assert_eq!(page(&program, "/mcp/other").status, 404);
}

#[test]
fn open_streams_shut_down_gracefully_with_the_program() {
    let program = start();
    let lab = program.lab();
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    let mut modern = lab.modern("subscriptions/listen", &wanted).send();
    let acknowledged = modern.message().expect("a message");
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    let mut legacy = lab.session("2025-11-25").get().send();
    assert_eq!(legacy.status, 200);

    assert!(program.end_by("TERM").success());
    let last = modern.messages();
    assert_eq!(last.len(), 1, "{last:?}");
    assert_eq!(last[0]["result"]["resultType"], "complete");
    assert!(legacy.messages().is_empty());
}
