//! The scenarios for every transport.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hostile;
use crate::link::{Event, Link};
use crate::stage::{MANY, MAX_MESSAGE_BYTES, NOTE, PAGE};
use crate::transports::{Running, TooLong, Transport};

/// A scenario.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// Runs it; panics if it fails.
    pub run: fn(&Transport, &Running),
}

/// All of them.
pub const ALL: [Scenario; 21] = [
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
    Scenario { name: "prompts", run: prompts },
    Scenario { name: "resources", run: resources },
    Scenario { name: "resource updated", run: resource_updated },
    Scenario { name: "hostile JSON", run: hostile::hostile },
    Scenario { name: "graceful end", run: graceful_end },
    Scenario { name: "escaped members", run: escaped_members },
    Scenario { name: "retyped ids", run: retyped_ids },
    Scenario { name: "silent notifications", run: silent_notifications },
    Scenario { name: "repeated members", run: repeated_members },
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
    // modelcontextprotocol/python-sdk#961: ids are returned unchanged, including one that looks like a number and one that is a key in a table.
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

// As reported in modelcontextprotocol/typescript-sdk#1044; no other tool is named.
fn protocol_error(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let unknown = link.answer("tools/call", json!({"name": "no_such_tool"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let message = unknown["error"]["message"].as_str().expect("a string");
    assert!(message.contains("no_such_tool") && !message.contains("echo"), "{message}");
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
    // modelcontextprotocol/python-sdk#2480: nothing is sent for it.
    assert_eq!(link.within(Duration::from_millis(50)), []);
    link.assert_alive();
}

fn elicitation(transport: &Transport, server: &Running) {
    let mut link = server.connect();
    let (answer, questions) = link.converse("ask", |question| reply(&question["params"]));
    let text = answer["result"]["content"][0]["text"].as_str().expect("a string");
    if transport.revision < "2025-06-18" {
        // The revision has no such question, and the tool says so.
        assert_eq!((&answer["result"]["isError"], questions.len()), (&json!(true), 0), "{answer}");
    } else {
        assert_eq!(text, "blue", "{answer}");
        assert_eq!(questions.is_empty(), transport.answers_by_itself, "{questions:?}");
    }
    link.assert_alive();
}

/// The response of the client's user to the input request with these parameters.
///
/// # Panics
/// If it is not the input request of [`crate::stage::Ask`].
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
    // Longer than the other one takes on a machine that has much else to do.
    link.call(&json!("slow"), "sleep", &json!({"ms": 2_000}));
    await_held(&mut link, "asleep", 1);
    link.call(&json!("fast"), "add", &json!({"a": 1, "b": 2}));
    assert_eq!(link.message()["id"], "fast");
    assert_eq!(link.message()["id"], "slow");
}

fn list_changed(_: &Transport, server: &Running) {
    let mut link = server.connect();
    link.listen();
    link.call(&json!("toggle"), "toggle", &json!({}));
    // The notification may arrive before or after the response to the call that caused it.
    let (first, second) = (link.message(), link.message());
    let (word, answer) = if first.get("method").is_some() { (first, second) } else { (second, first) };
    assert_eq!(word["method"], "notifications/tools/list_changed", "{word}");
    assert!(answer.get("result").is_some(), "{answer}");
    assert!(names(&link.result("tools/list", json!({}))).contains(&"extra".to_owned()));
}

fn prompts(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let listed = link.result("prompts/list", json!({}));
    let prompt = &listed["prompts"][0];
    assert_eq!((&prompt["name"], &prompt["arguments"][0]["name"]), (&json!("greet"), &json!("name")));
    assert_eq!(prompt["arguments"][0]["required"], true);
    let filled = link.result("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada"}}));
    assert_eq!(filled["messages"][0]["content"]["text"], "Hello, Ada!");
    for params in [
        json!({"name": "none"}),
        json!({"name": "greet"}),
        json!({"name": "greet", "arguments": {"name": 1}}),
    ] {
        assert_eq!(link.answer("prompts/get", params)["error"]["code"], -32602);
    }
    let reference = json!({"type": "ref/prompt", "name": "greet"});
    let params = json!({"ref": reference, "argument": {"name": "name", "value": "A"}});
    assert_eq!(link.result("completion/complete", params)["completion"]["values"], json!(["Ada"]));
    link.assert_alive();
}

