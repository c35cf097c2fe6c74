//! Code around calls, prompts and resource reads.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_protocol::raw::{RawClient, RawError};
use tokio::sync::Semaphore;
use toolwright::input_requests::Elicited;
use toolwright::limits::RateLimit;
use toolwright::middleware::{
    AuditLog, Invocation, InvocationResult, MaxConcurrency, MaxRate, Middleware, Next,
};
use toolwright::prompt::PromptResult;
use toolwright::{
    Context, Handler, Limits, Prompt, Resource, Revision, Server, Service, Tool, ToolError, Toolset,
    provider::Outcome,
};

/// Ends in the way that it is told.
#[derive(Tool, Deserialize, JsonSchema)]
struct End {
    how: String,
}

/// Does nothing.
#[derive(Tool, Deserialize, JsonSchema)]
struct Rest {}

#[derive(Toolset)]
#[mcp(handler = Room)]
enum Tools {
    End(End),
    Rest(Rest),
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Calls wait here until a test lets them go on.
struct Room(Arc<Semaphore>);

impl Handler<End> for Room {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: End, cx: &Context) -> Self::Output {
        match input.how.as_str() {
            "fail" => Err(ToolError::new("it failed")),
            "panic" => panic!("a handler panics"),
            "hang" => std::future::pending().await,
            "wait" => {
                self.0.acquire().await.expect("open").forget();
                Ok("waited".to_owned())
            }
            "ask" => {
                let answer: Elicited<Name> = cx.elicit("who", "Who?").await?;
                Ok(format!("{:?}", answer.accepted().map(|name| name.name)))
            }
            other => Ok(other.to_owned()),
        }
    }
}

impl Handler<Rest> for Room {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Rest, _cx: &Context) -> Self::Output {
        Ok(())
    }
}

fn server(gate: &Arc<Semaphore>) -> Server<Room> {
    Server::new(Room(Arc::clone(gate)))
        .tools::<Tools>()
        .prompt(Prompt::new("greet"), async |name: Name| format!("Greet {}.", name.name))
        .resource(Resource::new("shop://note", "note"), async || "a note")
        .limits(Limits { call_timeout: Duration::from_millis(300), ..Limits::default() })
}

fn plain_server() -> Server<Room> {
    server(&Arc::new(Semaphore::new(0)))
}

/// What middleware has noted, in order.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().expect("no panic").push(note);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic"))
    }

    /// Notes when a request comes in and when it goes out.
    fn around(&self, label: &'static str) -> impl Middleware + use<> {
        let notes = self.clone();
        move |invocation: Invocation, next: Next| {
            let notes = notes.clone();
            async move {
                notes.add(format!("{label} {} {}", invocation.method(), invocation.name()));
                let outcome = next.run(invocation).await;
                notes.add(format!("{label} out"));
                outcome
            }
        }
    }

    /// Notes how requests end.
    fn endings(&self) -> impl Middleware + use<> {
        let notes = self.clone();
        move |invocation: Invocation, next: Next| {
            let notes = notes.clone();
            next.observe(invocation, move |invocation, ending, _| {
                notes.add(format!("{} {ending}", invocation.name()));
            })
        }
    }
}

#[tokio::test]
async fn the_first_middleware_is_the_outermost() -> Result<(), RawError> {
    let notes = Notes::default();
    let service =
        plain_server().middleware(notes.around("a")).middleware(notes.around("b")).build().expect("a server");
    let requests = [
        ("tools/call", json!({"name": "end", "arguments": {"how": "well"}}), "end"),
        ("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada"}}), "greet"),
        ("resources/read", json!({"uri": "shop://note"}), "shop://note"),
    ];
    for revision in Revision::ALL {
        let client = RawClient::in_process_at(&service, revision).await?;
        for (method, params, name) in &requests {
            client.request(method, params.clone()).await?;
            let expected =
                [format!("a {method} {name}"), format!("b {method} {name}"), "b out".into(), "a out".into()];
            assert_eq!(notes.take(), expected, "{revision}");
        }
        client.request("tools/list", json!({})).await?;
        assert_eq!(notes.take(), [""; 0]);
    }
    Ok(())
}

#[tokio::test]
async fn tools_of_providers_and_direct_calls_are_covered() {
    let notes = Notes::default();
    let inner = plain_server().middleware(notes.around("inner")).build().expect("a server");
    let outer = Server::new(()).provider(inner).middleware(notes.around("outer")).build().expect("a server");
    let cx = Context::detached(Duration::from_secs(5));
    let arguments = serde_json::value::to_raw_value(&json!({"how": "well"})).expect("JSON");
    outer.run_tool("end", Some(&arguments), &cx).await.expect("a result");
    let expected = ["outer tools/call end", "inner tools/call end", "inner out", "outer out"];
    assert_eq!(notes.take(), expected);
}

