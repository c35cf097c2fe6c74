//! Random messages in random order on one connection: the server never hangs, never panics itself, and answers each
//! request once.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use test_protocol::peer::Peer;

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");

/// One line to send.
#[derive(Debug, Clone)]
enum Step {
    /// A request that is answered once, whatever with.
    Request {
        tool: &'static str,
        arguments: Value,
    },
    /// A method that does not exist.
    UnknownMethod,
    List,
    /// Cancels the request this many steps before.
    Cancel {
        back: usize,
    },
    /// A line that is not a message: answered once, without an id.
    Nonsense(&'static str),
    /// A line that is never answered.
    Silent(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let request = |tool, arguments: Value| Just(Step::Request { tool, arguments });
    prop_oneof![
        4 => request("add", json!({"a": 1, "b": 2})),
        1 => request("add", json!({"a": "x", "c": null})),
        3 => (0..30_u64).prop_map(|ms| Step::Request { tool: "sleep", arguments: json!({"ms": ms}) }),
        1 => (0..40_u64, any::<bool>())
            .prop_map(|(ms, later)| Step::Request { tool: "block", arguments: json!({"ms": ms, "later": later}) }),
        1 => any::<bool>().prop_map(|later| Step::Request { tool: "panic", arguments: json!({"later": later}) }),
        1 => request("count", json!({"slowly": true})),
        1 => request("no_such_tool", json!({})),
        1 => Just(Step::UnknownMethod),
        1 => Just(Step::List),
        3 => (1..6_usize).prop_map(|back| Step::Cancel { back }),
        2 => prop_oneof![Just("{"), Just("nonsense"), Just("[]"), Just("17"), Just(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)]
            .prop_map(Step::Nonsense),
        1 => prop_oneof![
            Just(""),
            Just(r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#),
            Just(r#"{"jsonrpc":"2.0","id":"never sent","result":{}}"#),
        ]
        .prop_map(Step::Silent),
    ]
}

/// Sends the steps, and checks the responses.
fn check(revision: &'static str, steps: &[Step]) {
    let mut peer = Peer::start_at(SERVER, revision);
    // The minimum and maximum number of responses.
    let mut expected: HashMap<u64, (usize, usize)> = HashMap::new();
    let mut nonsense = 0;
    for (at, step) in steps.iter().enumerate() {
        let id = u64::try_from(at).expect("few steps");
        match step {
            Step::Request { tool, arguments } => {
                peer.call(&json!(id), tool, arguments);
                expected.insert(id, (1, 1));
            }
            Step::UnknownMethod => {
                peer.request(&json!(id), "no/such", json!({}));
                expected.insert(id, (1, 1));
            }
            Step::List => {
                peer.request(&json!(id), "tools/list", json!({}));
                expected.insert(id, (1, 1));
            }
            Step::Cancel { back } => {
                let cancelled = id.saturating_sub(u64::try_from(*back).expect("few steps"));
                peer.send_value(&json!({
                    "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": cancelled},
                }));
                if let Some((least, _)) = expected.get_mut(&cancelled) {
                    *least = 0;
                }
            }
            Step::Nonsense(line) => {
                peer.send_bytes(format!("{line}\n").as_bytes());
                nonsense += 1;
            }
            Step::Silent(line) => peer.send_bytes(format!("{line}\n").as_bytes()),
        }
    }
    let mut answers: HashMap<u64, usize> = HashMap::new();
    let mut without_id = 0;
    let is_owed = |answers: &HashMap<u64, usize>, without_id: usize| {
        without_id < nonsense
            || expected.iter().any(|(id, (least, _))| answers.get(id).copied().unwrap_or_default() < *least)
    };
    while is_owed(&answers, without_id) {
        count(&peer.message(), &mut answers, &mut without_id);
    }
    peer.assert_alive();
    for message in peer.within(Duration::from_millis(60)) {
        count(&message, &mut answers, &mut without_id);
    }
    for (id, (least, most)) in expected {
        let found = answers.remove(&id).unwrap_or_default();
        assert!(
            (least..=most).contains(&found),
            "{found} answers for {id}: {:?}",
            steps[usize::try_from(id).expect("small")]
        );
    }
    assert!(answers.is_empty(), "answers to nothing: {answers:?}");
    assert_eq!(without_id, nonsense);
}

fn count(message: &Value, answers: &mut HashMap<u64, usize>, without_id: &mut usize) {
    if message.get("method").is_some() {
        return;
    }
    match message["id"].as_u64() {
        Some(id) => *answers.entry(id).or_default() += 1,
        None => *without_id += 1,
    }
}

/// The same cases on each run: a failure here is a failure everywhere.
#[test]
fn any_order_of_messages_is_answered_once_each() {
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let revisions = prop_oneof![Just("2025-03-26"), Just("2025-11-25"), Just("2026-07-28")];
    let mut runner = TestRunner::new_with_rng(config, rng);
    runner
        .run(&(revisions, prop::collection::vec(step(), 1..40)), |(revision, steps)| {
            check(revision, &steps);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
