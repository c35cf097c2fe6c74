//! The client against servers of ours and servers with faults.

mod agent;
mod bindings;
mod catalogue;
#[cfg(target_os = "linux")]
mod guard;
mod http;
mod many;
mod ours;
mod reported;
#[expect(unreachable_pub, clippy::unreadable_literal, reason = "as it is written for others")]
mod shop_bindings;
mod skills;
mod stdio;
mod tasks;
mod tls;
mod tokens;

use toolwright_client::config::StdioSpec;
use toolwright_client::{ClientError, ErrorKind};

/// A server with a fault.
fn fx(fault: &str) -> StdioSpec {
    test_client::program(env!("CARGO_BIN_EXE_fx"), &[fault])
}

/// An error is of the kind, says what happened, and what to do.
#[track_caller]
fn check(error: &ClientError, kind: ErrorKind, parts: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
    assert!(!error.advice().is_empty(), "no advice in: {text}");
}
