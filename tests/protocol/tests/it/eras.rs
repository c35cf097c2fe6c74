//! Both eras on one process, each revision with its own members.

use serde_json::{Value, json};
use test_protocol::peer::Peer;

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn tool<'a>(list: &'a Value, name: &str) -> &'a Value {
    list["tools"].as_array().expect("a list").iter().find(|tool| tool["name"] == name).expect("listed")
}

// As reported in php-mcp/server#34.
#[test]
fn each_legacy_revision_is_agreed_on_and_has_its_own_members() {
    for revision in LEGACY {
        let mut peer = Peer::start_at(SERVER, revision);
        let list = peer.result("tools/list", json!({}));
        let add = tool(&list, "add");
        assert_eq!(add.get("annotations").is_some(), revision >= "2025-03-26", "{revision}");
        for member in ["title", "outputSchema", "_meta"] {
            assert_eq!(add.get(member).is_some(), revision >= "2025-06-18", "{revision} {member}");
        }
        let sum = peer.call_result("add", &json!({"a": 1, "b": 2}));
        assert_eq!(sum["content"], json!([{"type": "text", "text": "{\"sum\":3}"}]));
        assert_eq!(sum.get("structuredContent").is_some(), revision >= "2025-06-18", "{revision}");
        for absent in ["resultType", "_meta"] {
            assert!(sum.get(absent).is_none(), "{revision} {absent}");
        }
        for absent in ["ttlMs", "cacheScope", "resultType"] {
            assert!(list.get(absent).is_none(), "{revision} {absent}");
        }
        assert_eq!(peer.answer("server/discover", json!({}))["error"]["code"], -32601);
        assert_eq!(peer.answer("no/such", json!({}))["error"]["code"], -32601);
    }
}

#[test]
fn an_unknown_version_is_never_echoed() {
    for asked in ["1999-01-01", "2026-07-28", "2099-01-01", ""] {
        let mut peer = Peer::start(SERVER, &[]);
        peer.send_value(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        }}));
        assert_eq!(peer.message()["result"]["protocolVersion"], "2025-11-25", "{asked}");
    }
    for params in [
        json!({}),
        json!({"protocolVersion": 1, "capabilities": {}, "clientInfo": {}}),
        json!({"protocolVersion": "2025-11-25"}),
    ] {
        let mut peer = Peer::start(SERVER, &[]);
        peer.send_value(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
        assert_eq!(peer.message()["error"]["code"], -32602, "{params}");
    }
}

// As reported in modelcontextprotocol/rust-sdk#613.
#[test]
fn requests_between_initialize_and_initialized_are_answered() {
    let mut peer = Peer::start(SERVER, &[]);
    peer.validate_as("2025-11-25");
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"warning"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#,
    ] {
        peer.send(line);
    }
    for id in 1..=3 {
        let answer = peer.message();
        assert_eq!(answer["id"], id);
        assert!(answer.get("result").is_some(), "{answer}");
    }
}

// As reported in diegosouzapw/OmniRoute#5957, maximhq/bifrost#7202.
#[test]
fn a_second_initialize_is_refused_and_the_first_stays_in_force() {
    let mut peer = Peer::start_at(SERVER, "2025-03-26");
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    assert_eq!(peer.answer("initialize", params)["error"]["code"], -32600);
    let list = peer.result("tools/list", json!({}));
    assert!(tool(&list, "add").get("outputSchema").is_none(), "still 2025-03-26");
}

#[test]
fn a_modern_request_needs_its_metadata() {
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (meta, code) in [
        (json!({version: "2026-07-28"}), -32602),
        (json!({capabilities: {}}), -32602),
        (json!({version: "2026-07-28", capabilities: "all"}), -32602),
        (json!({version: 20_260_728, capabilities: {}}), -32602),
        (json!({version: "1900-01-01", capabilities: {}}), -32022),
        (json!({version: "2025-11-25", capabilities: {}}), -32022),
    ] {
        let mut peer = Peer::start(SERVER, &[]);
        peer.send_value(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}),
        );
        let answer = peer.message();
        assert_eq!(answer["error"]["code"], code, "{meta}: {answer}");
        if code == -32022 {
            assert_eq!(answer["error"]["data"]["requested"], meta[version]);
            let supported = answer["error"]["data"]["supported"].as_array().expect("a list");
            assert!(supported.contains(&json!("2026-07-28")), "{answer}");
            assert!(!supported.contains(&meta[version]), "{answer}");
        }
    }
}

