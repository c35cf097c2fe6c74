//! Outcomes of providers, and their effects for clients of each revision.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use test_protocol::raw::{RawClient, RawError, RpcError};
use toolwright::auth::Access;
use toolwright::protocol::PromptArgument;
use toolwright::{
    BoxFuture, Context, Prompt, Provider, Resource, ResourceTemplate, Revision, Server, Service, ToolResult,
    completion::Completion,
    definition::ToolDefinition,
    input_requests::{InputRequest, InputRequired},
    prompt::{PromptMessage, PromptResult},
    protocol::ErrorObject,
    provider::{
        Changes, CompletionRequest, Outcome, PromptRequest, ProviderCapabilities, RawResult, ResourceRequest,
        ToolRequest,
    },
    resource::{ResourceContents, ResourceResult},
};

/// The code of one tool.
pub(crate) type Tool = fn(&ToolRequest<'_>, &Context) -> Outcome;

/// One tool with this code.
struct One(Tool);

impl Provider for One {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [ToolDefinition::new("tool", json!({"type": "object"}))].into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(std::future::ready((self.0)(&request, cx)))
    }
}

pub(crate) fn service(tool: Tool) -> Service {
    Server::new(()).provider(One(tool)).name("front").version("1").build().expect("the tool is right")
}

pub(crate) fn raw(value: &str) -> Box<RawValue> {
    RawValue::from_string(value.to_owned()).expect("JSON")
}

pub(crate) async fn client(service: &Service, revision: Revision) -> RawClient {
    let answer = |request: &InputRequest| match request.method.as_str() {
        "elicitation/create" => {
            Ok(json!({"action": "accept", "content": {"said": request.params["message"]}}))
        }
        _ => Err(RpcError { code: -1, message: "no".to_owned(), data: None }),
    };
    RawClient::builder(service).revision(revision).answering(answer).connect().await.expect("a client")
}

