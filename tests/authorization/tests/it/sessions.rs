//! Legacy clients at a protected endpoint: sessions belong to the principal that opened them.

use serde_json::{Value, json};
use test_authorization::authorization_server::AuthorizationServer;
use test_authorization::clock::TestClock;
use test_authorization::shop::{self, RESOURCE, protected};
use test_http::client::{Call, Response};
use test_http::lab::Lab;
use toolwright::auth::JwtVerifier;
use toolwright::{Prompt, Service};

const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

struct Fixture {
    server: AuthorizationServer,
    clock: TestClock,
    service: Service,
    lab: Lab,
}

impl Fixture {
    fn start() -> Self {
        let (server, clock) = (AuthorizationServer::start(), TestClock::default());
        let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
        let service = shop::service();
        let lab = Lab::serve(service.clone(), protected(verifier.clock(clock.reader())));
        Self { server, clock, service, lab }
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

    /// A stream of a session, and the id of its first event.
    fn stream(&self, session: &str, token: &str) -> (Response, String) {
        let mut stream = self.get(session, token).send();
        assert!(stream.is_events(), "{}", stream.status);
        let event = stream.event().expect("the start of the stream");
        let id = event.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
        (stream, id)
    }

    fn get(&self, session: &str, token: &str) -> Call {
        let get = self.lab.bare("GET", "/mcp").header("Accept", "text/event-stream");
        bearer(get, token).header("Mcp-Session-Id", session).validate_as("2025-11-25", "")
    }

    /// Offers a prompt to callers with a scope.
    fn offer(&self, name: &str, scope: &str) {
        let prompt = Prompt::new(name).scopes([scope]);
        self.service.add_prompt(prompt, async || "text").expect("a new name");
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
        let with = fixture.request(&session, &token, &list()).validate_as(revision, "tools/list").send();
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
            let response =
                fixture.request(&session, token, &list()).validate_as(revision, "tools/list").send();
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
    assert_eq!(list(&mine).validate_as("2025-11-25", "tools/list").send().status, 200);
}

#[test]
fn scopes_are_those_of_the_request_not_the_session() {
    let fixture = Fixture::start();
    let reader = fixture.token("ada", "orders:read");
    let writer = fixture.token("ada", "orders:write orders:cancel");
    let names = |session: &str, token: &str| {
        let mut response =
            fixture.request(session, token, &list()).validate_as("2025-06-18", "tools/list").send();
        let result = response.json()["result"].take();
        assert_eq!(result.get("cacheScope"), None, "legacy results have none");
        let tools = result["tools"].as_array().expect("a list").clone();
        tools.into_iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect::<Vec<_>>()
    };
    let session = fixture.open("2025-06-18", &reader);
    assert_eq!(names(&session, &reader), ["list_orders", "whoami"]);
    assert_eq!(names(&session, &writer), ["cancel_order", "whoami"]);

    let cancel = call("cancel_order", &json!({"region": "north"}));
    let done = fixture.request(&session, &writer, &cancel).validate_as("2025-06-18", "tools/call").send();
    assert_eq!(done.status, 200);
    let refused = fixture.request(&session, &reader, &cancel).validate_as("2025-06-18", "tools/call").send();
    assert_eq!(refused.status, 403);
    let challenge = refused.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains(r#"scope="orders:cancel orders:write""#), "{challenge}");
    assert_eq!(names(&session, &reader), ["list_orders", "whoami"], "the session goes on");
}

#[test]
fn scopes_apply_to_every_message_of_a_batch() {
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
fn client_credentials_tokens_are_accepted() {
    let fixture = Fixture::start();
    let token = fixture.server.issue(RESOURCE, "orders:read");
    let session = fixture.open("2025-11-25", &token);
    let mut who = fixture
        .request(&session, &token, &call("whoami", &json!({})))
        .validate_as("2025-11-25", "tools/call")
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

/// The methods of the messages on a stream until it ends.
fn rest(mut stream: Response) -> Vec<String> {
    let messages = std::iter::from_fn(|| stream.message());
    messages.filter_map(|message| Some(message["method"].as_str()?.to_owned())).collect()
}

const CHANGED: &str = "notifications/prompts/list_changed";

/// "Authorization MUST be included in every HTTP request from client to server, even if they are part of the same logical
/// session" (2025-11-25, basic/authorization "Token Requirements"), and "MCP Servers MUST NOT use sessions for
/// authentication" (the page "Security Best Practices", "Session Hijacking").
#[test]
fn a_stream_carries_what_the_token_of_its_get_may_see() {
    let mut fixture = Fixture::start();
    let strong = fixture.token("ada", "orders:read orders:write");
    let weak = fixture.token("ada", "orders:read");
    // A session of either token, and a stream of the other one.
    let session = fixture.open("2025-11-25", &strong);
    let (of_weak, _) = fixture.stream(&session, &weak);
    fixture.offer("hidden", "orders:write");
    let session = fixture.open("2025-11-25", &weak);
    let (of_strong, _) = fixture.stream(&session, &strong);
    fixture.offer("seen", "orders:write");
    fixture.lab.stop();
    assert_eq!(rest(of_weak), Vec::<String>::new());
    assert_eq!(rest(of_strong), [CHANGED]);
}

#[test]
fn a_stream_of_another_token_ends() {
    let mut fixture = Fixture::start();
    let strong = fixture.token("ada", "orders:read orders:write");
    let weak = fixture.token("ada", "orders:read");
    let session = fixture.open("2025-11-25", &strong);
    fixture.offer("waits for a stream", "orders:write");
    let (of_weak, _) = fixture.stream(&session, &weak);
    let (of_strong, _) = fixture.stream(&session, &strong);
    assert_eq!(rest(of_weak), Vec::<String>::new(), "it has ended, without what waited for a stronger token");
    fixture.offer("seen", "orders:write");
    fixture.lab.stop();
    assert_eq!(rest(of_strong), [CHANGED]);
}

/// A renewed token continues where the previous one was.
#[test]
fn what_waits_for_a_stream_waits_for_a_renewed_token() {
    let mut fixture = Fixture::start();
    let token = fixture.token("ada", "orders:write");
    let session = fixture.open("2025-11-25", &token);
    fixture.offer("new", "orders:write");
    fixture.clock.advance(60);
    let renewed =
        fixture.server.token().claim("sub", "ada").claim("jti", "2").scope("orders:write orders:read");
    let renewed = fixture.server.sign(renewed);
    let (stream, _) = fixture.stream(&session, &renewed);
    fixture.lab.stop();
    assert_eq!(rest(stream), [CHANGED]);
}

/// 2025-11-25, basic/transports "Resumability and Redelivery", with basic/authorization "Scope Challenge Handling".
#[test]
fn lost_streams_are_resumed_by_no_weaker_token() {
    let fixture = Fixture::start();
    let strong = fixture.token("ada", "orders:read orders:write");
    let weak = fixture.token("ada", "orders:read");
    let session = fixture.open("2025-11-25", &weak);
    let (lost, id) = fixture.stream(&session, &strong);
    drop(lost);
    let refused = fixture.get(&session, &weak).header("Last-Event-ID", &id).send();
    assert_eq!(refused.status, 403);
    let challenge = refused.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains("insufficient_scope"), "{challenge}");
    assert!(challenge.contains(r#"scope="orders:read orders:write""#), "{challenge}");
    for _ in 0..2 {
        let resumed = fixture.get(&session, &strong).header("Last-Event-ID", &id).send();
        assert!(resumed.is_events(), "{}", resumed.status);
    }
    let (_, id) = fixture.stream(&session, &weak);
    assert!(fixture.get(&session, &weak).header("Last-Event-ID", &id).send().is_events(), "its own");
}

/// The response to a POST is an event stream for a client that takes no JSON.
#[test]
fn lost_responses_are_resumed_by_no_weaker_token() {
    let fixture = Fixture::start();
    let strong = fixture.token("ada", "orders:read orders:write orders:cancel");
    let weak = fixture.token("ada", "orders:read");
    let session = fixture.open("2025-11-25", &weak);
    let who = call("whoami", &json!({}));
    let post = fixture.lab.bare("POST", "/mcp").header("Content-Type", "application/json");
    let post = bearer(post, &strong).header("Accept", "text/event-stream").header("Mcp-Session-Id", &session);
    let mut response = post.validate_as("2025-11-25", "tools/call").body(&who).send();
    assert!(response.is_events(), "{}", response.status);
    let event = response.event().expect("the start of the stream");
    let id = event.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
    drop(response);
    let resume = |token: &str| fixture.get(&session, token).header("Last-Event-ID", &id).send();
    assert_eq!(resume(&weak).status, 403);
    let mut resumed = resume(&strong);
    assert_eq!(resumed.message().expect("the answer")["id"], 2);
}

/// Calls run with the access of the stream's token.
#[test]
fn a_weaker_token_than_that_of_the_stream_posts_nothing() {
    let server = AuthorizationServer::start();
    let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
    let config = protected(verifier.clock(TestClock::default().reader()));
    let lab = Lab::run(shop::service(), |http| http.config(config).with_sse());
    let token = |scopes: &str| server.sign(server.token().claim("sub", "ada").scope(scopes));
    let (strong, weak) = (token("orders:read orders:write"), token("orders:read"));
    let mut opened = bearer(lab.bare("GET", "/sse").header("Accept", "text/event-stream"), &strong).send();
    let event = opened.event().expect("where to post");
    let address = event.rsplit("data: ").next().expect("an address").to_owned();
    let post = |token: &str| {
        let post = lab.bare("POST", &format!("/{address}")).header("Content-Type", "application/json");
        bearer(post, token).body(&list()).send()
    };
    let refused = post(&weak);
    assert_eq!(refused.status, 403);
    assert!(refused.header("www-authenticate").is_some_and(|value| value.contains("orders:write")));
    assert_eq!(post(&strong).status, 202);
}
