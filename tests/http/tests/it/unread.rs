//! Clients of a mounted service that do not read: two callers in each test. Nobody is between the service and its reader
//! here, so what waits is what the service keeps.

use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body::Body;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_http::lab::{MODERN, with_meta};
use test_http::scripted::scripted_server;
use toolwright::{
    Context, Handler, HttpConfig, HttpService, Limits, Server, Service, Tool, ToolError, limits::CallerLimits,
};
use tower_service::Service as _;

const ADA: &str = "10.0.0.1";
const BOB: &str = "10.0.0.2";

/// Says much, piece by piece if a token for progress is there.
#[derive(Tool, Deserialize, JsonSchema)]
struct Speech {
    pieces: u32,
}

const PIECE: usize = 10_000;

struct Speaker;

impl Handler<Speech> for Speaker {
    type Output = Result<String, ToolError>;

    async fn call(&self, speech: Speech, cx: &Context) -> Self::Output {
        let piece = "x".repeat(PIECE);
        for number in 0..speech.pieces {
            cx.progress(f64::from(number), None, Some(&piece)).await;
        }
        Ok(piece)
    }
}

/// The service's response.
type Answered = <HttpService as tower_service::Service<Request<String>>>::Response;

fn service(limits: Limits) -> Service {
    Server::new(Speaker).tools::<Speech>().limits(limits).build().expect("a service")
}

fn limits(max_unread_bytes: usize) -> Limits {
    let per_caller = CallerLimits { max_unread_bytes, ..CallerLimits::default() };
    Limits { per_caller, ..Limits::default() }
}

/// An endpoint that identifies callers by a header.
fn mounted(service: &Service) -> HttpService {
    let config =
        HttpConfig::new().caller_address(|head| head.headers.get("x-caller")?.to_str().ok()?.parse().ok());
    HttpService::with_config(service, config)
}

async fn post(
    service: &HttpService,
    caller: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Result<Answered, Infallible> {
    let mut request = Request::post("http://localhost/mcp")
        .header("x-caller", caller)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    service.clone().call(request.body(body.to_string()).expect("a request")).await
}

async fn call(
    service: &HttpService,
    caller: &str,
    tool: &str,
    arguments: &Value,
) -> Result<Answered, Infallible> {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": 1}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": with_meta(&params)});
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", tool)];
    post(service, caller, &headers, &body).await
}

/// A session of a legacy client.
async fn session(service: &HttpService, caller: &str) -> Result<String, Infallible> {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let opened = post(service, caller, &[], &hello).await?;
    let id = opened.headers().get("mcp-session-id").expect("a session");
    Ok(id.to_str().expect("ASCII").to_owned())
}

