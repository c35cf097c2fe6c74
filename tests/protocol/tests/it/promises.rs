//! Tools keep the promises of their definitions, whatever runs them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use test_protocol::raw::{RawClient, RawError};
use toolwright::auth::Access;
use toolwright::result::StructuredContent;
use toolwright::{
    BoxFuture, BuildError, Context, Handler, Json, Prompt, Provider, Resource, Revision, Server, Service,
    Tool, ToolError, ToolResult,
    content::ContentBlock,
    definition::ToolDefinition,
    input_requests::{Elicited, Sampling},
    prompt::PromptMessage,
    provider::{Outcome, ToolRequest},
    result::IntoToolResult,
};

/// Some data.
#[derive(Debug, Serialize, JsonSchema)]
struct Data {
    count: u32,
}

/// Declares its output.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(output = Data)]
struct Promising {
    /// The result as JSON, if the handler has no other.
    #[serde(default)]
    result: String,
}

async fn text(_: Promising) -> String {
    r#"{"count":1}"#.to_owned()
}
async fn nothing(_: Promising) {}
async fn number(_: Promising) -> u32 {
    1
}
async fn blocks(_: Promising) -> Vec<ContentBlock> {
    Vec::new()
}
async fn fallible(_: Promising) -> Result<String, ToolError> {
    Err(ToolError::new("no"))
}
async fn fallible_block(_: Promising) -> Result<Option<ContentBlock>, std::fmt::Error> {
    Ok(None)
}
async fn data(_: Promising) -> Json<Data> {
    Json(Data { count: 1 })
}
async fn dynamic(input: Promising) -> ToolResult {
    serde_json::from_str(&input.result).expect("a result")
}

/// A result that says of itself that it has no structured content.
struct Own;

impl IntoToolResult for Own {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::text("own")
    }
}

async fn own(_: Promising) -> Own {
    Own
}

fn build<F: Handler<Promising>>(handler: F) -> Result<Service, BuildError> {
    Server::new(handler).tools::<Promising>().build()
}

#[test]
fn a_handler_that_returns_no_data_cannot_declare_an_output() {
    for built in [
        build(text),
        build(nothing),
        build(number),
        build(blocks),
        build(fallible),
        build(fallible_block),
        build(own),
    ] {
        let error = built.expect_err("no structured content");
        assert!(matches!(&error, BuildError::NoOutput(tool) if tool == "promising"), "{error}");
        assert!(error.to_string().contains("return `Json`"), "{error}");
    }
    assert!(build(data).is_ok());
}

#[tokio::test]
async fn handwritten_results_are_validated_against_the_output() {
    let client = RawClient::in_process(&build(dynamic).expect("right"));
    for (result, is_error) in [
        (json!({"structuredContent": {"count": 1}}), false),
        (json!({"structuredContent": {"count": -1}}), true),
        (json!({"structuredContent": {}}), true),
        (json!({"structuredContent": [1]}), true),
        (json!({"content": [{"type": "text", "text": "1"}]}), true),
        (json!({"isError": true, "content": [{"type": "text", "text": "no"}]}), true),
    ] {
        let answer = client.call("promising", json!({"result": result.to_string()})).await.expect("a result");
        assert_eq!(answer.is_error, is_error, "{result}: {answer:?}");
        let says_no = result["isError"] == true;
        if is_error && !says_no {
            assert!(answer.as_text().contains("invalid result of the tool `promising`"), "{answer:?}");
        }
    }
}

/// Runs one tool, whose result it is told.
#[derive(Debug)]
struct Upstream {
    definition: ToolDefinition,
    result: Value,
}

impl Provider for Upstream {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [self.definition.clone()].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let result: ToolResult = serde_json::from_value(self.result.clone()).expect("a result");
        Outcome::from_future(std::future::ready(result))
    }
}

fn server(output: Value, result: Value) -> Server<()> {
    let definition = ToolDefinition::new("upstream", json!({"type": "object"})).output_schema(output);
    Server::new(()).provider(Upstream { definition, result })
}

async fn answer(service: &Service) -> ToolResult {
    RawClient::in_process(service).call("upstream", json!({})).await.expect("a result")
}

#[tokio::test]
async fn output_checks_of_providers_can_be_disabled() {
    let (schema, result) = (json!({"type": "object", "required": ["n"]}), json!({"structuredContent": {}}));
    let checked = server(schema.clone(), result.clone()).build().expect("right");
    assert!(answer(&checked).await.is_error);
    let unchecked = server(schema.clone(), result).check_outputs(false).build().expect("right");
    assert!(!answer(&unchecked).await.is_error);
    let missing = server(schema, json!({"content": []})).check_outputs(false).build().expect("right");
    assert!(!answer(&missing).await.is_error);
}

