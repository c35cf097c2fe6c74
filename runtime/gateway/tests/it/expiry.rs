//! Tokens, runs and deadlines that end during calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_client::ClientError;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::Revision;
use toolwright_core::result::ToolResult;
use toolwright_gateway::calls::{CallBus, CallState, MemoryBus};
use toolwright_gateway::registry::{Entry, RegistryStore as _};
use toolwright_gateway::tokens::SessionTokens;
use toolwright_gateway::{Clock, Worker};
use toolwright_server::auth::Access;
use toolwright_server::{BoxFuture, Context, Outcome, Provider, Server, ToolRequest};

use crate::runs::Stand;

#[tokio::test]
async fn a_call_outlives_its_token_and_the_next_is_challenged() {
    let seconds = Arc::new(AtomicU64::new(1_000_000));
    let now = Arc::clone(&seconds);
    let clock = Clock::new(move || Duration::from_secs(now.load(Ordering::SeqCst)));
    let stand = Stand::with_clock(&clock);
    let run = stand.open(None, "run-1").await;
    stand.register(&run, "red").await;
    let token = stand.token(&run, &["red"]).await;
    stand.sees(&token, "red__slow").await;
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let token = stand.token(&run, &["red"]).await;
        let client = stand.client(&token, revision).await.unwrap();
        let (progress, begun) = tokio::sync::oneshot::channel::<()>();
        let mut progress = Some(progress);
        let called = client.clone();
        let call = tokio::spawn(async move {
            let call = called.call("red__slow", json!({"ms": 200}));
            call.on_progress(move |_| drop(progress.take())).await
        });
        _ = begun.await;
        seconds.fetch_add(SessionTokens::LIFETIME.as_secs() + 60, Ordering::SeqCst);
        assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
        let next = client.call("red__echo", json!({})).await.unwrap_err();
        assert_eq!(next.status(), Some(401), "{next}");
        assert!(next.to_string().contains("invalid_token"), "{next}");
    }
}

#[tokio::test]
async fn a_run_that_expires_is_reported_and_not_empty() {
    let stand = Stand::with(|registry| registry);
    let run = stand.open(Some("acme"), "run-1").await;
    stand.register(&run, "red").await;
    let token = stand.token(&run, &["red"]).await;
    stand.sees(&token, "red__echo").await;
    let client = stand.client(&token, Revision::NEWEST).await.unwrap();
    stand.store.renew(&run, Duration::from_millis(50)).await.unwrap();
    while stand.store.state("run-1", None).await.unwrap().is_some() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let listed = client.list_tools().await.map(|tools| tools.len());
    for error in [listed.unwrap_err(), client.call("red__echo", json!({})).await.unwrap_err()] {
        let data: Value = serde_json::from_str(error.rpc().unwrap().data.as_ref().unwrap().get()).unwrap();
        assert_eq!(data, json!({"kind": "registry_lost", "retryable": true}), "{error}");
    }
}

/// Takes as long as it is given, and counts its calls.
#[derive(Clone, Default)]
struct Slow(Arc<AtomicU64>);

impl Provider for Slow {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [ToolDefinition::new("slow", json!({"type": "object"}))].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Outcome::from_future(async {
            tokio::time::sleep(Duration::from_mins(10)).await;
            ToolResult::text("done")
        })
    }
}

fn fault(answer: Result<ToolResult, ClientError>) -> Value {
    answer.unwrap().meta.unwrap()["io.toolwright.gateway/fault"].clone()
}

#[tokio::test]
async fn what_became_of_a_call_past_its_deadline_is_known_by_id() {
    let (bus, slow) = (Arc::new(MemoryBus::new()), Slow::default());
    let shared = Arc::clone(&bus) as Arc<dyn CallBus>;
    let stand = Stand::with(|registry| registry.shared_bus(shared).call_timeout(Duration::from_millis(500)));
    let run = stand.open(Some("acme"), "run-1").await;
    let tool = ToolDefinition::new("slow", json!({"type": "object"}));
    stand.store.register(&run, Entry::component("slow", "default", tool)).await.unwrap();
    let service = Server::new(()).provider(slow.clone()).build().unwrap();
    let worker = tokio::spawn(Worker::new(Arc::clone(&bus) as _, "default", service).run());
    let token = stand.token(&run, &["slow"]).await;
    stand.sees(&token, "slow").await;
    let client = stand.client(&token, Revision::NEWEST).await.unwrap();
    let fault = fault(client.call("slow", json!({})).await);
    assert_eq!((&fault["kind"], &fault["retryable"]), (&json!("timeout"), &json!(false)), "{fault}");
    let id = fault["call_id"].as_str().unwrap();
    let mut record = bus.record(id).await.unwrap();
    while !record.state.is_final() {
        record = bus.wait(id, record.version).await.unwrap();
    }
    // The worker was told, and has said how the call ended.
    assert!(matches!(record.state, CallState::Done { .. } | CallState::Failed { .. }), "{record:?}");
    assert_eq!(slow.0.load(Ordering::SeqCst), 1);
    worker.abort();
}
