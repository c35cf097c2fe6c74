//! Resources, resource templates, and notifications of their changes.

use std::time::Duration;

use serde_json::{Value, json};
use test_protocol::peer::Peer;
use test_protocol::raw::RawClient;
use toolwright::{BuildError, Resource, ResourceTemplate, Revision, Server};

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";
const A_MOMENT: Duration = Duration::from_millis(100);

fn read(peer: &mut Peer, uri: &str) -> Value {
    peer.answer("resources/read", json!({"uri": uri}))
}

fn members<'a>(list: &'a Value, list_name: &str, member: &str) -> Vec<&'a str> {
    let entries = list[list_name].as_array().expect("a list");
    entries.iter().map(|entry| entry[member].as_str().expect("a string")).collect()
}

#[test]
fn resource_lists_have_the_members_of_each_revision() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let list = peer.result("resources/list", json!({}));
        assert_eq!(
            members(&list, "resources", "uri"),
            ["lab://bytes", "lab://folder", "lab://items/7/data", "lab://text", "lab://watched"],
            "sorted"
        );
        let text = &list["resources"][3];
        assert_eq!((&text["name"], &text["mimeType"]), (&json!("text"), &json!("text/plain")));
        assert_eq!((&text["size"], &text["annotations"]), (&json!(6), &json!({"priority": 0.5})));
        assert_eq!(text.get("title").is_some(), revision >= "2025-06-18", "{revision}");
        let templates = peer.result("resources/templates/list", json!({}));
        assert_eq!(
            members(&templates, "resourceTemplates", "uriTemplate"),
            ["lab://endings/{how}", "lab://items/{id}/data"]
        );
        for list in [list, templates] {
            for hint in ["ttlMs", "cacheScope", "resultType"] {
                assert_eq!(list.get(hint).is_some(), revision == "2026-07-28", "{revision} {hint}");
            }
        }
    }
}

#[test]
fn resources_are_read() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let text = &read(&mut peer, "lab://text")["result"];
        let contents = &text["contents"][0];
        assert_eq!((&contents["uri"], &contents["text"]), (&json!("lab://text"), &json!("a text")));
        assert_eq!(contents["mimeType"], "text/plain", "taken from the resource");
        assert_eq!(contents.get("_meta").is_some(), revision >= "2025-06-18", "{revision}");
        let bytes = &read(&mut peer, "lab://bytes")["result"];
        let expected = json!([{"uri": "lab://bytes", "mimeType": "image/png", "blob": "AQID"}]);
        assert_eq!(bytes["contents"], expected);
        let folder = &read(&mut peer, "lab://folder")["result"];
        assert_eq!(members(folder, "contents", "uri"), ["lab://folder/a", "lab://folder/b"]);
        let is_modern = revision == "2026-07-28";
        for hint in ["ttlMs", "cacheScope", "resultType", "_meta"] {
            assert_eq!(text.get(hint).is_some(), is_modern, "{revision} {hint}");
        }
        if is_modern {
            assert_eq!((&text["ttlMs"], &text["cacheScope"]), (&json!(60_000), &json!("public")));
            assert_eq!((&bytes["ttlMs"], &bytes["cacheScope"]), (&json!(0), &json!("private")));
        }
    }
}

#[test]
fn templates_read_matching_uris() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let mut text = |uri: &str| read(&mut peer, uri)["result"]["contents"][0].clone();
        let item = text("lab://items/123/data");
        assert_eq!((&item["text"], &item["mimeType"]), (&json!("item 123"), &json!("text/plain")));
        assert_eq!(item["uri"], "lab://items/123/data");
        assert_eq!(text("lab://items/1%202/data")["text"], "item 1 2", "percent-encoding is decoded");
        assert_eq!(text("lab://items/7/data")["text"], "the seventh item itself", "a resource comes first");
    }
}

/// SEP-2164: a resource that does not exist is an error with its address, never empty contents.
#[test]
fn a_missing_resource_is_an_error_with_its_uri() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        let code = if revision == "2026-07-28" { -32602 } else { -32002 };
        for uri in [
            "lab://nowhere",
            "lab://items/404/data",
            "lab://items/1/2/data",
            "lab://items//data",
            "lab://endings/missing",
            "",
        ] {
            let error = &read(&mut peer, uri)["error"];
            assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(code), &json!(uri)), "{revision}");
        }
        let unfit = &read(&mut peer, "lab://items/first/data")["error"];
        assert_eq!(
            (&unfit["code"], &unfit["data"]["uri"]),
            (&json!(-32602), &json!("lab://items/first/data"))
        );
        assert!(unfit["message"].as_str().expect("a string").contains("/id"), "{unfit}");
        for params in [json!({}), json!({"uri": 1})] {
            assert_eq!(peer.answer("resources/read", params)["error"]["code"], -32602);
        }
        let long = read(&mut peer, &format!("lab://{}", "x".repeat(1 << 20)));
        assert!(long.to_string().len() < 5_000, "an error does not send a megabyte back");
    }
}

