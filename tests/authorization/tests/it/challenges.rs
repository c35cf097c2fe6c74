//! Challenges for callers without a valid token.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::HeaderName;
use serde_json::{Value, json};
use test_authorization::authorization_server::{AuthorizationServer, Mood};
use test_authorization::clock::TestClock;
use test_authorization::shop::{self, RESOURCE, protected, protection};
use test_http::client::{Call, Response};
use test_http::lab::Lab;
use toolwright::auth::{ApiKeys, JwtVerifier, Principal, Protection, Rejected, TokenSources, TokenVerifier};
use toolwright::{BoxFuture, HttpConfig};

const KEY: &str = "key-0123456789abcdefghijklmnop";

/// A shop that accepts one API key and names an authorization server, like one that accepts tokens.
fn lab() -> Lab {
    Lab::serve(shop::service(), HttpConfig::new().protect(named()))
}

fn named() -> Protection {
    protection(keys()).authorization_server("https://login.example").expect("an issuer")
}

fn keys() -> ApiKeys {
    ApiKeys::new().key("console", KEY, ["orders:read"]).expect("a good key")
}

fn list(lab: &Lab) -> Call {
    lab.modern("tools/list", &json!({}))
}

const METADATA: &str = r#"resource_metadata="https://shop.example/.well-known/oauth-protected-resource/mcp""#;

/// The challenge, and the error in the body.
fn challenge(mut response: Response) -> (String, String) {
    let challenge = response.header("www-authenticate").expect("a challenge").to_owned();
    let body = response.json();
    assert_eq!(body["error"]["code"], -32600, "{body}");
    (challenge, body["error"]["message"].as_str().expect("a message").to_owned())
}

#[test]
fn requests_without_a_token_get_a_challenge() {
    let lab = lab();
    let response = list(&lab).send();
    assert_eq!(response.status, 401);
    let (challenge, message) = challenge(response);
    let scope = r#"scope="orders:cancel orders:read orders:write""#;
    assert_eq!(challenge, format!("Bearer {scope}, {METADATA}"), "no error, since none was made");
    assert!(message.contains("Authorization: Bearer"), "{message}");
}

