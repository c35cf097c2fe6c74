//! A policy, the audit and the counts, in front of a server of either era.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_client::{Client, ClientBuilder, Elicitation, ElicitationResponse};
use toolwright_core::protocol::Revision;
use toolwright_gateway::audit::{AuditRecord, AuditSink};
use toolwright_gateway::policy::Policy;
use toolwright_gateway::{Controlled, Controls, Proxy};
use toolwright_server::{Server, Service};

use crate::shop::{Shop, client, until};

/// What was recorded.
#[derive(Clone, Default)]
struct Records(Arc<Mutex<Vec<Value>>>);

impl AuditSink for Records {
    fn record(&self, record: &AuditRecord) {
        self.0.lock().unwrap().push(serde_json::to_value(record).unwrap());
    }
}

impl Records {
    fn all(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }

    fn last(&self) -> Value {
        self.all().last().unwrap().clone()
    }
}

struct Stand {
    shop: Shop,
    service: Service,
    controls: Controls,
    records: Records,
}

impl Stand {
    async fn new(rules: &str, behind: Revision) -> Self {
        let shop = Shop::default();
        let upstream =
            client(&shop.service(), Client::builder().revision(behind).relay_input_requests()).await;
        let (controls, records) = (Controls::new(), Records::default());
        controls.set_audit(Arc::new(records.clone()));
        controls.set_configuration("first");
        controls.set_policy(policy(rules));
        let proxy = Controlled::new(Proxy::new(upstream).await.unwrap(), &controls);
        let service = Server::new(()).provider(proxy).build().unwrap();
        Self { shop, service, controls, records }
    }

    async fn client(&self, builder: ClientBuilder) -> Client {
        client(&self.service, builder).await
    }
}

fn policy(rules: &str) -> Policy {
    Policy::parse(&format!(r#"{{"rules":[{rules}]}}"#)).unwrap()
}

fn kind_of(result: &toolwright_core::result::ToolResult) -> Value {
    let fault = result.meta.as_ref().and_then(|meta| meta.get("io.toolwright.gateway/fault"));
    fault.map(|fault| fault["kind"].clone()).unwrap_or_default()
}

/// Runs a test for each revision in front and behind.
async fn everywhere(test: impl AsyncFn(Revision, Revision)) {
    for behind in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        for before in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
            let test = tokio::time::timeout(Duration::from_secs(20), test(before, behind));
            test.await.unwrap_or_else(|_| panic!("{before} in front of {behind} hangs"));
        }
    }
}

#[tokio::test]
async fn every_call_is_recorded_with_its_outcome() {
    everywhere(async |before, behind| {
        let stand = Stand::new("", behind).await;
        let client = stand.client(Client::builder().revision(before)).await;
        client.call("echo", json!({"password": "s3cret-canary"})).await.unwrap();
        let echo = stand.records.last();
        assert_eq!((&echo["method"], &echo["target"]), (&json!("tools/call"), &json!("echo")));
        assert_eq!((&echo["outcome"], &echo["configuration"]), (&json!("ok"), &json!("first")), "{echo}");
        assert_eq!(echo["argumentBytes"], 28);
        assert!(echo["arguments"].as_str().unwrap().starts_with("sha256:"), "{echo}");
        for (tool, outcome) in [("fail", "tool_error"), ("refuse", "error")] {
            _ = client.call(tool, ()).await;
            assert_eq!(stand.records.last()["outcome"], outcome, "{tool}");
        }
        assert_eq!(stand.records.last()["code"], -31999);
        client.get_prompt("greet", json!({"name": "Ada"})).await.unwrap();
        assert_eq!(stand.records.last()["method"], "prompts/get");
        client.read_resource("shop://menu").await.unwrap();
        assert_eq!(stand.records.last()["target"], "shop://menu");
        let call = client.call("slow", json!({"ms": 60_000})).into_future();
        assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
        until("the cancelled call is recorded", || stand.records.last()["outcome"] == "cancelled").await;
        // As in punkpeye/mcp-remote#268: neither arguments nor results are written.
        let all = format!("{:?}", stand.records.all());
        assert!(!all.contains("s3cret") && !all.contains("sold out") && !all.contains("soup"), "{all}");
    })
    .await;
}

#[tokio::test]
async fn limits_of_a_policy_refuse_calls_with_a_reason() {
    let rules = r#"{"tools":["echo"],"callsPerMinute":2},
        {"tools":["slow"],"concurrency":1},
        {"tools":["trace"],"maxArgumentBytes":20},
        {"tools":["odd"],"maxResultBytes":20},
        {"tools":["fail"],"approval":"refuse"}"#;
    everywhere(async |before, behind| {
        let stand = Stand::new(rules, behind).await;
        let client = stand.client(Client::builder().revision(before)).await;
        for expected in [Value::Null, Value::Null, json!("rate_limited")] {
            let result = client.call("echo", json!({})).await.unwrap();
            assert_eq!((kind_of(&result), result.is_error), (expected.clone(), expected != Value::Null));
        }
        let refused = stand.records.last();
        assert_eq!((&refused["outcome"], &refused["kind"]), (&json!("refused"), &json!("rate_limited")));
        assert!(refused["policy"].as_str().unwrap().starts_with("sha256:"), "{refused}");

        let other = stand.client(Client::builder().revision(before)).await;
        let slow = tokio::spawn(async move { other.call("slow", json!({"ms": 60_000})).await });
        let running = || stand.controls.metrics().to_text(&[]).contains("_requests_running 1\n");
        until("the call runs", running).await;
        assert_eq!(kind_of(&client.call("slow", json!({"ms": 0})).await.unwrap()), "overloaded");
        slow.abort();
        until("the call ends", || stand.shop.cancelled() == 1).await;

        let long = client.call("trace", json!({"a": "x".repeat(30)})).await.unwrap();
        assert_eq!(kind_of(&long), "too_large");
        assert_eq!(kind_of(&client.call("odd", ()).await.unwrap()), "result_too_large");
        assert_eq!(kind_of(&client.call("fail", ()).await.unwrap()), "refused");

        // A policy is exchanged while the gateway runs.
        stand.controls.set_policy(policy(""));
        assert_eq!(client.call("fail", ()).await.unwrap().as_text(), "sold out");
        assert_eq!(stand.records.last().get("policy"), None);
    })
    .await;
}

