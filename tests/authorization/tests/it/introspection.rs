//! Tokens that the authorization server is asked about.

use serde_json::{Value, json};
use test_authorization::authorization_server::{AuthorizationServer, CLIENT, Mood};
use test_authorization::clock::{START, TestClock};
use test_authorization::shop::{self, RESOURCE};
use test_http::lab::Lab;
use toolwright::HttpConfig;
use toolwright::auth::{ApiKeys, Introspection, Principal, Protection, RejectedKind, TokenVerifier};

fn verifier(server: &AuthorizationServer, clock: &TestClock) -> Introspection {
    Introspection::new(&server.introspection_url(), RESOURCE)
        .expect("an address")
        .credentials(CLIENT.0, CLIENT.1)
        .clock(clock.reader())
}

/// The introspection response of a valid token.
fn good() -> Value {
    json!({
        "active": true, "sub": "ada", "client_id": "console", "aud": RESOURCE, "scope": "orders:read",
        "exp": START + 60, "tenant": "north",
    })
}

async fn check(verifier: &Introspection, token: &str) -> Result<Principal, (RejectedKind, String)> {
    verifier.verify(token).await.map_err(|rejected| {
        assert!(!rejected.reason().contains(token), "the token is in the reason");
        (rejected.kind(), rejected.reason().to_owned())
    })
}

#[tokio::test]
async fn an_active_token_identifies_the_caller() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    let token = server.opaque("a", good());
    let principal = check(&verifier, &token).await.expect("active");
    assert_eq!((principal.subject(), principal.client_id()), ("ada", Some("console")));
    assert_eq!(principal.scopes().collect::<Vec<_>>(), ["orders:read"]);
    assert_eq!(principal.claims::<Value>().expect("JSON")["tenant"], "north");
    let (kind, reason) = check(&verifier, "made-up").await.expect_err("inactive");
    assert_eq!((kind, reason.as_str()), (RejectedKind::Invalid, "the token is not active"));
}

#[tokio::test]
async fn introspection_responses_are_validated() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock).issuer("https://login.example");
    let with = |name: &str, value: Value| {
        let mut claims = good();
        claims[name] = value;
        claims
    };
    for (index, (claims, why)) in [
        (good(), None),
        (with("iss", json!("https://login.example")), None),
        (with("aud", json!(["https://other.example", RESOURCE])), None),
        (with("exp", json!(null)), Some("expired")),
        (with("exp", json!(START)), Some("expired")),
        (with("active", json!("true")), Some("not active")),
        (with("active", json!(1)), Some("not active")),
        (with("active", json!(null)), Some("not active")),
        (with("iss", json!("https://other.example")), Some("another issuer")),
        (with("aud", json!(format!("{RESOURCE}/"))), Some("another audience")),
        (with("aud", json!(null)), Some("another audience")),
        (json!({"active": true, "sub": "ada"}), Some("another audience")),
        (json!({"active": true, "aud": RESOURCE}), Some("neither `sub`")),
    ]
    .into_iter()
    .enumerate()
    {
        let token = server.opaque(&index.to_string(), claims.clone());
        match (why, check(&verifier, &token).await) {
            (None, Ok(principal)) => assert_eq!(principal.issuer(), Some("https://login.example")),
            (Some(why), Err((RejectedKind::Invalid, reason))) => {
                assert!(reason.contains(why), "{reason}: {claims}");
            }
            (why, said) => panic!("{why:?} was expected, not {said:?}: {claims}"),
        }
    }
}

#[tokio::test]
async fn an_audience_is_checked_if_present() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock).audience_checked_by_server();
    let unnamed = server.opaque("unnamed", json!({"active": true, "sub": "ada"}));
    assert!(check(&verifier, &unnamed).await.is_ok());
    let other = json!({"active": true, "sub": "ada", "aud": "https://other.example"});
    assert!(check(&verifier, &server.opaque("other", other)).await.is_err());
}

#[tokio::test]
async fn active_tokens_are_cached_until_they_expire_at_most() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    let token = server.opaque("a", good());
    for _ in 0..5 {
        assert!(check(&verifier, &token).await.is_ok());
    }
    assert_eq!(server.fetches("/introspect"), 1);
    server.revoke(&token);
    clock.advance(29);
    assert!(check(&verifier, &token).await.is_ok(), "kept for half a minute");
    clock.advance(1);
    assert!(check(&verifier, &token).await.is_err());
    assert_eq!(server.fetches("/introspect"), 2);

    let mut short = good();
    short["exp"] = json!(START + 30 + 10);
    let token = server.opaque("short", short);
    assert!(check(&verifier, &token).await.is_ok());
    clock.advance(10);
    assert!(check(&verifier, &token).await.is_err(), "the token has expired meanwhile");
}

