//! One rule for prompts, resources and templates: what is hidden from a caller does not exist for it, in lists, reads,
//! subscriptions and completion.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_authorization::shop::protected;
use test_authorization::spoken::Spoken;
use test_http::client::{Call, Response};
use test_http::lab::Lab;
use toolwright::auth::{Offer, Principal};
use toolwright::{
    Client, HttpConfig, Prompt, Resource, ResourceTemplate, Server, Service,
    completion::{CompletionContext, Reference},
    resource::ResourceData,
};

const ADA: &str = "ada.desk.plans-read";
const BOB: &str = "bob.desk";

#[derive(Deserialize, JsonSchema)]
struct Order {
    customer: String,
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    topic: String,
}

/// Each customer sees their own orders; a failing rule shows nothing.
fn own_orders(offer: Offer<'_>, principal: Option<&Principal>) -> bool {
    match offer {
        Offer::Resource(uri) if uri.starts_with("shop://orders/") => {
            principal.is_some_and(|who| uri.starts_with(&format!("shop://orders/{}/", who.subject())))
        }
        Offer::Prompt("for_ada") | Offer::Resource("shop://for-ada") => {
            principal.is_some_and(|who| who.subject() == "ada")
        }
        Offer::Resource("shop://broken") => panic!("the rule is broken"),
        _ => true,
    }
}

fn service() -> Service {
    let about = async |topic: Topic| topic.topic;
    let suggest = async |_: String, _: CompletionContext| vec!["rust"];
    let order = async |order: Order| format!("order {} of {}", order.id, order.customer);
    Server::new(())
        .show_if(own_orders)
        .prompt(Prompt::new("advise"), about)
        .prompt(Prompt::new("plan").scopes(["plans:read"]), about)
        .prompt(Prompt::new("for_ada"), about)
        .complete(Reference::prompt("advise"), "topic", suggest)
        .complete(Reference::prompt("plan"), "topic", suggest)
        .complete(Reference::prompt("for_ada"), "topic", suggest)
        .complete(Reference::template("shop://plans/{topic}"), "topic", suggest)
        .resource(Resource::new("shop://terms", "terms"), async || "terms")
        .resource(Resource::new("shop://plans", "plans").scopes(["plans:read"]), async || "plans")
        .resource(Resource::new("shop://for-ada", "hello"), async || "hello, ada")
        .resource(Resource::new("shop://broken", "broken"), async || "broken")
        // A less specific template also matches the URI, and must not answer in its place.
        .resource(Resource::new("shop://plans/secret", "secret").scopes(["nobody"]), async || "secret")
        .resource_template(ResourceTemplate::new("shop://orders/{customer}/{id}", "orders"), order)
        .resource_template(
            ResourceTemplate::new("shop://plans/{topic}", "plan").scopes(["plans:read"]),
            about,
        )
        .resource_template(ResourceTemplate::new("shop://{topic}/secret", "any"), about)
        .build()
        .expect("a service")
}

fn lab() -> Lab {
    Lab::serve(service(), protected(Spoken))
}

fn ask(lab: &Lab, token: &str, method: &str, params: &Value) -> Value {
    let mut call = lab.modern(method, params).header("Authorization", &format!("Bearer {token}"));
    for name in ["name", "uri"] {
        if let (Some(named), "prompts/get" | "resources/read") = (params[name].as_str(), method) {
            call = call.header("Mcp-Name", named);
        }
    }
    call.send().json()
}

fn listed(list: &Value, member: &str, key: &str) -> Vec<String> {
    let entries = list[member].as_array().expect("a list").iter();
    entries.map(|entry| entry[key].as_str().expect("a key").to_owned()).collect()
}

#[test]
fn lists_show_what_the_caller_may_have() {
    let lab = lab();
    for (token, prompts, resources, templates) in [
        (
            ADA,
            &["advise", "for_ada", "plan"][..],
            &["shop://for-ada", "shop://plans", "shop://terms"][..],
            &["shop://orders/{customer}/{id}", "shop://plans/{topic}", "shop://{topic}/secret"][..],
        ),
        (BOB, &["advise"], &["shop://terms"], &["shop://orders/{customer}/{id}", "shop://{topic}/secret"]),
    ] {
        for (method, member, key, expected) in [
            ("prompts/list", "prompts", "name", prompts),
            ("resources/list", "resources", "uri", resources),
            ("resources/templates/list", "resourceTemplates", "uriTemplate", templates),
        ] {
            let list = ask(&lab, token, method, &json!({}))["result"].take();
            assert_eq!(listed(&list, member, key), expected, "{token} {method}");
            assert_eq!(list["cacheScope"], "private", "it depends on the caller");
        }
    }
}

/// The error for a name, with the name removed.
fn told(lab: &Lab, token: &str, method: &str, params: &Value, name: &str) -> String {
    let mut answer = ask(lab, token, method, params);
    assert!(answer["error"].is_object(), "{token} {method} {params}: {answer}");
    answer["error"].take().to_string().replace(name, "…")
}

