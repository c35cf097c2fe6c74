//! The client with a service of the same process: each kind of request, in each revision.
#![cfg(feature = "in-process")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::client::{Change, Changes, ElicitationResponse, ErrorKind, Event};
use toolwright::completion::{CompletionContext, Reference};
use toolwright::protocol::{CompleteParams, PromptResult};
use toolwright::resource::{ResourceData, ResourceTemplate};
use toolwright::{
    Client, Context, Handler, Json, Prompt, Resource, Revision, Server, Service, Tool, ToolError, Toolset,
    input_requests::Elicited,
};

/// Adds two numbers.
#[derive(Tool, Serialize, Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Counts up to a number.
#[derive(Tool, Serialize, Deserialize, JsonSchema)]
struct CountTo {
    number: u32,
    #[serde(default)]
    waits: bool,
}

/// Asks for a colour.
#[derive(Tool, Serialize, Deserialize, JsonSchema)]
struct Paint {}

#[derive(Deserialize, JsonSchema)]
struct Colour {
    colour: String,
}

/// Never ends.
#[derive(Tool, Serialize, Deserialize, JsonSchema)]
struct Wait {}

#[derive(Toolset)]
#[mcp(handler = Desk)]
enum DeskTools {
    Add(Add),
    CountTo(CountTo),
    Paint(Paint),
    Wait(Wait),
}

#[derive(Default, Clone)]
struct Desk {
    cancelled: Arc<AtomicUsize>,
}

impl Handler<Add> for Desk {
    type Output = Result<Json<Sum>, ToolError>;

    async fn call(&self, input: Add, _cx: &Context) -> Self::Output {
        Ok(Json(Sum { sum: input.a + input.b }))
    }
}

impl Handler<CountTo> for Desk {
    type Output = Result<u32, ToolError>;

    async fn call(&self, input: CountTo, cx: &Context) -> Self::Output {
        for step in 1..=input.number {
            cx.progress(f64::from(step), None, None).await;
            // A handler that is ready at once, and one that waits.
            if input.waits {
                tokio::task::yield_now().await;
            }
        }
        Ok(input.number)
    }
}

impl Handler<Paint> for Desk {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: Paint, cx: &Context) -> Self::Output {
        Ok(match cx.elicit::<Colour>("colour", "Which colour?").await? {
            Elicited::Accepted(Colour { colour }) => colour,
            _ => "none".to_owned(),
        })
    }
}

impl Handler<Wait> for Desk {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Wait, cx: &Context) -> Self::Output {
        let (cancelled, count) = (cx.cancellation().clone(), Arc::clone(&self.cancelled));
        tokio::spawn(async move {
            cancelled.cancelled().await;
            count.fetch_add(1, Ordering::SeqCst);
        });
        std::future::pending().await
    }
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    topic: String,
}

fn service(desk: Desk) -> Service {
    Server::new(desk)
        .name("desk")
        .tools::<DeskTools>()
        .prompt(Prompt::new("advise"), async |topic: Topic| format!("about {}", topic.topic))
        .complete(Reference::prompt("advise"), "topic", async |_: String, _: CompletionContext| vec!["tea"])
        .resource(Resource::new("desk://note", "note"), async || "a note")
        .resource_template(ResourceTemplate::new("desk://{topic}/7", "topics"), async |topic: Topic| {
            topic.topic
        })
        .build()
        .expect("a service")
}

fn topic_of_advise() -> CompleteParams {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "advise"}, "argument": {"name": "topic", "value": ""},
    });
    serde_json::from_value(params).expect("parameters")
}

#[tokio::test]
async fn each_kind_of_request_works_in_each_revision() {
    let service = service(Desk::default());
    for revision in Revision::ALL {
        let client = Client::builder().revision(revision).in_process(&service);
        let server = client.server().await.expect("it is met");
        assert_eq!((server.revision, client.label()), (revision, "desk"));

        let sum: Sum = client.call_tool(&Add { a: 1, b: 2 }).await.expect("a sum");
        assert_eq!(sum, Sum { sum: 3 }, "{revision}");
        assert_eq!(client.list_tools().await.expect("a list").len(), 4);

        assert_eq!(client.list_prompts().await.expect("a list")[0].name, "advise");
        let prompt: PromptResult =
            client.get_prompt("advise", json!({"topic": "tea"})).await.expect("a prompt");
        assert!(format!("{prompt:?}").contains("about tea"), "{prompt:?}");
        assert_eq!(client.complete(&topic_of_advise()).await.expect("values").completion.values, ["tea"]);

        assert_eq!(client.list_resources().await.expect("a list")[0].uri, "desk://note");
        assert_eq!(client.list_resource_templates().await.expect("a list")[0].name, "topics");
        for (uri, text) in [("desk://note", "a note"), ("desk://rust/7", "rust")] {
            let read = client.read_resource(uri).await.expect("contents");
            assert_eq!(read.contents[0].data, ResourceData::Text(text.to_owned()), "{revision}");
        }
        let unknown = client.read_resource("desk://none").await.expect_err("there is none");
        assert_eq!(unknown.kind(), ErrorKind::Protocol);
        client.ping().await.expect("it answers");
    }
}

