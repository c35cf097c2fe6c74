//! One rule for lists and calls: what the caller's scopes do not cover is neither listed nor run.

use serde_json::{Value, json};
use test_authorization::shop::{self, protected, protection};
use test_http::client::Call;
use test_http::lab::{Lab, code};
use toolwright::auth::ApiKeys;
use toolwright::{Client, HttpConfig, Limits, Revision, client::ListedTool};

const READER: &str = "key-of-the-reader-0123456789";
const WRITER: &str = "key-of-the-writer-0123456789";
const NOBODY: &str = "key-without-scopes-012345678";

fn keys() -> ApiKeys {
    let keys = ApiKeys::new().key("reader", READER, ["orders:read"]);
    let keys = keys.and_then(|keys| keys.key("writer", WRITER, ["orders:write", "orders:cancel"]));
    keys.and_then(|keys| keys.key("nobody", NOBODY, [""; 0])).expect("good keys")
}

fn with(key: &str, call: Call) -> Call {
    call.header("Authorization", &format!("Bearer {key}"))
}

fn names(result: &Value) -> Vec<&str> {
    let tools = result["tools"].as_array().expect("a list");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

/// The arguments of `cancel_order`, and the header that mirrors one of them.
fn cancel(lab: &Lab, name: &str) -> Call {
    lab.call(name, &json!({"region": "north"})).header("Mcp-Param-Region", "north")
}

const ALL: [&str; 3] = ["cancel_order", "list_orders", "whoami"];

#[test]
fn a_caller_sees_what_it_may_call() {
    let lab = Lab::serve(shop::service(), protected(keys()));
    for (key, expected) in [
        (READER, &["list_orders", "whoami"][..]),
        (WRITER, &["cancel_order", "whoami"]),
        (NOBODY, &["whoami"]),
    ] {
        let result = with(key, lab.modern("tools/list", &json!({}))).send().json()["result"].take();
        assert_eq!(names(&result), expected);
        assert_eq!(result["cacheScope"], "private", "it depends on the caller");
        for tool in ALL {
            let status = match tool {
                "cancel_order" => with(key, cancel(&lab, tool)).send().status,
                tool => with(key, lab.call(tool, &json!({}))).send().status,
            };
            let expected = if expected.contains(&tool) { 200 } else { 403 };
            assert_eq!(status, expected, "{key} {tool}");
        }
    }
}

// As reported in anthropics/claude-code#92518.
#[test]
fn insufficient_scope_names_every_required_scope() {
    let config = HttpConfig::new().protect(
        protection(keys()).authorization_server("https://login.example").expect("an issuer").require([""; 0]),
    );
    let lab = Lab::serve(shop::service(), config);
    let mut response = with(READER, cancel(&lab, "cancel_order")).send();
    assert_eq!(response.status, 403);
    assert_eq!(
        response.header("www-authenticate"),
        Some(concat!(
            r#"Bearer error="insufficient_scope", scope="orders:cancel orders:write", "#,
            r#"resource_metadata="https://shop.example/.well-known/oauth-protected-resource/mcp""#
        ))
    );
    let body = response.json();
    assert_eq!((&body["id"], &body["error"]["code"]), (&json!(1), &json!(-32600)));
    assert!(
        body["error"]["message"].as_str().is_some_and(|text| text.contains("orders:cancel orders:write"))
    );
    // Other tools go on with the same token.
    assert_eq!(with(READER, lab.call("list_orders", &json!({}))).send().status, 200);
}

#[test]
fn scopes_apply_to_former_names() {
    let lab = Lab::serve(shop::service(), protected(keys()));
    assert_eq!(with(WRITER, cancel(&lab, "void_order")).send().status, 200);
    assert_eq!(with(READER, cancel(&lab, "void_order")).send().status, 403);
}

/// The headers of a tool are not revealed to callers that may not call it.
#[test]
fn headers_of_parameters_are_checked_for_those_who_may_call() {
    let call = |lab: &Lab| lab.call("cancel_order", &json!({"region": "north"}));
    let lab = Lab::serve(shop::service(), protected(keys()));
    assert_eq!(code(with(WRITER, call(&lab)).send()), (400, -32020));
    assert_eq!(code(with(READER, call(&lab)).send()), (403, -32600));
    let open = Lab::serve(shop::service(), HttpConfig::new());
    assert_eq!(code(call(&open).send()), (400, -32602));
}

#[test]
fn broader_scopes_cover_narrower_ones() {
    let protection = protection(keys()).implies("orders:write", ["orders:read"]);
    let lab = Lab::serve(shop::service(), HttpConfig::new().protect(protection));
    let result = with(WRITER, lab.modern("tools/list", &json!({}))).send().json()["result"].take();
    assert_eq!(names(&result), ALL);
}

/// Without protection no caller is known, so what needs a scope does not exist.
#[test]
fn an_open_endpoint_has_no_tools_that_need_scopes() {
    let lab = Lab::serve(shop::service(), HttpConfig::new());
    let result = lab.modern("tools/list", &json!({})).send().json()["result"].take();
    assert_eq!(names(&result), ["whoami"]);
    for tool in ["list_orders", "no_such_tool"] {
        let mut response = lab.call(tool, &json!({})).send();
        assert_eq!((response.status, response.header("www-authenticate")), (400, None));
        assert_eq!(response.json()["error"]["message"], format!("unknown tool: {tool}"));
    }
    let who = lab.call("whoami", &json!({})).send().json()["result"]["structuredContent"].take();
    assert_eq!(who, json!({}));
}

#[test]
fn callers_can_be_trusted() {
    let lab = Lab::serve(shop::service(), HttpConfig::new().trust_callers());
    let result = lab.modern("tools/list", &json!({})).send().json()["result"].take();
    assert_eq!(names(&result), ALL);
    assert_eq!(result["cacheScope"], "public");
    assert_eq!(lab.call("list_orders", &json!({})).send().status, 200);
    // On a protected endpoint that has no effect.
    let lab = Lab::serve(shop::service(), protected(keys()).trust_callers());
    assert_eq!(lab.call("list_orders", &json!({})).send().status, 401);
    assert_eq!(with(NOBODY, lab.call("list_orders", &json!({}))).send().status, 403);
}

#[tokio::test]
async fn in_process_callers_are_trusted() {
    let service = shop::service();
    for revision in Revision::ALL {
        let client = Client::builder().revision(revision).in_process(&service);
        let listed = client.list_tools().await.expect("a list");
        assert_eq!(listed.iter().map(ListedTool::name).collect::<Vec<_>>(), ALL, "{revision}");
        let result = client.call("list_orders", json!({})).await.expect("called");
        assert_eq!(result.as_text(), "order 1");
    }
}

#[test]
fn lists_without_scopes_are_public() {
    let keys = ApiKeys::new().key("reader", READER, ["orders:read"]).expect("a good key");
    let lab = Lab::serve(test_protocol::tools::service(Limits::default()), protected(keys));
    for method in ["tools/list", "prompts/list", "resources/list"] {
        let result = with(READER, lab.modern(method, &json!({}))).send().json()["result"].take();
        assert_eq!(result["cacheScope"], "public", "{method}");
    }
}

/// Each page of a list has the same cache scope, and none reveals hidden items.
#[test]
fn pages_and_cursors_are_of_the_list_that_the_caller_sees() {
    let limits = Limits { list_page_size: 1, ..Limits::default() };
    let lab = Lab::serve(shop::with_limits(limits), protected(keys()));
    for (key, expected) in [(READER, ["list_orders", "whoami"]), (WRITER, ["cancel_order", "whoami"])] {
        let (mut seen, mut params) = (Vec::new(), json!({}));
        loop {
            let result = with(key, lab.modern("tools/list", &params)).send().json()["result"].take();
            assert_eq!(result["cacheScope"], "private");
            seen.extend(names(&result).into_iter().map(str::to_owned));
            match result["nextCursor"].as_str() {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => break,
            }
        }
        assert_eq!(seen, expected);
    }
    // A cursor is valid for the list that it came with, and another caller has another list.
    let first = with(WRITER, lab.modern("tools/list", &json!({}))).send().json()["result"].take();
    let params = json!({"cursor": first["nextCursor"]});
    assert_eq!(code(with(READER, lab.modern("tools/list", &params)).send()), (400, -32602));
    assert_eq!(with(WRITER, lab.modern("tools/list", &params)).send().status, 200);
}

#[test]
fn handlers_of_every_kind_know_their_caller() {
    let lab = Lab::serve(shop::service(), protected(keys()));
    let mut who = with(WRITER, lab.call("whoami", &json!({}))).send().json();
    assert_eq!(
        who["result"]["structuredContent"].take(),
        json!({
            "subject": "writer", "issuer": null, "client": null,
            "scopes": ["orders:cancel", "orders:write"], "tenant": null,
        })
    );
    let advise = json!({"name": "advise", "arguments": {"item": "apples"}});
    let call = lab.modern("prompts/get", &advise).header("Mcp-Name", "advise");
    let filled = with(WRITER, call).send().json();
    assert_eq!(filled["result"]["messages"][0]["content"]["text"], "apples for writer");
    let uri = "shop://items/pears";
    let call = lab.modern("resources/read", &json!({"uri": uri})).header("Mcp-Name", uri);
    let read = with(READER, call).send().json();
    assert_eq!(read["result"]["contents"][0]["text"], "pears for reader");
    let params =
        json!({"ref": {"type": "ref/prompt", "name": "advise"}, "argument": {"name": "item", "value": ""}});
    let completed = with(READER, lab.modern("completion/complete", &params)).send().json();
    assert_eq!(completed["result"]["completion"]["values"], json!(["reader"]));
}
