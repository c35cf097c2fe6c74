//! Elicitation, sampling and roots over stdio, in each revision that has them.

use std::time::Duration;

use serde_json::{Value, json};
use test_protocol::dialog::{Dialog, accept, everything};
use test_protocol::peer::Peer;

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");
const WITH_FORMS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];
const ALL: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

fn peer_with(revision: &'static str, capabilities: Value) -> Peer {
    let mut peer = Peer::start(SERVER, &[("INPUT_REQUESTS", "1")]);
    peer.declare(capabilities);
    peer.speak(revision);
    peer
}

fn peer(revision: &'static str) -> Peer {
    peer_with(revision, everything())
}

fn booking() -> Value {
    json!({"name": "Ada", "guests": 2, "tip": 12.5, "vegetarian": true, "table": "garden", "email": "a@b.example"})
}

/// The responses to the input requests of these tests.
fn reply(question: &Value) -> Value {
    match question["method"].as_str() {
        Some("roots/list") => json!({"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]}),
        Some("sampling/createMessage") => json!({
            "role": "assistant", "content": {"type": "text", "text": "An old pond"}, "model": "poet-1",
            "stopReason": "endTurn",
        }),
        _ => accept(&json!({"text": question["params"]["message"]})),
    }
}

#[test]
fn forms_are_generated_from_a_type_for_each_revision() {
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "book", &json!({}), |_| accept(&booking()));
        assert_eq!(serde_json::from_str::<Value>(dialog.text()).expect("JSON"), booking(), "{revision}");
        let params = &dialog.questions[0]["params"];
        let is_old = revision == "2025-06-18";
        assert_eq!(params["message"], "When do you come?");
        assert_eq!(params.get("mode"), (!is_old).then_some(&json!("form")), "{revision}");
        let table = if is_old {
            json!({
                "type": "string", "enum": ["window", "garden"], "enumNames": ["By the window", "In the garden"],
                "description": "Where to sit",
            })
        } else {
            json!({
                "type": "string", "description": "Where to sit",
                "oneOf": [
                    {"const": "window", "title": "By the window"}, {"const": "garden", "title": "In the garden"},
                ],
            })
        };
        let mut tip = json!({"type": "number", "description": "The tip in percent", "default": 10.0});
        if is_old {
            tip.as_object_mut().expect("an object").remove("default");
        }
        assert_eq!(
            params["requestedSchema"],
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Your name", "minLength": 2, "maxLength": 20},
                    "guests": {"type": "integer", "description": "How many come", "minimum": 1, "maximum": 9},
                    "tip": tip,
                    "vegetarian": {"type": "boolean", "description": "Without meat"},
                    "table": table,
                    "email": {"type": "string", "description": "Where to write to", "format": "email"},
                },
                "required": ["name", "guests", "vegetarian", "table"],
            }),
            "{revision}"
        );
    }
}

#[test]
fn multiple_choice_forms_depend_on_the_revision() {
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "choose_several", &json!({}), |_| {
            accept(&json!({"tables": ["window", "garden"]}))
        });
        if revision == "2025-06-18" {
            assert_eq!(dialog.answer["result"]["isError"], true);
            assert!(
                dialog.text().contains("`tables`") && dialog.text().contains(revision),
                "{}",
                dialog.text()
            );
            continue;
        }
        assert_eq!(dialog.text(), r#"{"tables":["window","garden"]}"#);
        let schema = &dialog.questions[0]["params"]["requestedSchema"]["properties"]["tables"];
        assert_eq!(schema["minItems"], 1);
        assert_eq!(schema["items"]["anyOf"][1], json!({"const": "garden", "title": "In the garden"}));
    }
}

#[test]
fn a_user_may_decline_or_cancel() {
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        for (action, text) in [("decline", "declined"), ("cancel", "cancelled")] {
            for tool in ["book", "visit"] {
                if (tool, revision) == ("visit", "2025-06-18") {
                    continue;
                }
                let dialog = Dialog::call(&mut peer, tool, &json!({}), |_| json!({"action": action}));
                assert_eq!(dialog.text(), text, "{revision} {tool}");
                assert_eq!(dialog.answer["result"]["isError"], false);
            }
        }
    }
}

