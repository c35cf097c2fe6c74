//! Servers over HTTP that fail during calls: what the caller sees, and how often each call arrives.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use test_client::http::{Fixture, Reply, Request, legacy, modern};
use toolwright_client::config::{
    BoxFuture, HttpSpec, ServerSpec, Template, Token, TokenError, TokenProvider, Tokens,
};
use toolwright_client::{Client, ClientError};
use toolwright_core::result::ToolResult;
use toolwright_gateway::Gateway;
use toolwright_server::{Http, Service};

use crate::many::{front, gateway, spec};
use crate::shop::client;

/// How often each call has arrived, by its key.
#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<HashMap<u64, usize>>>);

impl Ledger {
    /// Records a call, and returns how often it has arrived so far.
    fn add(&self, request: &Request) -> usize {
        let key = request.json()["params"]["arguments"]["key"].as_u64().unwrap();
        let mut counts = self.0.lock().unwrap();
        let count = counts.entry(key).or_default();
        *count += 1;
        *count
    }

    fn counts(&self) -> Vec<usize> {
        let counts = self.0.lock().unwrap();
        let mut all: Vec<_> = counts.iter().collect();
        all.sort();
        all.into_iter().map(|(_, count)| *count).collect()
    }
}

/// A server with `charge`, and `look`, which is read-only. `call` responds to calls.
fn server(is_modern: bool, call: impl Fn(&Request, &mut Reply) + Send + Sync + 'static) -> Fixture {
    let tools = json!({"tools": [
        {"name": "charge", "inputSchema": {"type": "object"}},
        {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ]});
    Fixture::start(move |request, reply| match request.method().as_str() {
        "tools/list" => reply.result(request, &tools),
        "tools/call" => call(request, reply),
        _ if is_modern => modern(request, reply),
        _ => legacy(request, reply),
    })
}

fn done(request: &Request, reply: &mut Reply) {
    reply.result(request, &json!({"content": [{"type": "text", "text": "done"}]}));
}

async fn behind(fixture: &Fixture) -> Service {
    front(&gateway([spec("till", &fixture.url)]).await)
}

/// Makes ten calls at once.
async fn ten_calls(client: &Client, tool: &str) -> Vec<ToolResult> {
    let calls: Vec<_> = (0..10)
        .map(|key| {
            let (client, tool) = (client.clone(), format!("till__{tool}"));
            tokio::spawn(async move { client.call(tool, json!({"key": key})).await })
        })
        .collect();
    let mut results = Vec::new();
    for call in calls {
        let result: Result<ToolResult, ClientError> = call.await.unwrap();
        results.push(result.unwrap());
    }
    results
}

fn fault(result: &ToolResult) -> Value {
    assert!(result.is_error, "{result:?}");
    result.meta.as_ref().and_then(|meta| meta.get("io.toolwright.gateway/fault")).cloned().unwrap_or_default()
}

fn expect_fault(result: &ToolResult, kind: &str, is_retryable: bool) {
    assert_eq!(fault(result), json!({"kind": kind, "retryable": is_retryable}), "{result:?}");
}

#[tokio::test]
async fn callers_do_not_notice_a_lost_session() {
    let (sessions, ledger) = (Arc::new(AtomicUsize::new(0)), Ledger::default());
    let (opened, written) = (Arc::clone(&sessions), ledger.clone());
    let tools = json!({"tools": [{"name": "charge", "inputSchema": {"type": "object"}}]});
    let fixture = Fixture::start(move |request, reply| match request.method().as_str() {
        "initialize" => {
            let session = format!("s{}", opened.fetch_add(1, Ordering::SeqCst));
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "fixture", "version": "1"}});
            let body = json!({"jsonrpc": "2.0", "id": request.id(), "result": result}).to_string();
            reply.send(200, &[("Content-Type", "application/json"), ("Mcp-Session-Id", &session)], &body);
        }
        "tools/list" => reply.result(request, &tools),
        // The server has lost its first session (2025-11-25, basic/transports "Session Management").
        "tools/call" if request.header("mcp-session-id") == Some("s0") => reply.send(404, &[], "no session"),
        "tools/call" => {
            written.add(request);
            done(request, reply);
        }
        _ => legacy(request, reply),
    });
    let client = client(&behind(&fixture).await, Client::builder()).await;
    for result in ten_calls(&client, "charge").await {
        assert_eq!((result.is_error, result.as_text().as_str()), (false, "done"));
    }
    assert_eq!(ledger.counts(), [1; 10]);
    assert_eq!(sessions.load(Ordering::SeqCst), 2, "all calls share the new session");
}

#[tokio::test]
async fn a_call_whose_connection_is_cut_arrives_once() {
    for is_modern in [true, false] {
        let ledger = Ledger::default();
        let written = ledger.clone();
        let fixture = server(is_modern, move |request, reply| {
            written.add(request);
            reply.hang_up();
        });
        let client = client(&behind(&fixture).await, Client::builder()).await;
        let results = ten_calls(&client, "charge").await;
        let is_known = |result: &ToolResult| fault(result)["kind"] == "circuit_open";
        for result in results.iter().filter(|result| !is_known(result)) {
            expect_fault(result, "outcome_unknown", false);
        }
        assert!(results.iter().any(|result| !is_known(result)));
        assert!(ledger.counts().iter().all(|count| *count == 1), "{:?}", ledger.counts());
    }
}

