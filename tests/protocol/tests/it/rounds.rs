//! Rounds of input requests in 2026-07-28: what a client may do with the state between them; clients in the same process;
//! questions from below other providers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_protocol::dialog::{accept, next_round};
use test_protocol::input_requests;
use test_protocol::raw::{RawClient, RawError, RpcError};
use toolwright::agent::TextTool;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Handler, Limits, Provider, Revision, Server, Service, Tool, ToolError, ToolResult,
    definition::ToolDefinition,
    input_requests::{InputRequest, StateKeys},
    provider::{Outcome, ToolRequest},
};

fn service() -> Service {
    input_requests::server().build().expect("the tools are right")
}

fn service_with(keys: StateKeys, limits: Limits) -> Service {
    input_requests::server().state_keys(keys).limits(limits).build().expect("the tools are right")
}

/// A client that declares everything and leaves the rounds to the test.
async fn client(service: &Service) -> RawClient {
    let capabilities = test_protocol::dialog::everything();
    RawClient::builder(service).capabilities(capabilities).connect().await.expect("nothing to refuse")
}

fn reply(question: &Value) -> Value {
    match question["method"].as_str() {
        Some("roots/list") => json!({"roots": [{"uri": "file:///a"}]}),
        Some("sampling/createMessage") => {
            json!({"role": "assistant", "content": {"type": "text", "text": "An old pond"}, "model": "poet-1"})
        }
        _ => accept(&json!({"text": question["params"]["message"]})),
    }
}

fn answer(question: &InputRequest) -> Value {
    reply(&json!({"method": question.method, "params": question.params}))
}

/// The first round of `steps`, and the parameters of the second.
async fn first_round(service: &Service) -> Value {
    let params = json!({"name": "steps", "arguments": {}});
    let result = client(service).await.request("tools/call", params.clone()).await.expect("a result");
    assert_eq!(result["resultType"], "input_required");
    assert_eq!(result["inputRequests"].as_object().expect("an object").keys().collect::<Vec<_>>(), ["one"]);
    assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].is_string());
    next_round(&params, &json!({"result": result}), reply)
}