#[tokio::test]
async fn results_of_nested_services_are_validated_as_well() {
    let inner =
        server(json!({"type": "integer"}), json!({"structuredContent": "one"})).build().expect("right");
    let outer = Server::new(()).provider(inner).build().expect("right");
    let answer = answer(&outer).await;
    assert!(answer.is_error && answer.as_text().contains("expected an integer"), "{answer:?}");
}

#[tokio::test]
async fn a_schema_beyond_the_checker_still_needs_content() {
    let schema = json!({"type": "object", "unevaluatedProperties": false});
    let there = server(schema.clone(), json!({"structuredContent": {"any": 1}})).build().expect("right");
    assert!(!answer(&there).await.is_error, "it cannot be checked, and standard error says so");
    let missing = server(schema, json!({"content": []})).build().expect("right");
    assert!(answer(&missing).await.is_error);
}

#[tokio::test]
async fn foreign_text_causes_no_protocol_errors() {
    let result = json!({
        "isError": true,
        "content": [{"type": "text", "text": "no"}],
        "missingCapability": {"required": {"sampling": {}}},
        "missing_capability": {"required": {"sampling": {}}},
        "_meta": {"io.toolwright/requiredCapabilities": {"sampling": {}}},
    });
    for revision in Revision::ALL {
        let service = server(json!({}), result.clone()).build().expect("right");
        let client = RawClient::builder(&service).revision(revision).connect().await.expect("a client");
        let answer = client.call("upstream", json!({})).await.expect("a result, and no error");
        assert_eq!((answer.is_error, answer.as_text().as_str()), (true, "no"));
        assert_eq!(answer.missing_capability, None);
        let own =
            answer.meta.iter().flat_map(|meta| meta.keys()).filter(|name| !name.ends_with("/serverInfo"));
        assert_eq!(own.count(), 0, "{answer:?}");
    }
}

/// Asks its client for a number.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Asking {}

#[derive(Debug, Deserialize, JsonSchema)]
struct Number {
    number: u8,
}

struct Desk;

impl Handler<Asking> for Desk {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: Asking, cx: &Context) -> Self::Output {
        let answer = cx.elicit::<Number>("number", "Which number?").await?;
        Ok(if let Elicited::Accepted(Number { number }) = answer {
            number.to_string()
        } else {
            "none".to_owned()
        })
    }
}

#[tokio::test]
async fn a_missing_capability_stays_a_protocol_error() {
    let inner = Server::new(Desk).tools::<Asking>().build().expect("right");
    let nested = Server::new(()).provider(inner.clone()).build().expect("right");
    for service in [inner, nested] {
        let error =
            RawClient::in_process(&service).call("asking", json!({})).await.expect_err("not declared");
        let RawError::Rpc(error) = error else { panic!("{error}") };
        assert_eq!(error.code, -32021, "{error:?}");
    }
}

#[tokio::test]
async fn null_is_valid_structured_content() {
    for revision in Revision::ALL {
        let service = server(json!({"type": ["string", "null"]}), json!({"structuredContent": null}));
        let service = service.build().expect("right");
        let client = RawClient::builder(&service).revision(revision).connect().await.expect("a client");
        let answer = client.request("tools/call", json!({"name": "upstream"})).await.expect("a result");
        let expected = match revision {
            Revision::V2026_07_28 => Some(json!(null)),
            Revision::V2025_06_18 | Revision::V2025_11_25 => Some(json!({"result": null})),
            _ => None,
        };
        assert_eq!(answer.get("structuredContent"), expected.as_ref(), "{revision}");
        assert_eq!(answer["isError"], false);
    }
    let read: ToolResult = serde_json::from_str(r#"{"structuredContent":null}"#).expect("a result");
    assert_eq!(read.structured_content, Some(StructuredContent::new(&()).expect("JSON")));
}

#[tokio::test]
async fn unknown_members_of_definitions_are_preserved() {
    let definition = json!({
        "name": "upstream",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": true, "costHint": {"tokens": 7}},
        "icons": [{"src": "data:,", "density": 2}],
        "execution": {"taskSupport": "forbidden"},
    });
    let upstream = Upstream {
        definition: serde_json::from_value(definition.clone()).expect("a definition"),
        result: json!({}),
    };
    let service = Server::new(()).provider(upstream).build().expect("right");
    let listed = RawClient::in_process(&service).request("tools/list", json!({})).await.expect("a list");
    assert_eq!(listed["tools"][0], definition);
}

/// Lists a tool named after the number of the reading, once it is released.
struct Slow {
    readings: AtomicUsize,
    began: Mutex<Sender<usize>>,
    go_on: Vec<Mutex<Receiver<()>>>,
}

impl Provider for Slow {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let reading = self.readings.fetch_add(1, Ordering::SeqCst);
        if let Some(go_on) = self.go_on.get(reading) {
            self.began.lock().expect("no panic").send(reading).expect("the test listens");
            go_on.lock().expect("no panic").recv().expect("the test says when");
        }
        [ToolDefinition::new(format!("reading_{reading}"), json!({"type": "object"}))].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(std::future::ready(ToolResult::default()))
    }
}