async fn legacy_call(
    service: &HttpService,
    (caller, session): (&str, &str),
    arguments: &Value,
) -> Result<Answered, Infallible> {
    let params = json!({"name": "speech", "arguments": arguments, "_meta": {"progressToken": 1}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    post(service, caller, &[("mcp-session-id", session)], &body).await
}

/// Returns the next piece of a body; `None` at its end.
async fn piece(body: &mut (impl Body<Data = Bytes, Error = Infallible> + Unpin)) -> Option<Bytes> {
    let frame = std::future::poll_fn(|task| Pin::new(&mut *body).poll_frame(task)).await?;
    frame.expect("it never fails").into_data().ok()
}

async fn is_silent(body: &mut (impl Body<Data = Bytes, Error = Infallible> + Unpin)) -> bool {
    tokio::time::timeout(Duration::from_millis(50), piece(body)).await.is_err()
}

const PLAIN: u32 = 0;

#[tokio::test]
async fn responses_that_are_not_read_are_bounded() -> Result<(), Infallible> {
    let service = mounted(&service(limits(25_000)));
    let speech = json!({"pieces": PLAIN});
    let mut unread = Vec::new();
    for _ in 0..3 {
        let response = call(&service, ADA, "speech", &speech).await?;
        assert_eq!(response.status(), StatusCode::OK);
        unread.push(response);
    }
    let status =
        async |caller| call(&service, caller, "speech", &speech).await.map(|response| response.status());
    assert_eq!(status(ADA).await?, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(status(BOB).await?, StatusCode::OK, "what one keeps is not taken from another");
    let written = piece(unread.remove(0).body_mut()).await.expect("all of it");
    assert!(written.len() > PIECE);
    assert_eq!(status(ADA).await?, StatusCode::SERVICE_UNAVAILABLE, "it is on its way still");
    drop(written);
    assert_eq!(status(ADA).await?, StatusCode::OK);
    unread.push(call(&service, ADA, "speech", &speech).await?);
    assert_eq!(status(ADA).await?, StatusCode::SERVICE_UNAVAILABLE);
    drop(unread);
    assert_eq!(status(ADA).await?, StatusCode::OK, "its readers have left");
    Ok(())
}

/// Short ones count for more than their bytes.
#[tokio::test]
async fn the_number_of_responses_that_are_not_read_is_bounded() -> Result<(), Infallible> {
    let service = mounted(&service(limits(20_000)));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let mut unread = Vec::new();
    while unread.len() < 1_000 {
        let response = post(&service, ADA, &[], &ping).await?;
        if response.status() != StatusCode::OK {
            break;
        }
        unread.push(response);
    }
    assert!((10..=20).contains(&unread.len()), "{}", unread.len());
    assert_eq!(post(&service, BOB, &[], &ping).await?.status(), StatusCode::OK);
    Ok(())
}

#[tokio::test]
async fn all_callers_together_are_bounded() -> Result<(), Infallible> {
    let service = mounted(&service(Limits { max_unread_bytes: 15_000, ..Limits::default() }));
    let speech = json!({"pieces": PLAIN});
    let adas = [call(&service, ADA, "speech", &speech).await?, call(&service, ADA, "speech", &speech).await?];
    assert_eq!(call(&service, BOB, "speech", &speech).await?.status(), StatusCode::SERVICE_UNAVAILABLE);
    drop(adas);
    assert_eq!(call(&service, BOB, "speech", &speech).await?.status(), StatusCode::OK);
    Ok(())
}

/// In the legacy era, a call continues without its reader until it has reached the limit of unread bytes.
#[tokio::test]
async fn streams_that_are_not_read_hold_their_calls_up() -> Result<(), Infallible> {
    let service = mounted(&service(limits(100_000)));
    let many = json!({"pieces": 1_000});
    let adas = session(&service, ADA).await?;
    let mut unread = Vec::new();
    for _ in 0..20 {
        let response = legacy_call(&service, (ADA, &adas), &many).await?;
        if response.status() != StatusCode::OK {
            break;
        }
        unread.push(response);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let refused = legacy_call(&service, (ADA, &adas), &many).await?.status();
    assert_eq!(refused, StatusCode::SERVICE_UNAVAILABLE);
    let mut kept = 0;
    for response in &mut unread {
        // What there is without waiting.
        while let Ok(Some(piece)) = tokio::time::timeout(Duration::ZERO, piece(response.body_mut())).await {
            kept += piece.len();
            if piece.len() < PIECE {
                continue;
            }
            break;
        }
    }
    assert!(kept < 800_000, "{kept} bytes were kept for one who may have 100,000");

    let bobs = session(&service, BOB).await?;
    let mut response = legacy_call(&service, (BOB, &bobs), &json!({"pieces": 50})).await?;
    let mut read = 0;
    while let Some(piece) = piece(response.body_mut()).await {
        read += piece.len();
    }
    assert!(read > 51 * PIECE, "another caller reads all of it: {read}");
    Ok(())
}

#[tokio::test]
async fn a_response_waits_for_unread_ones() -> Result<(), Infallible> {
    let (service, [ada, bob]) = scripted_server(["ada", "bob"], limits(25_000));
    let service = mounted(&service);
    let none = json!({});
    let (adas, bobs) = (call(&service, ADA, "ada", &none), call(&service, BOB, "bob", &none));
    ada.report("begun");
    bob.report("begun");
    let (mut adas, mut bobs) = (adas.await?, bobs.await?);
    for response in [&mut adas, &mut bobs] {
        assert!(piece(response.body_mut()).await.is_some(), "a stream");
    }
    // A list is as suitable as any other response.
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": with_meta(&none)});
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
    let mut unread = Vec::new();
    loop {
        let response = post(&service, ADA, &headers, &list).await?;
        if response.status() != StatusCode::OK {
            break;
        }
        unread.push(response);
    }
    ada.answer("x".repeat(PIECE));
    bob.answer("x".repeat(PIECE));
    let answer = piece(bobs.body_mut()).await.expect("an answer");
    assert!(answer.len() > PIECE, "another caller");
    assert!(is_silent(adas.body_mut()).await);
    drop(unread);
    let answer = piece(adas.body_mut()).await.expect("an answer");
    assert!(answer.len() > PIECE, "there is room again");
    Ok(())
}
