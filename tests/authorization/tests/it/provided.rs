//! Providers that list per caller: a caller can use exactly what is listed for it.

use std::sync::{Arc, Mutex, OnceLock};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use test_authorization::shop::protected;
use test_http::client::Response;
use test_http::lab::Lab;
use toolwright::auth::{Access, ApiKeys, Principal};
use toolwright::{
    BoxFuture, Context, Limits, Prompt, Provider, Resource, ResourceTemplate, Revision, Server, Service,
    ToolResult,
    completion::Completion,
    definition::ToolDefinition,
    prompt::{PromptMessage, PromptResult},
    provider::{
        Changes, CompletionRequest, Outcome, PromptRequest, ProviderCapabilities, RawResult, ResourceRequest,
        ToolRequest,
    },
    resource::ResourceResult,
};

const ADA: &str = "key-of-ada-0123456789abcdef";
const BOB: &str = "key-of-bob-0123456789abcdef";

/// What each tenant has: three tools, a prompt, a resource and a template, all of which have its name.
#[derive(Clone, Default)]
struct Tenants(Arc<State>);

#[derive(Default)]
struct State {
    changes: OnceLock<Changes>,
    /// What Ada has besides.
    more: Mutex<Vec<String>>,
}

fn tenant(access: &Access) -> &str {
    access.principal().map_or("nobody", |principal| Principal::subject(principal))
}

fn address(access: &Access) -> String {
    format!("tenant://{}/note", tenant(access))
}

impl Provider for Tenants {
    fn attach(&self, changes: Changes) {
        assert!(self.0.changes.set(changes).is_ok());
    }

    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS.with_prompts().with_resources().with_completions().with_lists_by_caller()
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        let name = tenant(caller);
        let mut names: Vec<String> = ["one", "two", "three"].map(|tool| format!("{name}_{tool}")).into();
        if name == "ada" {
            names.extend(self.0.more.lock().expect("no panic").iter().cloned());
        }
        names.into_iter().map(|name| ToolDefinition::new(name, json!({"type": "object"}))).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let text = format!("{} for {}", request.name, tenant(cx.access()));
        Outcome::from_future(std::future::ready(ToolResult::text(text)))
    }

    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        [Prompt::new(format!("{}_prompt", tenant(caller)))].into()
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        _: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let filled = PromptResult::new([PromptMessage::user(request.name)]);
        Outcome::from_future(std::future::ready(filled))
    }

    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        [Resource::new(address(caller), "note")].into()
    }

    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        [ResourceTemplate::new(format!("tenant://{}/{{item}}", tenant(caller)), "items")].into()
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        let (uri, own) = (request.uri, format!("tenant://{}/", tenant(cx.access())));
        if !uri.starts_with(&own) {
            let error = toolwright::protocol::error::unknown_resource(uri, cx.revision());
            return Box::pin(std::future::ready(error.into()));
        }
        let result = json!({
            "resultType": "complete", "ttlMs": 5_000, "cacheScope": "public",
            "contents": [{"uri": uri, "text": "a note"}],
        });
        let raw = RawValue::from_string(result.to_string()).expect("JSON");
        Box::pin(std::future::ready(RawResult::new(Revision::NEWEST, raw).into()))
    }

    fn complete<'a>(
        &'a self,
        _: CompletionRequest<'a>,
        _: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        let values = vec!["value".to_owned()];
        Outcome::from_future(std::future::ready(Completion { values, ..Completion::default() }))
    }
}

fn serve(limits: Limits) -> (Tenants, Service, Lab) {
    let tenants = Tenants::default();
    let service = Server::new(()).provider(tenants.clone()).limits(limits).build().expect("a server");
    let keys = ApiKeys::new().key("ada", ADA, ["all"]).and_then(|keys| keys.key("bob", BOB, ["all"]));
    let lab = Lab::serve(service.clone(), protected(keys.expect("good keys")));
    (tenants, service, lab)
}

fn answer(lab: &Lab, key: &str, method: &str, params: &Value) -> Value {
    let mut call = lab.modern(method, params).header("Authorization", &format!("Bearer {key}"));
    if let Some(name) = params["uri"].as_str().or(params["name"].as_str())
        && method != "tools/call"
    {
        call = call.header("Mcp-Name", name);
    }
    call.send().json()
}

fn names(list: &Value, member: &str, key: &str) -> Vec<String> {
    let entries = list["result"][member].as_array().unwrap_or_else(|| panic!("{list}"));
    entries.iter().filter_map(|entry| Some(entry[key].as_str()?.to_owned())).collect()
}

const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
];