/// Clients before 2025-06-18 cannot be asked.
pub(crate) const ASKED: [Revision; 3] = [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

pub(crate) fn form(message: &str) -> InputRequest {
    let schema = json!({"type": "object", "properties": {"said": {"type": "string"}}});
    InputRequest::new("elicitation/create", json!({"message": message, "requestedSchema": schema}))
}

pub(crate) async fn rpc_error(client: &RawClient) -> RpcError {
    match client.call("tool", json!({})).await {
        Err(RawError::Rpc(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn protocol_errors_reach_the_client_unchanged() {
    let service = service(|_, _| {
        ErrorObject::new(-31999, "upstream is \n busy").with_data(&raw(r#"{"retry": [1.50]}"#)).into()
    });
    for revision in Revision::ALL {
        let error = rpc_error(&client(&service, revision).await).await;
        assert_eq!((error.code, error.message.as_str()), (-31999, "upstream is \n busy"));
        assert_eq!(error.data, Some(json!({"retry": [1.5]})));
    }
}

/// Asks twice, each time with another state, and says what came back.
fn asks_twice(request: &ToolRequest<'_>, _: &Context) -> Outcome {
    let Some(input) = request.input else {
        return InputRequired::new("a", form("one")).and("b", form("two")).with_state("first").into();
    };
    let said = |key: &str| serde_json::from_str::<Value>(input.responses[key].get()).expect("JSON");
    match input.state.as_deref() {
        Some("first") => {
            let both = [said("a")["content"]["said"].clone(), said("b")["content"]["said"].clone()];
            InputRequired::new("a", form("three")).with_state(json!(both).to_string()).into()
        }
        state => ToolResult::text(format!("{state:?} {}", said("a")["content"]["said"])).into(),
    }
}

#[tokio::test]
async fn input_and_state_return_to_the_provider_in_both_eras() {
    let service = service(asks_twice);
    for revision in ASKED {
        let result = client(&service, revision).await.call("tool", json!({})).await.expect("a result");
        assert_eq!(result.as_text(), r#"Some("[\"one\",\"two\"]") "three""#, "{revision}");
    }
}

#[tokio::test]
async fn provider_state_is_sealed_and_bound_to_its_call() {
    let service = service(asks_twice);
    let capabilities = json!({"elicitation": {}});
    let client = RawClient::builder(&service).capabilities(capabilities).connect().await.expect("a client");
    let call = |state: Value, responses: Value| json!({"name": "tool", "arguments": {}, "requestState": state, "inputResponses": responses});
    let first =
        client.request("tools/call", json!({"name": "tool", "arguments": {}})).await.expect("questions");
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first["inputRequests"]["b"]["params"]["message"], "two", "{first}");
    let state = first["requestState"].as_str().expect("a state");
    assert!(!state.contains("first"));
    let answers = json!({"a": {"content": {"said": 1}}, "b": {"content": {"said": 2}}});
    for forged in [json!("first"), json!(state.to_uppercase()), json!(7)] {
        let refused = client.request("tools/call", call(forged, answers.clone())).await;
        assert!(matches!(refused, Err(RawError::Rpc(RpcError { code: -32602, .. }))), "{refused:?}");
    }
    let mut other = call(json!(state), answers.clone());
    other["arguments"] = json!({"other": true});
    assert!(client.request("tools/call", other).await.is_err(), "it belongs to other arguments");
    let second = client.request("tools/call", call(json!(state), answers)).await.expect("questions");
    assert_eq!(second["inputRequests"]["a"]["params"]["message"], "three", "{second}");
}

#[tokio::test]
async fn input_requests_without_a_capability_are_rejected() {
    let undeclared = service(|_, _| InputRequired::new("a", form("one")).into());
    let silent = RawClient::in_process(&undeclared);
    assert_eq!(rpc_error(&silent).await.code, -32021);

    let cases: [(Tool, &str); 3] = [
        (|_, _| InputRequired::new("a", InputRequest::new("tools/call", json!({}))).into(), "`tools/call`"),
        (|_, _| InputRequired::new("a", form("one")).and("a", form("two")).into(), "the key `a`"),
        (
            |_, _| {
                let mut many = InputRequired::default();
                many.requests.extend((0..1_000).map(|key| (key.to_string(), form("one"))));
                many.into()
            },
            "input requests are open already",
        ),
    ];
    for (tool, why) in cases {
        let service = service(tool);
        for revision in ASKED {
            let result = client(&service, revision).await.call("tool", json!({})).await.expect("a result");
            assert!(result.is_error && result.as_text().contains(why), "{revision}: {result:?}");
        }
    }
}

#[tokio::test]
async fn clients_without_tasks_wait_for_long_calls() {
    let service = service(|_, _| {
        Outcome::Task(Box::pin(async {
            tokio::task::yield_now().await;
            ToolResult::text("late").into()
        }))
    });
    for revision in Revision::ALL {
        let result = client(&service, revision).await.call("tool", json!({})).await.expect("a result");
        assert_eq!(result.as_text(), "late");
    }
}

#[tokio::test]
async fn a_provider_sees_the_caller_and_what_was_sent() {
    let service = service(|request, cx| {
        let own = request.own_meta();
        assert!(cx.access().is_trusted());
        let meta: Value = request.meta.map_or(Value::Null, |meta| json!(meta));
        ToolResult::text(format!(
            "{} {} {}",
            request.arguments.expect("some"),
            json!(own),
            meta["progressToken"]
        ))
        .into()
    });
    let params = json!({
        "name": "tool",
        "arguments": {"a": 1},
        "_meta": {"progressToken": 7, "com.example/trace": "t"},
    });
    for revision in Revision::ALL {
        let client = client(&service, revision).await;
        let result = client.request("tools/call", params.clone()).await.expect("a result");
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert_eq!(text, r#"{"a":1} {"com.example/trace":"t"} 7"#);
    }
}

/// Tools that come and go, with the handle that says so.
#[derive(Clone, Default)]
struct Coming(Arc<Names>);

#[derive(Default)]
struct Names {
    tools: Mutex<Vec<&'static str>>,
    changes: OnceLock<Changes>,
    is_asked: AtomicBool,
}

impl Provider for Coming {
    fn attach(&self, changes: Changes) {
        self.0.changes.set(changes).expect("one server is built");
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        assert!(caller.is_trusted(), "one list for all");
        self.0.is_asked.store(true, Ordering::SeqCst);
        let names = self.0.tools.lock().expect("no panic");
        names.iter().map(|name| ToolDefinition::new(*name, json!({"type": "object"}))).collect()
    }
}

impl Coming {
    fn set(&self, tools: &[&'static str]) {
        *self.0.tools.lock().expect("no panic") = tools.to_vec();
        self.0.changes.get().expect("attached").tools();
    }
}

fn names(service: &Service) -> Vec<String> {
    service.tools().iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn a_provider_reports_changed_tools() {
    let (first, second) = (Coming::default(), Coming::default());
    let server = Server::new(()).provider(first.clone()).provider(second.clone());
    let service = server.build().expect("no tools yet");
    let client = RawClient::in_process_at(&service, Revision::NEWEST_LEGACY).await.expect("a client");
    first.set(&["a", "b"]);
    assert_eq!(names(&service), ["a", "b"]);
    let word = client.next_notification().await.expect("a notification");
    assert_eq!(word["method"], "notifications/tools/list_changed");

    // Items with a taken name do not affect others, and the name belongs to the first.
    second.set(&["b", "c"]);
    assert_eq!(names(&service), ["a", "b", "c"]);
    first.set(&["d"]);
    assert_eq!(names(&service), ["b", "c", "d"]);
    let unknown = client.call("a", json!({})).await;
    assert!(matches!(unknown, Err(RawError::Rpc(RpcError { code: -32602, .. }))), "{unknown:?}");

    // The default code of a provider knows no tool.
    let error = client.call("c", json!({})).await.expect_err("no code");
    assert!(error.to_string().contains("unknown tool: c"), "{error}");
    assert!(second.0.is_asked.load(Ordering::SeqCst));
    drop(service);
    drop(client);
    // There is no subscriber any more.
    second.set(&["e"]);
}

/// Prompts and resources as another server has them.
#[derive(Clone, Default)]
struct Library(Arc<Shelf>);

#[derive(Default)]
struct Shelf {
    changes: OnceLock<Changes>,
    has_more: AtomicBool,
}

impl Provider for Library {
    fn attach(&self, changes: Changes) {
        self.0.changes.set(changes).expect("one server is built");
    }

    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS.with_prompts().with_resources().with_completions()
    }

    fn prompts(&self, _caller: &Access) -> Arc<[Prompt]> {
        let mut greet = Prompt::new("greet");
        greet.arguments = vec![PromptArgument::new("who")];
        let more = self.0.has_more.load(Ordering::SeqCst).then(|| Prompt::new("more"));
        [greet, Prompt::new("own")].into_iter().chain(more).collect()
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        _cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let Some(input) = request.input else {
            return Box::pin(std::future::ready(InputRequired::new("a", form("who")).with_state("s").into()));
        };
        let text = format!("{} {:?} {}", request.name, input.state, input.responses["a"]);
        Outcome::from_future(async move { PromptResult::new([PromptMessage::user(text)]) })
    }

    fn resources(&self, _caller: &Access) -> Arc<[Resource]> {
        [Resource::new("lib://a", "a")].into()
    }

    fn resource_templates(&self, _caller: &Access) -> Arc<[ResourceTemplate]> {
        [ResourceTemplate::new("lib://book{?page,line}{#mark}", "book")].into()
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        let outcome = match request.uri {
            "lib://a" => ResourceResult::new([ResourceContents::text("lib://a", "A")]).into(),
            "lib://book?page=7" => {
                let json = r#"{"contents":[{"uri":"lib://book?page=7","text":"B","x":1.50}],"ttlMs":5}"#;
                RawResult::new(Revision::NEWEST, raw(json)).into()
            }
            "lib://busy" => ErrorObject::new(-31_000, "busy").into(),
            other => toolwright::protocol::error::unknown_resource(other, cx.revision()).into(),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        _cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        let values = vec![format!("{} {}", request.argument, request.value)];
        Box::pin(std::future::ready(Completion { values, ..Completion::default() }.into()))
    }
}

fn library() -> (Library, Service) {
    let library = Library::default();
    let server = Server::new(()).provider(library.clone()).provider(Silent);
    let service = server.prompt(Prompt::new("own"), async || "own").build().expect("a service");
    (library, service)
}

/// Has resources and knows none.
struct Silent;

impl Provider for Silent {
    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS.with_resources()
    }
}

#[tokio::test]
async fn prompts_of_a_provider_and_the_server_are_merged() {
    let (library, service) = library();
    for revision in ASKED {
        let client = client(&service, revision).await;
        let listed = client.request("prompts/list", json!({})).await.expect("a list");
        let names: Vec<&Value> =
            listed["prompts"].as_array().expect("a list").iter().map(|prompt| &prompt["name"]).collect();
        assert_eq!(names, ["greet", "own"], "a name that is taken is the server's own");
        let own = client.request("prompts/get", json!({"name": "own"})).await.expect("a prompt");
        assert_eq!(own["messages"][0]["content"]["text"], "own");
        let greeting = client.request("prompts/get", json!({"name": "greet"})).await.expect("a prompt");
        let text = greeting["messages"][0]["content"]["text"].as_str().expect("a text");
        assert!(text.starts_with("greet Some(\"s\") ") && text.contains("accept"), "{revision}: {text}");
    }
    let client = client(&service, Revision::NEWEST_LEGACY).await;
    library.0.has_more.store(true, Ordering::SeqCst);
    library.0.changes.get().expect("attached").prompts();
    let word = client.next_notification().await.expect("a notification");
    assert_eq!(word["method"], "notifications/prompts/list_changed");
    let listed = client.request("prompts/list", json!({})).await.expect("a list");
    assert_eq!(listed["prompts"][1]["name"], "more");
}

#[tokio::test]
async fn resources_of_a_provider_are_read_by_any_template() {
    let (library, service) = library();
    for revision in Revision::ALL {
        let client = client(&service, revision).await;
        let listed = client.request("resources/list", json!({})).await.expect("a list");
        assert_eq!(listed["resources"][0]["uri"], "lib://a");
        let templates = client.request("resources/templates/list", json!({})).await.expect("a list");
        let form = &templates["resourceTemplates"][0]["uriTemplate"];
        assert_eq!(form, "lib://book{?page,line}{#mark}", "of any level of RFC 6570");
        for (uri, text) in [("lib://a", "A"), ("lib://book?page=7", "B")] {
            let read = client.request("resources/read", json!({"uri": uri})).await.expect("contents");
            assert_eq!(read["contents"][0]["text"], text, "{revision}");
        }
        let unknown = client.request("resources/read", json!({"uri": "lib://none"})).await;
        let Err(RawError::Rpc(error)) = unknown else { panic!("{unknown:?}") };
        assert_eq!(i64::from(error.code), revision.resource_not_found_code(), "{revision}");
    }
    let client = client(&service, Revision::NEWEST_LEGACY).await;
    let busy = client.request("resources/read", json!({"uri": "lib://busy"})).await;
    assert!(matches!(&busy, Err(RawError::Rpc(error)) if error.message == "busy"), "{busy:?}");
    client.request("resources/subscribe", json!({"uri": "lib://a"})).await.expect("watched");
    let changes = library.0.changes.get().expect("attached");
    changes.resource_updated("lib://other");
    changes.resource_updated("lib://a");
    let word = client.next_notification().await.expect("a notification");
    assert_eq!(
        (&word["method"], &word["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("lib://a"))
    );
}

#[tokio::test]
async fn a_provider_completes_its_own_arguments() {
    let (_, service) = library();
    let client = RawClient::in_process(&service);
    let argument = json!({"name": "page", "value": "1"});
    for (reference, expected) in [
        (json!({"type": "ref/prompt", "name": "greet"}), json!(["page 1"])),
        (json!({"type": "ref/resource", "uri": "lib://book{?page,line}{#mark}"}), json!(["page 1"])),
    ] {
        let params = json!({"ref": reference, "argument": argument});
        let result = client.request("completion/complete", params).await.expect("values");
        assert_eq!(result["completion"]["values"], expected);
    }
    let discovered = client.request("server/discover", json!({})).await.expect("capabilities");
    for capability in ["prompts", "resources", "completions"] {
        assert!(discovered["capabilities"].get(capability).is_some(), "{discovered}");
    }
    let own = json!({"ref": {"type": "ref/prompt", "name": "own"}, "argument": argument});
    assert!(client.request("completion/complete", own).await.is_err(), "it has no such argument");
}

#[tokio::test]
async fn declared_prompt_arguments_are_not_overwritten() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Greeting {
        who: String,
    }
    let mut prompt = Prompt::new("greet");
    let mut who = PromptArgument::new("who");
    (who.title, who.required) = (Some("Name".to_owned()), true);
    prompt.arguments = vec![who];
    let greet = async |greeting: Greeting| greeting.who;
    let service = Server::new(()).prompt(prompt.clone(), greet).build().expect("right");
    let listed = RawClient::in_process(&service).request("prompts/list", json!({})).await.expect("a list");
    assert_eq!(listed["prompts"][0]["arguments"][0]["title"], "Name");

    prompt.arguments = vec![PromptArgument::new("other")];
    let refused = Server::new(()).prompt(prompt, greet).build().expect_err("another argument");
    assert!(refused.to_string().contains("its arguments do not match"), "{refused}");
}