#[test]
fn url_mode_has_an_id_and_a_completion_in_2025_11_25() {
    let mut legacy = peer("2025-11-25");
    let dialog = Dialog::call(&mut legacy, "visit", &json!({}), |_| json!({"action": "accept"}));
    let params = &dialog.questions[0]["params"];
    assert_eq!((&params["mode"], &params["url"]), (&json!("url"), &json!("https://example.com/login")));
    let id = params["elicitationId"].as_str().expect("an id");
    assert_eq!(id.len(), 32);
    assert_eq!(dialog.notifications.len(), 1, "one page was opened");
    assert_eq!(dialog.notifications[0]["method"], "notifications/elicitation/complete");
    assert_eq!(dialog.notifications[0]["params"], json!({"elicitationId": id}));

    let mut modern = peer("2026-07-28");
    let dialog = Dialog::call(&mut modern, "visit", &json!({}), |_| json!({"action": "accept"}));
    assert_eq!(
        dialog.questions[0]["params"],
        json!({"mode": "url", "message": "Log in there.", "url": "https://example.com/login"})
    );
    assert_eq!(dialog.text(), "null");
    assert!(dialog.notifications.is_empty());
}

#[test]
fn sampling_works_in_every_revision() {
    for revision in ALL {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "write", &json!({}), reply);
        assert_eq!(dialog.text(), "poet-1 wrote: An old pond (endTurn, 1 blocks)", "{revision}");
        assert_eq!(
            dialog.questions[0]["params"],
            json!({
                "messages": [{"role": "user", "content": {"type": "text", "text": "Write a haiku."}}],
                "maxTokens": 50, "systemPrompt": "You are a poet.", "temperature": 0.5,
                "stopSequences": ["END"], "modelPreferences": {"hints": [{"name": "small"}]},
            }),
            "{revision}"
        );
    }
}

#[test]
fn sampling_offers_tools_only_if_declared() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "write", &json!({"with_tool": true}), |_| {
            json!({
                "role": "assistant", "model": "poet-1", "stopReason": "toolUse",
                "content": [
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "1", "name": "rhyme", "input": {}},
                ],
            })
        });
        assert_eq!(dialog.text(), "poet-1 wrote: Let me see. (toolUse, 2 blocks)", "{revision}");
        assert_eq!(dialog.questions[0]["params"]["tools"][0]["name"], "rhyme");
    }
    let mut without = peer_with("2026-07-28", json!({"sampling": {}}));
    let dialog = Dialog::call(&mut without, "write", &json!({"with_tool": true}), reply);
    assert_eq!(dialog.answer["error"]["data"], json!({"requiredCapabilities": {"sampling": {"tools": {}}}}));
}

#[test]
fn roots_are_listed_in_every_revision() {
    for revision in ALL {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "folders", &json!({}), reply);
        assert_eq!(dialog.text(), "A=file:///a -=file:///b", "{revision}");
    }
}

#[test]
fn concurrent_input_requests_arrive_together() {
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "at_once", &json!({}), reply);
        assert_eq!(dialog.text(), "What is color? An old pond 2", "{revision}");
        assert_eq!(dialog.questions.len(), 3);
        assert_eq!(dialog.rounds, if revision == "2026-07-28" { 2 } else { 1 });
    }
}

#[test]
fn successive_input_requests_keep_earlier_responses() {
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "steps", &json!({}), reply);
        let runs = if revision == "2026-07-28" { 4 } else { 1 };
        let expected = format!("What is one? What is two? What is three? What is one? after {runs} runs");
        assert_eq!(dialog.text(), expected, "{revision}");
        assert_eq!((dialog.questions.len(), dialog.rounds), (3, runs));
    }
}

#[test]
fn a_handlers_spawned_task_may_request_input() {
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "spawned", &json!({}), reply);
        assert_eq!(dialog.text(), "What is late?", "{revision}");
    }
}

#[test]
fn prompts_and_resources_can_request_input() {
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        let dialog = Dialog::new(&mut peer, "prompts/get", &json!({"name": "letter"}), reply);
        let text = &dialog.answer["result"]["messages"][0]["content"]["text"];
        assert_eq!(text, "Write to What is recipient?.", "{revision}");
        let dialog = Dialog::new(&mut peer, "resources/read", &json!({"uri": "host://folders"}), reply);
        assert_eq!(dialog.answer["result"]["contents"][0]["text"], "2 folders", "{revision}");
    }
}

#[test]
fn completion_cannot_request_input() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut peer = peer(revision);
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "letter"}, "argument": {"name": "recipient", "value": ""},
        });
        let result = peer.result("completion/complete", params);
        assert_eq!(
            result["completion"]["values"],
            json!(["this call has no client that could answer input requests"]),
            "{revision}"
        );
    }
}

