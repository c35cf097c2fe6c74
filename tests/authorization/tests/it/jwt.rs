//! Which JWTs are accepted.

use serde_json::{Value, json};
use test_authorization::authorization_server::AuthorizationServer;
use test_authorization::clock::{START, TestClock};
use test_authorization::shop::RESOURCE;
use test_authorization::token::Token;
use toolwright::auth::{Algorithm, JwtVerifier, Principal, Rejected, RejectedKind, TokenVerifier};

/// A verifier with the keys of a server, at the time when tests start.
fn verifier(server: &AuthorizationServer, clock: &TestClock) -> JwtVerifier {
    let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
    verifier.jwks(&server.jwks().to_string()).expect("keys").clock(clock.reader())
}

/// Checks a signed token.
async fn check(verifier: &JwtVerifier, token: &str) -> Result<Principal, String> {
    verifier.verify(token).await.map_err(|rejected: Rejected| {
        assert_eq!(rejected.kind(), RejectedKind::Invalid);
        assert!(!rejected.reason().contains(token), "the token is in the reason");
        rejected.reason().to_owned()
    })
}

/// Modified tokens, each with a part of the reason why it is rejected, or `None` if it is still valid.
async fn check_tokens(
    changes: Vec<(Token, Option<&str>)>,
    server: &AuthorizationServer,
    verifier: &JwtVerifier,
) {
    for (token, why) in changes {
        let said = check(verifier, &server.sign(token.clone())).await;
        match (why, said) {
            (None, Ok(_)) => {}
            (Some(why), Err(reason)) => assert!(reason.contains(why), "{reason}: {token:?}"),
            (why, said) => panic!("{why:?} was expected, not {said:?}: {token:?}"),
        }
    }
}

#[tokio::test]
async fn a_valid_token_identifies_the_caller() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    for algorithm in ["ES256", "EdDSA", "RS256"] {
        let token = server.sign_with(algorithm, server.token().scope("orders:read orders:write"));
        let principal = check(&verifier, &token).await.expect(algorithm);
        assert_eq!(principal.subject(), "ada");
        assert_eq!(principal.issuer(), Some(&*server.issuer()));
        assert_eq!(principal.client_id(), Some("console"));
        assert_eq!(principal.scopes().collect::<Vec<_>>(), ["orders:read", "orders:write"]);
        assert_eq!(principal.claims::<Value>().expect("JSON")["tenant"], "north");
        assert!(!format!("{principal:?}").contains(&token));
    }
    assert_eq!(server.fetches("/keys"), 0, "keys that are given are not fetched");
}

#[tokio::test]
async fn scopes_are_a_string_or_a_list_in_either_claim() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    for (claim, value) in [
        ("scope", json!("a b")),
        ("scope", json!(" a  b ")),
        ("scope", json!(["a", "b"])),
        ("scp", json!("a b")),
        ("scp", json!(["b", "a"])),
    ] {
        let token = server.sign(server.token().claim(claim, value.clone()));
        let principal = check(&verifier, &token).await.expect("good");
        assert_eq!(principal.scopes().collect::<Vec<_>>(), ["a", "b"], "{claim} {value}");
    }
    let principal = check(&verifier, &server.sign(server.token())).await.expect("good");
    assert_eq!(principal.scopes().count(), 0);
}

#[tokio::test]
async fn the_audience_is_compared_exactly() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let good = |aud: Value| (server.token().claim("aud", aud), None);
    let wrong = |aud: Value| (server.token().claim("aud", aud), Some("another audience"));
    let changes = vec![
        good(json!([RESOURCE])),
        good(json!(["https://other.example", RESOURCE])),
        wrong(json!("https://shop.example")),
        wrong(json!("https://shop.example/mc")),
        wrong(json!("https://shop.example/mcp/")),
        wrong(json!("https://shop.example/mcp2")),
        wrong(json!("https://SHOP.example/mcp")),
        wrong(json!(format!(" {RESOURCE}"))),
        wrong(json!(format!("{RESOURCE} https://other.example"))),
        wrong(json!([])),
        wrong(json!([[RESOURCE]])),
        wrong(json!({RESOURCE: true})),
        wrong(json!(null)),
        wrong(json!("")),
        (server.token().without("aud"), Some("another audience")),
    ];
    check_tokens(changes, &server, &verifier(&server, &clock)).await;
}

