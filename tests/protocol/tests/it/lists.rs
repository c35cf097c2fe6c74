//! Lists: order, pages, and changes.

use serde_json::{Value, json};
use test_protocol::peer::Peer;

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");

fn names(list: &Value) -> Vec<String> {
    list["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn the_list_is_sorted_and_the_same_each_time() {
    let mut peer = Peer::start(SERVER, &[]);
    let first = peer.result("tools/list", json!({}));
    let mut sorted = names(&first);
    sorted.sort_unstable();
    assert_eq!(names(&first), sorted);
    assert_eq!(first["cacheScope"], "public");
    assert_eq!(peer.result("tools/list", json!({})), first);
}

#[test]
fn pagination_returns_every_tool_once() {
    let whole = names(&Peer::start(SERVER, &[]).result("tools/list", json!({})));
    for size in 1..=whole.len() + 1 {
        let mut peer = Peer::start(SERVER, &[("PAGE", &size.to_string())]);
        let (mut found, mut params) = (Vec::new(), json!({}));
        loop {
            let page = peer.result("tools/list", params);
            assert!(names(&page).len() <= size);
            found.extend(names(&page));
            match page.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => break,
            }
        }
        assert_eq!(found, whole, "pages of {size}");
    }
}

#[test]
fn a_cursor_stays_valid_when_tools_change() {
    let mut peer = Peer::start(SERVER, &[("PAGE", "8")]);
    let first = peer.result("tools/list", json!({}));
    peer.call_result("toggle", &json!({"on": true}));
    let second = peer.result("tools/list", json!({"cursor": first["nextCursor"]}));
    let mut all = [names(&first), names(&second)].concat();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "no tool twice");
    assert!(all.contains(&"toggle".to_owned()));
}

#[test]
fn legacy_sessions_get_list_changed_notifications() {
    let mut peer = Peer::start_at(SERVER, "2025-11-25");
    peer.call(&json!(1), "toggle", &json!({"on": true}));
    let mut messages = [peer.message(), peer.message()];
    messages.sort_by_key(|message| message.get("id").is_some());
    assert_eq!(messages[0], json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    assert!(names(&peer.result("tools/list", json!({}))).contains(&"extra".to_owned()));
    assert_eq!(peer.call_result("extra", &json!({}))["content"][0]["text"], "extra");
}

/// The server has no prompts, so the acknowledgment omits `promptsListChanged`.
// As reported in modelcontextprotocol/ruby-sdk#495, langchain4j/langchain4j#6098.
#[test]
fn subscriptions_are_acknowledged_and_filtered() {
    let mut peer = Peer::start(SERVER, &[("PLAIN", "1")]);
    let id_key = "io.modelcontextprotocol/subscriptionId";
    peer.request(
        &json!(9),
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}}),
    );
    let acknowledged = peer.message();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        acknowledged["params"],
        json!({"notifications": {"toolsListChanged": true}, "_meta": {id_key: 9}})
    );
    peer.request(&json!(10), "subscriptions/listen", json!({"notifications": {}}));
    assert_eq!(peer.message()["params"], json!({"notifications": {}, "_meta": {id_key: 10}}));

    peer.call(&json!("t"), "toggle", &json!({"on": true}));
    let mut messages = [peer.message(), peer.message()];
    messages.sort_by_key(|message| message.get("id").is_some());
    assert_eq!(messages[0]["method"], "notifications/tools/list_changed");
    assert_eq!(messages[0]["params"]["_meta"][id_key], 9);

    peer.send_value(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}),
    );
    peer.call(&json!("u"), "toggle", &json!({"on": false}));
    assert_eq!(peer.message()["id"], "u", "no subscription is left");

    for params in [json!({}), json!({"notifications": 1})] {
        assert_eq!(peer.answer("subscriptions/listen", params)["error"]["code"], -32602);
    }
    peer.request(&json!(10), "subscriptions/listen", json!({"notifications": {}}));
    assert_eq!(peer.message()["error"]["code"], -32600, "the id is in use");
}