#[test]
fn undeclared_capabilities_are_not_used() {
    for (tool, required, name) in [
        ("book", json!({"elicitation": {"form": {}}}), "elicitation.form"),
        ("visit", json!({"elicitation": {"url": {}}}), "elicitation.url"),
        ("write", json!({"sampling": {}}), "sampling"),
        ("folders", json!({"roots": {}}), "roots"),
    ] {
        let mut modern = peer_with("2026-07-28", json!({}));
        let error = modern.answer("tools/call", json!({"name": tool}))["error"].clone();
        assert_eq!(error["code"], -32021, "{tool}");
        assert_eq!(error["data"], json!({"requiredCapabilities": required}));
        assert!(error["message"].as_str().is_some_and(|message| message.contains(name)), "{error}");

        let mut legacy = peer_with("2025-11-25", json!({}));
        let result = legacy.call_result(tool, &json!({}));
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().expect("a string");
        assert!(text.contains(name), "{text}");
    }
    let mut modern = peer_with("2026-07-28", json!({}));
    let mut legacy = peer_with("2025-11-25", json!({}));
    for (method, params) in
        [("prompts/get", json!({"name": "letter"})), ("resources/read", json!({"uri": "host://folders"}))]
    {
        assert_eq!(modern.answer(method, params.clone())["error"]["code"], -32021, "{method}");
        assert_eq!(legacy.answer(method, params)["error"]["code"], -32600, "{method}");
    }
}

#[test]
fn a_handler_sees_the_capabilities_of_its_client() {
    let form_and_url = json!({"elicitation": {"form": {}, "url": {}}});
    for (revision, capabilities, expected) in [
        ("2026-07-28", json!({}), "00000"),
        ("2026-07-28", everything(), "11111"),
        ("2026-07-28", json!({"elicitation": {}}), "10000"),
        ("2026-07-28", json!({"elicitation": {"url": {}}}), "01000"),
        ("2025-11-25", everything(), "11111"),
        ("2025-11-25", json!({"elicitation": {"url": {}}, "roots": {"listChanged": true}}), "01001"),
        ("2025-06-18", form_and_url.clone(), "10000"),
        ("2025-06-18", json!({"sampling": {"tools": {}}}), "00100"),
        ("2025-03-26", form_and_url, "00000"),
        ("2024-11-05", everything(), "00101"),
    ] {
        let mut peer = peer_with(revision, capabilities.clone());
        let result = peer.call_result("declared", &json!({}));
        assert_eq!(result["content"][0]["text"], expected, "{revision} {capabilities}");
    }
}

#[test]
fn a_form_may_be_a_schema_and_its_response_is_validated() {
    let schema = json!({
        "type": "object",
        "properties": {
            "size": {"type": "integer", "minimum": 1, "title": "Size"},
            "kind": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
        },
        "required": ["size"],
    });
    for revision in WITH_FORMS {
        let mut peer = peer(revision);
        let arguments = json!({"schema": schema});
        let dialog = Dialog::call(&mut peer, "form", &arguments, |question| {
            assert_eq!(question["params"]["requestedSchema"], schema);
            accept(&json!({"size": 3, "kind": "b", "more": 1}))
        });
        assert_eq!(dialog.text(), r#"{"size":3,"kind":"b","more":1}"#, "{revision}");
        for nested in [
            json!({"type": "object", "properties": {"deep": {"type": "object", "properties": {}}}}),
            json!({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "string"}}}}),
            json!({"type": "string"}),
            json!(true),
        ] {
            let dialog = Dialog::call(&mut peer, "form", &json!({"schema": nested}), reply);
            assert_eq!(dialog.answer["result"]["isError"], true, "{nested}");
            assert!(dialog.text().contains("form"), "{}", dialog.text());
            assert!(dialog.questions.is_empty());
        }
    }
}

#[test]
fn types_unfit_for_a_form_are_reported() {
    let mut peer = peer("2026-07-28");
    let result = peer.call_result("impossible", &json!({}));
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().expect("a string");
    assert!(text.starts_with("`booking` is not supported in a form"), "{text}");
}

#[test]
fn an_invalid_response_is_requested_again_or_an_error() {
    let bad = [
        accept(&json!({"name": "A"})),
        accept(&json!({"name": "no spaces allowed", "guests": 2, "vegetarian": true, "table": "garden"})),
        accept(&json!({"name": "Ada", "guests": 20, "vegetarian": true, "table": "garden"})),
        accept(&json!({"name": "Ada", "guests": 2, "vegetarian": true, "table": "cellar"})),
        accept(&json!([])),
        json!({"action": "accept"}),
        json!({"action": "perhaps"}),
        json!({}),
    ];
    let mut modern = peer("2026-07-28");
    let mut answers = bad.iter().cloned().chain([json!(42), Value::Null, accept(&booking())]);
    let dialog = Dialog::call(&mut modern, "book", &json!({}), |_| answers.next().expect("asked once more"));
    assert!(dialog.text().contains("Ada"));
    assert_eq!(dialog.rounds, bad.len() + 4);

    for revision in ["2025-06-18", "2025-11-25"] {
        let mut legacy = peer(revision);
        for answer in &bad {
            let dialog = Dialog::call(&mut legacy, "book", &json!({}), |_| answer.clone());
            assert_eq!(dialog.answer["result"]["isError"], true, "{answer}");
            assert!(dialog.text().starts_with("the client's response does not match"), "{}", dialog.text());
        }
    }
}