#[tokio::test]
async fn the_issuer_is_compared_exactly() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let wrong = |issuer: Value| (server.token().claim("iss", issuer), Some("another issuer"));
    let issuer = server.issuer();
    let changes = vec![
        (server.token(), None),
        wrong(json!(format!("{issuer}/"))),
        wrong(json!(issuer.to_uppercase())),
        wrong(json!([issuer])),
        wrong(json!("https://login.example")),
        wrong(json!(null)),
        (server.token().without("iss"), Some("another issuer")),
    ];
    check_tokens(changes, &server, &verifier(&server, &clock)).await;
}

#[tokio::test]
async fn times_allow_for_clock_skew() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let at = |claim: &str, time: Value| server.token().claim(claim, time);
    let changes = vec![
        (at("exp", json!(START - 29)), None),
        (at("exp", json!(START - 30)), Some("has expired")),
        (at("exp", json!(0)), Some("has expired")),
        (at("exp", json!(-1)), Some("no valid expiry")),
        (at("exp", json!("4102444800")), Some("no valid expiry")),
        (at("exp", json!(null)), Some("no valid expiry")),
        (at("exp", json!(1e300)), Some("no valid expiry")),
        (server.token().without("exp"), Some("no valid expiry")),
        (at("nbf", json!(START + 30)), None),
        (at("nbf", json!(START + 31)), Some("not valid yet")),
        (at("nbf", json!("soon")), Some("not valid yet")),
        (at("exp", json!(1_800_000_000.5)), None),
    ];
    check_tokens(changes, &server, &verifier(&server, &clock)).await;

    // The same token, later.
    let verifier = verifier(&server, &clock).clock_skew(std::time::Duration::ZERO);
    let token = server.sign(server.token());
    assert!(check(&verifier, &token).await.is_ok());
    clock.advance(3_599);
    assert!(check(&verifier, &token).await.is_ok());
    clock.advance(1);
    assert_eq!(check(&verifier, &token).await.expect_err("late"), "the token has expired");
}

#[tokio::test]
async fn a_token_must_name_its_principal() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    let program = server.sign(server.token().without("sub"));
    assert_eq!(check(&verifier, &program).await.expect("good").subject(), "console");
    let nobody = server.token().without("sub").without("client_id");
    let changes = vec![
        (nobody.clone(), Some("neither `sub`")),
        (nobody.clone().claim("sub", ""), Some("neither `sub`")),
        (nobody.clone().claim("sub", 7), Some("neither `sub`")),
        (nobody.claim("azp", "console"), None),
    ];
    check_tokens(changes, &server, &verifier).await;
}

#[tokio::test]
async fn the_algorithm_is_configured_and_not_chosen_by_the_token() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock).algorithms([Algorithm::Es256]);
    assert!(check(&verifier, &server.sign(server.token())).await.is_ok());
    for algorithm in ["EdDSA", "RS256"] {
        let token = server.sign_with(algorithm, server.token());
        let reason = check(&verifier, &token).await.expect_err(algorithm);
        assert!(reason.contains("algorithm"), "{reason}");
    }
}

#[tokio::test]
async fn alg_none_and_public_keys_as_secrets_are_rejected() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    for none in ["none", "None", "NONE", "", "nOnE"] {
        for signature in [&b""[..], b"x"] {
            let token = server.token().header("alg", none).with_signature(signature);
            assert!(check(&verifier, &token).await.is_err(), "{none}");
        }
    }
    // The public keys, in the forms in which a careless library would mistake them for a shared secret.
    let jwks = server.jwks();
    let key = &jwks["keys"][2];
    let modulus = key["n"].as_str().expect("an RSA key");
    let secrets = [modulus.to_owned(), key.to_string(), jwks.to_string()];
    for alg in ["HS256", "HS384", "HS512"] {
        for secret in &secrets {
            let unsigned = server.token().header("alg", alg).header("kid", "RS256");
            let hmac = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
            let signature = ring::hmac::sign(&hmac, unsigned.unsigned().as_bytes());
            let token = unsigned.with_signature(signature.as_ref());
            assert!(check(&verifier, &token).await.is_err(), "{alg}");
        }
    }
    // A valid signature with the name of another algorithm, and with another key.
    for (algorithm, alg, kid) in [
        ("EdDSA", "ES256", "EdDSA"),
        ("EdDSA", "ES256", "ES256"),
        ("RS256", "PS256", "RS256"),
        ("RS256", "RS384", "RS256"),
        ("ES256", "RS256", "ES256"),
        ("ES256", "ES256", "EdDSA"),
        ("ES256", "ES256", "unknown"),
    ] {
        let token = server.token().header("alg", alg).header("kid", kid);
        let token = server.sign_with(algorithm, token);
        assert!(check(&verifier, &token).await.is_err(), "{algorithm} as {alg} with {kid}");
    }
}