#[test]
fn handlers_run_under_the_limits_of_calls() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut peer = Peer::start(SERVER, &[("TIMEOUT_MS", "300")]);
        peer.speak(revision);
        for (how, text) in [
            ("error", "an error occurred"),
            ("panic", "failed unexpectedly"),
            ("late_panic", "failed unexpectedly"),
            ("wait", "did not finish within 0.3 s"),
        ] {
            peer.request(&json!(how), "resources/read", json!({"uri": format!("lab://endings/{how}")}));
            let mut answer = peer.message();
            // A legacy peer gets the log message of the handler first.
            if revision == "2025-11-25" {
                assert_eq!(answer["method"], "notifications/message");
                answer = peer.message();
            }
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(how), &json!(-32603)));
            let message = answer["error"]["message"].as_str().expect("a string");
            assert!(message.contains(text) && !message.contains("secret"), "{how}: {message}");
        }
        peer.assert_alive();
    }
}

#[test]
fn legacy_peers_subscribe_to_resources_by_uri() {
    for revision in &REVISIONS[..4] {
        let mut peer = Peer::start_at(SERVER, revision);
        let watched = json!({"uri": "lab://watched"});
        let update = json!({"what": "contents", "on": true});
        assert_eq!(peer.call_result("change", &update)["isError"], false);
        assert!(peer.within(A_MOMENT).is_empty(), "no subscription yet");

        assert_eq!(peer.result("resources/subscribe", watched.clone()), json!({}));
        assert_eq!(peer.result("resources/subscribe", json!({"uri": "lab://text"})), json!({}));
        peer.call(&json!("c"), "change", &update);
        let mut messages = [peer.message(), peer.message()];
        messages.sort_by_key(|message| message.get("id").is_some());
        assert_eq!(messages[0]["method"], "notifications/resources/updated");
        assert_eq!(messages[0]["params"], watched);

        assert_eq!(peer.result("resources/unsubscribe", watched), json!({}));
        peer.call_result("change", &update);
        assert!(peer.within(A_MOMENT).is_empty(), "no subscription is left");
        for wrong in [json!({}), json!({"uri": format!("lab://{}", "x".repeat(8 << 10))})] {
            assert_eq!(peer.answer("resources/subscribe", wrong)["error"]["code"], -32602);
        }
    }
}

