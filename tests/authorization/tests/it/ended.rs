//! Tokens that are revoked while something is open: what has no end of its own ends.

use std::io::Read as _;
use std::time::Duration;

use serde_json::{Value, json};
use test_authorization::shop::{self, protected};
use test_http::client::{Call, Response};
use test_http::lab::Lab;
use tokio_util::sync::CancellationToken;
use toolwright::auth::{Principal, Rejected, TokenVerifier};
use toolwright::{BoxFuture, transport::WebSocket};

/// Two tokens, of which the first can be revoked.
struct Tokens(CancellationToken);

impl TokenVerifier for Tokens {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        let principal = match token {
            "first" if self.0.is_cancelled() => Err(Rejected::invalid("the token was revoked")),
            "first" => Ok(Principal::new("ada").with_end(self.0.clone())),
            _ => Ok(Principal::new("ada").with_end(CancellationToken::new())),
        };
        Box::pin(std::future::ready(principal))
    }

    fn sends_tokens(&self) -> bool {
        false
    }
}

fn with_token(call: Call, token: &str) -> Call {
    call.header("Authorization", &format!("Bearer {token}"))
}

fn lab() -> (Lab, CancellationToken) {
    let revoked = CancellationToken::new();
    (Lab::serve(shop::service(), protected(Tokens(revoked.clone()))), revoked)
}

/// The methods of the messages up to the end of the stream.
fn rest(mut stream: Response) -> Vec<Value> {
    std::iter::from_fn(|| stream.message()).collect()
}

fn listen(lab: &Lab, token: &str) -> Response {
    let params = json!({"notifications": {"toolsListChanged": true}});
    let mut stream = with_token(lab.modern("subscriptions/listen", &params), token).send();
    assert_eq!(stream.message().expect("a message")["method"], "notifications/subscriptions/acknowledged");
    stream
}

// As in Azure/azure-managed-grafana#74 and sandialabs/atlas-ui-3#560: a check when a stream is opened is not enough.
#[test]
fn a_subscription_ends_with_its_token() {
    let (mut lab, revoked) = lab();
    let (first, second) = (listen(&lab, "first"), listen(&lab, "second"));
    revoked.cancel();
    let last = rest(first);
    assert_eq!(last.len(), 1, "{last:?}");
    assert_eq!(last[0]["result"]["resultType"], "complete", "it ends gracefully");
    let refused = with_token(lab.modern("tools/list", &json!({})), "first").send();
    assert_eq!(refused.status, 401);
    assert_eq!(with_token(lab.modern("tools/list", &json!({})), "second").send().status, 200);
    lab.stop();
    assert_eq!(rest(second).len(), 1, "another token of the same principal stays");
}

#[test]
fn the_stream_of_a_session_ends_with_its_token() {
    let (lab, revoked) = lab();
    let opened = with_token(lab.initialize("2025-11-25"), "first").send();
    let id = opened.header("mcp-session-id").expect("a session").to_owned();
    let get = |token| {
        let call = lab.bare("GET", "/mcp").header("Accept", "text/event-stream");
        with_token(call, token).header("Mcp-Session-Id", &id).send()
    };
    let stream = get("first");
    assert_eq!(stream.status, 200);
    revoked.cancel();
    assert!(rest(stream).iter().all(|message| message.get("method").is_none()));
    assert_eq!(get("first").status, 401);
    assert_eq!(get("second").status, 200, "the session goes on with another token");
}

#[tokio::test]
async fn a_socket_closes_with_its_token() {
    let revoked = CancellationToken::new();
    let server =
        WebSocket::bind("127.0.0.1:0").expect("a free port").config(protected(Tokens(revoked.clone())));
    let address = server.local_addr().expect("an address");
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let client = tokio::task::spawn_blocking(move || {
        let open = Call::new(address, "GET", "/mcp")
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
        let opened = with_token(open, "first").send();
        assert_eq!(opened.status, 101);
        let mut stream = opened.into_stream();
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        revoked.cancel();
        let mut head = [0; 4];
        stream.read_exact(&mut head).expect("a close frame");
        // 1008 is a violation of a policy (RFC 6455 §7.4.1).
        assert_eq!((head[0], u16::from_be_bytes([head[2], head[3]])), (0x88, 1008));
        drop(ended);
    });
    let shutdown = async {
        _ = end.await;
    };
    shop::service().serve_until(server, shutdown).await.expect("served");
    client.await.expect("the test passes");
}
