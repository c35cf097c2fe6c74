//! When and how the keys of an issuer are fetched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use test_authorization::authorization_server::{AuthorizationServer, Mood};
use test_authorization::clock::TestClock;
use test_authorization::shop::RESOURCE;
use toolwright::auth::{JwtVerifier, RejectedKind, TokenVerifier};

/// How a check ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Good,
    Refused,
    Unavailable,
}
use End::{Good, Refused, Unavailable};

async fn check(verifier: &JwtVerifier, token: &str) -> End {
    match verifier.verify(token).await {
        Ok(_) => Good,
        Err(rejected) if rejected.kind() == RejectedKind::Unavailable => Unavailable,
        Err(_) => Refused,
    }
}

fn verifier(server: &AuthorizationServer, clock: &TestClock) -> JwtVerifier {
    JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer").clock(clock.reader())
}

const METADATA: &str = "/.well-known/oauth-authorization-server";

#[tokio::test]
async fn keys_are_discovered_once_through_metadata() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    assert_eq!(server.fetches(METADATA), 0, "nothing is fetched before a token comes");
    for _ in 0..3 {
        assert_eq!(check(&verifier, &server.sign(server.token())).await, Good);
    }
    assert_eq!((server.fetches(METADATA), server.fetches("/keys")), (1, 1));
}

#[tokio::test]
async fn metadata_is_found_at_any_well_known_url() {
    for (path, place) in [
        ("/tenant", "/.well-known/oauth-authorization-server/tenant"),
        ("/tenant", "/.well-known/openid-configuration/tenant"),
        ("/tenant", "/tenant/.well-known/openid-configuration"),
        ("", "/.well-known/openid-configuration"),
    ] {
        let server = AuthorizationServer::start_at(path);
        server.metadata_at(place);
        let verifier = verifier(&server, &TestClock::default());
        assert_eq!(check(&verifier, &server.sign(server.token())).await, Good, "{place}");
    }
}

#[tokio::test]
async fn metadata_of_another_issuer_is_not_used() {
    let server = AuthorizationServer::start();
    server.call_itself(&format!("{}/", server.issuer()));
    let verifier = verifier(&server, &TestClock::default());
    assert_eq!(check(&verifier, &server.sign(server.token())).await, Unavailable);
    assert_eq!(server.fetches("/keys"), 0);
}

#[tokio::test]
async fn the_url_of_the_keys_can_be_configured() {
    let server = AuthorizationServer::start();
    let verifier = verifier(&server, &TestClock::default()).jwks_url(&server.jwks_url()).expect("an address");
    assert_eq!(check(&verifier, &server.sign(server.token())).await, Good);
    assert_eq!((server.fetches(METADATA), server.fetches("/keys")), (0, 1));
}

#[tokio::test]
async fn rotated_keys_are_found_and_withdrawn_ones_rejected() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    let old = server.sign(server.token().claim("exp", 1_900_000_000_u64));
    assert_eq!(check(&verifier, &old).await, Good);
    server.rotate("second");
    assert_eq!(check(&verifier, &old).await, Good, "until the keys are fetched again");
    clock.advance(30);
    let new = server.sign(server.token());
    assert_eq!(check(&verifier, &new).await, Good);
    assert_eq!(server.fetches("/keys"), 2);
    assert_eq!(check(&verifier, &old).await, Refused);

    // Without a token with an unknown key, keys are refreshed in the background after an hour.
    let second = server.sign(server.token().claim("exp", 1_900_000_000_u64));
    server.rotate("third");
    clock.advance(3_600);
    assert_eq!(check(&verifier, &second).await, Good, "until the keys are fetched again");
    eventually(|| server.fetches("/keys") == 3).await;
    let start = Instant::now();
    while check(&verifier, &second).await == Good {
        assert!(start.elapsed() < Duration::from_secs(5), "the withdrawn key is still taken");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn unknown_keys_cause_at_most_one_fetch_per_interval() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    assert_eq!(check(&verifier, &server.sign(server.token())).await, Good);
    let unknown = |name: &str| server.sign(server.token().header("kid", name));
    for attempt in 0..50 {
        assert_eq!(check(&verifier, &unknown(&format!("made-up-{attempt}"))).await, Refused);
    }
    assert_eq!(server.fetches("/keys"), 1, "the first fetch was not long ago");
    for _ in 0..3 {
        clock.advance(30);
        for attempt in 0..50 {
            assert_eq!(check(&verifier, &unknown(&format!("made-up-{attempt}"))).await, Refused);
        }
    }
    assert_eq!(server.fetches("/keys"), 4);
    assert_eq!(check(&verifier, &server.sign(server.token())).await, Good);
}