async fn refused(service: &Service, params: Value) -> RpcError {
    match client(service).await.request("tools/call", params).await {
        Err(RawError::Rpc(error)) => error,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_modified_state_is_rejected() {
    let service = service();
    let params = first_round(&service).await;
    let state = params["requestState"].as_str().expect("a string");
    let mut changed: Vec<Value> = Vec::new();
    for at in [0, 20, 40, state.len() - 3] {
        let mut bytes = state.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        changed.push(String::from_utf8(bytes).expect("ASCII").into());
    }
    changed.push(format!("{state}-TAMPERED").into());
    changed.extend([
        json!(state[..state.len() / 2]),
        json!(""),
        json!("ö"),
        json!(5),
        json!({}),
        json!([state]),
    ]);
    for state in changed {
        let mut params = params.clone();
        params["requestState"] = state.clone();
        let error = refused(&service, params).await;
        assert_eq!(error.code, -32602, "{state}");
        assert!(error.message.contains("call again without it"), "{}", error.message);
    }
    let client = client(&service).await;
    assert_eq!(client.request("tools/call", params).await.expect("a result")["resultType"], "input_required");
}

#[tokio::test]
async fn a_state_belongs_to_its_request() {
    let service = service();
    let client = client(&service).await;
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let params = json!({"name": "form", "arguments": {"schema": schema}});
    let result = client.request("tools/call", params.clone()).await.expect("a result");
    let second = next_round(&params, &json!({"result": result}), reply);

    let mut reordered = second.clone();
    reordered["arguments"] =
        json!({"schema": {"properties": {"text": {"type": "string"}}, "type": "object"}});
    for good in [&second, &reordered] {
        let result = client.request("tools/call", good.clone()).await.expect("a result");
        assert_eq!(result["resultType"], "complete");
    }
    let mut other_arguments = second.clone();
    other_arguments["arguments"]["schema"]["title"] = json!("Other");
    let mut other_tool = second.clone();
    other_tool["name"] = json!("book");
    for bad in [other_arguments, other_tool] {
        assert_eq!(refused(&service, bad).await.code, -32602);
    }
    let mut other_method = second;
    other_method["name"] = json!("letter");
    other_method["arguments"] = json!({});
    let error = client.request("prompts/get", other_method).await.expect_err("refused");
    assert!(error.to_string().contains("requestState"), "{error}");
}

#[tokio::test]
async fn a_state_belongs_to_the_keys_of_its_server() {
    let (old, new) = ([1; 32], [2; 32]);
    let first = service_with(StateKeys::new(old), Limits::default());
    let params = first_round(&first).await;
    let goes_on =
        async |service: Service| client(&service).await.request("tools/call", params.clone()).await.is_ok();
    assert!(goes_on(service_with(StateKeys::new(old), Limits::default())).await, "another instance");
    assert!(goes_on(service_with(StateKeys::new(new).or(old), Limits::default())).await, "a former key");
    assert!(!goes_on(service_with(StateKeys::new(new), Limits::default())).await, "a key of before");
    assert!(!goes_on(service()).await, "another server");
    assert!(!format!("{:?}", StateKeys::new(old)).contains("1, 1"), "keys are secrets");
}

#[tokio::test]
async fn a_state_expires() {
    let limits = Limits { request_state_ttl: Duration::ZERO, ..Limits::default() };
    let service = service_with(StateKeys::new([1; 32]), limits);
    let params = first_round(&service).await;
    let error = refused(&service, params.clone()).await;
    assert_eq!(error.code, -32602);
    assert!(error.message.contains("expired"), "{}", error.message);
    // The same keys and a longer life: it is the state that says when it ends.
    let longer = service_with(StateKeys::new([1; 32]), Limits::default());
    assert_eq!(refused(&longer, params).await.code, -32602);
}

#[tokio::test]
async fn a_state_is_bounded() {
    let small = Limits { max_request_state_bytes: 300, ..Limits::default() };
    let service = service_with(StateKeys::new([1; 32]), small);
    let mut params = first_round(&service).await;
    params["inputResponses"]["one"] = accept(&json!({"text": "long ".repeat(100)}));
    let error = refused(&service, params.clone()).await;
    assert_eq!(error.code, -32603);
    assert!(error.message.contains("300 bytes"), "{}", error.message);

    let large = service_with(StateKeys::new([1; 32]), Limits::default());
    let result = client(&large).await.request("tools/call", params.clone()).await.expect("a result");
    let third = next_round(&params, &json!({"result": result}), reply);
    assert!(client(&large).await.request("tools/call", third.clone()).await.is_ok());
    assert_eq!(refused(&service, third).await.code, -32602);
}

#[tokio::test]
async fn unknown_input_responses_are_ignored() {
    let service = service();
    for malformed in [json!([]), json!("x"), json!(1), json!(true)] {
        let params = json!({"name": "steps", "inputResponses": malformed});
        assert_eq!(refused(&service, params).await.code, -32602);
    }
    let client = client(&service).await;
    // Responses may arrive before they are requested, and without a state.
    let one = accept(&json!({"text": "1"}));
    let params = json!({"name": "steps", "inputResponses": {"one": one, "two": one, "x": 5, "": null}});
    let result = client.request("tools/call", params.clone()).await.expect("a result");
    assert_eq!(result["inputRequests"].as_object().expect("an object").keys().collect::<Vec<_>>(), ["three"]);
    let last = next_round(&params, &json!({"result": result}), |_| one.clone());
    let result = client.request("tools/call", last).await.expect("a result");
    assert_eq!(result["content"][0]["text"], "1 1 1 1 after 2 runs");
}

#[tokio::test]
async fn other_methods_ignore_a_state() {
    let client = client(&service()).await;
    let params = json!({"requestState": "nonsense", "inputResponses": 5});
    assert!(client.request("tools/list", params).await.expect("a list")["tools"].is_array());
}

#[tokio::test]
async fn a_client_in_process_answers_in_every_era() {
    let service = service();
    for revision in Revision::ALL {
        let client = RawClient::builder(&service)
            .revision(revision)
            .answering(|question| Ok(answer(question)))
            .connect()
            .await
            .expect("a client");
        let result = client.call("write", json!({})).await.expect("a result");
        assert_eq!(result.as_text(), "poet-1 wrote: An old pond (unknown, 1 blocks)", "{revision}");
        if revision >= Revision::V2025_06_18 {
            let result = client.call("at_once", json!({})).await.expect("a result");
            assert_eq!(result.as_text(), "What is color? An old pond 1", "{revision}");
        }
    }
}

#[tokio::test]
async fn a_client_in_process_gives_up_after_sixteen_rounds() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let never = move |_: &InputRequest| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(json!({"action": "perhaps"}))
    };
    let client = RawClient::builder(&service()).answering(never).connect().await.expect("a client");
    let error = client.call("book", json!({})).await.expect_err("no result");
    assert!(matches!(error, RawError::Rounds(16)), "{error}");
    assert_eq!(asked.load(Ordering::Relaxed), 17);
}