#[test]
fn a_clients_error_fails_the_input_request() {
    let mut peer = peer("2025-11-25");
    let dialog = Dialog::call(
        &mut peer,
        "write",
        &json!({}),
        |_| json!({"code": -1, "message": "User rejected sampling request"}),
    );
    assert_eq!(dialog.answer["result"]["isError"], true);
    assert_eq!(dialog.text(), "the client refused the input request: User rejected sampling request (-1)");
}

#[test]
fn a_panic_after_a_response_ends_only_its_call() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "panics", &json!({}), reply);
        assert_eq!(dialog.answer["error"]["code"], -32603, "{revision}");
        assert!(!dialog.answer.to_string().contains("secret"));
        assert_eq!(Dialog::call(&mut peer, "folders", &json!({}), reply).rounds, dialog.rounds);
    }
}

#[test]
fn input_requests_need_distinct_keys() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "one_key", &json!({}), reply);
        assert_eq!(dialog.answer["result"]["isError"], true, "{revision}");
        assert_eq!(dialog.text(), "two input requests have the key `key`; use a different key for each");
    }
}

#[test]
fn input_requests_are_limited() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut peer = peer(revision);
        let dialog = Dialog::call(&mut peer, "many", &json!({"count": 16}), reply);
        assert_eq!(dialog.text().matches("What is").count(), 16, "{revision}");
        let dialog = Dialog::call(&mut peer, "many", &json!({"count": 17}), reply);
        assert_eq!(dialog.rounds, 1);
        assert_eq!(
            dialog.text(),
            "16 input requests are open already; wait for an answer first",
            "{revision}"
        );
    }
}

#[test]
fn a_dropped_request_is_cancelled() {
    let mut peer = peer("2025-11-25");
    peer.call(&json!(1), "impatient", &json!({}));
    let question = peer.message();
    assert_eq!(question["method"], "elicitation/create");
    let cancelled = peer.message();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
    assert_eq!(peer.message()["result"]["content"][0]["text"], "nobody answered");
    // Late, repeated and unknown responses are ignored.
    for id in [&question["id"], &question["id"], &json!(99), &json!("x"), &Value::Null] {
        peer.send_value(&json!({"jsonrpc": "2.0", "id": id, "result": {"action": "decline"}}));
    }
    assert_eq!(Dialog::call(&mut peer, "folders", &json!({}), reply).questions.len(), 1);
}

// As reported in modelcontextprotocol/python-sdk#2480.
#[test]
fn cancelling_a_call_cancels_its_request() {
    let mut peer = peer("2025-11-25");
    peer.call(&json!("mine"), "book", &json!({}));
    let question = peer.message();
    peer.send_value(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "mine"}}),
    );
    let cancelled = peer.message();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"], json!({"requestId": question["id"]}));
    assert_eq!(peer.within(Duration::from_millis(200)), Vec::<Value>::new());
}

#[test]
fn a_deadline_ends_an_input_request() {
    let mut peer = Peer::start(SERVER, &[("INPUT_REQUESTS", "1"), ("TIMEOUT_MS", "100")]);
    peer.declare(everything());
    peer.speak("2025-11-25");
    peer.call(&json!(1), "book", &json!({}));
    let question = peer.message();
    let cancelled = peer.message();
    assert_eq!(cancelled["params"], json!({"requestId": question["id"]}));
    assert_eq!(peer.message()["result"]["isError"], true);
}

#[test]
fn a_disconnected_client_ends_its_calls() {
    let mut peer = peer("2025-11-25");
    peer.call(&json!(1), "book", &json!({}));
    assert_eq!(peer.message()["method"], "elicitation/create");
    peer.close_input();
    let (status, _) = peer.wait(Duration::from_secs(10));
    assert!(status.success(), "the server shuts down gracefully");
}

#[test]
fn a_batch_may_contain_responses() {
    let mut peer = peer("2025-03-26");
    peer.call(&json!(1), "folders", &json!({}));
    let question = peer.message();
    peer.send_value(&json!([
        {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}},
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
    ]));
    let (first, second) = (peer.message(), peer.message());
    let (batch, answer) = if first.is_array() { (first, second) } else { (second, first) };
    assert_eq!(batch, json!([{"jsonrpc": "2.0", "id": 2, "result": {}}]));
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(1), &json!("")));
}