fn resources(transport: &Transport, server: &Running) {
    let mut link = server.connect();
    assert_eq!(link.result("resources/list", json!({}))["resources"][0]["uri"], NOTE);
    let templates = link.result("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "stage://items/{item}");
    for (uri, text) in [(NOTE, "a note"), ("stage://items/7", "7")] {
        let read = link.result("resources/read", json!({"uri": uri}));
        let contents = &read["contents"][0];
        assert_eq!((&contents["uri"], &contents["text"]), (&json!(uri), &json!(text)));
        assert_eq!(read.get("ttlMs").is_some(), link.is_modern(), "{read}");
    }
    let unknown = link.answer("resources/read", json!({"uri": "stage://none"}));
    let code = if transport.revision < "2026-07-28" { -32002 } else { -32602 };
    assert_eq!(unknown["error"]["code"], code, "{unknown}");
    link.assert_alive();
}

fn resource_updated(_: &Transport, server: &Running) {
    let mut link = server.connect();
    link.watch(NOTE);
    link.call(&json!("touch"), "touch", &json!({}));
    // The notification may arrive before or after the response to the call that caused it.
    let (first, second) = (link.message(), link.message());
    let (word, answer) = if first.get("method").is_some() { (first, second) } else { (second, first) };
    assert_eq!(word["method"], "notifications/resources/updated", "{word}");
    assert_eq!(word["params"]["uri"], NOTE);
    assert!(answer.get("result").is_some(), "{answer}");
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

/// Members are strings, and a string may be escaped in any way (RFC 8259 §7), as PHP's `json_encode` writes `tools\/list`.
fn escaped_members(transport: &Transport, server: &Running) {
    let mut link = server.connect();
    for (id, method, params) in [
        (json!("list"), "tools/list", json!({})),
        (json!("call/1"), "tools/call", json!({"name": "echo", "arguments": {"text": "as it is"}})),
    ] {
        let request = link.request_text(&id, method, params);
        link.send_text(&escaped(&request));
        let answer = link.message();
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer.get("result").is_some(), "{answer}");
    }
    if transport.name == "jsonrpsee" || (transport.name == "http" && link.is_modern()) {
        // Requests are cancelled without a message.
        return;
    }
    link.call(&json!("held/1"), "hold", &json!({}));
    await_held(&mut link, "started", 1);
    let params = json!({"requestId": "held/1"});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    link.send_text(&escaped(&cancel.to_string()));
    await_held(&mut link, "cancelled", 1);
}

/// JSON text with every letter and slash in its strings escaped.
fn escaped(json: &str) -> String {
    use std::fmt::Write as _;
    let (mut out, mut in_string, mut after_backslash) = (String::new(), false, false);
    for next in json.chars() {
        if std::mem::take(&mut after_backslash) {
            out.push(next);
            continue;
        }
        in_string ^= next == '"';
        after_backslash = next == '\\';
        match next {
            '/' if in_string => out.push_str("\\/"),
            'a'..='z' | 'A'..='Z' if in_string => {
                write!(out, "\\u{:04x}", u32::from(next)).expect("a text takes all");
            }
            _ => out.push(next),
        }
    }
    out
}

/// There are clients that send an id back as a string, or as a number with a fraction of zero.
fn retyped_ids(transport: &Transport, server: &Running) {
    let mut link = server.connect();
    if !link.is_modern() && transport.revision >= "2025-06-18" && !transport.answers_by_itself {
        for id_of in [
            |id: &Value| json!(id.to_string()),
            |id: &Value| json!(id.as_f64()),
            |id: &Value| json!(format!("{id}.0")),
        ] {
            let answer = link.converse_by("ask", |question| reply(&question["params"]), id_of).0;
            assert_eq!(answer["result"]["content"][0]["text"], "blue", "{answer}");
        }
    }
    if link.is_modern() && transport.name == "http" {
        // Requests are cancelled without a message.
        return;
    }
    link.call(&json!(99), "hold", &json!({}));
    await_held(&mut link, "started", 1);
    let params = json!({"requestId": 99.0});
    link.send_text(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string(),
    );
    await_held(&mut link, "cancelled", 1);
}

/// A notification is not answered, whatever is wrong with it (JSON-RPC 2.0 §4.1); over HTTP it has a status.
fn silent_notifications(_: &Transport, server: &Running) {
    let mut link = server.connect();
    for notification in [
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":"text"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"name":1,"name":2}}"#,
        r#"{"jsonrpc":"1.0","method":"notifications/x"}"#,
        r#"{"method":"notifications/x"}"#,
    ] {
        link.send_text(notification);
        for event in link.within(Duration::from_millis(20)) {
            let Event::Status(status, answer) = event else { panic!("{notification}: {event:?}") };
            assert_eq!((status, answer.get("id")), (400, None), "{notification}: {answer}");
        }
        link.assert_alive();
    }
}

/// A duplicate member is ambiguous, so the message is rejected.
fn repeated_members(_: &Transport, server: &Running) {
    let mut link = server.connect();
    let params = json!({"name": "echo", "arguments": {"text": "done"}});
    let request = link.request_text(&json!("twice"), "tools/call", params);
    for (member, twice) in [
        (r#""jsonrpc":"2.0""#, r#""jsonrpc":"2.0","jsonrpc":"2.0""#),
        (r#""method":"tools/call""#, r#""method":"tools/list","method":"tools/call""#),
        (r#""method":"tools/call""#, r#""method":"tools/call","m\u0065thod":"tools/call""#),
        (r#""name":"echo""#, r#""name":"add","name":"echo""#),
        (r#""name":"echo""#, r#""n\u0061me":"echo","name":"echo""#),
        (r#""arguments":{"#, r#""arguments":{},"arguments":{"#),
    ] {
        assert!(request.contains(member), "{request}");
        link.send_text(&request.replacen(member, twice, 1));
        let answer = link.message();
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, Some(-32600 | -32602)), "{twice}: {answer}");
        assert_eq!(answer["id"], "twice", "{answer}");
    }
    link.assert_alive();
}

/// Polls until the server's count is `count`.
fn await_held(link: &mut Link, what: &str, count: u64) {
    let start = Instant::now();
    while held(link, what) != count {
        assert!(start.elapsed() < Duration::from_secs(10), "{what} does not become {count}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The server's counts.
fn held(link: &mut Link, what: &str) -> u64 {
    let held: Value = serde_json::from_str(&link.call_text("held", &json!({}))).expect("JSON");
    held[what].as_u64().unwrap_or_else(|| panic!("no {what} in {held}"))
}

fn names(page: &Value) -> Vec<String> {
    let tools = page["tools"].as_array().expect("a page of tools");
    tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
}
