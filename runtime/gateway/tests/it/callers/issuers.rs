//! Callers with access tokens of other issuers.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use test_authorization::authorization_server::{AuthorizationServer, Mood};
use test_authorization::token::Token;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::unbounded_channel;
use toolwright_core::protocol::Revision;
use toolwright_gateway::callers::{CallerKeyRequest, CallerKeys};

use super::{Stand, listen, names, uses_nothing, uses_red_alone};
use crate::revoked::Open;
use crate::shop::Shop;

fn rules() -> Value {
    json!([
        {"claim": "groups", "value": "ops", "servers": ["red"]},
        {"claim": "groups", "value": "dev", "tools": ["blue__echo"]},
        {"claim": "scope", "value": "tools:all", "all": true},
    ])
}

fn file(login: &AuthorizationServer) -> Value {
    json!({"issuers": [{"issuer": login.issuer(), "rules": rules()}]})
}

impl Stand {
    async fn of(login: &AuthorizationServer) -> Self {
        Self::with(|_| file(login), |_| ()).await
    }

    fn token(&self, login: &AuthorizationServer) -> Token {
        login.token().claim("aud", self.url.as_str())
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

#[tokio::test]
async fn access_tokens_get_what_the_rules_grant() {
    let login = AuthorizationServer::start();
    let stand = Stand::of(&login).await;
    let token = || stand.token(&login);
    let sign = |token: Token| login.sign(token);
    // Claims of session tokens mean nothing here.
    let none =
        token().claim("nodes", json!(["red"])).claim("run", "r").scope("run:all tools:list tools:call");
    let (red, none) = (sign(token().claim("groups", json!(["ops"]))), sign(none));
    let both = sign(token().claim("groups", json!(["dev", "ops"])));
    let all = sign(token().scope("openid tools:all"));
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let nothing = stand.client(&none, revision).await;
        uses_red_alone(&stand.client(&red, revision).await, &nothing).await;
        let both = stand.client(&both, revision).await;
        let tools = names(&both).await;
        assert!(
            tools.iter().any(|tool| tool == "red__slow") && tools.iter().any(|tool| tool == "blue__echo")
        );
        assert!(!tools.iter().any(|tool| tool == "blue__slow"), "{tools:?}");
        assert!(both.call("blue__echo", json!({})).await.is_ok());
        assert!(both.call("blue__slow", json!({})).await.is_err());
        let prompts = both.list_prompts().await.unwrap();
        assert!(!prompts.is_empty() && prompts.iter().all(|prompt| prompt.name.starts_with("red__")));
        let all = stand.client(&all, revision).await;
        assert!(all.get_prompt("blue__greet", json!({"name": "Ada"})).await.is_ok());
    }
    assert_eq!(stand.servers_of(&stand.session()).await, ["blue", "red"], "beside session tokens");
    let key = CallerKeys::add(&stand.keys_file(), &CallerKeyRequest::new("ci").all()).unwrap();
    stand.until(&key, 200).await;
    assert_eq!(stand.servers_of(&key).await, ["blue", "red"], "beside API keys");
}

// 2026-07-28, basic/authorization "Token Handling".
#[tokio::test]
async fn invalid_access_tokens_get_a_challenge() {
    let (login, other) = (AuthorizationServer::start(), AuthorizationServer::start());
    let stand = Stand::of(&login).await;
    let token = || stand.token(&login).scope("tools:all");
    assert_eq!(stand.servers_of(&login.sign(token())).await, ["blue", "red"]);
    let forged = token().claim("groups", json!(["ops"])).unsigned();
    let good = login.sign(token());
    let wrong = [
        ("alg none", token().header("alg", "none").with_signature(b"")),
        ("alg None", token().header("alg", "NONE").with_signature(b"")),
        ("no signature", token().header("alg", "ES256").with_signature(b"")),
        ("HS256", token().header("alg", "HS256").with_signature(&[1; 32])),
        ("wrong algorithm", login.sign(token().header("alg", "RS256"))),
        ("another key", other.sign(token())),
        ("another issuer", other.sign(other.token().claim("aud", stand.url.as_str()).scope("tools:all"))),
        ("near issuer", login.sign(token().claim("iss", format!("{}/", login.issuer())))),
        ("no issuer", login.sign(token().without("iss"))),
        ("the gateway's issuer", login.sign(token().claim("iss", stand.url.as_str()))),
        ("another audience", login.sign(token().claim("aud", "https://other.example/mcp"))),
        ("near audience", login.sign(token().claim("aud", format!("{}/", stand.url)))),
        ("no audience", login.sign(token().without("aud"))),
        ("expired", login.sign(token().claim("exp", now() - 31))),
        ("no expiry", login.sign(token().without("exp"))),
        ("not yet", login.sign(token().claim("nbf", now() + 100))),
        ("no subject", login.sign(token().without("sub").without("client_id"))),
        ("critical", login.sign(token().header("crit", json!(["x"])))),
        ("changed claims", format!("{forged}.{}", good.rsplit('.').next().unwrap())),
        ("nonsense", "a.b.c".to_owned()),
    ];
    for (what, token) in wrong {
        let response = stand.list(&token).await;
        assert_eq!(response.status, 401, "{what}: {response:?}");
        let challenge = response.challenge();
        assert!(challenge.contains(r#"error="invalid_token""#), "{what}: {challenge}");
        assert!(
            challenge.contains("/.well-known/oauth-protected-resource/mcp/gateway"),
            "{what}: {challenge}"
        );
    }
}

// 2026-07-28, basic/authorization "Runtime Insufficient Scope Errors"; RFC 9728 §3.
#[tokio::test]
async fn metadata_and_challenges_name_issuers_and_scopes() {
    let login = AuthorizationServer::start();
    let (sent, mut reloads) = unbounded_channel();
    let issuer = |scopes: Value| json!({"issuer": login.issuer(), "requiredScopes": scopes, "rules": rules(), "accessTokensOnly": true});
    let stand = Stand::with(
        |_| json!({"issuers": [issuer(json!(["mcp:use"]))]}),
        move |outcome| _ = sent.send(outcome.map_err(str::to_owned)),
    )
    .await;
    let token = |scope: &str| login.sign(stand.token(&login).scope(scope));
    assert_eq!(stand.servers_of(&token("tools:all mcp:use")).await, ["blue", "red"]);
    let response = stand.list(&token("tools:all")).await;
    assert_eq!(response.status, 403, "{response:?}");
    let challenge = response.challenge();
    assert!(challenge.contains(r#"error="insufficient_scope""#), "{challenge}");
    assert!(
        challenge.contains(r#"scope="mcp:use""#) && challenge.contains("resource_metadata="),
        "{challenge}"
    );
    let identity = login.sign(stand.token(&login).scope("mcp:use").header("typ", "JWT"));
    assert_eq!(stand.list(&identity).await.status, 401, "only access tokens");
    assert_eq!(stand.servers_of(&stand.session()).await, ["blue", "red"], "needs no scopes of issuers");

    let document = "/.well-known/oauth-protected-resource/mcp/gateway";
    let metadata = stand.send(document, None).await;
    assert_eq!(metadata.status, 200, "{metadata:?}");
    assert_eq!(metadata.body["resource"], stand.url.as_str());
    assert_eq!(metadata.body["authorization_servers"], json!([login.issuer()]));
    assert_eq!(metadata.body["scopes_supported"], json!(["mcp:use"]));
    stand.write_issuers(&json!({"issuers": []}));
    assert_eq!(reloads.recv().await.unwrap(), Ok(()));
    let metadata = stand.send(document, None).await;
    assert_eq!(metadata.status, 404, "there is no issuer to name: {metadata:?}");
    assert_eq!(stand.list(&token("tools:all mcp:use")).await.status, 401);
}

#[tokio::test]
async fn unavailable_keys_are_neither_a_challenge_nor_an_empty_list() {
    let login = AuthorizationServer::start();
    let stand = Stand::of(&login).await;
    let token = login.sign(stand.token(&login).scope("tools:all"));
    for mood in [Mood::Failing(500), Mood::Nonsense, Mood::Gone] {
        login.set_mood(mood.clone());
        let response = stand.list(&token).await;
        assert_eq!(response.status, 503, "{mood:?}: {response:?}");
        assert!(response.head.contains("retry-after:"), "{response:?}");
        assert_eq!(response.body["error"]["data"]["kind"], "issuer_unavailable");
        // Nobody else depends on the issuer.
        assert_eq!(stand.servers_of(&stand.session()).await, ["blue", "red"]);
        assert_eq!(stand.list("twck_").await.status, 401);
    }
}

#[tokio::test]
async fn changes_of_the_files_apply_and_end_subscriptions() {
    let login = AuthorizationServer::start();
    let (sent, mut reloads) = unbounded_channel();
    let with_keys =
        |rules: Value| json!({"issuers": [{"issuer": login.issuer(), "jwks": "keys.json", "rules": rules}]});
    let stand =
        Stand::with(|_| json!({"issuers": []}), move |outcome| _ = sent.send(outcome.map_err(str::to_owned)))
            .await;
    let token = || login.sign(stand.token(&login).claim("groups", json!(["ops"])));
    let keys_file = stand.folder.path().join("keys.json");

    // The file names keys that do not exist yet.
    stand.write_issuers(&with_keys(rules()));
    let problem = reloads.recv().await.unwrap().unwrap_err();
    assert!(problem.contains("issuers.json") && problem.contains("keys.json"), "{problem}");
    assert_eq!(stand.list(&token()).await.status, 401);
    std::fs::write(&keys_file, login.jwks().to_string()).unwrap();
    assert_eq!(reloads.recv().await.unwrap(), Ok(()));
    let first = token();
    assert_eq!(stand.servers_of(&first).await, ["red"]);

    let stream = Open::new(&stand.url, &first).await;
    stand.write_issuers(&with_keys(json!([{"claim": "groups", "value": "ops", "servers": ["blue"]}])));
    stream.ends().await;
    assert_eq!(reloads.recv().await.unwrap(), Ok(()));
    assert_eq!(stand.servers_of(&first).await, ["blue"]);

    // An invalid file changes nothing.
    let mut stream = Open::new(&stand.url, &first).await;
    stand.write_issuers(&with_keys(json!([{"claim": "groups", "value": "ops"}])));
    let problem = reloads.recv().await.unwrap().unwrap_err();
    assert!(problem.contains("rule 1"), "{problem}");
    stream.stays().await;
    assert_eq!(stand.servers_of(&first).await, ["blue"]);

    // A file without the key that signed the token.
    stand.write_issuers(&with_keys(rules()));
    assert_eq!(reloads.recv().await.unwrap(), Ok(()));
    let stream = Open::new(&stand.url, &first).await;
    login.rotate("new");
    std::fs::write(&keys_file, login.jwks().to_string()).unwrap();
    stream.ends().await;
    assert_eq!(reloads.recv().await.unwrap(), Ok(()));
    assert_eq!(stand.list(&first).await.status, 401);
    assert_eq!(stand.servers_of(&token()).await, ["red"]);
}

#[tokio::test]
async fn a_subscription_ends_when_its_access_token_expires() {
    let login = AuthorizationServer::start();
    let stand = Stand::of(&login).await;
    // It is valid for as long as clocks may differ.
    let token = login.sign(stand.token(&login).claim("exp", now() - 27));
    Open::new(&stand.url, &token).await.ends().await;
    assert_eq!(stand.list(&token).await.status, 401);
}

// 2026-07-28, basic/authorization/security-considerations "Access Token Privilege Restriction": tokens are not passed through.
#[tokio::test]
async fn no_token_is_passed_to_the_servers_behind() {
    let login = AuthorizationServer::start();
    let (behind, seen) = record(listen(&Shop::default())).await;
    let stand = Stand::before([("red", behind)], |_| file(&login), |_| ()).await;
    let key = CallerKeys::add(&stand.keys_file(), &CallerKeyRequest::new("ci").all()).unwrap();
    stand.until(&key, 200).await;
    let tokens = [login.sign(stand.token(&login).scope("tools:all")), key, stand.session()];
    for token in &tokens {
        let client = stand.client(token, Revision::NEWEST).await;
        assert!(client.call("red__echo", json!({"marker": 7})).await.is_ok());
        assert!(client.get_prompt("red__greet", json!({"name": "Ada"})).await.is_ok());
    }
    let seen = String::from_utf8_lossy(&seen.lock().unwrap()).into_owned();
    assert!(seen.contains("marker"), "the recorder sees requests");
    assert!(!seen.to_ascii_lowercase().contains("authorization"), "{seen}");
    for token in &tokens {
        assert!(!seen.contains(token) && !seen.contains(token.rsplit('.').next().unwrap()), "{seen}");
    }
    let uri = "shop://menu";
    let nothing = stand.client(&login.sign(stand.token(&login)), Revision::NEWEST).await;
    uses_nothing(&nothing, uri).await;
}

/// A server in front of another one that records what it forwards.
async fn record(url: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let host = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let (front, _) = listener.accept().await.unwrap();
            let back = TcpStream::connect(&host).await.unwrap();
            let ((mut from, mut to), (mut back, mut forth)) = (front.into_split(), back.into_split());
            let recorded = Arc::clone(&recorded);
            tokio::spawn(async move { _ = tokio::io::copy(&mut back, &mut to).await });
            tokio::spawn(async move {
                let mut some = [0; 8192];
                while let Ok(read @ 1..) = from.read(&mut some).await {
                    recorded.lock().unwrap().extend_from_slice(&some[..read]);
                    if forth.write_all(&some[..read]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (format!("http://{address}/mcp"), seen)
}
