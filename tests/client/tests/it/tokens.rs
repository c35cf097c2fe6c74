//! Tokens that several callers and programs share.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use test_client::authority::{self, Authority};
use test_client::http::{Fixture, modern};
use toolwright_client::{Client, FileTokenStore, MemoryTokenStore, OAuth, StoreKey, TokenStore};

struct Servers {
    authority: Arc<Mutex<Authority>>,
    server: Fixture,
    /// How often a user logged in.
    logins: Arc<AtomicU32>,
}

impl Servers {
    fn start() -> Self {
        let (authority, server) = authority::start();
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