#[tokio::test]
async fn a_token_does_not_vouch_for_itself() {
    let (server, stranger) = (AuthorizationServer::start(), AuthorizationServer::start());
    let verifier = verifier(&server, &TestClock::default());
    let key = stranger.jwks()["keys"][0].clone();
    for header in [("jwk", key), ("jku", json!(stranger.jwks_url())), ("x5u", json!(stranger.jwks_url()))] {
        let token = stranger.sign(server.token().header(header.0, header.1));
        let reason = check(&verifier, &token).await.expect_err(header.0);
        assert!(reason.contains("signature"), "{reason}");
    }
    assert_eq!(stranger.fetches("/keys"), 0);
}

#[tokio::test]
async fn tokens_modified_after_signing_are_rejected() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let verifier = verifier(&server, &clock);
    let token = server.sign(server.token().scope("orders:read"));
    let signature = token.rsplit('.').next().expect("a signature");
    let header = token.split('.').next().expect("a header");
    let other = server.sign(server.token().scope("orders:write"));
    let claims = other.split('.').nth(1).expect("claims");
    let mixed = format!("{header}.{claims}.{signature}");
    assert!(check(&verifier, &mixed).await.is_err());
    for wrong in [
        token[..token.len() - 1].to_owned(),
        format!("{token}A"),
        format!("{token}="),
        format!("{token}.{signature}"),
        format!(".{token}"),
        token.replacen('.', "..", 1),
        token.rsplit_once('.').expect("three parts").0.to_owned(),
        format!("{}.", token.rsplit_once('.').expect("three parts").0),
        "a.b.c".to_owned(),
        "e30.e30.".to_owned(),
        "..".to_owned(),
        "opaque".to_owned(),
    ] {
        assert!(check(&verifier, &wrong).await.is_err(), "{wrong}");
    }
    assert!(check(&verifier, &token).await.is_ok());
}

#[tokio::test]
async fn tokens_with_critical_headers_are_rejected() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let crit = |value: Value| (server.token().header("crit", value), Some("critical"));
    let changes = vec![crit(json!(["exp"])), crit(json!(["b64"])), crit(json!([]))];
    check_tokens(changes, &server, &verifier(&server, &clock)).await;
}

#[tokio::test]
async fn other_token_types_of_the_issuer_can_be_rejected() {
    let (server, clock) = (AuthorizationServer::start(), TestClock::default());
    let typ = |typ: Value, why| (server.token().header("typ", typ), why);
    let good = ["at+jwt", "AT+JWT", "application/at+jwt"].map(|name| typ(json!(name), None));
    let wrong = ["JWT", "", "at", "x/at+jwt"].map(|name| typ(json!(name), Some("not an access token")));
    let strict = verifier(&server, &clock).access_tokens_only();
    check_tokens([good.to_vec(), wrong.to_vec()].concat(), &server, &strict).await;
    check_tokens(vec![typ(json!("JWT"), None)], &server, &verifier(&server, &clock)).await;
}

/// Tokens signed by another library with each algorithm: mistakes that our signer and verifier have in common would
/// show here.
#[tokio::test]
async fn tokens_of_another_library_are_accepted() {
    let foreign: Value = serde_json::from_str(include_str!("../../fixtures/foreign.json")).expect("JSON");
    let all = [
        ("RS256", Algorithm::Rs256),
        ("RS384", Algorithm::Rs384),
        ("RS512", Algorithm::Rs512),
        ("PS256", Algorithm::Ps256),
        ("PS384", Algorithm::Ps384),
        ("PS512", Algorithm::Ps512),
        ("ES256", Algorithm::Es256),
        ("ES384", Algorithm::Es384),
        ("EdDSA", Algorithm::EdDsa),
    ];
    for (name, algorithm) in all {
        let token = foreign["tokens"][name].as_str().expect("a token");
        let verifier = |algorithm| {
            let verifier = JwtVerifier::new("https://login.example", RESOURCE).expect("an issuer");
            let keys = foreign["jwks"].to_string();
            let clock = TestClock::default();
            verifier.jwks(&keys).expect("keys").algorithms([algorithm]).clock(clock.reader())
        };
        assert_eq!(check(&verifier(algorithm), token).await.expect(name).subject(), "ada");
        for (other, refused) in all.iter().filter(|(other, _)| *other != name) {
            assert!(check(&verifier(*refused), token).await.is_err(), "{name} as {other}");
        }
    }
}