#[test]
fn the_newest_of_concurrent_refreshes_wins() {
    // Two readings when the server is built, and two of refreshes.
    let (began, readings_begun) = channel();
    let (senders, receivers): (Vec<Sender<()>>, Vec<Receiver<()>>) = (0..4).map(|_| channel()).unzip();
    for sender in &senders[..2] {
        sender.send(()).expect("it will be waited for");
    }
    let go_on = receivers.into_iter().map(Mutex::new).collect();
    let slow = Slow { readings: AtomicUsize::new(0), began: Mutex::new(began), go_on };
    let service = Server::new(()).provider(slow).build().expect("right");
    let built: Vec<usize> = readings_begun.try_iter().collect();
    let refreshes: Vec<_> = (0..2)
        .map(|_| {
            let service = service.clone();
            let refresh = thread::spawn(move || service.refresh_tools().expect("right"));
            readings_begun.recv().expect("it reads");
            refresh
        })
        .collect();
    // The later one is done first.
    let names = || -> Vec<String> { service.tools().iter().map(|tool| tool.name.clone()).collect() };
    let mut refreshes = refreshes.into_iter();
    let (first, second) = (refreshes.next().expect("two"), refreshes.next().expect("two"));
    let last = built.len() + 1;
    senders[last].send(()).expect("it waits");
    second.join().expect("no panic");
    assert_eq!(names(), [format!("reading_{last}")]);
    senders[last - 1].send(()).expect("it waits");
    first.join().expect("no panic");
    assert_eq!(names(), [format!("reading_{last}")], "what was read before does not come back");
    service.refresh_tools().expect("right");
    assert_eq!(names(), [format!("reading_{}", last + 1)]);
}

/// Levels of lists, more than a message may have.
fn deep() -> Value {
    (0..126).fold(json!(1), |below, _| json!([below]))
}

/// Requests a completion from the client's model, with something that cannot be sent.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Deep {}

impl Handler<Deep> for Desk {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: Deep, cx: &Context) -> Self::Output {
        let sampled =
            cx.sample("text", Sampling::new("Write.").with("metadata", json!({"deep": deep()}))).await?;
        Ok(sampled.text())
    }
}

#[tokio::test]
async fn an_invalid_input_request_ends_only_its_call() {
    let service = Server::new(Desk).tools::<Deep>().build().expect("right");
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let client = RawClient::builder(&service)
            .revision(revision)
            .answering(|question| panic!("asked: {question:?}"));
        let client = client.connect().await.expect("a client");
        match client.call("deep", json!({})).await {
            Ok(result) => {
                assert!(revision < Revision::V2026_07_28 && result.is_error, "{result:?}");
                assert!(result.as_text().contains("the input request cannot be sent"), "{result:?}");
            }
            Err(RawError::Rpc(error)) => {
                assert_eq!((revision, error.code), (Revision::V2026_07_28, -32603), "{error:?}");
            }
            Err(error) => panic!("{error}"),
        }
        let listed = client.request("tools/list", json!({})).await.expect("a list");
        assert_eq!(listed["tools"].as_array().map(Vec::len), Some(1));
    }
}

fn deep_block() -> ContentBlock {
    ContentBlock::text("a").with_meta("com.example/deep", deep())
}

#[tokio::test]
async fn invalid_prompts_and_resources_do_not_affect_others() {
    let mut broken = Resource::new("test://broken", "broken");
    broken.meta = Some([("com.example/deep".to_owned(), deep())].into_iter().collect());
    let service = Server::new(())
        .resource(broken, async || "text")
        .resource(Resource::new("test://good", "good"), async || "text")
        .prompt(Prompt::new("broken"), async || PromptMessage::user(deep_block()))
        .build()
        .expect("right");
    for revision in Revision::ALL {
        let client = RawClient::builder(&service).revision(revision).connect().await.expect("a client");
        let listed = client.request("resources/list", json!({})).await.expect("a list");
        let names: Vec<_> =
            listed["resources"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
        // Before 2025-06-18 there is no `_meta` to go wrong.
        let expected = if revision < Revision::V2025_06_18 { vec!["broken", "good"] } else { vec!["good"] };
        assert_eq!(names, expected, "{revision}");
        let refused = client.request("prompts/get", json!({"name": "broken"})).await.expect_err("too deep");
        assert!(matches!(&refused, RawError::Rpc(error) if error.code == -32603), "{refused}");
    }
}

#[test]
fn agent_calls_may_take_any_time() {
    assert!(Context::detached(Duration::MAX).deadline() > Instant::now() + Duration::from_hours(24 * 365));
}
