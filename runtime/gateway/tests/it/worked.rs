//! Calls of agents that workers answer, through the gateway, and what agents see when the way to workers fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use toolwright_client::{Client, ClientError};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::Revision;
use toolwright_core::result::ToolResult;
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{
    Call, CallBus, CallError, CallRecord, Claim, Finish, Lease, MemoryBus, Progress,
};
use toolwright_gateway::registry::{Entry, RegistryStore};
use toolwright_server::auth::Access;
use toolwright_server::{BoxFuture, Context, Outcome, Provider, Server, ToolRequest};

use crate::runs::Stand;

/// A bus that is down for so many of its answers, after they have had their effect.
struct Flaky {
    bus: MemoryBus,
    fails: AtomicUsize,
    forgets: AtomicUsize,
}

impl Flaky {
    fn new() -> Arc<Self> {
        Arc::new(Self { bus: MemoryBus::new(), fails: AtomicUsize::new(0), forgets: AtomicUsize::new(0) })
    }

    fn fail(&self, answers: usize) {
        self.fails.store(answers, Ordering::SeqCst);
    }

    /// Forgets a call when it is waited for.
    fn forget(&self) {
        self.forgets.store(1, Ordering::SeqCst);
    }

    fn check(&self) -> Result<(), CallError> {
        let left = self.fails.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() { Err(CallError::Unavailable("the cable is cut".to_owned())) } else { Ok(()) }
    }
}

impl CallBus for Flaky {
    fn submit<'a>(&'a self, pool: &'a str, call: Call) -> BoxFuture<'a, Result<String, CallError>> {
        Box::pin(async move {
            let submitted = self.bus.submit(pool, call).await;
            self.check()?;
            submitted
        })
    }

    fn wait<'a>(&'a self, call: &'a str, seen: u64) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        Box::pin(async move {
            self.check()?;
            let record = self.bus.wait(call, seen).await;
            if self.forgets.swap(0, Ordering::SeqCst) > 0 {
                return Err(CallError::NoCall(call.to_owned()));
            }
            record
        })
    }

    fn record<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        self.bus.record(call)
    }

    fn cancel<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<(), CallError>> {
        self.bus.cancel(call)
    }

    fn announce<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        is_there: bool,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        self.bus.announce(pool, worker, is_there)
    }

    fn claim<'a>(&'a self, pool: &'a str, worker: &'a str) -> BoxFuture<'a, Result<Claim, CallError>> {
        self.bus.claim(pool, worker)
    }

    fn renew<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        progress: Option<Progress>,
    ) -> BoxFuture<'a, Result<Lease, CallError>> {
        self.bus.renew(call, lease, progress)
    }

    fn cancelled<'a>(&'a self, call: &'a str, lease: &'a str) -> BoxFuture<'a, ()> {
        self.bus.cancelled(call, lease)
    }

    fn finish<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        with: Finish,
    ) -> BoxFuture<'a, Result<bool, CallError>> {
        self.bus.finish(call, lease, with)
    }
}

/// Counts the calls of `charge` and of `look`, which may be repeated.
#[derive(Clone, Default)]
struct Till(Arc<AtomicUsize>, Arc<Hold>);

/// Whether calls are held until a test ends them.
#[derive(Default)]
struct Hold {
    is_on: AtomicBool,
    begun: Notify,
    ends: Notify,
}

fn definitions() -> [ToolDefinition; 2] {
    let tool = |name| ToolDefinition::new(name, json!({"type": "object"}));
    let mut look = tool("look");
    look.annotations = Some(serde_json::from_value(json!({"readOnlyHint": true})).unwrap());
    [tool("charge"), look]
}

impl Provider for Till {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        definitions().into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let number = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        let hold = Arc::clone(&self.1);
        Outcome::from_future(async move {
            if hold.is_on.load(Ordering::SeqCst) {
                hold.begun.notify_one();
                hold.ends.notified().await;
            }
            ToolResult::text(format!("number {number}"))
        })
    }
}

