//! How a session ends.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use test_protocol::peer::Peer;

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");
const SOON: Duration = Duration::from_secs(10);

// As reported in andresharpe/dotbot#650, PaSympa/discord-mcp#83.
#[test]
fn the_process_ends_when_its_input_ends() {
    let mut peer = Peer::start(SERVER, &[("GRACE_MS", "60000")]);
    peer.close_input();
    let (status, stderr) = peer.wait(SOON);
    assert!(status.success());
    assert_eq!(stderr, "cleaned up");

    let mut peer = Peer::start_at(SERVER, "2025-11-25");
    peer.close_input();
    assert!(peer.wait(SOON).0.success());
}

#[test]
fn calls_in_flight_finish_within_the_grace_and_are_answered() {
    let mut peer = Peer::start(SERVER, &[("GRACE_MS", "10000")]);
    peer.call(&json!(1), "sleep", &json!({"ms": 300}));
    peer.call(&json!(2), "block", &json!({"ms": 300}));
    peer.close_input();
    let mut ids = [peer.message()["id"].as_u64(), peer.message()["id"].as_u64()];
    ids.sort_unstable();
    assert_eq!(ids, [Some(1), Some(2)]);
    assert!(peer.wait(SOON).0.success());
}

// As reported in Syngnat/GoNavi#1171.
#[test]
fn a_stuck_call_does_not_keep_the_process_alive() {
    for (tool, arguments, named) in [
        ("sleep", json!({"ms": 600_000}), "abandoned the calls still running: sleep"),
        ("block", json!({"ms": 600_000}), "a handler that blocks its thread"),
        ("block", json!({"ms": 600_000, "later": true}), "abandoned the calls still running: block"),
    ] {
        for by_signal in [false, true] {
            let mut peer = Peer::start(SERVER, &[("GRACE_MS", "200")]);
            peer.call(&json!(1), tool, &arguments);
            // The call must have started, which a second one shows that comes after it.
            peer.assert_alive();
            if by_signal {
                peer.terminate();
            } else {
                peer.close_input();
            }
            let (status, stderr) = peer.wait(SOON);
            assert!(status.success(), "{tool} {arguments}: {status} {stderr}");
            assert!(stderr.contains(named), "{stderr}");
            assert_eq!(stderr.matches("cleaned up").count(), 1, "{stderr}");
        }
    }
}

/// The handler blocks the very thread that would end the server.
// As reported in Syngnat/GoNavi#1171.
#[test]
fn a_stuck_call_on_the_only_thread_ends_with_the_process() {
    let mut peer = Peer::start(SERVER, &[("GRACE_MS", "200"), ("ONE_THREAD", "1")]);
    peer.call(&json!(1), "block", &json!({"ms": 600_000, "later": true}));
    peer.assert_alive();
    peer.close_input();
    let (status, stderr) = peer.wait(SOON);
    assert!(status.success(), "{status} {stderr}");
    assert!(stderr.contains("abandoned the calls still running: block"), "{stderr}");
}

#[test]
fn a_peer_that_stops_reading_ends_the_process() {
    let mut child = Command::new(SERVER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let stdin = child.stdin.take().expect("piped");
    let mut stdout = child.stdout.take().expect("piped");
    write(&stdin, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    let mut byte = [0];
    stdout.read_exact(&mut byte).expect("an answer");
    drop(stdout);
    write(&stdin, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
    let end = Instant::now() + SOON;
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break status;
        }
        if Instant::now() > end {
            child.kill().expect("the child is ours");
            panic!("the server goes on without a reader");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    drop(stdin);
    assert!(status.success(), "{status}");
}

fn write(mut stdin: &std::process::ChildStdin, line: &str) {
    std::io::Write::write_all(&mut stdin, line.as_bytes()).expect("the server reads");
}

#[test]
fn subscriptions_end_with_their_answer_at_shutdown() {
    let mut peer = Peer::start(SERVER, &[]);
    peer.request(&json!("s"), "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    assert_eq!(peer.message()["method"], "notifications/subscriptions/acknowledged");
    peer.terminate();
    let last = peer.message();
    assert_eq!(last["id"], "s");
    assert_eq!(last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s");
    assert!(peer.wait(SOON).0.success());
}