#[test]
fn hidden_entries_are_answered_like_missing_ones() {
    let lab = lab();
    let read = |uri: &str| json!({"uri": uri});
    let unknown = told(&lab, BOB, "resources/read", &read("shop://nothing"), "shop://nothing");
    for hidden in [
        "shop://plans",
        "shop://plans/rust",
        "shop://plans/secret",
        "shop://for-ada",
        "shop://broken",
        "shop://orders/ada/7",
    ] {
        assert_eq!(told(&lab, BOB, "resources/read", &read(hidden), hidden), unknown, "{hidden}");
    }
    let get = |name: &str| json!({"name": name, "arguments": {"topic": "x"}});
    let complete = |name: &str| json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "topic", "value": ""}});
    for hidden in ["plan", "for_ada"] {
        for (method, params) in
            [("prompts/get", &get as &dyn Fn(&str) -> Value), ("completion/complete", &complete)]
        {
            let unknown = told(&lab, BOB, method, &params("nothing"), "nothing");
            assert_eq!(told(&lab, BOB, method, &params(hidden), hidden), unknown, "{method} {hidden}");
        }
    }
    let form = |uri: &str| json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": "topic", "value": ""}});
    let unknown =
        told(&lab, BOB, "completion/complete", &form("shop://nothing/{topic}"), "shop://nothing/{topic}");
    let hidden = "shop://plans/{topic}";
    assert_eq!(told(&lab, BOB, "completion/complete", &form(hidden), hidden), unknown);
}

#[test]
fn authorized_callers_get_private_results() {
    let lab = lab();
    for (token, uri, text) in [
        (ADA, "shop://plans", "plans"),
        (ADA, "shop://plans/rust", "rust"),
        (ADA, "shop://for-ada", "hello, ada"),
        (ADA, "shop://orders/ada/7", "order 7 of ada"),
        (BOB, "shop://orders/bob/7", "order 7 of bob"),
        (BOB, "shop://terms", "terms"),
    ] {
        let read = ask(&lab, token, "resources/read", &json!({"uri": uri}))["result"].take();
        assert_eq!(read["contents"][0]["text"], text, "{token} {uri}");
        assert_eq!(read["cacheScope"], "private");
    }
    let complete =
        json!({"ref": {"type": "ref/prompt", "name": "plan"}, "argument": {"name": "topic", "value": ""}});
    let values = ask(&lab, ADA, "completion/complete", &complete)["result"]["completion"]["values"].take();
    assert_eq!(values, json!(["rust"]));
    let filled = ask(&lab, ADA, "prompts/get", &json!({"name": "for_ada", "arguments": {"topic": "x"}}));
    assert_eq!(filled["result"]["messages"][0]["content"]["text"], "x");
}

const WATCHED: [&str; 5] =
    ["shop://plans", "shop://orders/ada/7", "shop://orders/bob/7", "shop://later", "shop://broken"];

fn listen(lab: &Lab, token: &str, notifications: &Value) -> Response {
    let call = lab.modern("subscriptions/listen", &json!({"notifications": notifications}));
    call.header("Authorization", &format!("Bearer {token}")).send()
}

fn uris(mut stream: Response, count: usize) -> Vec<String> {
    let next =
        |_| stream.message().expect("a message")["params"]["uri"].as_str().expect("an address").to_owned();
    (0..count).map(next).collect()
}

/// Both get the same acknowledgment, but only notifications that they may see.
#[test]
fn updates_are_sent_to_callers_who_may_read_the_resource() {
    let service = service();
    let lab = Lab::serve(service.clone(), protected(Spoken));
    let wanted = json!({"resourceSubscriptions": WATCHED});
    let mut streams = [ADA, BOB].map(|token| listen(&lab, token, &wanted));
    let acknowledged = streams
        .each_mut()
        .map(|stream| stream.message().expect("an acknowledgment")["params"]["notifications"].take());
    assert_eq!(acknowledged[0], acknowledged[1]);
    for uri in WATCHED.iter().chain(&["shop://later"]) {
        service.notify_resource_updated(uri);
    }
    let [ada, bob] = streams;
    assert_eq!(uris(ada, 3), ["shop://plans", "shop://orders/ada/7", "shop://later"]);
    assert_eq!(uris(bob, 2), ["shop://orders/bob/7", "shop://later"]);
}

#[test]
fn sessions_are_notified_of_what_their_caller_may_read() {
    let service = service();
    let lab = Lab::serve(service.clone(), protected(Spoken));
    for revision in ["2025-03-26", "2025-11-25"] {
        for (token, expected) in [
            (ADA, &["shop://plans", "shop://orders/ada/7", "shop://later"][..]),
            (BOB, &["shop://orders/bob/7", "shop://later"]),
        ] {
            let bearer = |call: Call| call.header("Authorization", &format!("Bearer {token}"));
            let opened = bearer(lab.initialize(revision)).send();
            let id = opened.header("mcp-session-id").expect("a session").to_owned();
            let of_session =
                |call: Call| bearer(call).validate_as(revision, "").header("Mcp-Session-Id", &id);
            for uri in WATCHED {
                let body = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": uri}});
                assert_eq!(of_session(lab.post()).body(&body).send().json()["result"], json!({}), "{uri}");
            }
            let stream = of_session(lab.bare("GET", "/mcp").header("Accept", "text/event-stream")).send();
            for uri in WATCHED.iter().chain(&["shop://later"]) {
                service.notify_resource_updated(uri);
            }
            assert_eq!(uris(stream, expected.len()), expected, "{revision} {token}");
        }
    }
}