#[test]
fn rejected_tokens_are_reported_in_the_challenge() {
    let lab = lab();
    for token in ["", "made-up", &KEY[..29], &format!("{KEY}x"), "${KEY}", "a b"] {
        let response = list(&lab).header("Authorization", &format!("Bearer {token}")).send();
        assert_eq!(response.status, 401, "{token}");
        let (challenge, message) = challenge(response);
        assert!(challenge.starts_with(r#"Bearer error="invalid_token", error_description=""#), "{challenge}");
        assert!(challenge.ends_with(METADATA), "{challenge}");
        assert!(token.is_empty() || !(challenge.contains(token) || message.contains(token)), "{token}");
    }
    let other = list(&lab).header("Authorization", "Basic dTpw").send();
    assert_eq!(other.status, 401);
    assert!(!challenge(other).0.contains("error"), "another scheme is not a token");
}

#[test]
fn tokens_are_read_from_one_header_and_not_the_url() {
    let lab = lab();
    let bearer = format!("Bearer {KEY}");
    let twice = list(&lab).header("Authorization", &bearer).header("Authorization", &bearer).send();
    let in_query = lab.bare("POST", &format!("/mcp?access_token={KEY}")).header("Authorization", &bearer);
    let only_in_query = lab.bare("POST", &format!("/mcp?x=1&access_token={KEY}"));
    for response in [twice, in_query.send(), only_in_query.send()] {
        assert_eq!(response.status, 400);
        let (challenge, message) = challenge(response);
        assert!(challenge.contains(r#"error="invalid_request""#), "{challenge}");
        assert!(!challenge.contains(KEY) && !message.contains(KEY));
    }
    assert_eq!(list(&lab).header("Authorization", &bearer).send().status, 200);
    assert_eq!(list(&lab).header("authorization", &format!("bearer  {KEY}")).send().status, 200);
}

// As reported in BerriAI/litellm#34845, PrefectHQ/fastmcp#1867.
#[test]
fn both_spellings_of_the_path_give_the_same_answer() {
    let lab = lab();
    for (token, status) in [(None, 401), (Some(KEY), 200)] {
        let answers = ["/mcp", "/mcp/"].map(|path| {
            let mut call = lab.bare("POST", path).header("Content-Type", "application/json");
            for (name, value) in [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")] {
                call = call.header(name, value);
            }
            if let Some(token) = token {
                call = call.header("Authorization", &format!("Bearer {token}"));
            }
            let params = test_http::lab::with_meta(&json!({}));
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
            let mut response = call.body(&body).validate_as("2026-07-28", "tools/list").send();
            assert_eq!(response.status, status, "{path}");
            assert_eq!(response.header("location"), None);
            (response.header("www-authenticate").map(str::to_owned), response.text())
        });
        assert_eq!(answers[0], answers[1]);
    }
}

#[test]
fn every_method_of_the_endpoint_is_protected() {
    let lab = lab();
    for method in ["POST", "GET", "DELETE", "PUT", "OPTIONS", "PATCH"] {
        let response = lab.bare(method, "/mcp").header("Accept", "text/event-stream").send();
        assert_eq!(response.status, 401, "{method}");
    }
}

/// The token is checked after `Host` and `Origin`, and before the body is read.
#[test]
fn tokens_are_checked_before_bodies_and_after_hosts() {
    let lab = lab();
    let bearer = format!("Bearer {KEY}");
    let foreign = list(&lab).header("Authorization", &bearer).replace("Host", "evil.example").send();
    assert_eq!(foreign.status, 403);
    assert_eq!(foreign.header("www-authenticate"), None);
    let page = list(&lab).header("Authorization", &bearer).header("Origin", "https://evil.example").send();
    assert_eq!((page.status, page.header("www-authenticate")), (403, None));
    // A body that never comes: with a token the server would wait for it.
    let body_to_come = lab.post().header("Transfer-Encoding", "chunked").send();
    assert_eq!(body_to_come.status, 401);
    let wrong_type = lab.bare("POST", "/mcp").header("Content-Type", "text/plain").send();
    assert_eq!(wrong_type.status, 401);
}

#[test]
fn allowed_origins_pass_preflight_and_read_challenges() {
    let config = HttpConfig::new().allow_origin("https://app.example").protect(named());
    let lab = Lab::serve(shop::service(), config);
    let page = |call: Call| call.header("Origin", "https://app.example");
    assert_eq!(page(lab.bare("OPTIONS", "/mcp")).send().status, 204);
    let refused = page(list(&lab)).send();
    assert_eq!(refused.status, 401);
    assert_eq!(refused.header("access-control-allow-origin"), Some("https://app.example"));
    let exposed = refused.header("access-control-expose-headers").expect("exposed");
    assert!(exposed.contains("www-authenticate"), "{exposed}");
}

#[test]
fn an_api_key_can_have_a_header_of_its_own() {
    let protection = protection(keys()).key_header(HeaderName::from_static("x-api-key"));
    let lab = Lab::serve(shop::service(), HttpConfig::new().protect(protection));
    assert_eq!(list(&lab).header("X-Api-Key", KEY).send().status, 200);
    assert_eq!(list(&lab).header("Authorization", &format!("Bearer {KEY}")).send().status, 200);
    let both = list(&lab).header("X-Api-Key", KEY).header("Authorization", &format!("Bearer {KEY}"));
    assert_eq!(both.send().status, 400);
    let wrong = list(&lab).header("X-Api-Key", "made-up").send();
    assert_eq!(wrong.status, 401);
    let (challenge, _) = challenge(wrong);
    assert!(!challenge.contains("resource_metadata"), "no authorization server is named: {challenge}");
}

#[test]
fn required_scopes_are_requested_all_at_once() {
    let lab =
        Lab::serve(shop::service(), HttpConfig::new().protect(named().require(["mcp:use", "orders:read"])));
    let (start, _) = challenge(list(&lab).send());
    assert!(start.contains(r#"scope="mcp:use orders:read""#), "{start}");
    let response = list(&lab).header("Authorization", &format!("Bearer {KEY}")).send();
    assert_eq!(response.status, 403);
    let (challenge, message) = challenge(response);
    let expected = r#"Bearer error="insufficient_scope", scope="mcp:use orders:read""#;
    assert_eq!(challenge, format!("{expected}, {METADATA}"));
    assert!(message.contains("mcp:use"), "{message}");
}

/// A verifier that names its issuer, and whose tokens lack a scope.
struct Demanding;

impl TokenVerifier for Demanding {
    fn verify<'a>(&'a self, _token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(std::future::ready(Err(Rejected::lacks_scopes(["mcp:use"]))))
    }

    fn sources(&self) -> TokenSources {
        TokenSources::new(vec!["https://other.example".to_owned()], vec!["mcp:use".to_owned()])
    }
}

/// A verifier that can verify nothing now.
struct Away;

impl TokenVerifier for Away {
    fn verify<'a>(&'a self, _token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(std::future::ready(Err(Rejected::unavailable("away"))))
    }
}

#[test]
fn verifiers_name_their_issuers_and_missing_scopes() {
    for protection in [protection(Demanding).or(Away), protection(Away).or(Demanding).or(keys())] {
        let lab = Lab::serve(shop::service(), HttpConfig::new().protect(protection));
        let response = list(&lab).header("Authorization", "Bearer abc").send();
        assert_eq!(response.status, 403, "the token was recognized");
        let (challenge, message) = challenge(response);
        let expected = r#"Bearer error="insufficient_scope", scope="mcp:use""#;
        assert_eq!(challenge, format!("{expected}, {METADATA}"));
        assert!(message.contains("mcp:use"), "{message}");
        let metadata = lab.bare("GET", "/.well-known/oauth-protected-resource/mcp").send().text();
        let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
        assert_eq!(metadata["authorization_servers"], json!(["https://other.example"]));
        let scopes = json!(["mcp:use", "orders:cancel", "orders:read", "orders:write"]);
        assert_eq!(metadata["scopes_supported"], scopes);
    }
}

#[test]
fn requests_fail_if_the_authorization_server_is_down() {
    let server = AuthorizationServer::start();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hearing = Arc::clone(&heard);
    let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
    let protection = protection(verifier.clock(TestClock::default().reader()))
        .on_rejected(move |rejected| hearing.lock().expect("a list").push(rejected.clone()));
    let lab = Lab::serve(shop::service(), HttpConfig::new().protect(protection));
    server.set_mood(Mood::Gone);
    let token = server.sign(server.token());
    let mut response = list(&lab).header("Authorization", &format!("Bearer {token}")).send();
    assert_eq!((response.status, response.header("retry-after")), (503, Some("10")));
    assert_eq!(response.header("www-authenticate"), None, "another token would not help");
    assert_eq!(response.json()["error"]["code"], -32603);
    let expired = server.sign(server.token().claim("exp", 1));
    assert_eq!(list(&lab).header("Authorization", &format!("Bearer {expired}")).send().status, 401);
    let heard = heard.lock().expect("a list");
    let reasons: Vec<&str> = heard.iter().map(Rejected::reason).collect();
    assert_eq!(reasons, ["the keys of the issuer cannot be fetched", "the token has expired"]);
}

/// A custom verifier.
struct Stuck;

impl TokenVerifier for Stuck {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(async move {
            if token == "stuck" {
                std::future::pending::<()>().await;
            }
            Err(Rejected::invalid("a \"quoted\"\r\nreason with ümlauts\\"))
        })
    }
}

#[test]
fn requests_fail_if_a_verifier_never_returns() {
    let protection = protection(Stuck).check_timeout(Duration::from_millis(100));
    let lab = Lab::serve(shop::service(), HttpConfig::new().protect(protection));
    assert_eq!(list(&lab).header("Authorization", "Bearer stuck").send().status, 503);
}

#[test]
fn reasons_are_escaped_in_the_challenge() {
    let lab = Lab::serve(shop::service(), protected(Stuck));
    let (challenge, _) = challenge(list(&lab).header("Authorization", "Bearer x").send());
    assert!(challenge.contains(r#"error_description="a 'quoted'''reason with 'mlauts'""#), "{challenge}");
}

#[test]
fn verifiers_are_tried_in_turn() {
    let server = AuthorizationServer::start();
    let jwt = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
    let protection = protection(keys()).or(jwt.clock(TestClock::default().reader()));
    let lab = Lab::serve(shop::service(), HttpConfig::new().protect(protection));
    for (token, subject) in [(KEY.to_owned(), "console"), (server.sign(server.token()), "ada")] {
        let call = lab.call("whoami", &json!({})).header("Authorization", &format!("Bearer {token}"));
        let who: Value = call.send().json()["result"]["structuredContent"].take();
        assert_eq!(who["subject"], subject);
    }
    assert_eq!(list(&lab).header("Authorization", "Bearer made-up").send().status, 401);
}

#[test]
fn too_long_tokens_are_rejected_unread() {
    let lab = lab();
    let long = "a".repeat(Protection::MAX_TOKEN_BYTES + 1);
    assert_eq!(list(&lab).header("Authorization", &format!("Bearer {long}")).send().status, 401);
}
