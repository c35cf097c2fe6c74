//! Tokens that several callers and programs share.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use test_client::http::{Fixture, Reply, Request, modern};
use toolwright_client::{Client, FileTokenStore, MemoryTokenStore, OAuth, StoreKey, TokenStore};

/// An authorization server that takes each refresh token once (RFC 9700 §4.14.2), and the server that it protects.
#[derive(Debug, Default)]
struct Authority {
    /// How many tokens it gave; the last one is `t` with this number, its refresh token `r` with it.
    given: u32,
    registered: u32,
    refreshed: u32,
    refused: u32,
    /// Tokens up to this one are not accepted any more.
    revoked: u32,
}

impl Authority {
    fn give(&mut self) -> String {
        self.given += 1;
        json!({"access_token": format!("t{}", self.given), "refresh_token": format!("r{}", self.given), "token_type": "Bearer"})
            .to_string()
    }

    fn accepts(&self, request: &Request) -> bool {
        let sent =
            request.header("authorization").and_then(|header| header.strip_prefix("Bearer t")?.parse().ok());
        sent.is_some_and(|number: u32| number > self.revoked && number <= self.given)
    }
}

fn serve(authority: &Mutex<Authority>, request: &Request, reply: &mut Reply) {
    let origin = format!("http://{}", request.header("host").unwrap_or_default());
    let mut authority = authority.lock().unwrap();
    match request.path.as_str() {
        "/.well-known/oauth-protected-resource/mcp" => {
            reply.json(200, &json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}));
        }
        "/.well-known/oauth-authorization-server" => reply.json(
            200,
            &json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "registration_endpoint": format!("{origin}/register"),
                "code_challenge_methods_supported": ["S256"],
            }),
        ),
        "/register" => {
            authority.registered += 1;
            reply.json(201, &json!({"client_id": "c"}));
        }
        "/token" => {
            let form = String::from_utf8_lossy(&request.body).into_owned();
            let last = format!("refresh_token=r{}", authority.given);
            if form.contains("grant_type=refresh_token") {
                if !form.split('&').any(|pair| pair == last) {
                    authority.refused += 1;
                    return reply.json(400, &json!({"error": "invalid_grant"}));
                }
                authority.refreshed += 1;
            }
            let given = authority.give();
            reply.send(200, &[("Content-Type", "application/json")], &given);
        }
        "/mcp" if authority.accepts(request) => {
            drop(authority);
            modern(request, reply);
        }
        _ => reply.send(401, &[("WWW-Authenticate", "Bearer")], ""),
    }
}

struct Servers {
    authority: Arc<Mutex<Authority>>,
    server: Fixture,
    /// How often a user logged in.
    logins: Arc<AtomicU32>,
}

impl Servers {
    fn start() -> Self {
        let authority = Arc::new(Mutex::new(Authority::default()));
        let shared = Arc::clone(&authority);
        let server = Fixture::start(move |request, reply| serve(&shared, request, reply));
        Self { authority, server, logins: Arc::default() }
    }

    /// A client whose user logs in when asked to.
    async fn client(&self, store: impl TokenStore + 'static) -> Client {
        let (logins, redirect) = (Arc::clone(&self.logins), "http://127.0.0.1:1/callback");
        let oauth = OAuth::authorization_code(redirect, move |url: String| {
            logins.fetch_add(1, Ordering::Relaxed);
            let state =
                url.split("&state=").nth(1).and_then(|rest| rest.split('&').next()).unwrap_or_default();
            std::future::ready(Ok(format!("{redirect}?code=c&state={state}")))
        });
        let builder = Client::builder().authorize(oauth.store(store));
        builder.connect(&*self.server.url).await.unwrap_or_else(|error| panic!("{error}"))
    }

    fn counts(&self) -> (u32, u32, u32, u32) {
        let authority = self.authority.lock().unwrap();
        (self.logins.load(Ordering::Relaxed), authority.registered, authority.refreshed, authority.refused)
    }
}

async fn call(client: &Client) {
    let result = client.call("echo", json!({"text": "hi"})).await.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(result.as_text(), "hi");
}

/// One login and one registration for two callers, and one refresh when both are refused at the same time.
async fn share<S: TokenStore + 'static>(store: impl Fn() -> S) {
    let servers = Servers::start();
    let one = servers.client(store()).await;
    call(&one).await;
    let other = servers.client(store()).await;
    call(&other).await;
    assert_eq!(servers.counts(), (1, 1, 0, 0));
    for round in 1..=3 {
        {
            let mut authority = servers.authority.lock().unwrap();
            authority.revoked = authority.given;
        }
        tokio::join!(call(&one), call(&other));
        assert_eq!(servers.counts(), (1, 1, round, 0), "in round {round}");
    }
}

#[tokio::test]
async fn callers_share_a_login_and_refresh_once_in_memory() {
    let store = MemoryTokenStore::default();
    share(|| store.clone()).await;
}

#[tokio::test]
async fn callers_share_a_login_and_refresh_once_with_a_file() {
    let folder = tempfile::tempdir().unwrap();
    share(|| FileTokenStore::new(folder.path().join("plain.json"))).await;
    let sealed = folder.path().join("sealed.json");
    share(|| FileTokenStore::new(&sealed).encrypted(StoreKey::new([7; 32]))).await;
    let text = std::fs::read_to_string(sealed).unwrap();
    assert!(
        text.contains("http://127.0.0.1:") && !text.contains("access") && !text.contains("\"t"),
        "{text}"
    );
}

#[tokio::test]
async fn a_token_goes_to_the_origin_that_it_was_got_for() {
    let (servers, elsewhere) = (Servers::start(), Fixture::start(modern));
    let oauth = OAuth::client_credentials("id", "s3cret");
    let client = Client::builder().authorize(oauth.clone()).connect(&*servers.server.url).await.unwrap();
    call(&client).await;
    let client = Client::builder().authorize(oauth).connect(&*elsewhere.url).await.unwrap();
    call(&client).await;
    assert!(elsewhere.requests().iter().all(|request| request.header("authorization").is_none()));
}

async fn ask(url: &str, tokens: &Path) -> String {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_ask"));
    let output = command.arg(url).env("TOKENS_FILE", tokens).kill_on_drop(true).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn programs_that_start_together_get_one_token() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("agent/tokens.json");
    let servers = Servers::start();
    let url = &servers.server.url;
    let printed = tokio::join!(ask(url, &tokens), ask(url, &tokens), ask(url, &tokens), ask(url, &tokens));
    for text in [printed.0, printed.1, printed.2, printed.3] {
        assert_eq!(text, "echo\n");
    }
    assert_eq!(servers.authority.lock().unwrap().given, 1);
    // A program that starts later takes it too, and one that is refused refreshes it.
    ask(url, &tokens).await;
    assert_eq!(servers.authority.lock().unwrap().given, 1);
    servers.authority.lock().unwrap().revoked = 1;
    ask(url, &tokens).await;
    let authority = servers.authority.lock().unwrap();
    assert_eq!((authority.given, authority.refreshed, authority.refused), (2, 1, 0));
}
