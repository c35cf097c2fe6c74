//! The table for a jsonrpsee server: the same answers as from a connection, and what jsonrpsee adds to them.

use serde_json::{Value, json};
use test_protocol::raw::{RawClient, RawError};
use test_protocol::{tools, validation};
use test_transports::link::{MODERN, RUNTIME};
use toolwright::{Limits, Service};

fn params(own: &Value) -> Value {
    let mut params = own.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

/// Returns the table's response, validated unless jsonrpsee answers by itself.
fn ask(service: &Service, request: &Value) -> Value {
    let module = service.rpc_module();
    let (answer, _) = RUNTIME.block_on(module.raw_json_request(&request.to_string(), 1)).expect("an answer");
    let answer: Value = serde_json::from_str(answer.get()).expect("JSON");
    validation::validate(MODERN, request["method"].as_str(), &answer);
    answer
}

fn request(method: &str, own: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "x", "method": method, "params": params(own)})
}

#[test]
fn the_method_table_answers_like_a_connection() {
    let service = tools::service(Limits::default());
    let client = {
        let _runtime = RUNTIME.enter();
        RawClient::in_process(&service)
    };
    let greet = json!({"name": "greet", "arguments": {"name": "Ada"}});
    let argument = json!({"name": "name", "value": "A"});
    let complete = json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": argument});
    let requests = [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({"cursor": "none of ours"})),
        ("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})),
        ("tools/call", json!({"name": "add", "arguments": {"a": "x"}})),
        ("tools/call", json!({"name": "every_block"})),
        ("tools/call", json!({"name": "sleep", "arguments": {"ms": 2}})),
        ("tools/call", json!({"name": "panic", "arguments": {"later": true}})),
        ("tools/call", json!({"name": "no_such_tool"})),
        ("prompts/list", json!({})),
        ("prompts/get", greet),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "lab://text"})),
        ("resources/read", json!({"uri": "lab://no/such"})),
        ("completion/complete", complete),
    ];
    for (method, own) in requests {
        let answer = ask(&service, &request(method, &own));
        assert_eq!(answer["id"], "x");
        match RUNTIME.block_on(client.request(method, own)) {
            Ok(result) => assert_eq!(answer["result"], result, "{method}"),
            Err(RawError::Rpc(error)) => {
                assert_eq!(answer["error"]["code"], error.code, "{method}");
                assert_eq!(answer["error"]["message"], error.message.as_str(), "{method}");
                assert_eq!(answer["error"].get("data"), error.data.as_ref(), "{method}");
            }
            Err(error) => panic!("{method}: {error}"),
        }
    }
}

#[test]
fn unknown_items_are_not_found() {
    let plain = tools::plain(Limits::default());
    for method in ["prompts/list", "resources/read", "completion/complete"] {
        assert_eq!(ask(&plain, &request(method, &json!({})))["error"]["code"], -32601, "{method}");
    }
    // A table cannot carry these.
    for method in ["initialize", "subscriptions/listen", "logging/setLevel", "no/such"] {
        assert_eq!(ask(&plain, &request(method, &json!({})))["error"]["code"], -32601, "{method}");
    }
}

#[test]
fn a_request_without_its_metadata_is_refused() {
    let plain = tools::plain(Limits::default());
    let answer = ask(&plain, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let positional = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": [1]});
    assert_eq!(ask(&plain, &positional)["error"]["code"], -32602);
}

// As reported in modelcontextprotocol/python-sdk#961.
#[test]
fn ids_that_jsonrpsee_accepts_are_returned_unchanged() {
    let plain = tools::plain(Limits::default());
    for id in [json!("1"), json!(""), json!(0), json!(9_007_199_254_740_993_i64)] {
        let mut request = request("tools/list", &json!({}));
        request["id"] = id.clone();
        assert_eq!(ask(&plain, &request)["id"], id);
    }
    // It has no negative ones, which is why our own transports do not use its messages.
    let module = plain.rpc_module();
    let negative = r#"{"jsonrpc":"2.0","id":-5,"method":"ping"}"#;
    assert!(RUNTIME.block_on(module.raw_json_request(negative, 1)).is_err());
}

#[test]
fn the_method_table_can_be_merged_into_another() {
    let module = tools::plain(Limits::default()).rpc_module();
    let mut own = tools::plain(Limits::default()).rpc_module();
    let names: Vec<_> = module.method_names().collect();
    assert!(names.contains(&"tools/call"), "{names:?}");
    assert!(own.merge(module).is_err(), "a name belongs to one method");
    for name in names {
        own.remove_method(name);
    }
    own.register_method("health", |_, _, _| "good").expect("a new name");
    own.merge(tools::plain(Limits::default()).rpc_module()).expect("no name is taken");
    for (method, found) in [("health", "\"good\""), ("ping", "{}")] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        let (answer, _) = RUNTIME.block_on(own.raw_json_request(&request, 1)).expect("an answer");
        assert!(answer.get().contains(found), "{answer}");
    }
}