#[tokio::test]
async fn a_read_only_call_is_sent_again_once() {
    for is_modern in [true, false] {
        let ledger = Ledger::default();
        let written = ledger.clone();
        let fixture = server(is_modern, move |request, reply| match written.add(request) {
            1 => reply.hang_up(),
            _ if request.json()["params"]["arguments"]["key"] == 7 => reply.hang_up(),
            _ => done(request, reply),
        });
        let client = client(&behind(&fixture).await, Client::builder()).await;
        let look = async |key: u64| client.call("till__look", json!({"key": key})).await.unwrap();
        assert_eq!(look(1).await.as_text(), "done");
        expect_fault(&look(7).await, "outcome_unknown", true);
        assert_eq!(ledger.counts(), [2, 2]);
    }
}

#[tokio::test]
async fn statuses_tell_whether_a_call_may_be_repeated() {
    for (status, kind, is_retryable) in [
        (500, "outcome_unknown", false),
        (502, "outcome_unknown", false),
        (503, "unavailable", true),
        (504, "timeout", false),
        (429, "unavailable", true),
        (401, "auth_required", false),
        (403, "auth_required", false),
    ] {
        let ledger = Ledger::default();
        let written = ledger.clone();
        let fixture = server(true, move |request, reply| {
            written.add(request);
            reply.send(status, &[], "no");
        });
        let client = client(&behind(&fixture).await, Client::builder()).await;
        let result = client.call("till__charge", json!({"key": 1})).await.unwrap();
        expect_fault(&result, kind, is_retryable);
        assert_eq!(ledger.counts(), [1], "{status}");
    }
}

/// Clients would read such results differently, or not at all (RFC 7493, sections 2.1 and 2.3).
#[tokio::test]
async fn results_that_clients_cannot_parse_are_faults_of_their_server() {
    const RESULTS: [(&str, &str); 4] = [
        (r#"{"content":[],"content":[]}"#, "its result has the duplicate member \"content\""),
        (
            r#"{"content":[{"type":"text","text":"\ud800"}]}"#,
            "its result is not JSON that every client can parse",
        ),
        (r#"{"content":[],"x":1e400}"#, "its result is not JSON that every client can parse"),
        ("[1]", "its result is not an object"),
    ];
    for is_modern in [true, false] {
        let fixture = server(is_modern, |request, reply| {
            let key = request.json()["params"]["arguments"]["key"].as_u64().unwrap();
            let (result, _) = RESULTS[usize::try_from(key).unwrap()];
            let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id());
            reply.send(200, &[("Content-Type", "application/json")], &body);
        });
        let client = client(&behind(&fixture).await, Client::builder()).await;
        for (key, (_, problem)) in RESULTS.iter().enumerate() {
            let result = client.call("till__charge", json!({"key": key})).await.unwrap();
            expect_fault(&result, "upstream_error", false);
            assert!(result.as_text().contains(problem), "{}", result.as_text());
        }
    }
}

/// Issues `token-1`, `token-2` and so on.
#[derive(Clone, Default)]
struct Issuer(Arc<AtomicUsize>);

impl TokenProvider for Issuer {
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        let number = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        Box::pin(async move { Ok(Token::new(format!("token-{number}"))) })
    }
}

/// A gateway over HTTP for a server that needs a token.
async fn with_token(fixture: &Fixture, issuer: &Issuer) -> Client {
    let mut http = HttpSpec::new(fixture.url.as_str());
    http.headers.set("Authorization", Template::bearer("till"));
    let tokens = Tokens::new().with("till", issuer.clone());
    let specs = [ServerSpec::new("till", http)];
    let gateway = Gateway::connect(specs, move |_| Client::builder().tokens(tokens.clone())).await.unwrap();
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let service = front(&gateway);
    tokio::spawn(async move { service.serve(http).await });
    Client::connect(url.as_str()).await.unwrap()
}

#[tokio::test]
async fn one_refresh_serves_all_calls_with_an_expired_token() {
    let (ledger, issuer) = (Ledger::default(), Issuer::default());
    let written = ledger.clone();
    let fixture = server(true, move |request, reply| {
        if request.header("authorization") == Some("Bearer token-1") {
            return reply.send(401, &[("WWW-Authenticate", "Bearer error=\"invalid_token\"")], "");
        }
        written.add(request);
        done(request, reply);
    });
    let client = with_token(&fixture, &issuer).await;
    for result in ten_calls(&client, "charge").await {
        assert_eq!((result.is_error, result.as_text().as_str()), (false, "done"));
    }
    assert_eq!(ledger.counts(), [1; 10]);
    assert_eq!(issuer.0.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_token_that_is_never_accepted_is_reported() {
    let issuer = Issuer::default();
    let fixture = server(true, |_, reply| reply.send(401, &[("WWW-Authenticate", "Bearer")], ""));
    let client = with_token(&fixture, &issuer).await;
    let result = client.call("till__charge", json!({"key": 1})).await.unwrap();
    expect_fault(&result, "auth_required", false);
    let text = result.as_text();
    assert!(text.contains("`till`") && !text.contains("token-"), "{text}");
    assert!(!text.contains(&fixture.url), "addresses are for operators: {text}");
}
