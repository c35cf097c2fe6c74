//! What is tried on every transport.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hostile;
use crate::link::{Event, Link};
use crate::stage::{MANY, MAX_MESSAGE_BYTES, PAGE};
use crate::transports::{Running, TooLong, Transport};

/// One thing that is tried.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// Tries it; panics if it fails.
    pub run: fn(&Transport, &Running),
}

/// All of them.
pub const ALL: [Scenario; 14] = [
    Scenario { name: "list", run: list },
    Scenario { name: "call", run: call },
    Scenario { name: "tool error", run: tool_error },
    Scenario { name: "protocol error", run: protocol_error },
    Scenario { name: "progress", run: progress },
    Scenario { name: "cancel", run: cancel },
    Scenario { name: "elicitation", run: elicitation },
    Scenario { name: "panic", run: panics },
    Scenario { name: "oversize", run: oversize },
    Scenario { name: "1,000 tools", run: thousand_tools },
    Scenario { name: "out of order", run: out_of_order },
    Scenario { name: "list changed", run: list_changed },
    Scenario { name: "hostile JSON", run: hostile::hostile },
    Scenario { name: "graceful end", run: graceful_end },
];

fn list(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let page = link.result("tools/list", json!({}));
    assert_eq!(names(&page)[..3], ["add", "ask", "count"]);
    // Pages are the same each time.
    assert_eq!(link.result("tools/list", json!({})), page);
}

fn call(_: &Transport, server: &Running) {
    let mut link = server.connect();
    assert_eq!(link.call_text("echo", &json!({"text": "ä\"\n\u{1F600}"})), "ä\"\n\u{1F600}");
    // RPC-01: ids go back as they came, also one that looks like a number and one that is a key in a table.
    for id in [json!("1"), json!(""), json!(0), json!(9_007_199_254_740_993_i64)] {
        link.call(&id, "add", &json!({"a": 2, "b": 3}));
        let answer = link.message();
        assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&id, &json!("5")));
    }
}

fn tool_error(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let failed = link.result("tools/call", json!({"name": "fail", "arguments": {}}));
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["content"][0]["text"], "it failed, try something else");
    let refused = link.result("tools/call", json!({"name": "add", "arguments": {"a": "x"}}));
    assert_eq!(refused["isError"], true, "{refused}");
    link.assert_alive();
}