#[tokio::test]
async fn a_refusal_is_a_tool_error_or_an_internal_error() -> Result<(), RawError> {
    let service = plain_server()
        .middleware(|invocation: Invocation, _: Next| async move {
            invocation.refuse("closed; come back tomorrow")
        })
        .build()
        .expect("a server");
    let client = RawClient::in_process(&service);
    let result = client.call("end", json!({"how": "well"})).await?;
    assert!(result.is_error);
    assert_eq!(result.as_text(), "closed; come back tomorrow");
    for (method, params) in [
        ("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada"}})),
        ("resources/read", json!({"uri": "shop://note"})),
    ] {
        let error = client.request(method, params).await.expect_err("a refusal");
        assert!(matches!(&error, RawError::Rpc(error) if error.code == -32603), "{error:?}");
        assert!(error.to_string().contains("closed"), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_result_of_another_kind_is_an_internal_error() {
    let service = plain_server()
        .middleware(|_: Invocation, _: Next| async {
            Outcome::Result(InvocationResult::Prompt(PromptResult::default()))
        })
        .build()
        .expect("a server");
    let error =
        RawClient::in_process(&service).call("rest", json!({})).await.expect_err("no result of a tool");
    assert!(error.to_string().contains("another kind of request"), "{error}");
}

#[tokio::test]
async fn a_middleware_can_change_a_result() -> Result<(), RawError> {
    let service = plain_server()
        .middleware(|invocation: Invocation, next: Next| async move {
            match next.run(invocation).await {
                Outcome::Result(InvocationResult::Tool(result)) => Outcome::Result(InvocationResult::Tool(
                    toolwright::ToolResult::text(result.as_text().replace("secret", "[redacted]")),
                )),
                other => other,
            }
        })
        .build()
        .expect("a server");
    let result = RawClient::in_process(&service).call("end", json!({"how": "a secret"})).await?;
    assert_eq!(result.as_text(), "a [redacted]");
    Ok(())
}

#[tokio::test]
async fn every_way_to_end_is_reported_once() -> Result<(), RawError> {
    let notes = Notes::default();
    let service = plain_server().middleware(notes.endings()).build().expect("a server");
    let capabilities = test_protocol::dialog::everything();
    let client = RawClient::builder(&service).capabilities(capabilities).connect().await?;
    for (how, ending) in [
        ("well", "ok"),
        ("fail", "tool_error"),
        ("panic", "panicked"),
        ("hang", "timed_out"),
        ("ask", "input_required"),
    ] {
        // The outcome does not matter: errors of panics are tested elsewhere.
        let _ = client.request("tools/call", json!({"name": "end", "arguments": {"how": how}})).await;
        assert_eq!(notes.take(), [format!("end {ending}")]);
    }
    let invalid = client.call("end", json!({"how": 3})).await?;
    assert!(invalid.is_error);
    assert_eq!(notes.take(), ["end tool_error"]);
    client.request("prompts/get", json!({"name": "greet"})).await.expect_err("an argument is missing");
    assert_eq!(notes.take(), ["greet error -32602"]);
    Ok(())
}

#[tokio::test]
async fn a_cancelled_call_is_reported_as_cancelled() {
    let notes = Notes::default();
    let service = plain_server().middleware(notes.endings()).build().expect("a server");
    let cx = Context::detached(Duration::from_mins(1));
    let arguments = serde_json::value::to_raw_value(&json!({"how": "hang"})).expect("JSON");
    cx.cancellation().cancel();
    service.run_tool("end", Some(&arguments), &cx).await.expect_err("it was cancelled");
    // One that is cancelled before it is first polled never reaches its middleware.
    assert_eq!(notes.take(), [""; 0]);

    let cx = Context::detached(Duration::from_mins(1));
    let token = cx.cancellation().clone();
    let call = service.run_tool("end", Some(&arguments), &cx);
    let cancel = async {
        tokio::task::yield_now().await;
        token.cancel();
    };
    let (result, ()) = tokio::join!(call, cancel);
    result.expect_err("it was cancelled");
    assert_eq!(notes.take(), ["end cancelled"]);
}

async fn call(service: &Service, how: &str) -> String {
    let result = RawClient::in_process(service).call("end", json!({"how": how})).await.expect("a result");
    result.as_text()
}

#[tokio::test]
async fn one_call_too_many_of_a_tool_is_refused() {
    let gate = Arc::new(Semaphore::new(0));
    let limits = Limits::default();
    let service = server(&gate)
        .limits(limits)
        .middleware(MaxConcurrency::default().tool("end", 2))
        .build()
        .expect("a server");
    let running: Vec<_> = (0..2)
        .map(|_| {
            let service = service.clone();
            tokio::spawn(async move { call(&service, "wait").await })
        })
        .collect();
    tokio::time::timeout(Duration::from_secs(10), async {
        while call(&service, "well").await == "well" {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("two calls run");
    let refused = call(&service, "well").await;
    assert!(refused.contains("the limit of 2 calls of `end`"), "{refused}");
    let client = RawClient::in_process(&service);
    assert!(!client.call("rest", json!({})).await.expect("another tool").is_error);
    gate.add_permits(2);
    for call in running {
        assert_eq!(call.await.expect("no panic"), "waited");
    }
    assert_eq!(call(&service, "well").await, "well");
}

/// Adds a note to each request while it is switched on.
struct Switched(Arc<AtomicBool>, Notes);

impl Middleware for Switched {
    async fn handle(&self, invocation: Invocation, next: Next) -> Outcome<InvocationResult> {
        self.1.add(invocation.name().to_owned());
        next.run(invocation).await
    }

    fn is_active(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn requests_bypass_middleware_that_has_nothing_to_do() -> Result<(), RawError> {
    let (notes, is_on) = (Notes::default(), Arc::new(AtomicBool::new(false)));
    let switched = || Switched(Arc::clone(&is_on), notes.clone());
    let alone = plain_server().middleware(switched()).build().expect("a server");
    let beside =
        plain_server().middleware(notes.around("a")).middleware(switched()).build().expect("a server");
    let (alone, beside) = (RawClient::in_process(&alone), RawClient::in_process(&beside));
    for (on, expected) in [(false, [""; 0].as_slice()), (true, &["rest", "greet", "shop://note"])] {
        is_on.store(on, Ordering::Relaxed);
        alone.call("rest", json!({})).await?;
        alone.request("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada"}})).await?;
        alone.request("resources/read", json!({"uri": "shop://note"})).await?;
        assert_eq!(notes.take(), expected);
        beside.call("rest", json!({})).await?;
        assert_eq!(notes.take(), ["a tools/call rest", "rest", "a out"], "not if another one has");
    }
    Ok(())
}

#[tokio::test]
async fn calls_without_a_connection_count_as_one_caller() {
    let rate = RateLimit::new(2, Duration::from_hours(1));
    let service = plain_server().middleware(MaxRate::per_tool(rate)).build().expect("a server");
    let mut refused = Vec::new();
    for _ in 0..3 {
        let cx = Context::detached(Duration::from_secs(5));
        let result = service.run_tool("rest", None, &cx).await.expect("a result");
        refused.push(result.get().contains(r#""isError":true"#));
    }
    assert_eq!(refused, [false, false, true]);
    let client = RawClient::in_process(&service);
    assert!(!client.call("rest", json!({})).await.expect("a result").is_error, "a peer is another caller");
    for _ in 0..9 {
        client
            .request("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada"}}))
            .await
            .expect("no limit");
    }
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn lines(&self) -> Vec<Value> {
        let bytes = self.0.lock().expect("no panic").clone();
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

#[tokio::test]
async fn the_audit_log_names_requests_and_hides_arguments() -> Result<(), RawError> {
    let log = Log::default();
    let service = plain_server()
        .resource_template(toolwright::ResourceTemplate::new("shop://{name}", "any"), async |name: Name| {
            name.name
        })
        .middleware(AuditLog::new(log.clone()))
        .build()
        .expect("a server");
    let client = RawClient::in_process(&service);
    for how in ["canary-1", "canary-1", "canary-2", "fail"] {
        client.call("end", json!({"how": how})).await?;
    }
    client.request("prompts/get", json!({"name": "greet"})).await.expect_err("an argument is missing");
    let hostile = format!("shop://%0a\u{2028}{}", "x".repeat(2_000));
    client.request("resources/read", json!({"uri": hostile})).await?;

    let lines = log.lines();
    let members = |member: &str| lines.iter().map(|line| line[member].clone()).collect::<Vec<_>>();
    let method = ["tools/call", "tools/call", "tools/call", "tools/call", "prompts/get", "resources/read"];
    assert_eq!(members("method"), method);
    assert_eq!(members("ending"), ["ok", "ok", "ok", "tool_error", "error", "ok"]);
    assert_eq!(lines[4]["code"], -32602);
    let digests = members("arguments");
    assert_eq!(digests[0], digests[1]);
    assert_ne!(digests[1], digests[2]);
    assert!(digests[0].as_str().is_some_and(|digest| digest.len() == "sha256:".len() + 64));
    assert!(lines.iter().all(|line| line["time"].as_str().is_some_and(|time| time.ends_with('Z'))));
    assert!(lines[5]["name"].as_str().is_some_and(|name| name.len() <= 512));
    let all = String::from_utf8(log.0.lock().expect("no panic").clone()).expect("UTF-8");
    assert!(!all.contains("canary"), "{all}");
    Ok(())
}

/// A log that is full.
struct Full;

impl Write for Full {
    fn write(&mut self, _bytes: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_full_audit_log_stops_no_request() {
    let service = plain_server().middleware(AuditLog::new(Full)).build().expect("a server");
    assert_eq!(call(&service, "well").await, "well");
    assert_eq!(call(&service, "well").await, "well");
}
