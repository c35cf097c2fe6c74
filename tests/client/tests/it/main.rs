//! Tests of the client with our own server, and with servers that have faults.

mod agent;
mod batches;
mod bindings;
mod catalogue;
#[cfg(target_os = "linux")]
mod guard;
mod http;
mod many;
mod our_server;
mod reported;
mod server_tls;
#[expect(unreachable_pub, clippy::unreadable_literal, reason = "generated for other crates")]
mod shop_bindings;
mod skills;
mod stdio;
mod tasks;
mod tls;
mod tokens;

use toolwright_client::config::StdioSpec;
use toolwright_client::{ClientError, ErrorKind};

/// Returns the spec of a server with a fault.
fn faulty_server(fault: &str) -> StdioSpec {
    test_client::program(env!("CARGO_BIN_EXE_faulty-server"), &[fault])
}

/// Checks the kind of an error, and that its message has these parts and an advice.
#[track_caller]
fn check(error: &ClientError, kind: ErrorKind, parts: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
    assert!(!error.advice().is_empty(), "no advice in: {text}");
}