fn protocol_error(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let unknown = link.answer("tools/call", json!({"name": "no_such_tool"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(link.answer("no/such/method", json!({}))["error"]["code"], -32601);
    link.assert_alive();
}

fn progress(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let call = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": "token"}});
    link.request(&json!(7), "tools/call", call);
    for step in 1..=3 {
        let report = link.message();
        assert_eq!(report["method"], "notifications/progress", "{report}");
        assert_eq!(
            (&report["params"]["progress"], &report["params"]["progressToken"]),
            (&json!(step), &json!("token"))
        );
    }
    let answer = link.message();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(7), &json!("counted")));
}

fn cancel(_: &Transport, server: &Running) {
    let mut link = server.connect();
    link.call(&json!(99), "hold", &json!({}));
    await_held(&mut link, "started", 1);
    assert_eq!(held(&mut link, "cancelled"), 0);
    link.cancel(&json!(99));
    await_held(&mut link, "cancelled", 1);
    // RPC-07: nothing is sent for it.
    assert_eq!(link.within(Duration::from_millis(50)), []);
    link.assert_alive();
}

fn elicitation(transport: &Transport, server: &Running) {
    let mut link = server.connect();
    let (answer, questions) = link.converse("ask", |question| reply(&question["params"]));
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    if transport.revision < "2025-06-18" {
        // The revision has no such question, and the tool says so.
        assert_eq!((&answer["result"]["isError"], questions.len()), (&json!(true), 0), "{answer}");
    } else {
        assert_eq!(text, "blue", "{answer}");
        assert_eq!(questions.is_empty(), transport.answers_by_itself, "{questions:?}");
    }
    link.assert_alive();
}

/// What the client's user answers to the question with these parameters.
///
/// # Panics
/// If it is not the question of [`crate::stage::Ask`].
pub fn reply(params: &Value) -> Value {
    assert_eq!(params["message"], "Which color?", "{params}");
    json!({"action": "accept", "content": {"name": "blue"}})
}

fn panics(_: &Transport, server: &Running) {
    let mut link = server.connect();
    for later in [false, true] {
        let answer = link.answer("tools/call", json!({"name": "panic", "arguments": {"later": later}}));
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    link.assert_alive();
}

fn oversize(transport: &Transport, server: &Running) {
    let mut link = server.connect();
    link.call(&json!(1), "echo", &json!({"text": "a".repeat(2 * MAX_MESSAGE_BYTES)}));
    let event = link.event();
    match transport.too_long {
        TooLong::Error => {
            let Event::Message(answer) = event else { panic!("{event:?}") };
            assert_eq!(answer["error"]["code"], -32700, "{answer}");
            link.assert_alive();
        }
        TooLong::Status(status) => {
            assert!(matches!(event, Event::Status(is, _) if is == status), "{event:?}");
        }
        TooLong::Close(code) => assert_eq!(event, Event::Closed(Some(code))),
        TooLong::Read => panic!("{} has no limit of its own", transport.name),
    }
    server.connect().assert_alive();
}

fn thousand_tools(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let pages = listed(&mut link);
    let (all, pages) = (pages.concat(), pages.len());
    assert_eq!(all.iter().filter(|name| name.starts_with("many_")).count(), MANY);
    assert_eq!(pages, all.len().div_ceil(PAGE));
    assert!(all.is_sorted(), "the pages are in order");
    // The name of the last tool in hexadecimal, as an earlier version had it, and what a client makes that counts.
    for cursor in ["6d616e795f30393939", "10", "1", ""] {
        let refused = link.answer("tools/list", json!({"cursor": cursor}));
        assert_eq!(refused["error"]["code"], -32602, "{cursor}: {refused}");
    }
    assert_eq!(link.call_text("many_0999", &json!({})), "many_0999");
}

/// The names of all tools, page by page.
pub(crate) fn listed(link: &mut Link) -> Vec<Vec<String>> {
    let (mut pages, mut params) = (Vec::new(), json!({}));
    loop {
        let page = link.result("tools/list", params);
        pages.push(names(&page));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return pages,
        }
    }
}

fn out_of_order(_: &Transport, server: &Running) {
    let mut link = server.connect();
    link.call(&json!("slow"), "sleep", &json!({"ms": 500}));
    await_held(&mut link, "asleep", 1);
    link.call(&json!("fast"), "add", &json!({"a": 1, "b": 2}));
    assert_eq!(link.message()["id"], "fast");
    assert_eq!(link.message()["id"], "slow");
}

fn list_changed(_: &Transport, server: &Running) {
    let mut link = server.connect();
    link.listen();
    link.call(&json!("toggle"), "toggle", &json!({}));
    // The word may come before the answer of the call that caused it, or after.
    let (first, second) = (link.message(), link.message());
    let (word, answer) = if first.get("method").is_some() { (first, second) } else { (second, first) };
    assert_eq!(word["method"], "notifications/tools/list_changed", "{word}");
    assert!(answer.get("result").is_some(), "{answer}");
    assert!(names(&link.result("tools/list", json!({}))).contains(&"extra".to_owned()));
}

fn graceful_end(_: &Transport, server: &Running) {
    let mut link = server.connect();
    link.call(&json!("last"), "sleep", &json!({"ms": 300}));
    await_held(&mut link, "asleep", 1);
    let start = Instant::now();
    server.stop();
    let answer = link.message();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!("last"), &json!("awake")));
    server.assert_ended_within(Duration::from_secs(3));
    assert!(start.elapsed() < Duration::from_secs(3), "the end waits for nothing else");
}

/// Asks until what the server has counted is `count`.
fn await_held(link: &mut Link, what: &str, count: u64) {
    let start = Instant::now();
    while held(link, what) != count {
        assert!(start.elapsed() < Duration::from_secs(10), "{what} does not become {count}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What the server has counted.
fn held(link: &mut Link, what: &str) -> u64 {
    let held: Value = serde_json::from_str(&link.call_text("held", &json!({}))).expect("JSON");
    held[what].as_u64().unwrap_or_else(|| panic!("no {what} in {held}"))
}

fn names(page: &Value) -> Vec<String> {
    let tools = page["tools"].as_array().expect("a page of tools");
    tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
}