#[tokio::test]
async fn an_error_of_a_client_in_process_ends_the_request() {
    let refuse = |_: &InputRequest| Err(RpcError { code: -1, message: "no".to_owned(), data: None });
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let client = RawClient::builder(&service())
            .revision(revision)
            .answering(refuse)
            .connect()
            .await
            .expect("a client");
        match client.call("folders", json!({})).await {
            Ok(result) => assert_eq!(result.as_text(), "the client refused the input request: no (-1)"),
            Err(error) => assert_eq!((revision, error.to_string()), (Revision::NEWEST, "no (-1)".to_owned())),
        }
    }
}

/// Calls the tools of another service through the agents' way.
struct Relay(Arc<Service>);

impl Provider for Relay {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        self.0.tools()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move {
            let tools = self.0.tools();
            let definition = tools.iter().find(|tool| tool.name == request.name).expect("one of the tools");
            let inner: Arc<dyn Provider> = self.0.clone();
            let tool = TextTool::query(inner, definition.clone()).in_context("below");
            match tool.call(request.name, cx).await {
                Ok(message) => ToolResult::text(format!("{message:?}")),
                Err(error) => ToolResult::error(error.to_string()),
            }
        })
    }
}

#[tokio::test]
async fn input_requests_pass_through_providers_and_agents() {
    let nested = Server::new(()).provider(service()).build().expect("the tools are right");
    let relayed = Server::new(()).provider(Relay(Arc::new(service()))).build().expect("the tools are right");
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
        for (service, tool) in [(&nested, "steps"), (&relayed, "steps"), (&nested, "spawned")] {
            let client = RawClient::builder(service)
                .revision(revision)
                .answering(|question| Ok(answer(question)))
                .connect()
                .await
                .expect("a client");
            let text = client.call(tool, json!({})).await.expect("a result").as_text();
            let expected =
                if tool == "steps" { "What is one? What is two? What is three?" } else { "What is late?" };
            assert!(text.contains(expected), "{revision} {tool}: {text}");
        }
    }
    let undeclared = RawClient::in_process(&nested).call("folders", json!({})).await.expect_err("an error");
    assert!(matches!(undeclared, RawError::Rpc(RpcError { code: -32021, .. })), "{undeclared}");
}

/// Requests input, while a spawned task waits for the cancellation.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Leaving {}

#[derive(Debug, Default)]
struct Watched {
    told: Arc<AtomicUsize>,
}

impl Handler<Leaving> for Watched {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: Leaving, cx: &Context) -> Self::Output {
        let (cancelled, told) = (cx.cancellation().clone(), Arc::clone(&self.told));
        tokio::spawn(async move {
            cancelled.cancelled().await;
            told.fetch_add(1, Ordering::Relaxed);
        });
        let cx = cx.clone();
        let late = Arc::clone(&self.told);
        tokio::spawn(async move {
            assert!(cx.roots("roots").await.is_err());
            late.fetch_add(1, Ordering::Relaxed);
        });
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_call_that_ends_with_input_requests_cancels_its_token() {
    let told = Arc::new(AtomicUsize::new(0));
    let service = Server::new(Watched { told: Arc::clone(&told) })
        .tools::<Leaving>()
        .build()
        .expect("the tool is right");
    let result =
        client(&service).await.request("tools/call", json!({"name": "leaving"})).await.expect("a result");
    assert_eq!(result["inputRequests"], json!({"roots": {"method": "roots/list", "params": {}}}));
    for _ in 0..1_000 {
        if told.load(Ordering::Relaxed) == 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("both tasks end with the call");
}
