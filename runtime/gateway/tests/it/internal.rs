//! The internal API, as services use it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use toolwright_gateway::internal::{InternalApi, MAX_EVENT_WAITERS, Orgs, Right, ServiceKeys};
use toolwright_gateway::registry::{MemoryStore, Registry};
use toolwright_gateway::tokens::{KeyRing, SessionTokens};
use toolwright_gateway::{Controls, Gateway, Selection};

struct Api {
    address: String,
    tokens: Arc<SessionTokens>,
    folder: tempfile::TempDir,
}

impl Api {
    /// An API with three services: of one organization, of all, and one that may only read.
    async fn start() -> (Self, [String; 3]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("services.json");
        let all = [Right::Register, Right::Sessions, Right::Revoke, Right::Read];
        let key = |name: &str, orgs, rights: &[Right]| {
            ServiceKeys::add(&path, name, orgs, rights.iter().copied().collect()).unwrap()
        };
        let keys = [
            key("engine", Orgs::Only(Some("acme".to_owned())), &all),
            key("operator", Orgs::All, &[&all[..], &[Right::AllNodes]].concat()),
            key("viewer", Orgs::Only(None), &[Right::Read]),
        ];
        let tokens =
            Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), "http://gateway.example/mcp/gateway"));
        let registry = Registry::builder(MemoryStore::new()).start();
        let api = InternalApi::new(registry, Arc::clone(&tokens), ServiceKeys::open(&path).unwrap());
        let api = api.observing(Gateway::new(), Controls::new());
        let listener = InternalApi::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(api.serve(listener, std::future::pending()));
        (Self { address, tokens, folder }, keys)
    }

    async fn send(&self, verb: &str, path: &str, key: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send_raw(verb, path, &format!("Authorization: Bearer {key}\r\n"), &body).await
    }

    async fn send_raw(&self, verb: &str, path: &str, headers: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let head = format!(
            "{verb} {path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // A body that is too large is not read to its end.
        _ = stream.write_all(body.as_bytes()).await;
        let mut answer = Vec::new();
        _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }
}

fn component(node: &str) -> Value {
    json!({"run": "r", "node": node, "kind": "component", "pool": "p",
        "tool": {"name": node, "inputSchema": {"type": "object"}}})
}

#[tokio::test]
async fn a_run_is_opened_used_and_ended() {
    let (api, [engine, ..]) = Api::start().await;
    let (status, opened) = api.send("POST", "/internal/runs", &engine, &json!({"run": "r"})).await;
    assert_eq!((status, &opened["org"]), (200, &json!("acme")), "{opened}");
    let (status, _) = api.send("POST", "/internal/tools", &engine, &component("abuseipdb")).await;
    assert_eq!(status, 200);
    let mut remote = json!({"run": "r", "node": "files", "kind": "remote", "url": "http://127.0.0.1:9/mcp"});
    assert_eq!(api.send("POST", "/internal/tools", &engine, &remote).await.0, 200);
    remote["node"] = "shell".into();
    remote["kind"] = "local".into();
    remote["launcher"] = "bash".into();
    assert_eq!(api.send("POST", "/internal/tools", &engine, &remote).await.0, 200);

    let (_, report) = api.send("GET", "/internal/runs/r", &engine, &Value::Null).await;
    assert_eq!(
        report["nodes"][0],
        json!({"node": "abuseipdb", "kind": "component", "isReady": true, "tools": ["abuseipdb"]})
    );
    assert_eq!(report["nodes"][1]["isReady"], false, "{report}");
    assert!(report["nodes"][2]["problem"].as_str().unwrap().contains("no launcher `bash`"), "{report}");

    let session = json!({"run": "r", "node": "agent", "nodes": ["abuseipdb"]});
    let (status, session) = api.send("POST", "/internal/sessions", &engine, &session).await;
    assert_eq!(status, 200, "{session}");
    let claims = api.tokens.check(session["token"].as_str().unwrap()).unwrap();
    assert_eq!(claims.nodes, Selection::only(["abuseipdb"]));
    assert_eq!((claims.org.as_deref(), claims.sub.as_str()), (Some("acme"), "agent"));
    assert_eq!(session["expiresAt"], claims.exp);

    assert_eq!(api.send("DELETE", "/internal/runs/r/nodes/files", &engine, &Value::Null).await.0, 200);
    let revoked = api.send("POST", "/internal/revoke", &engine, &json!({"run": "r"})).await;
    assert_eq!(revoked.0, 204, "{revoked:?}");
    assert_eq!(api.send("DELETE", "/internal/runs/r", &engine, &Value::Null).await.0, 204);
    let (status, gone) = api.send("GET", "/internal/runs/r", &engine, &Value::Null).await;
    assert_eq!((status, &gone["error"]["kind"]), (404, &json!("registry_lost")), "{gone}");
}

