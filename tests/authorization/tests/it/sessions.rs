//! Legacy clients at a protected endpoint: sessions belong to the principal that opened them.

use serde_json::{Value, json};
use test_authorization::authorization_server::AuthorizationServer;
use test_authorization::clock::TestClock;
use test_authorization::shop::{self, RESOURCE, protected};
use test_http::client::Call;
use test_http::lab::Lab;
use toolwright::auth::JwtVerifier;

const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

struct Fixture {
    server: AuthorizationServer,
    clock: TestClock,
    lab: Lab,
}

impl Fixture {
    fn start() -> Self {
        let (server, clock) = (AuthorizationServer::start(), TestClock::default());
        let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
        let lab = Lab::serve(shop::service(), protected(verifier.clock(clock.reader())));
        Self { server, clock, lab }
    }

    fn token(&self, subject: &str, scopes: &str) -> String {
        self.server.sign(self.server.token().claim("sub", subject).scope(scopes))
    }

    /// Opens a session.
    fn open(&self, revision: &'static str, token: &str) -> String {
        let response = bearer(self.lab.initialize(revision), token).send();
        assert_eq!(response.status, 200, "{revision}");
        response.header("mcp-session-id").expect("a session").to_owned()
    }

    fn request(&self, session: &str, token: &str, body: &Value) -> Call {
        bearer(self.lab.post(), token).header("Mcp-Session-Id", session).body(body)
    }
}

fn bearer(call: Call, token: &str) -> Call {
    call.header("Authorization", &format!("Bearer {token}"))
}

fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
}

fn call(name: &str, arguments: &Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
}

#[test]
fn a_session_needs_a_token_with_every_request() {
    let fixture = Fixture::start();
    let token = fixture.token("ada", "orders:read");
    for revision in REVISIONS {
        assert_eq!(fixture.lab.initialize(revision).send().status, 401);
        let session = fixture.open(revision, &token);
        let without = fixture.lab.post().header("Mcp-Session-Id", &session).body(&list()).send();
        assert_eq!(without.status, 401);
        assert_eq!(without.header("mcp-session-id"), None);
        let with = fixture.request(&session, &token, &list()).judged(revision, "tools/list").send();
        assert_eq!(with.status, 200);
    }
    let session = fixture.open("2025-11-25", &token);
    fixture.clock.advance(3_630);
    assert_eq!(fixture.request(&session, &token, &list()).send().status, 401, "it has expired meanwhile");
}

#[test]
fn another_principals_session_does_not_exist() {
    let fixture = Fixture::start();
    let ada = fixture.token("ada", "orders:read");
    let eve = fixture.token("eve", "orders:read");
    for revision in REVISIONS {
        let session = fixture.open(revision, &ada);
        let mut stolen = fixture.request(&session, &eve, &list()).send();
        let mut unknown = fixture.request(&"0".repeat(48), &eve, &list()).send();
        assert_eq!((stolen.status, stolen.text()), (404, unknown.text()), "as if there were none");
        let get = fixture.lab.bare("GET", "/mcp").header("Accept", "text/event-stream");
        let delete = fixture.lab.bare("DELETE", "/mcp");
        for call in [get, delete] {
            assert_eq!(bearer(call, &eve).header("Mcp-Session-Id", &session).send().status, 404);
        }
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        assert_eq!(fixture.request(&session, &eve, &cancelled).send().status, 404);
        // It still works for the principal that opened it, also with a new token.
        let renewed = fixture.token("ada", "orders:read orders:write orders:cancel");
        for token in [&ada, &renewed] {
            let response = fixture.request(&session, token, &list()).judged(revision, "tools/list").send();
            assert_eq!(response.status, 200);
        }
        let delete = fixture.lab.bare("DELETE", "/mcp");
        assert_eq!(bearer(delete, &renewed).header("Mcp-Session-Id", &session).send().status, 200);
    }
}

/// The same subject of two issuers is two principals.
#[test]
fn sessions_tell_issuers_apart() {
    let (one, two) = (AuthorizationServer::start(), AuthorizationServer::start());
    let [first, second] = [&one, &two].map(|server| {
        let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
        verifier.clock(TestClock::default().reader())
    });
    let protection = shop::protection(first).or(second);
    let lab = Lab::serve(shop::service(), toolwright::HttpConfig::new().protect(protection));
    let [mine, other] = [&one, &two].map(|server| server.sign(server.token()));
    let opened = bearer(lab.initialize("2025-11-25"), &mine).send();
    let session = opened.header("mcp-session-id").expect("a session").to_owned();
    let list = |token: &str| bearer(lab.post(), token).header("Mcp-Session-Id", &session).body(&list());
    assert_eq!(list(&other).send().status, 404);
    assert_eq!(list(&mine).judged("2025-11-25", "tools/list").send().status, 200);
}

