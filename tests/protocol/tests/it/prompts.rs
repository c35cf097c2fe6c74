//! Prompts and completion of their arguments.

use std::time::Duration;

use serde_json::{Value, json};
use test_protocol::peer::Peer;
use test_protocol::raw::RawClient;
use toolwright::{BuildError, Prompt, Revision, Server, completion::Reference};

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

fn get(peer: &mut Peer, prompt: &str, arguments: &Value) -> Value {
    peer.answer("prompts/get", json!({"name": prompt, "arguments": arguments}))
}

fn names(list: &Value) -> Vec<&str> {
    list["prompts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|prompt| prompt["name"].as_str().expect("a name"))
        .collect()
}

#[test]
fn prompts_are_listed_with_the_members_of_each_revision() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let list = peer.result("prompts/list", json!({}));
        assert_eq!(names(&list), ["ending", "every_block", "greet", "simple"], "sorted");
        let greet = &list["prompts"][2];
        assert_eq!(greet["description"], "Asks for a greeting.");
        let name = &greet["arguments"][0];
        assert_eq!((&name["name"], &name["required"]), (&json!("name"), &json!(true)));
        assert_eq!(name["description"], "Who to greet.");
        assert_eq!(greet["arguments"][1]["required"], false);
        for title in [greet.get("title"), name.get("title")] {
            assert_eq!(title.is_some(), revision >= "2025-06-18", "{revision}");
        }
        assert_eq!(greet.get("icons").is_some(), revision >= "2025-11-25", "{revision}");
        assert!(list["prompts"][3].get("arguments").is_none(), "it takes none");
        for hint in ["ttlMs", "cacheScope", "resultType"] {
            assert_eq!(list.get(hint).is_some(), revision == "2026-07-28", "{revision} {hint}");
        }
    }
}

#[test]
fn prompts_are_rendered_with_their_arguments() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let simple = peer.result("prompts/get", json!({"name": "simple"}));
        let text = json!({"type": "text", "text": "do something simple"});
        assert_eq!(simple["messages"], json!([{"role": "user", "content": text}]));
        assert_eq!(simple["description"], "Takes nothing.");
        assert_eq!(simple.get("resultType").is_some(), revision == "2026-07-28");
        assert_eq!(simple.get("_meta").is_some(), revision == "2026-07-28");

        let greet = &get(&mut peer, "greet", &json!({"name": "Ada", "style": "formal"}))["result"];
        assert_eq!(greet["messages"][0]["content"]["text"], "Good day, I am Ada.");
        assert_eq!(greet["messages"][1]["role"], "assistant");

        let blocks = &get(&mut peer, "every_block", &json!({}))["result"]["messages"];
        let kinds: Vec<&str> = blocks
            .as_array()
            .expect("messages")
            .iter()
            .filter_map(|message| message["content"]["type"].as_str())
            .collect();
        let audio = if revision >= "2025-03-26" { "audio" } else { "text" };
        let link = if revision >= "2025-06-18" { "resource_link" } else { "text" };
        assert_eq!(kinds, ["text", "image", audio, link, "resource"], "{revision}");
    }
}

#[test]
fn invalid_arguments_are_rejected_with_every_problem() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let refused = get(&mut peer, "greet", &json!({"name": "", "style": "loud", "other": "x"}));
        assert_eq!(refused["error"]["code"], -32602);
        let text = refused["error"]["message"].as_str().expect("a string");
        for pointer in ["/name", "/style", "/other"] {
            assert!(text.contains(pointer), "{pointer} is missing in {text}");
        }
        for params in [
            json!({"name": "greet"}),
            json!({"name": "nobody"}),
            json!({"name": "simple", "arguments": []}),
            json!({"name": "simple", "arguments": {"name": "x"}}),
            json!({"name": 1}),
            json!({}),
        ] {
            assert_eq!(peer.answer("prompts/get", params.clone())["error"]["code"], -32602, "{params}");
        }
        assert_eq!(peer.answer("prompts/list", json!({"cursor": "x"}))["error"]["code"], -32602);
    }
}