/// A gateway, a worker behind it, and an agent that has both tools.
async fn stand(bus: &Arc<Flaky>, till: &Till) -> Client {
    let stand = Stand::with(|registry| registry.shared_bus(Arc::clone(bus) as Arc<dyn CallBus>));
    let run = stand.open(Some("acme"), "run-1").await;
    for tool in definitions() {
        stand.store.register(&run, Entry::component(tool.name.clone(), "default", tool)).await.unwrap();
    }
    let service = Server::new(()).provider(till.clone()).build().unwrap();
    let worker = Worker::new(Arc::clone(bus) as Arc<dyn CallBus>, "default", service);
    tokio::spawn(worker.run());
    let token = stand.token(&run, &["charge", "look"]).await;
    stand.sees(&token, "charge").await;
    stand.client(&token, Revision::NEWEST).await.unwrap()
}

async fn call(client: &Client, tool: &str) -> Result<ToolResult, ClientError> {
    tokio::time::timeout(Duration::from_secs(30), client.call(tool, json!({}))).await.expect("an answer")
}

/// What an error, or a result that is one, says for programs.
fn fault(answer: Result<ToolResult, ClientError>) -> Value {
    let of_result = |result: &ToolResult| {
        assert!(result.is_error, "{result:?}");
        result
            .meta
            .as_ref()
            .and_then(|meta| meta.get("io.toolwright.gateway/fault"))
            .unwrap_or_else(|| panic!("{result:?}"))
            .clone()
    };
    match answer {
        Ok(result) => of_result(&result),
        Err(error) => match (error.result(), error.rpc()) {
            (Some(result), _) => of_result(result),
            (None, Some(rpc)) => serde_json::from_str(rpc.data.as_ref().unwrap().get()).unwrap(),
            (None, None) => panic!("{error}"),
        },
    }
}

#[tokio::test]
async fn workers_answer_the_calls_of_agents() {
    let (bus, till) = (Flaky::new(), Till::default());
    let client = stand(&bus, &till).await;
    assert_eq!(call(&client, "charge").await.unwrap().as_text(), "number 1");
    assert_eq!(call(&client, "look").await.unwrap().as_text(), "number 2");
}