#[test]
fn scopes_are_those_of_the_request_and_not_of_the_session() {
    let fixture = Fixture::start();
    let reader = fixture.token("ada", "orders:read");
    let writer = fixture.token("ada", "orders:write orders:cancel");
    let names = |session: &str, token: &str| {
        let mut response = fixture.request(session, token, &list()).judged("2025-06-18", "tools/list").send();
        let result = response.json()["result"].take();
        assert_eq!(result.get("cacheScope"), None, "legacy results have none");
        let tools = result["tools"].as_array().expect("a list").clone();
        tools.into_iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect::<Vec<_>>()
    };
    let session = fixture.open("2025-06-18", &reader);
    assert_eq!(names(&session, &reader), ["list_orders", "whoami"]);
    assert_eq!(names(&session, &writer), ["cancel_order", "whoami"]);

    let cancel = call("cancel_order", &json!({"region": "north"}));
    let done = fixture.request(&session, &writer, &cancel).judged("2025-06-18", "tools/call").send();
    assert_eq!(done.status, 200);
    let refused = fixture.request(&session, &reader, &cancel).judged("2025-06-18", "tools/call").send();
    assert_eq!(refused.status, 403);
    let challenge = refused.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains(r#"scope="orders:cancel orders:write""#), "{challenge}");
    assert_eq!(names(&session, &reader), ["list_orders", "whoami"], "the session goes on");
}

#[test]
fn every_message_of_a_batch_obeys_the_rule() {
    let fixture = Fixture::start();
    let reader = fixture.token("ada", "orders:read");
    let session = fixture.open("2025-03-26", &reader);
    let mut refused = call("cancel_order", &json!({"region": "north"}));
    refused["id"] = json!(3);
    let batch = json!([list(), call("list_orders", &json!({})), refused]);
    let mut response = fixture.request(&session, &reader, &batch).send();
    assert_eq!(response.status, 200);
    let answers = response.json();
    let of = |id: i32| {
        let answers = answers.as_array().expect("a batch");
        answers.iter().find(|answer| answer["id"] == id).expect("an answer")
    };
    assert_eq!(of(1)["result"]["tools"].as_array().map(Vec::len), Some(2));
    assert_eq!(of(2)["result"]["content"][0]["text"], "order 1");
    let message = of(3)["error"]["message"].as_str().expect("an error");
    assert!(message.contains("orders:write orders:cancel"), "{message}");
}

#[test]
fn a_token_for_a_program_opens_the_door() {
    let fixture = Fixture::start();
    let token = fixture.server.issue(RESOURCE, "orders:read");
    let session = fixture.open("2025-11-25", &token);
    let mut who = fixture
        .request(&session, &token, &call("whoami", &json!({})))
        .judged("2025-11-25", "tools/call")
        .send();
    assert_eq!(who.json()["result"]["structuredContent"]["result"]["subject"], "shop & co");
    let elsewhere = fixture.server.issue("https://other.example", "orders:read");
    assert_eq!(bearer(fixture.lab.initialize("2025-11-25"), &elsewhere).send().status, 401);
}

/// HTTP+SSE has a stream where later revisions have a session; it belongs to its opener in the same way.
#[test]
fn another_principals_stream_does_not_exist() {
    let server = AuthorizationServer::start();
    let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
    let config = protected(verifier.clock(TestClock::default().reader()));
    let lab = Lab::run(shop::service(), |http| http.config(config).with_sse());
    let [ada, eve] = ["ada", "eve"].map(|subject| server.sign(server.token().claim("sub", subject)));
    let stream = || lab.bare("GET", "/sse").header("Accept", "text/event-stream");
    assert_eq!(stream().send().status, 401);
    let mut opened = bearer(stream(), &ada).send();
    let event = opened.event().expect("where to post");
    let address = event.rsplit("data: ").next().expect("an address").to_owned();
    let post =
        || lab.bare("POST", &format!("/{address}")).header("Content-Type", "application/json").body(&list());
    assert_eq!(post().send().status, 401);
    assert_eq!(bearer(post(), &eve).send().status, 404);
    assert_eq!(bearer(post(), &ada).send().status, 202);
}