#[test]
fn handlers_run_under_the_limits_of_calls() {
    let mut peer = Peer::start(SERVER, &[("TIMEOUT_MS", "300")]);
    for (how, code, text) in [
        ("error", -32603, "an error occurred"),
        ("panic", -32603, "failed unexpectedly"),
        ("late_panic", -32603, "failed unexpectedly"),
        ("missing", -32602, "nobody knows it"),
        ("invalid", -32602, "say it in other words"),
        ("wait", -32603, "did not finish within 0.3 s"),
    ] {
        let answer = get(&mut peer, "ending", &json!({"how": how}));
        assert_eq!(answer["error"]["code"], code, "{how}");
        let message = answer["error"]["message"].as_str().expect("a string");
        assert!(message.contains(text) && !message.contains("secret"), "{how}: {message}");
    }
    peer.assert_alive();

    let mut peer = Peer::start(SERVER, &[]);
    peer.request(
        &json!(1),
        "prompts/get",
        json!({"name": "ending", "arguments": {"how": "wait"}, "_meta": {"progressToken": "p"}}),
    );
    assert_eq!(peer.message()["method"], "notifications/progress");
    peer.request(&json!(1), "prompts/get", json!({"name": "simple"}));
    assert_eq!(peer.message()["error"]["code"], -32600, "the id is in use");
    peer.send_value(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    assert!(peer.within(Duration::from_millis(100)).is_empty(), "a cancelled request has no answer");
    peer.request(&json!(1), "prompts/get", json!({"name": "simple"}));
    assert_eq!(peer.message()["id"], 1, "the id is free again");
}

#[test]
fn pagination_returns_every_prompt_once() {
    for size in 1..=5 {
        let mut peer = Peer::start(SERVER, &[("PAGE", &size.to_string())]);
        let (mut found, mut params) = (Vec::new(), json!({}));
        loop {
            let page = peer.result("prompts/list", params);
            assert!(names(&page).len() <= size);
            found.extend(names(&page).into_iter().map(str::to_owned));
            match page.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => break,
            }
        }
        assert_eq!(found, ["ending", "every_block", "greet", "simple"], "pages of {size}");
    }
}

#[test]
fn adding_and_removing_prompts_notifies_listeners() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let is_modern = revision == "2026-07-28";
        if is_modern {
            peer.request(
                &json!(9),
                "subscriptions/listen",
                json!({"notifications": {"promptsListChanged": true}}),
            );
            let acknowledged = peer.message();
            assert_eq!(acknowledged["params"]["notifications"], json!({"promptsListChanged": true}));
        }
        for on in [true, false] {
            peer.call(&json!("c"), "change", &json!({"what": "prompt", "on": on}));
            let mut messages = [peer.message(), peer.message()];
            messages.sort_by_key(|message| message.get("id").is_some());
            assert_eq!(messages[0]["method"], "notifications/prompts/list_changed");
            assert_eq!(messages[0]["params"].get("_meta"), is_modern.then_some(&json!({ID_KEY: 9})));
            assert_eq!(messages[1]["result"]["content"][0]["text"], "changed");
            assert_eq!(names(&peer.result("prompts/list", json!({}))).contains(&"extra"), on);
            assert_eq!(get(&mut peer, "extra", &json!({})).get("result").is_some(), on);
        }
        // Modern peers only get the notifications that they subscribed to.
        peer.call(&json!("r"), "change", &json!({"what": "resource", "on": true}));
        assert_eq!(peer.message().get("id").is_some(), is_modern, "{revision}");
    }
}