#[tokio::test]
async fn invalid_answers_are_not_cached() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    let token = server.opaque("late", json!({"active": false}));
    assert!(check(&verifier, &token).await.is_err());
    server.opaque("late", good());
    assert!(check(&verifier, &token).await.is_ok());
}

#[tokio::test]
async fn the_cache_is_bounded_and_fake_tokens_evict_nothing() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock).max_cached(2);
    let tokens = ["a", "b", "c"].map(|name| server.opaque(name, good()));
    for token in &tokens {
        assert!(check(&verifier, token).await.is_ok());
    }
    for made_up in 0..10 {
        assert!(check(&verifier, &format!("made-up-{made_up}")).await.is_err());
    }
    let asked = server.fetches("/introspect");
    assert!(check(&verifier, &tokens[0]).await.is_ok() && check(&verifier, &tokens[1]).await.is_ok());
    assert_eq!(server.fetches("/introspect"), asked);
    assert!(check(&verifier, &tokens[2]).await.is_ok());
    assert_eq!(server.fetches("/introspect"), asked + 1, "there was no room for it");
    clock.advance(30);
    assert!(check(&verifier, &tokens[2]).await.is_ok() && check(&verifier, &tokens[2]).await.is_ok());
    assert_eq!(server.fetches("/introspect"), asked + 2, "there is when the others are old");
}

#[tokio::test]
async fn the_cache_is_bounded_in_bytes() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock).max_cached_bytes(10_000);
    let of_length = |length: usize| {
        let mut answer = good();
        answer["note"] = json!("x".repeat(length));
        answer
    };
    let is_kept = async |token: &str| {
        assert!(check(&verifier, token).await.is_ok());
        let asked = server.fetches("/introspect");
        assert!(check(&verifier, token).await.is_ok());
        server.fetches("/introspect") == asked
    };
    assert!(!is_kept(&server.opaque("huge", of_length(10_000))).await, "more than may be kept");
    for name in ["a", "b"] {
        assert!(is_kept(&server.opaque(name, of_length(4_000))).await, "{name}");
    }
    let late = server.opaque("late", of_length(4_000));
    assert!(!is_kept(&late).await, "there is no room for it");
    assert!(is_kept(&server.opaque("short", of_length(10))).await, "for a short one there is");
    clock.advance(30);
    assert!(is_kept(&late).await, "there is when the others are old");
}

#[tokio::test]
async fn requests_fail_without_an_introspection_answer() {
    let clock = TestClock::default();
    for mood in [Mood::Gone, Mood::Failing(500), Mood::Failing(401), Mood::Nonsense, Mood::Huge] {
        let server = AuthorizationServer::start();
        let token = server.opaque("a", good());
        server.set_mood(mood.clone());
        let verifier = verifier(&server, &clock);
        let (kind, _) = check(&verifier, &token).await.expect_err("no answer");
        assert_eq!(kind, RejectedKind::Unavailable, "{mood:?}");
    }
    let server = AuthorizationServer::start();
    let token = server.opaque("a", good());
    let stranger = verifier(&server, &clock).credentials("shop", "wrong");
    assert_eq!(check(&stranger, &token).await.expect_err("no answer").0, RejectedKind::Unavailable);
}

/// An API key that this server knows is not sent elsewhere, whatever the order of the verifiers.
#[test]
fn api_keys_are_not_sent_to_the_introspection_endpoint() {
    const KEY: &str = "tk_0123456789abcdefghijklmnop";
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let token = server.opaque("a", good());
    let keys = || ApiKeys::new().key("job", KEY, ["orders:read"]).expect("a good key");
    let protection = |first: Result<Protection, _>| first.expect("a resource identifier");
    for (asked, protection) in [
        (1, protection(Protection::new(RESOURCE, verifier(&server, &clock))).or(keys())),
        (2, protection(Protection::new(RESOURCE, keys())).or(verifier(&server, &clock))),
    ] {
        let lab = Lab::serve(shop::service(), HttpConfig::new().protect(protection));
        let status = |token: &str| {
            let call = lab.modern("tools/list", &json!({}));
            call.header("Authorization", &format!("Bearer {token}")).send().status
        };
        assert_eq!(status(KEY), 200);
        assert_eq!(server.fetches("/introspect"), asked - 1, "the key was sent");
        assert_eq!(status(&token), 200);
        assert_eq!(server.fetches("/introspect"), asked);
    }
}