/// URIs that are each short enough together reach the limit of a connection's subscriptions.
#[test]
fn subscriptions_are_bounded_in_bytes() {
    let address = |number: usize| format!("lab://{number}{}", "x".repeat(8_000));
    let mut legacy = Peer::start_at(SERVER, "2025-11-25");
    let fit = (0..32).take_while(|number| {
        let answer = legacy.answer("resources/subscribe", json!({"uri": address(*number)}));
        answer["error"]["code"] != -32603
    });
    let fit = fit.count();
    assert_eq!(fit, (128 << 10) / address(0).len());
    assert_eq!(
        legacy.result("resources/subscribe", json!({"uri": address(0)})),
        json!({}),
        "it is watched already"
    );
    legacy.result("resources/unsubscribe", json!({"uri": address(0)}));
    assert_eq!(
        legacy.result("resources/subscribe", json!({"uri": address(0)})),
        json!({}),
        "there is room again"
    );

    let mut modern = Peer::start(SERVER, &[]);
    let mut listen = |id: i32, count: usize| {
        let addresses: Vec<String> = (0..count).map(address).collect();
        let filter = json!({"notifications": {"resourceSubscriptions": addresses}});
        modern.request(&json!(id), "subscriptions/listen", filter);
        modern.message()["error"]["code"].take()
    };
    assert_eq!(listen(1, fit + 1), -32603);
    assert_eq!(listen(2, fit / 2), json!(null));
    assert_eq!(listen(3, fit / 2 + 2), -32603, "all subscriptions together");

    let id = json!("x".repeat(200_000));
    modern.request(&id, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    assert_eq!(modern.message()["error"]["code"], -32603, "an id is kept as well");
}

#[test]
fn modern_peers_subscribe_to_resources_with_a_filter() {
    let mut peer = Peer::start(SERVER, &[]);
    let filter = json!({"resourceSubscriptions": ["lab://watched", "lab://text"]});
    peer.request(&json!(1), "subscriptions/listen", json!({"notifications": filter}));
    let acknowledged = peer.message();
    let granted = &acknowledged["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(*granted, json!(["lab://text", "lab://watched"]), "as a set");
    peer.request(
        &json!(2),
        "subscriptions/listen",
        json!({"notifications": {"resourceSubscriptions": ["lab://text"]}}),
    );
    peer.message();

    peer.call(&json!("c"), "change", &json!({"what": "contents", "on": true}));
    let mut messages = [peer.message(), peer.message()];
    messages.sort_by_key(|message| message.get("id").is_some());
    assert_eq!(messages[0]["method"], "notifications/resources/updated");
    assert_eq!(messages[0]["params"], json!({"uri": "lab://watched", "_meta": {ID_KEY: 1}}));
    assert!(peer.within(A_MOMENT).is_empty(), "the other subscription did not ask for it");

    for wrong in [json!("lab://text"), json!([1])] {
        let params = json!({"notifications": {"resourceSubscriptions": wrong}});
        assert_eq!(peer.answer("subscriptions/listen", params)["error"]["code"], -32602);
    }
    let many: Vec<String> = (0..2_000).map(|id| format!("lab://{id}")).collect();
    let params = json!({"notifications": {"resourceSubscriptions": many}});
    assert_eq!(peer.answer("subscriptions/listen", params)["error"]["code"], -32603, "one has 1,024 at most");
}

#[test]
fn adding_and_removing_resources_notifies_listeners() {
    for revision in REVISIONS {
        let mut peer = Peer::start_at(SERVER, revision);
        if revision == "2026-07-28" {
            let filter = json!({"resourcesListChanged": true});
            peer.request(&json!(9), "subscriptions/listen", json!({"notifications": filter}));
            assert_eq!(peer.message()["params"]["notifications"], filter);
        }
        for (what, uri) in [("resource", "lab://extra"), ("template", "lab://extra/7")] {
            for on in [true, false] {
                peer.call(&json!("c"), "change", &json!({"what": what, "on": on}));
                let mut messages = [peer.message(), peer.message()];
                messages.sort_by_key(|message| message.get("id").is_some());
                assert_eq!(messages[0]["method"], "notifications/resources/list_changed");
                assert_eq!(messages[1]["result"]["content"][0]["text"], "changed");
                assert_eq!(read(&mut peer, uri).get("result").is_some(), on, "{what}");
            }
            let nothing = peer.call_result("change", &json!({"what": what, "on": false}));
            assert_eq!(nothing["isError"], true, "there is nothing to take away");
        }
        assert!(peer.within(A_MOMENT).is_empty(), "what did not change is not said");
    }
}

#[tokio::test]
async fn pending_notifications_are_not_duplicated() {
    let service = Server::new(()).resource(Resource::new("a://b", "b"), async || "b").build().expect("right");
    let client = RawClient::in_process_at(&service, Revision::V2025_11_25).await.expect("it connects");
    client.request("resources/subscribe", json!({"uri": "a://b"})).await.expect("watched");
    // The runtime has one thread, so the client takes nothing meanwhile.
    for _ in 0..1_000 {
        service.notify_resource_updated("a://b");
    }
    assert!(service.remove_resource("a://b"));
    let first = client.next_notification().await.expect("a notification");
    assert_eq!(first["method"], "notifications/resources/updated");
    let second = client.next_notification().await.expect("a notification");
    assert_eq!(second["method"], "notifications/resources/list_changed");
}

#[test]
fn building_a_server_reports_mistakes() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Order {
        #[expect(dead_code, reason = "only its name is looked at")]
        id: String,
    }
    let refused = |server: Server<()>| match server.build() {
        Err(error @ BuildError::Feature { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let with = |template: &str| {
        let template = ResourceTemplate::new(template, "orders");
        refused(Server::new(()).resource_template(template, async |_: Order| "an order"))
    };
    assert!(with("shop://orders/{+id}").contains("is not a variable"));
    assert!(with("shop://orders/{number}").contains("requires `id`"));
    assert!(with("shop://orders/{id}/{line}").contains("no field `line`"));
    let resource = || Resource::new("a://b", "b");
    let twice = Server::new(()).resource(resource(), async || "b").resource(resource(), async || "c");
    assert!(refused(twice).contains("invalid resource `a://b`"));
    let nowhere = Server::new(()).resource(Resource::new("b", "b"), async || "b");
    assert!(refused(nowhere).contains("begins with a scheme"));

    let plain = Server::new(()).build().expect("an empty server");
    let late = plain.add_resource(resource(), async || "b").expect_err("clients were told there are none");
    assert!(late.to_string().contains("with_resources"), "{late}");
}