#[tokio::test]
async fn a_bus_that_comes_back_makes_a_call_once() {
    let (bus, till) = (Flaky::new(), Till::default());
    let client = stand(&bus, &till).await;
    bus.fail(5);
    assert_eq!(call(&client, "charge").await.unwrap().as_text(), "number 1");
    assert_eq!(till.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_bus_that_stays_down_says_whether_to_call_again() {
    let (bus, till) = (Flaky::new(), Till::default());
    let client = stand(&bus, &till).await;
    bus.fail(usize::MAX);
    let (charge, look) = tokio::join!(call(&client, "charge"), call(&client, "look"));
    for (answer, is_retryable) in [(charge, false), (look, true)] {
        let fault = fault(answer);
        assert_eq!(fault["kind"], "store_unavailable");
        assert_eq!(fault["retryable"], is_retryable, "{fault}");
        assert!(fault["call_id"].is_string());
    }
}

#[tokio::test]
async fn a_call_that_the_store_lost_has_an_unknown_outcome() {
    let (bus, till) = (Flaky::new(), Till::default());
    let client = stand(&bus, &till).await;
    for (tool, is_retryable) in [("charge", false), ("look", true)] {
        bus.forget();
        let fault = fault(call(&client, tool).await);
        assert_eq!(fault["kind"], "outcome_unknown");
        assert_eq!(fault["retryable"], is_retryable, "{fault}");
    }
}

#[tokio::test]
async fn results_say_how_often_their_call_was_made() {
    let (bus, till) = (Flaky::new(), Till::default());
    // It claims the first call, and is lost with it.
    bus.bus.announce("default", "lost", true).await.unwrap();
    let lost = Arc::clone(&bus);
    let claimed = tokio::spawn(async move { lost.bus.claim("default", "lost").await });
    tokio::task::yield_now().await;
    let client = stand(&bus, &till).await;
    let mut attempts = Vec::new();
    for _ in 0..2 {
        let result = call(&client, "look").await.unwrap();
        let attempt =
            result.meta.as_ref().and_then(|meta| meta.get("io.toolwright.gateway/attempt")).cloned();
        attempts.push(attempt);
    }
    assert!(claimed.is_finished());
    assert_eq!(attempts, [Some(2.into()), None]);
    assert_eq!(till.0.load(Ordering::SeqCst), 2);
}

/// A call with an idempotency key.
async fn keyed(client: &Client, key: &Value, arguments: Value) -> Result<ToolResult, ClientError> {
    let call = client.call("charge", arguments).meta("io.toolwright.gateway/idempotencyKey", key);
    tokio::time::timeout(Duration::from_secs(30), call).await.expect("an answer")
}

#[tokio::test]
async fn calls_with_an_idempotency_key_have_one_effect() {
    let (bus, till) = (Flaky::new(), Till::default());
    let client = stand(&bus, &till).await;
    let (key, other) = (json!("k"), json!("other"));
    let results = tokio::join!(keyed(&client, &key, json!({"x": 1})), keyed(&client, &key, json!({"x": 1})));
    let later = keyed(&client, &key, json!({"x": 1})).await;
    for result in [results.0, results.1, later] {
        assert_eq!(result.unwrap().as_text(), "number 1");
    }
    let refused = keyed(&client, &key, json!({"x": 2})).await;
    assert_eq!(refused.as_ref().unwrap_err().rpc().unwrap().code, -32602);
    assert_eq!(fault(refused)["kind"], "idempotency_conflict");
    for invalid in [json!(""), json!(7), json!("k".repeat(256)), Value::Null] {
        assert_eq!(fault(keyed(&client, &invalid, json!({})).await)["kind"], "invalid_idempotency_key");
    }
    assert_eq!(till.0.load(Ordering::SeqCst), 1);
    assert_eq!(keyed(&client, &other, json!({"x": 1})).await.unwrap().as_text(), "number 2");
    // A store that stays down may be asked again.
    bus.fail(usize::MAX);
    assert_eq!(fault(keyed(&client, &json!("third"), json!({})).await)["retryable"], true);
}

#[tokio::test]
async fn a_call_with_a_key_goes_on_without_its_caller() {
    let (bus, till) = (Flaky::new(), Till::default());
    let client = stand(&bus, &till).await;
    till.1.is_on.store(true, Ordering::SeqCst);
    let (key, arguments) = (json!("k"), json!({}));
    tokio::select! {
        answer = keyed(&client, &key, arguments.clone()) => panic!("the call is held: {answer:?}"),
        () = till.1.begun.notified() => {}
    }
    // The caller has left; a call without a key would be stopped now.
    let again = keyed(&client, &key, arguments);
    let ends = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        till.1.ends.notify_one();
    };
    let (answer, ()) = tokio::join!(again, ends);
    assert_eq!(answer.unwrap().as_text(), "number 1");
    assert_eq!(till.0.load(Ordering::SeqCst), 1);
}

/// Answers with the trace context of its call.
struct Tracer;

impl Provider for Tracer {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        definitions().into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let own = cx.meta();
        Box::pin(std::future::ready(
            ToolResult::text(format!("{} {}", own["traceparent"], own["tracestate"])).into(),
        ))
    }
}

#[tokio::test]
async fn the_trace_of_a_call_goes_on_at_its_worker() {
    let bus: Arc<dyn CallBus> = Arc::new(MemoryBus::new());
    let stand = Stand::with(|registry| registry.shared_bus(Arc::clone(&bus)));
    let run = stand.open(Some("acme"), "run-1").await;
    for tool in definitions() {
        stand.store.register(&run, Entry::component(tool.name.clone(), "default", tool)).await.unwrap();
    }
    let service = Server::new(()).provider(Tracer).build().unwrap();
    tokio::spawn(Worker::new(bus, "default", service).run());
    let token = stand.token(&run, &["look"]).await;
    stand.sees(&token, "look").await;
    let client = stand.client(&token, Revision::NEWEST).await.unwrap();
    let traced = client.call("look", ()).meta("traceparent", &json!("00-1-2-01"));
    let answer = traced.meta("tracestate", &json!("vendor=1")).await.unwrap();
    assert_eq!(answer.as_text(), r#""00-1-2-01" "vendor=1""#);
}