#[test]
fn completion_suggests_and_caps() {
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let template = json!({"type": "ref/resource", "uri": "lab://items/{id}/data"});
    let complete = |peer: &mut Peer, reference: &Value, argument: &str, value: &str| {
        let argument = json!({"name": argument, "value": value});
        peer.answer("completion/complete", json!({"ref": reference, "argument": argument}))
    };
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let styles = complete(&mut peer, &prompt("greet"), "style", "f");
        let expected = json!({"values": ["formal"], "total": 1, "hasMore": false});
        assert_eq!(styles["result"]["completion"], expected);

        let many = &complete(&mut peer, &template, "id", "")["result"]["completion"];
        assert_eq!(many["values"].as_array().expect("values").len(), 100);
        assert_eq!((&many["total"], &many["hasMore"]), (&json!(150), &json!(true)));

        let named = peer.result(
            "completion/complete",
            json!({
                "ref": prompt("greet"),
                "argument": {"name": "name", "value": "A"},
                "context": {"arguments": {"style": "plain"}},
            }),
        );
        assert_eq!(named["completion"]["values"], json!(["A (plain)"]));

        let failed = complete(&mut peer, &prompt("ending"), "how", "error");
        assert_eq!(failed["error"]["code"], -32603);
        let text = json!({"type": "ref/resource", "uri": "lab://text"});
        for (reference, argument) in [
            (&prompt("nobody"), "x"),
            (&prompt("greet"), "x"),
            (&text, "x"),
            (&json!({"type": "ref/tool", "name": "add"}), "a"),
            (&json!("greet"), "name"),
        ] {
            let refused = complete(&mut peer, reference, argument, "");
            assert_eq!(refused["error"]["code"], -32602, "{reference} {argument}");
        }
        for params in [
            json!({"ref": prompt("greet")}),
            json!({"ref": prompt("greet"), "argument": {"name": "style"}}),
            json!({"ref": prompt("greet"), "argument": {"name": "style", "value": ""}, "context": []}),
        ] {
            assert_eq!(peer.answer("completion/complete", params)["error"]["code"], -32602);
        }
    }
}

#[test]
fn capabilities_list_exactly_what_is_offered() {
    let all = json!({
        "tools": {"listChanged": true},
        "logging": {},
        "prompts": {"listChanged": true},
        "resources": {"listChanged": true, "subscribe": true},
        "completions": {},
    });
    let mut peer = Peer::start(SERVER, &[]);
    assert_eq!(peer.result("server/discover", json!({}))["capabilities"], all);
    let mut peer = Peer::start(SERVER, &[("PLAIN", "1")]);
    let plain = peer.result("server/discover", json!({}))["capabilities"].clone();
    assert_eq!(plain, json!({"tools": {"listChanged": true}, "logging": {}}));
    for method in ["prompts/list", "prompts/get", "resources/list", "resources/read", "completion/complete"] {
        assert_eq!(peer.answer(method, json!({}))["error"]["code"], -32601, "{method}");
    }
    for revision in &REVISIONS[..4] {
        let mut peer = Peer::start(SERVER, &[]);
        peer.validate_as(revision);
        let client = json!({"name": "t", "version": "1"});
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
        let agreed = peer.result("initialize", params);
        assert_eq!(agreed["capabilities"].get("completions").is_some(), *revision >= "2025-03-26");
        assert_eq!(agreed["capabilities"]["prompts"], json!({"listChanged": true}));
    }
}

#[tokio::test]
async fn a_client_in_the_same_process_gets_prompts_in_every_revision() {
    let service = Server::new(()).with_prompts().build().expect("no prompt yet");
    service.add_prompt(Prompt::new("late"), async || "better late than never").expect("a prompt");
    for revision in Revision::ALL {
        let client = RawClient::in_process_at(&service, revision).await.expect("it connects");
        let prompt = client.request("prompts/get", json!({"name": "late"})).await.expect("a prompt");
        assert_eq!(prompt["messages"][0]["content"]["text"], "better late than never");
    }
}

#[test]
fn building_a_server_reports_mistakes() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Listed {
        #[expect(dead_code, reason = "only its type is looked at")]
        names: Vec<String>,
    }
    let refused = |server: Server<()>| match server.build() {
        Err(error @ BuildError::Feature { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let lists = Server::new(()).prompt(Prompt::new("a"), async |_: Listed| "a");
    assert!(refused(lists).contains("`names` cannot be read from a string"));
    let twice =
        || Server::new(()).prompt(Prompt::new("a"), async || "a").prompt(Prompt::new("a"), async || "b");
    assert!(refused(twice()).contains("invalid prompt `a`"));
    let nothing = async |_, _| Vec::<String>::new();
    let nobody = Server::new(()).complete(Reference::prompt("a"), "b", nothing);
    assert!(refused(nobody).contains("unknown prompt or resource template `a`"));

    let plain = Server::new(()).build().expect("an empty server");
    let late =
        plain.add_prompt(Prompt::new("a"), async || "a").expect_err("clients were told there are none");
    assert!(late.to_string().contains("with_prompts"), "{late}");
}
