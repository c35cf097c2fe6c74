//! Tokens that clients and programs share.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use test_client::authorization_server::{self, AuthorizationServer};
use test_client::http::{Fixture, modern};
use toolwright_client::{Client, FileTokenStore, MemoryTokenStore, OAuth, StoreKey, TokenStore};

struct Servers {
    authorization: Arc<Mutex<AuthorizationServer>>,
    server: Fixture,
    /// The number of logins.
    logins: Arc<AtomicU32>,
}

impl Servers {
    fn start() -> Self {
        let (authorization, server) = authorization_server::start();
        Self { authorization, server, logins: Arc::default() }
    }

    /// Connects a client whose user logs in immediately.
    async fn connect(&self, store: impl TokenStore + 'static) -> Client {
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

    /// Returns the numbers of logins, registrations, refreshed tokens, and rejected refresh tokens.
    fn counts(&self) -> (u32, u32, u32, u32) {
        let state = self.authorization.lock().unwrap();
        (self.logins.load(Ordering::Relaxed), state.registered, state.refreshed, state.rejected)
    }
}

async fn call(client: &Client) {
    let result = client.call("echo", json!({"text": "hi"})).await.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(result.as_text(), "hi");
}

/// Checks that two clients need one registration and one login, and refresh once if both are rejected at the same time.
async fn check_shared<S: TokenStore + 'static>(store: impl Fn() -> S) {
    let servers = Servers::start();
    let one = servers.connect(store()).await;
    call(&one).await;
    let other = servers.connect(store()).await;
    call(&other).await;
    assert_eq!(servers.counts(), (1, 1, 0, 0));
    for round in 1..=3 {
        {
            let mut state = servers.authorization.lock().unwrap();
            state.revoked = state.issued;
        }
        tokio::join!(call(&one), call(&other));
        assert_eq!(servers.counts(), (1, 1, round, 0), "in round {round}");
    }
}

#[tokio::test]
async fn clients_with_a_shared_memory_store_refresh_once() {
    let store = MemoryTokenStore::default();
    check_shared(|| store.clone()).await;
}

#[tokio::test]
async fn clients_with_a_shared_token_file_refresh_once() {
    let folder = tempfile::tempdir().unwrap();
    check_shared(|| FileTokenStore::new(folder.path().join("plain.json"))).await;
    let sealed = folder.path().join("sealed.json");
    check_shared(|| FileTokenStore::new(&sealed).encrypted(StoreKey::new([7; 32]))).await;
    let text = std::fs::read_to_string(sealed).unwrap();
    assert!(
        text.contains("http://127.0.0.1:") && !text.contains("token-") && !text.contains("refresh-"),
        "{text}"
    );
}

#[tokio::test]
async fn a_token_is_only_sent_to_its_origin() {
    let (servers, other) = (Servers::start(), Fixture::start(modern));
    let oauth = OAuth::client_credentials("id", "s3cret");
    let client = Client::builder().authorize(oauth.clone()).connect(&*servers.server.url).await.unwrap();
    call(&client).await;
    let client = Client::builder().authorize(oauth).connect(&*other.url).await.unwrap();
    call(&client).await;
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
}

/// Runs `list-tools` with a token file, and returns its output.
async fn list_tools(url: &str, tokens: &Path) -> String {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_list-tools"));
    let output = command.arg(url).env("TOKENS_FILE", tokens).kill_on_drop(true).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn programs_that_start_together_request_one_token() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("agent/tokens.json");
    let servers = Servers::start();
    let url = &servers.server.url;
    let printed = tokio::join!(
        list_tools(url, &tokens),
        list_tools(url, &tokens),
        list_tools(url, &tokens),
        list_tools(url, &tokens)
    );
    for text in [printed.0, printed.1, printed.2, printed.3] {
        assert_eq!(text, "echo\n");
    }
    assert_eq!(servers.authorization.lock().unwrap().issued, 1);
    // A later program uses the same token, and refreshes it after a rejection.
    list_tools(url, &tokens).await;
    assert_eq!(servers.authorization.lock().unwrap().issued, 1);
    servers.authorization.lock().unwrap().revoked = 1;
    list_tools(url, &tokens).await;
    let state = servers.authorization.lock().unwrap();
    assert_eq!((state.issued, state.refreshed, state.rejected), (2, 1, 0));
}