#[tokio::test]
async fn progress_comes_before_the_result() {
    let service = service(Desk::default());
    for (revision, waits) in
        Revision::ALL.into_iter().flat_map(|revision| [(revision, true), (revision, false)])
    {
        let client = Client::builder().revision(revision).in_process(&service);
        let mut steps = Vec::new();
        let call = client.call("count_to", CountTo { number: 3, waits });
        let result = call.on_progress(|progress| steps.push(progress.progress)).await.expect("a result");
        assert_eq!(
            (result.as_text().as_str(), &steps[..]),
            ("3", &[1.0, 2.0, 3.0][..]),
            "{revision}, {waits}"
        );
    }
}

#[tokio::test]
async fn input_requests_get_responses_in_both_eras() {
    let service = service(Desk::default());
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let builder = Client::builder().revision(revision).on_elicitation(async |_| {
            let Value::Object(form) = json!({"colour": "red"}) else { unreachable!("it is an object") };
            ElicitationResponse::Accept(form)
        });
        let result = builder.in_process(&service).call("paint", ()).await.expect("a result");
        assert_eq!(result.as_text(), "red", "{revision}");
        let client = Client::builder().revision(revision).in_process(&service);
        match client.call("paint", ()).await {
            Ok(result) => assert!(result.is_error && revision.has_handshake(), "{result:?}"),
            Err(error) => assert_eq!(error.rpc().map(|rpc| rpc.code), Some(-32021), "{error}"),
        }
    }
}

#[tokio::test]
async fn dropping_a_call_or_its_client_cancels_it() {
    let desk = Desk::default();
    let service = service(desk.clone());
    let cancelled = async |count: usize| {
        while desk.cancelled.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    };
    let client = Client::in_process(&service);
    client.server().await.expect("it is met");
    let short = Duration::from_millis(20);
    assert!(tokio::time::timeout(short, client.call("wait", ())).await.is_err());
    cancelled(1).await;

    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait", ()).await }
    });
    tokio::time::sleep(short).await;
    client.close().await;
    assert_eq!(waiting.await.expect("no panic").expect_err("it is closed").kind(), ErrorKind::Lost);
    cancelled(2).await;
    let closed = client.call("add", Add { a: 1, b: 1 }).await.expect_err("it is closed");
    assert_eq!(closed.kind(), ErrorKind::Connect);
}

#[tokio::test]
async fn changes_are_notified_in_both_eras() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let service = service(Desk::default());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let events = Arc::clone(&seen);
        let builder = Client::builder().revision(revision);
        let client = builder.on_event(move |event| events.lock().expect("no panic").push(event));
        let client = client.in_process(&service);
        let mut changes =
            client.subscribe(Changes::new().resource("desk://note")).await.expect("a subscription");
        service.notify_resource_updated("desk://note");
        let change = changes.next().await.expect("a change");
        assert_eq!(change, Change::Resource("desk://note".to_owned()), "{revision}");
        let seen = seen.lock().expect("no panic");
        assert!(seen.iter().all(|event| !matches!(event, Event::Warning(_))), "{seen:?}");
    }
}

/// A client may outlive the runtime that it was first used in.
#[test]
fn a_client_goes_on_in_another_runtime() {
    let client = Client::in_process(&service(Desk::default()));
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let sum: Sum = runtime.block_on(client.call_tool(&Add { a: 1, b: 2 })).expect("a sum");
        assert_eq!(sum.sum, 3);
    }
}

#[tokio::test]
async fn many_calls_share_one_connection() {
    let client = Client::in_process(&service(Desk::default()));
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..200 {
        let client = client.clone();
        calls.spawn(async move {
            let sum: Sum = client.call_tool(&Add { a: number, b: 1 }).await.expect("a sum");
            sum.sum - number
        });
    }
    assert!(calls.join_all().await.into_iter().all(|one| one == 1));
}