#[tokio::test]
async fn a_gateway_that_shuts_down_lives_but_is_not_ready() {
    let draining = tokio_util::sync::CancellationToken::new();
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("services.json");
    ServiceKeys::add(&keys, "viewer", Orgs::All, [Right::Read].into()).unwrap();
    let tokens = Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), "http://gateway.example/mcp"));
    let registry = Registry::builder(MemoryStore::new()).start();
    let api = InternalApi::new(registry, Arc::clone(&tokens), ServiceKeys::open(&keys).unwrap());
    let listener = InternalApi::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(api.draining(draining.clone()).serve(listener, std::future::pending()));
    let api = Api { address, tokens, folder };
    let status = async |path: &str| api.send("GET", path, "", &Value::Null).await;
    assert_eq!(status("/internal/ready").await.0, 204);
    draining.cancel();
    let (code, body) = status("/internal/ready").await;
    assert_eq!((code, &body["error"]["kind"]), (503, &json!("draining")));
    assert_eq!(status("/internal/live").await.0, 204);
}

#[tokio::test]
async fn services_stay_within_their_organization_and_rights() {
    let (api, [engine, operator, viewer]) = Api::start().await;
    let run = |org: Value| json!({"run": "theirs", "org": org});
    assert_eq!(api.send("POST", "/internal/runs", &operator, &run(json!("evil"))).await.0, 200);
    assert_eq!(api.send("POST", "/internal/runs", &operator, &json!({"run": "x"})).await.0, 400);
    for (verb, path, body) in [
        ("POST", "/internal/runs", run(json!("evil"))),
        ("POST", "/internal/runs", run(Value::Null)),
        ("POST", "/internal/runs", json!({"run": "theirs"})),
        ("DELETE", "/internal/runs/theirs", json!({"org": "evil"})),
        ("DELETE", "/internal/runs/theirs", Value::Null),
        ("POST", "/internal/sessions", json!({"run": "theirs", "node": "a", "nodes": []})),
        ("POST", "/internal/revoke", json!({"run": "theirs"})),
        ("POST", "/internal/revoke", json!({"org": "evil"})),
    ] {
        let (status, answer) = api.send(verb, path, &engine, &body).await;
        assert_eq!(status, 403, "{verb} {path} {body}: {answer}");
    }
    assert_eq!(api.send("GET", "/internal/runs/theirs", &engine, &Value::Null).await.0, 404);
    // The organization is the key's, as in a header that someone adds.
    let header = format!("Authorization: Bearer {engine}\r\nX-Organization: evil\r\n");
    let (_, opened) = api.send_raw("POST", "/internal/runs", &header, r#"{"run":"mine"}"#).await;
    assert_eq!(opened["org"], "acme");

    let open = json!({"run": "r"});
    assert_eq!(api.send("POST", "/internal/runs", &viewer, &open).await.0, 403);
    for key in ["", "wrong", "twsk_", &engine[1..], "${KEY}"] {
        assert_eq!(api.send("POST", "/internal/runs", key, &open).await.0, 401, "{key}");
    }
    assert_eq!(api.send_raw("POST", "/internal/runs", "", "{}").await.0, 401);
    let text = std::fs::read_to_string(api.folder.path().join("services.json")).unwrap();
    assert!(!text.contains(&engine), "keys are not kept");
}

#[tokio::test]
async fn only_operators_get_tokens_for_all_nodes() {
    let (api, [engine, operator, _]) = Api::start().await;
    api.send("POST", "/internal/runs", &engine, &json!({"run": "r"})).await;
    let all = json!({"run": "r", "org": "acme", "node": "agent"});
    let (status, refused) = api.send("POST", "/internal/sessions", &engine, &all).await;
    assert_eq!(status, 400);
    assert!(refused["error"]["message"].as_str().unwrap().contains("no nodes are named"), "{refused}");
    let (status, session) = api.send("POST", "/internal/sessions", &operator, &all).await;
    assert_eq!(status, 200);
    let claims = api.tokens.check(session["token"].as_str().unwrap()).unwrap();
    assert_eq!(claims.to_scope().nodes, Selection::All);
}

#[tokio::test]
async fn wrong_requests_are_refused_with_the_reason() {
    let (api, [engine, ..]) = Api::start().await;
    api.send("POST", "/internal/runs", &engine, &json!({"run": "r"})).await;
    for (path, body, why) in [
        ("/internal/runs", json!({"run": ""}), "run's id"),
        ("/internal/runs", json!({"run": "a b"}), "run's id"),
        ("/internal/runs", json!({"run": "r", "ttl": 1}), "unknown field `ttl`"),
        ("/internal/runs", json!({"run": "r", "ttlSeconds": 0}), "ttlSeconds"),
        ("/internal/runs", json!([]), "cannot be read"),
        ("/internal/tools", json!({"run": "r", "node": "n", "kind": "magic"}), "magic"),
        ("/internal/sessions", json!({"run": "r", "node": "a", "node_ids": ["n"]}), "node_ids"),
        ("/internal/revoke", json!({}), "say what to revoke"),
    ] {
        let (status, answer) = api.send("POST", path, &engine, &body).await;
        assert_eq!(status, 400, "{path} {body}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(why), "{path} {body}: {message}");
    }
    let large = json!({"run": "x".repeat(2 << 20)});
    assert_eq!(api.send("POST", "/internal/runs", &engine, &large).await.0, 413);
    assert_eq!(api.send("GET", "/internal/nothing", &engine, &Value::Null).await.0, 404);
    assert_eq!(api.send("GET", "/internal/ready", "", &Value::Null).await.0, 204);
    let (_, jwks) = api.send("GET", "/internal/jwks.json", "", &Value::Null).await;
    assert_eq!(jwks["keys"][0]["crv"], "Ed25519");
    assert!(jwks["keys"][0].get("d").is_none());
}

#[tokio::test]
async fn operators_see_the_status_and_the_metrics() {
    let (api, [engine, operator, viewer]) = Api::start().await;
    for path in ["/internal/status", "/internal/metrics"] {
        // They say something of all organizations.
        for key in [&engine, &viewer] {
            assert_eq!(api.send("GET", path, key, &Value::Null).await.0, 403, "{path}");
        }
        assert_eq!(api.send("GET", path, "", &Value::Null).await.0, 401, "{path}");
    }
    let (_, status) = api.send("GET", "/internal/status", &operator, &Value::Null).await;
    assert_eq!(
        (&status["isReady"], &status["runs"], &status["servers"]),
        (&json!(true), &json!(0), &json!([]))
    );
    let mut stream = TcpStream::connect(&api.address).await.unwrap();
    let head = format!(
        "GET /internal/metrics HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {operator}\r\nConnection: close\r\n\r\n",
        api.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("content-type: text/plain; version=0.0.4"), "{answer}");
    assert!(answer.contains("\ntoolwright_gateway_store_up 1\n"), "{answer}");
}

#[tokio::test]
async fn services_see_what_happened_to_a_run() {
    let (api, [engine, operator, viewer]) = Api::start().await;
    let nothing = &Value::Null;
    api.send("POST", "/internal/runs", &engine, &json!({"run": "r"})).await;
    api.send("POST", "/internal/tools", &engine, &component("abuseipdb")).await;
    let session = json!({"run": "r", "node": "agent", "nodes": ["abuseipdb"]});
    let (_, session) = api.send("POST", "/internal/sessions", &engine, &session).await;
    let token = session["token"].as_str().unwrap();
    let (status, page) = api.send("GET", "/internal/events?run=r", &engine, nothing).await;
    assert_eq!((status, &page["isOpen"]), (200, &json!(true)), "{page}");
    let names: Vec<_> =
        page["events"].as_array().unwrap().iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["run.opened", "tool.registered", "session.created"]);
    assert_eq!(page["events"][1]["tool"], "abuseipdb");
    assert_eq!(page["events"][2]["token"], api.tokens.check(token).unwrap().jti);
    let (_, page) = api.send("GET", "/internal/events?run=r&after=1&limit=1", &engine, nothing).await;
    assert_eq!((page["events"].as_array().unwrap().len(), &page["events"][0]["sequence"]), (1, &json!(2)));

    // A key of all organizations names one, or asks for that of the open run.
    let (_, all) = api.send("GET", "/internal/events?run=r", &operator, nothing).await;
    assert_eq!(all["events"].as_array().unwrap().len(), 3);
    assert_eq!(api.send("DELETE", "/internal/runs/r", &engine, nothing).await.0, 204);
    for (key, query, status) in [
        (&operator, "run=r&org=acme", 200),
        (&operator, "run=r", 404),
        (&operator, "run=r&org=evil", 404),
        (&engine, "run=r&org=acme", 200),
        (&engine, "run=r&org=evil", 404),
        (&viewer, "run=r", 404),
        (&viewer, "run=r&org=acme", 404),
        (&engine, "", 400),
        (&engine, "run=r&after=-1", 400),
        (&engine, "run=r&limit=501", 400),
        (&engine, "run=r&limit=0", 400),
        (&engine, "run=r&wait=21", 400),
        (&engine, "run=r&since=1", 400),
    ] {
        let (got, page) = api.send("GET", &format!("/internal/events?{query}"), key, nothing).await;
        assert_eq!(got, status, "{query}: {page}");
    }
    assert_eq!(api.send_raw("GET", "/internal/events?run=r", "", "").await.0, 401);
    let (_, page) = api.send("GET", "/internal/events?run=r&after=3", &engine, nothing).await;
    assert_eq!((&page["events"][0]["event"], &page["isOpen"]), (&json!("run.ended"), &json!(false)));
}

#[tokio::test]
async fn a_request_waits_for_events_if_it_says_so() {
    let (api, [engine, ..]) = Api::start().await;
    api.send("POST", "/internal/runs", &engine, &json!({"run": "r"})).await;
    let nothing = &Value::Null;
    let wait = |seconds: u64| format!("/internal/events?run=r&after=1&wait={seconds}");
    let (_, page) = api.send("GET", &wait(1), &engine, nothing).await;
    assert_eq!(page, json!({"events": [], "isOpen": true}));

    let path = wait(20);
    let (waited, _) = tokio::join!(api.send("GET", &path, &engine, nothing), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        api.send("POST", "/internal/tools", &engine, &component("a")).await
    });
    assert_eq!(waited.1["events"][0]["event"], "tool.registered");

    // One too many gets its response soon, and those that wait are told of the end.
    let path = "/internal/events?run=r&after=2&wait=20";
    let begun = std::time::Instant::now();
    let (api, mut waiting) = (Arc::new(api), JoinSet::new());
    for _ in 0..MAX_EVENT_WAITERS {
        let (api, engine) = (Arc::clone(&api), engine.clone());
        waiting.spawn(async move { api.send("GET", path, &engine, &Value::Null).await });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (_, page) = api.send("GET", path, &engine, nothing).await;
    assert_eq!(page, json!({"events": [], "isOpen": true}));
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert!(waiting.try_join_next().is_none(), "the others wait");
    api.send("DELETE", "/internal/runs/r", &engine, nothing).await;
    let pages = waiting.join_all().await;
    assert!(pages.iter().all(|(_, page)| page["events"][0]["event"] == "run.ended"), "{pages:?}");
    assert!(begun.elapsed() < Duration::from_secs(18), "{:?}", begun.elapsed());
}
