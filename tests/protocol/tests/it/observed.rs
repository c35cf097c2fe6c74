//! Events of the server, as a subscriber receives them.

use serde_json::json;
use test_protocol::raw::RawClient;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolwright::auth::{ApiKeys, Protection};
use toolwright::middleware::Spans;
use toolwright::transport::Lines;
use toolwright::{Http, HttpConfig, Server, Service, Tool};
use tracing::Level;

use crate::collected::{Collected, Fields, fields};

const CANARY: &str = "s3cret-canary";

/// Panics.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Fall {
    secret: String,
}

fn service() -> Service {
    let fall = async |input: Fall| -> String { panic!("cannot use {}", input.secret) };
    Server::new(fall).tools::<Fall>().middleware(Spans::new()).build().expect("a server")
}

/// Returns the events with this message so far, with their levels.
fn events(collected: &Collected, message: &str) -> Vec<(Level, Fields)> {
    let all = collected.events_with("message").into_iter().filter(|event| event.fields["message"] == message);
    let all = all.map(|mut event| {
        event.fields.remove("message");
        (event.level, event.fields)
    });
    all.collect()
}

/// Fails if an event has a secret.
fn expect_no_secret(collected: &Collected) {
    let all = format!("{:?}", collected.events());
    assert!(!all.contains(CANARY), "{all}");
}

#[tokio::test]
async fn a_panic_is_recorded_with_its_place() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let client = RawClient::in_process(&service());
    let call = json!({"name": "fall", "arguments": {"secret": CANARY}});
    _ = client.request("tools/call", call).await;
    let panics = events(&collected, "a handler panicked");
    assert_eq!(panics.len(), 1, "{panics:?}");
    let (level, panic) = &panics[0];
    assert_eq!((*level, panic["exception.type"].as_str()), (Level::ERROR, "panic"));
    assert!(panic["code.file.path"].ends_with("observed.rs"), "{panic:?}");
    assert!(panic["code.line.number"].parse::<u32>().is_ok_and(|line| line > 0), "{panic:?}");
    expect_no_secret(&collected);
    // What panics elsewhere is not of the server.
    _ = std::panic::catch_unwind(|| panic!("elsewhere"));
    assert_eq!(events(&collected, "a handler panicked").len(), 1);
}

#[tokio::test]
async fn an_error_response_is_recorded_by_its_code() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let client = RawClient::in_process(&service());
    _ = client.request(CANARY, json!({"name": CANARY})).await;
    let errors = events(&collected, "a request was answered with an error");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let (level, error) = &errors[0];
    assert_eq!(*level, Level::DEBUG);
    assert_eq!(error["error.type"], "-32601");
    assert_eq!(error["rpc.response.status_code"], "-32601");
    assert!(error.contains_key("jsonrpc.request.id"), "{error:?}");
    expect_no_secret(&collected);
}

#[tokio::test]
async fn rejected_hosts_origins_and_tokens_are_recorded() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let http = Http::bind("127.0.0.1:0").expect("an address");
    let address = http.local_addr().expect("an address").to_string();
    let keys = ApiKeys::new().key("ada", "a-key-of-some-length-0123456789abcdef", [""; 0]).expect("a key");
    let protection = Protection::new(&format!("http://{address}/mcp"), keys).expect("a URL");
    let http = http.config(HttpConfig::new().protect(protection));
    let service = service();
    let serving = tokio::spawn(async move { service.serve(http).await });
    let long = "x".repeat(1_000);
    for headers in [
        format!("Host: {long}.example\r\n"),
        format!("Host: {address}\r\nOrigin: https://evil.example\r\n"),
        format!("Host: {address}\r\nAuthorization: Bearer {CANARY}\r\n"),
        format!("Host: {address}\r\n"),
    ] {
        let mut stream = TcpStream::connect(&address).await.expect("a connection");
        let head =
            format!("POST /mcp HTTP/1.1\r\n{headers}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}");
        stream.write_all(head.as_bytes()).await.expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("a response");
        assert!(answer.starts_with("HTTP/1.1 40"), "{answer}");
    }
    serving.abort();
    let info = |fields| vec![(Level::INFO, fields)];
    assert_eq!(
        events(&collected, "a request for another host was rejected"),
        info(fields([("error.type", "host_not_allowed"), ("server.address", &long[..256])]))
    );
    let origin = ("http.request.header.origin", "https://evil.example");
    assert_eq!(
        events(&collected, "a request of another origin was rejected"),
        info(fields([("error.type", "origin_not_allowed"), origin]))
    );
    let tokens = events(&collected, "a token was rejected");
    assert_eq!(tokens.len(), 1, "a request without a token has none that is rejected: {tokens:?}");
    assert_eq!((tokens[0].0, tokens[0].1["error.type"].as_str()), (Level::INFO, "invalid_token"));
    assert!(!tokens[0].1["reason"].is_empty());
    expect_no_secret(&collected);
}

#[tokio::test]
async fn a_peer_that_leaves_too_early_is_recorded() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let (client, server) = tokio::io::duplex(64);
    let (reader, writer) = tokio::io::split(server);
    let (answers, mut requests) = tokio::io::split(client);
    requests.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.expect("a request");
    drop((answers, requests));
    service().serve(Lines::new(reader, writer)).await.expect("the end");
    let left = events(&collected, "a peer disconnected before it was sent everything");
    assert_eq!(left, [(Level::DEBUG, fields([("error.type", "BrokenPipe")]))]);
}
