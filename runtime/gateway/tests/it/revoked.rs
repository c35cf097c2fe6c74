//! What is open with a token ends when the token does, at every gateway of a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolwright_core::protocol::Revision;
use toolwright_gateway::Clock;
use toolwright_gateway::registry::{RegistryStore as _, Revocation};
use toolwright_gateway::tokens::SessionTokens;

use crate::runs::Stand;

/// A subscription that is open at a gateway.
pub(crate) struct Open(TcpStream);

impl Open {
    pub(crate) async fn new(url: &str, token: &str) -> Self {
        let host = url.trim_start_matches("http://").split('/').next().unwrap();
        let mut stream = TcpStream::connect(host).await.unwrap();
        let meta = json!({"io.modelcontextprotocol/protocolVersion": Revision::NEWEST.as_str(),
            "io.modelcontextprotocol/clientCapabilities": {}});
        let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
            .to_string();
        let head = format!(
            "POST /mcp/gateway HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\nMcp-Method: subscriptions/listen\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n",
            Revision::NEWEST.as_str(),
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut seen = String::new();
        while !seen.contains("subscriptions/acknowledged") {
            let mut some = [0; 4096];
            let read = stream.read(&mut some).await.unwrap();
            seen.push_str(std::str::from_utf8(&some[..read]).unwrap());
            assert!(read > 0, "{seen}");
        }
        Self(stream)
    }

    /// What comes up to the end, which must come.
    pub(crate) async fn ends(mut self) -> String {
        let mut rest = String::new();
        let read = self.0.read_to_string(&mut rest);
        tokio::time::timeout(Duration::from_secs(20), read).await.expect("the stream ends").unwrap();
        rest
    }

    pub(crate) async fn stays(&mut self) {
        let mut some = [0; 4096];
        let read = tokio::time::timeout(Duration::from_millis(300), self.0.read(&mut some));
        assert!(!matches!(read.await, Ok(Ok(0))), "the stream ended");
    }
}

// As in Azure/azure-managed-grafana#74, Tr3kkR/Yuzu#4766, sandialabs/atlas-ui-3#560 and loopyard/loopyard#81.
#[tokio::test]
async fn open_streams_end_when_their_token_is_revoked() {
    let stand = Stand::with(|registry| registry);
    let other = stand.beside();
    let run = stand.open(Some("acme"), "run-1").await;
    let elsewhere = stand.open(Some("evil"), "run-2").await;
    let mut untouched = Open::new(stand.url(), &stand.token(&elsewhere, &["red"]).await).await;
    for what in ["token", "run", "org"] {
        let (first, second) = (stand.token(&run, &["red"]).await, stand.token(&run, &["red"]).await);
        let mut streams = Vec::new();
        for url in [stand.url(), &other] {
            streams.push(Open::new(url, &first).await);
        }
        let mut kept = Open::new(stand.url(), &second).await;
        let claims = stand.tokens.check(&first).unwrap();
        let revocation = match what {
            "token" => Revocation::Token(claims.jti),
            "run" => Revocation::Run(run.clone()),
            _ => Revocation::Org(Some("acme".to_owned()), Clock::default().now().as_secs()),
        };
        stand.store.revoke(&revocation).await.unwrap();
        for stream in streams {
            let rest = stream.ends().await;
            assert!(rest.contains("\"resultType\":\"complete\""), "{what}: {rest}");
        }
        if what == "token" {
            kept.stays().await;
        } else {
            kept.ends().await;
        }
    }
    untouched.stays().await;
}

#[tokio::test]
async fn open_streams_end_with_their_run() {
    let stand = Stand::with(|registry| registry);
    let run = stand.open(None, "run-1").await;
    let stream = Open::new(stand.url(), &stand.token(&run, &["red"]).await).await;
    stand.store.end(&run).await.unwrap();
    stream.ends().await;
}

#[tokio::test]
async fn a_subscription_ends_when_its_token_has_expired() {
    let seconds = Arc::new(AtomicU64::new(1_000_000));
    let now = Arc::clone(&seconds);
    let clock = Clock::new(move || Duration::from_secs(now.load(Ordering::SeqCst)));
    let stand = Stand::with_clock(&clock);
    let run = stand.open(None, "run-1").await;
    let mut stream = Open::new(stand.url(), &stand.token(&run, &["red"]).await).await;
    stand.open(None, "run-2").await;
    stream.stays().await;
    seconds.fetch_add(SessionTokens::LIFETIME.as_secs() + 60, Ordering::SeqCst);
    // Any change of the store has it seen at once; else it is seen within half a minute.
    stand.open(None, "run-3").await;
    stream.ends().await;
}

#[tokio::test]
async fn a_call_ends_when_its_token_alone_is_revoked() {
    let stand = Stand::with(|registry| registry);
    let run = stand.open(Some("acme"), "run-1").await;
    stand.register(&run, "red").await;
    let token = stand.token(&run, &["red"]).await;
    stand.sees(&token, "red__echo").await;
    let client = stand.client(&token, Revision::NEWEST).await.unwrap();
    let call = tokio::spawn(async move { client.call("red__slow", json!({"ms": 10_000})).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let id = stand.tokens.check(&token).unwrap().jti;
    stand.store.revoke(&Revocation::Token(id)).await.unwrap();
    let error = call.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("revoked"), "{error}");
}