#[tokio::test]
async fn otherwise_invalid_tokens_cause_no_fetch() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    for token in [
        server.token().claim("iss", "https://other.example"),
        server.token().claim("aud", "https://other.example"),
        server.token().claim("exp", 1),
        server.token().header("alg", "HS256"),
    ] {
        assert_eq!(check(&verifier, &server.sign(token)).await, Refused);
    }
    assert_eq!(server.fetches(METADATA), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_requests_share_one_fetch() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    server.set_mood(Mood::Slow(Duration::from_millis(200)));
    let verifier = Arc::new(verifier(&server, &clock));
    let mut checks = Vec::new();
    for _ in 0..50 {
        let (verifier, token) = (Arc::clone(&verifier), server.sign(server.token()));
        checks.push(tokio::spawn(async move { check(&verifier, &token).await }));
    }
    for ended in checks {
        assert_eq!(ended.await.expect("no panic"), Good);
    }
    assert_eq!((server.fetches(METADATA), server.fetches("/keys")), (1, 1));
}

#[tokio::test]
async fn a_disconnected_caller_does_not_cancel_the_fetch() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    server.set_mood(Mood::Slow(Duration::from_millis(100)));
    let verifier = verifier(&server, &clock);
    let token = server.sign(server.token());
    let left = tokio::time::timeout(Duration::from_millis(20), verifier.verify(&token)).await;
    assert!(left.is_err(), "the caller has left");
    assert_eq!(check(&verifier, &token).await, Good);
    assert_eq!(server.fetches("/keys"), 1);
}

#[tokio::test]
async fn requests_fail_without_keys() {
    for mood in [
        Mood::Gone,
        Mood::Failing(500),
        Mood::Failing(404),
        Mood::Failing(403),
        Mood::Nonsense,
        Mood::Huge,
        Mood::Redirecting("http://127.0.0.1:9/keys".to_owned()),
    ] {
        let (server, clock) = (AuthorizationServer::start(), TestClock::default());
        server.set_mood(mood.clone());
        let verifier = verifier(&server, &clock);
        let token = server.sign(server.token());
        assert_eq!(check(&verifier, &token).await, Unavailable, "{mood:?}");
        server.set_mood(Mood::Well);
        assert_eq!(check(&verifier, &token).await, Unavailable, "{mood:?}: not tried again at once");
        clock.advance(30);
        assert_eq!(check(&verifier, &token).await, Good, "{mood:?}: it is well again");
    }
}

#[tokio::test]
async fn known_keys_survive_an_outage_of_the_issuer_for_a_day() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    let lasting = || server.sign(server.token().claim("exp", 1_900_000_000_u64));
    assert_eq!(check(&verifier, &lasting()).await, Good);
    server.set_mood(Mood::Gone);
    for hours in 1..24 {
        clock.advance(3_600);
        assert_eq!(check(&verifier, &lasting()).await, Good, "after {hours} hours");
        // The refresh in the background.
        let keys = server.fetches(METADATA);
        eventually(|| server.fetches(METADATA) >= keys).await;
    }
    let rotated = server.sign(server.token().header("kid", "new").claim("exp", 1_900_000_000_u64));
    clock.advance(1_800);
    assert_eq!(check(&verifier, &rotated).await, Unavailable, "its key may be one that cannot be fetched");
    clock.advance(1_800);
    assert_eq!(check(&verifier, &lasting()).await, Unavailable);
}

#[tokio::test]
async fn requests_to_a_slow_issuer_time_out() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    server.set_mood(Mood::Slow(Duration::from_secs(30)));
    let verifier = verifier(&server, &clock);
    let start = Instant::now();
    assert_eq!(check(&verifier, &server.sign(server.token())).await, Unavailable);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[tokio::test]
async fn unusable_keys_do_not_affect_the_others() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let sign = server.jwks()["keys"][0].clone();
    let mut encryption = sign.clone();
    encryption["use"] = json!("enc");
    server.add_keys([
        json!("no key"),
        json!({"kty": "oct", "kid": "ES256", "k": "c2VjcmV0"}),
        json!({"kty": "EC", "crv": "P-521", "kid": "ES256", "x": "AA", "y": "AA"}),
        json!({"kty": "EC", "crv": "P-256", "kid": "ES256", "x": "AA", "y": "AA"}),
        json!({"kty": "new", "kid": "ES256"}),
        json!({"kty": "RSA", "kid": "RS256", "n": "AQ", "e": "AQAB"}),
        encryption,
    ]);
    let verifier = verifier(&server, &clock);
    assert_eq!(check(&verifier, &server.sign(server.token())).await, Good);
    assert_eq!(check(&verifier, &server.sign_with("RS256", server.token())).await, Good);
    let unnamed = server.token().header("kid", json!(null));
    assert_eq!(check(&verifier, &server.sign(unnamed)).await, Good, "a token need not name its key");
}

/// Waits for background work.
async fn eventually(mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(5), "it did not happen");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