#[test]
fn discover_returns_identity_and_revisions() {
    let mut peer = Peer::start(SERVER, &[]);
    let result = peer.result("server/discover", json!({}));
    assert_eq!(
        result["supportedVersions"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
    );
    let info = json!({"name": "lab", "version": "1.2.3", "title": "The lab"});
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"], info);
    assert_eq!(result["instructions"], "Try things.");
    assert_eq!(result["capabilities"]["tools"], json!({"listChanged": true}));
    assert!(result["ttlMs"].as_u64().is_some());
}

#[test]
fn methods_of_the_other_era_are_unknown() {
    let mut peer = Peer::start(SERVER, &[]);
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(peer.answer(method, json!({}))["error"]["code"], -32601, "{method}");
    }
}

#[test]
fn one_process_serves_both_eras_at_once() {
    let mut peer = Peer::start_at(SERVER, "2025-06-18");
    let legacy = peer.call_result("add", &json!({"a": 1, "b": 2}));
    assert!(legacy.get("resultType").is_none());
    peer.speak("2026-07-28");
    let modern = peer.call_result("add", &json!({"a": 1, "b": 2}));
    assert_eq!(modern["resultType"], "complete");
    assert_eq!(modern["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lab");
}

// As reported in longbridge/longbridge-mcp#150, modelcontextprotocol/rust-sdk#532, modelcontextprotocol/rust-sdk#566.
#[test]
fn non_object_results_are_wrapped_for_older_peers() {
    let mut peer = Peer::start(SERVER, &[]);
    assert_eq!(tool(&peer.result("tools/list", json!({})), "list_numbers")["outputSchema"]["type"], "array");
    assert_eq!(peer.call_result("list_numbers", &json!({}))["structuredContent"], json!([1, 2, 3]));

    let mut peer = Peer::start_at(SERVER, "2025-06-18");
    let list = peer.result("tools/list", json!({}));
    assert_eq!(tool(&list, "list_numbers")["outputSchema"]["required"], json!(["result"]));
    let result = peer.call_result("list_numbers", &json!({}));
    assert_eq!(result["structuredContent"], json!({"result": [1, 2, 3]}));
    assert_eq!(result["content"][0]["text"], "[1,2,3]");
}

// As reported in longbridge/longbridge-mcp#150, modelcontextprotocol/rust-sdk#532, modelcontextprotocol/rust-sdk#566.
#[test]
fn nothing_is_an_empty_success_in_every_revision() {
    for revision in LEGACY.into_iter().chain(["2026-07-28"]) {
        let mut peer = Peer::start_at(SERVER, revision);
        let result = peer.call_result("nothing", &json!({}));
        assert_eq!(result["content"], json!([]));
        assert!(result.get("structuredContent").is_none());
        assert_eq!(result["isError"], false);
    }
}

#[test]
fn content_blocks_unknown_to_a_revision_become_text() {
    for (revision, kinds) in [
        ("2024-11-05", ["text", "image", "text", "text", "resource", "resource"]),
        ("2025-03-26", ["text", "image", "audio", "text", "resource", "resource"]),
        ("2025-06-18", ["text", "image", "audio", "resource_link", "resource", "resource"]),
        ("2026-07-28", ["text", "image", "audio", "resource_link", "resource", "resource"]),
    ] {
        let mut peer = Peer::start_at(SERVER, revision);
        let result = peer.call_result("every_block", &json!({}));
        let found: Vec<&str> = result["content"]
            .as_array()
            .expect("blocks")
            .iter()
            .filter_map(|block| block["type"].as_str())
            .collect();
        assert_eq!(found, kinds, "{revision}");
        assert!(result["content"][3].to_string().contains("test://link"), "the link is not lost");
    }
}