#[test]
fn each_caller_has_lists_of_its_own() {
    for max_caller_lists in [0, 1, 1_024] {
        let (_, _, lab) = serve(Limits { max_caller_lists, ..Limits::default() });
        for _ in 0..2 {
            for (method, member, key) in LISTS {
                for (token, own, other) in [(ADA, "ada", "bob"), (BOB, "bob", "ada")] {
                    let list = answer(&lab, token, method, &json!({}));
                    let names = names(&list, member, key);
                    assert!(!names.is_empty(), "{list}");
                    assert!(
                        names.iter().all(|name| name.contains(own) && !name.contains(other)),
                        "{names:?}"
                    );
                    assert_eq!(list["result"]["cacheScope"], "private", "{method}");
                }
            }
        }
    }
}

#[test]
fn pages_and_cursors_belong_to_the_caller() {
    let (_, _, lab) = serve(Limits { list_page_size: 1, ..Limits::default() });
    let (mut all, mut params, mut cursors) = (Vec::new(), json!({}), Vec::new());
    loop {
        let page = answer(&lab, ADA, "tools/list", &params);
        all.extend(names(&page, "tools", "name"));
        let Some(cursor) = page["result"]["nextCursor"].as_str() else { break };
        params = json!({"cursor": cursor});
        cursors.push(cursor.to_owned());
    }
    assert_eq!(all, ["ada_one", "ada_three", "ada_two"]);
    for cursor in cursors {
        let stolen = answer(&lab, BOB, "tools/list", &json!({"cursor": cursor}));
        assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    }
}

#[test]
fn hidden_items_do_not_exist_for_a_caller() {
    let (_, _, lab) = serve(Limits::default());
    let complete = |name: &str| json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "a", "value": ""}});
    let (adas, bobs) = (address_of("ada"), address_of("bob"));
    for (method, own, other, unknown) in [
        ("tools/call", json!({"name": "ada_one"}), json!({"name": "bob_one"}), json!({"name": "none"})),
        (
            "prompts/get",
            json!({"name": "ada_prompt"}),
            json!({"name": "bob_prompt"}),
            json!({"name": "none"}),
        ),
        ("resources/read", json!({"uri": adas}), json!({"uri": bobs}), json!({"uri": "tenant://none"})),
        ("completion/complete", complete("ada_prompt"), complete("bob_prompt"), complete("none")),
    ] {
        let used = answer(&lab, ADA, method, &own);
        assert!(used.get("result").is_some(), "{method}: {used}");
        let code = |params: &Value| answer(&lab, ADA, method, params)["error"]["code"].as_i64();
        assert_eq!((code(&other), code(&unknown)), (Some(-32602), Some(-32602)), "{method}");
    }
}

fn address_of(tenant: &str) -> String {
    format!("tenant://{tenant}/note")
}

/// Results that only one caller may read are not cached for others (2026-07-28, server/utilities/caching
/// "Choosing a Cache Scope").
#[test]
fn raw_reads_are_private_where_callers_differ() {
    let (_, _, lab) = serve(Limits::default());
    for uri in [address_of("ada"), "tenant://ada/unlisted".to_owned()] {
        let read = answer(&lab, ADA, "resources/read", &json!({"uri": uri}))["result"].take();
        assert_eq!((&read["cacheScope"], &read["ttlMs"]), (&json!("private"), &json!(5_000)), "{read}");
        assert_eq!(read["contents"][0]["text"], "a note");
    }
}

fn listen(lab: &Lab, key: &str) -> Response {
    let params = json!({"notifications": {"toolsListChanged": true}});
    let call = lab.modern("subscriptions/listen", &params).header("Authorization", &format!("Bearer {key}"));
    let mut stream = call.send();
    assert_eq!(
        stream.message().expect("the acknowledgment")["method"],
        "notifications/subscriptions/acknowledged"
    );
    stream
}

#[test]
fn only_callers_whose_tools_have_changed_are_notified() {
    let (tenants, _, mut lab) = serve(Limits::default());
    for key in [ADA, BOB] {
        answer(&lab, key, "tools/list", &json!({}));
    }
    let (adas, bobs) = (listen(&lab, ADA), listen(&lab, BOB));
    tenants.0.more.lock().expect("no panic").push("ada_four".to_owned());
    tenants.0.changes.get().expect("attached").tools();
    assert!(
        names(&answer(&lab, ADA, "tools/list", &json!({})), "tools", "name").contains(&"ada_four".to_owned())
    );
    lab.stop();
    let heard = |mut stream: Response| std::iter::from_fn(move || stream.message());
    let count = |stream| {
        heard(stream).filter(|message| message["method"] == "notifications/tools/list_changed").count()
    };
    assert_eq!((count(adas), count(bobs)), (1, 0));
}
