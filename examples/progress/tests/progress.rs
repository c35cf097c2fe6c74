//! Tests of the program: progress, and both ways of cancelling a call.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_http::lab::Lab;
use test_http::program::Program;
use test_http::transcript;

fn start() -> Program {
    Program::start(Command::new(env!("CARGO_BIN_EXE_progress")).arg("127.0.0.1:0"))
}

#[test]
fn the_readme_shows_what_happens() {
    transcript::check(include_str!("../README.md"), start().address());
}

#[test]
fn the_guide_to_http_shows_what_happens() {
    transcript::check(include_str!("../../../docs/http.md"), start().address());
}

/// A call that would take longer than the test may.
fn long_task() -> Value {
    json!({"name": "print_labels", "arguments": {"count": 1000}, "_meta": {"progressToken": 1}})
}

/// Waits until the printer has stopped, long before it is done.
fn await_stop(lab: &Lab) {
    let start = Instant::now();
    loop {
        let status =
            lab.call("printer_status", &json!({})).send().json()["result"]["structuredContent"].take();
        assert!(status["printed"].as_u64().is_some_and(|printed| printed < 500), "{status}");
        if status["busy"] == false {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "the thread keeps running: {status}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn cancelling_in_either_era_stops_the_thread() {
    let program = start();
    let lab = program.lab();

    let mut modern = lab.modern("tools/call", &long_task()).send();
    assert_eq!(modern.message().expect("progress")["params"]["progress"], 1);
    let mut busy = lab.call("print_labels", &json!({"count": 1})).send();
    assert_eq!(busy.json()["result"]["isError"], true);
    drop(modern);
    await_stop(&lab);

    let session = lab.session("2025-11-25");
    let mut legacy = session.request(1, "tools/call", &long_task()).send();
    assert_eq!(legacy.message().expect("progress")["params"]["total"], 1000);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(session.post().body(&cancel).send().status, 202);
    await_stop(&lab);

    assert!(program.end_by("INT").success());
}

/// Shutdown cancels the call, so that it does not wait for the thread.
#[test]
fn shutdown_cancels_running_calls() {
    let program = start();
    let mut call = program.lab().modern("tools/call", &long_task()).send();
    assert!(call.message().is_some());
    assert!(program.end_by("INT").success());
}