/// A session may be used with a token that has fewer scopes than the one that opened it.
#[test]
fn a_narrow_token_watches_nothing_in_a_wide_session() {
    let service = service();
    let lab = Lab::serve(service.clone(), protected(Spoken));
    let bearer = |call: Call, token: &str| call.header("Authorization", &format!("Bearer {token}"));
    let opened = bearer(lab.initialize("2025-11-25"), ADA).send();
    let id = opened.header("mcp-session-id").expect("a session").to_owned();
    let of_session = |call: Call, token: &str| {
        bearer(call, token).validate_as("2025-11-25", "").header("Mcp-Session-Id", &id)
    };
    for (token, uri) in [("ada.desk", "shop://plans"), (ADA, "shop://terms")] {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": uri}});
        assert_eq!(of_session(lab.post(), token).body(&body).send().json()["result"], json!({}));
    }
    let stream = of_session(lab.bare("GET", "/mcp").header("Accept", "text/event-stream"), ADA).send();
    service.notify_resource_updated("shop://plans");
    service.notify_resource_updated("shop://terms");
    assert_eq!(uris(stream, 1), ["shop://terms"]);
}

#[test]
fn list_changed_is_sent_to_callers_who_see_the_change() {
    let service = service();
    let lab = Lab::serve(service.clone(), protected(Spoken));
    let wanted = json!({"promptsListChanged": true, "resourcesListChanged": true});
    let mut streams = [ADA, BOB].map(|token| listen(&lab, token, &wanted));
    for stream in &mut streams {
        stream.message().expect("an acknowledgment");
    }
    let hidden = Prompt::new("plan_b").scopes(["plans:read"]);
    service.add_prompt(hidden, async || "x").expect("added");
    assert!(service.remove_resource("shop://for-ada"));
    assert!(service.remove_resource_template("shop://plans/{topic}"));
    assert!(!service.remove_prompt("nothing"));
    service.add_resource(Resource::new("shop://new", "new"), async || "x").expect("added");
    assert!(service.remove_prompt("advise"));
    let [mut ada, mut bob] = streams;
    let method = |stream: &mut Response| stream.message().expect("a message")["method"].take();
    let (prompts, resources) = ("notifications/prompts/list_changed", "notifications/resources/list_changed");
    // A pending notification is not duplicated.
    assert_eq!(method(&mut ada), prompts);
    assert_eq!((method(&mut bob), method(&mut bob)), (json!(resources), json!(prompts)));
}

#[test]
fn acknowledgments_count_many_uris() {
    let lab = lab();
    let addresses =
        |count: usize| (0..count).map(|number| format!("shop://items/{number:0>50}")).collect::<Vec<_>>();
    for (count, repeated) in [(3, 3), (1_000, 0)] {
        let mut stream = listen(&lab, BOB, &json!({"resourceSubscriptions": addresses(count)}));
        let params = stream.message().expect("an acknowledgment")["params"].take();
        assert_eq!(params["notifications"]["resourceSubscriptions"].as_array().map(Vec::len), Some(repeated));
        let counted = &params["_meta"]["io.toolwright/watchedResources"];
        assert_eq!(counted.as_u64(), (repeated == 0).then_some(1_000));
        assert!(params["_meta"]["io.modelcontextprotocol/subscriptionId"].is_i64());
    }
}

#[test]
fn unprotected_endpoints_list_what_needs_no_scope() {
    let lab = Lab::serve(service(), HttpConfig::new());
    let list = lab.modern("resources/list", &json!({})).send().json()["result"].take();
    assert_eq!(listed(&list, "resources", "uri"), ["shop://terms"]);
    let lab = Lab::serve(service(), HttpConfig::new().trust_callers());
    let list = lab.modern("resources/list", &json!({})).send().json()["result"].take();
    assert_eq!(list["resources"].as_array().map(Vec::len), Some(5), "the rule is not asked");
    assert_eq!(list["cacheScope"], "public");
}

#[tokio::test]
async fn in_process_callers_see_everything() {
    let client = Client::in_process(&service());
    let prompts = client.list_prompts().await.expect("a list");
    assert_eq!(prompts.iter().map(|prompt| &*prompt.name).collect::<Vec<_>>(), ["advise", "for_ada", "plan"]);
    let read = client.read_resource("shop://orders/ada/7").await.expect("read");
    let [contents] = &read.contents[..] else { panic!("{read:?}") };
    assert_eq!(contents.data, ResourceData::Text("order 7 of ada".to_owned()));
}

/// A challenge names all scopes (RFC 9728 §2, `scopes_supported`).
#[test]
fn clients_see_the_scopes_of_prompts_and_resources() {
    let lab = lab();
    let refused = lab.modern("resources/list", &json!({})).send();
    let challenge = refused.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains(r#"scope="nobody plans:read""#), "{challenge}");
}