/// A client whose user answers every question to allow a call like this, and others with a colour.
fn user(revision: Revision, allow: bool, asked: &Arc<AtomicUsize>) -> ClientBuilder {
    let asked = Arc::clone(asked);
    Client::builder().revision(revision).on_elicitation(move |question| {
        let Elicitation::Form { message, .. } = question else { panic!("a form") };
        let answer = if message.starts_with("May the agent call `") {
            asked.fetch_add(1, Ordering::SeqCst);
            assert!(message.contains("with these arguments?"), "{message}");
            json!({"allow": allow})
        } else {
            json!({"colour": "blue"})
        };
        std::future::ready(ElicitationResponse::Accept(answer.as_object().unwrap().clone()))
    })
}

#[tokio::test]
async fn a_user_is_asked_before_a_call_is_made() {
    everywhere(async |before, behind| {
        let stand = Stand::new(r#"{"approval":"ask"}"#, behind).await;
        let asked = Arc::new(AtomicUsize::new(0));
        let client = stand.client(user(before, true, &asked)).await;
        let result = client.call("echo", json!({"a": 1})).await.unwrap();
        assert_eq!((result.as_text().as_str(), asked.load(Ordering::SeqCst)), (r#"{"a":1}"#, 1));
        // The tool asks something itself afterwards.
        let result = client.call("ask", ()).await.unwrap();
        assert_eq!((result.as_text().as_str(), asked.load(Ordering::SeqCst)), (r#""blue""#, 2), "{result:?}");

        let client = stand.client(user(before, false, &asked)).await;
        let result = client.call("echo", json!({"a": 1})).await.unwrap();
        assert!(result.is_error && kind_of(&result) == "declined", "{result:?}");
        assert_eq!(stand.records.last()["kind"], "declined");

        let client = stand.client(Client::builder().revision(before)).await;
        let result = client.call("echo", json!({"a": 1})).await.unwrap();
        assert!(result.is_error && kind_of(&result) == "approval_required", "{result:?}");
        let made = stand.records.all().iter().filter(|record| record["outcome"] == "ok").count();
        assert_eq!(made, 2);
    })
    .await;
}

#[tokio::test]
async fn requests_are_counted_for_prometheus() {
    let stand = Stand::new(r#"{"tools":["fail"],"approval":"refuse"}"#, Revision::NEWEST).await;
    let client = stand.client(Client::builder()).await;
    for tool in ["echo", "echo", "fail"] {
        client.call(tool, json!({})).await.unwrap();
    }
    let text = stand.controls.metrics().to_text(&[]);
    for (outcome, count) in [("ok", 2), ("refused", 1)] {
        let line = format!(r#"_count{{method="tools/call",server="",outcome="{outcome}"}} {count}"#);
        assert!(text.contains(&line), "{line}\n{text}");
    }
}

#[tokio::test]
async fn the_circuit_opens_for_a_server_that_hangs() {
    use toolwright_client::config::{HttpSpec, ServerSpec};

    let http = toolwright_server::Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let behind = Shop::default().service();
    tokio::spawn(async move { behind.serve(http).await });
    let mut spec = ServerSpec::new("shop", HttpSpec::new(url.as_str()));
    spec.request_timeout = Duration::from_millis(150);
    let proxy = Proxy::connect(spec).await.unwrap();
    let service = Server::new(()).provider(proxy).build().unwrap();
    let client = client(&service, Client::builder()).await;
    let slow = json!({"ms": 60_000});
    let all = tokio::join!(
        client.call("slow", slow.clone()).into_future(),
        client.call("slow", slow.clone()).into_future(),
        client.call("slow", slow.clone()).into_future(),
        client.call("slow", slow.clone()).into_future(),
        client.call("slow", slow.clone()).into_future(),
    );
    for result in [all.0, all.1, all.2, all.3, all.4] {
        assert_eq!(kind_of(&result.unwrap()), "timeout");
    }
    let refused = client.call("echo", json!({})).await.unwrap();
    assert_eq!(kind_of(&refused), "circuit_open", "{refused:?}");
    assert!(client.get_prompt("greet", json!({"name": "Ada"})).await.is_err());
    assert!(!client.list_tools().await.unwrap().is_empty(), "its lists stay");
}

#[tokio::test]
async fn what_is_forwarded_has_the_trace_that_is_set() {
    let stand = Stand::new("", Revision::NEWEST).await;
    let client = stand.client(Client::builder()).await;
    let trace = async || {
        let call = client.call("trace", ()).meta("traceparent", &json!("00-1-2-01"));
        call.await.unwrap().as_text()
    };
    assert_eq!(trace().await, r#""00-1-2-01""#, "it is that of the caller by default");
    stand.controls.set_forwarded_meta(|members| {
        let of_caller = members.insert("traceparent".to_owned(), json!("00-1-3-01"));
        assert_eq!(of_caller, Some(json!("00-1-2-01")));
    });
    assert_eq!(trace().await, r#""00-1-3-01""#);
    stand.controls.set_forwarded_meta(|_| panic!("the first one stays"));
    assert_eq!(trace().await, r#""00-1-3-01""#);
}
