//! The WebSocket mounted beside Streamable HTTP, in a custom server.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use test_transports::frames::{CLOSE, Frames, Handshake, TEXT};
use test_transports::link::{Link, MODERN, RUNTIME};
use test_transports::{http, stage};
use tokio::net::TcpListener;
use toolwright::{HttpService, transport::WebSocketService};
use tower_service::Service as _;

/// A server with the WebSocket at `/socket`, and everything else over HTTP.
fn serve() -> (SocketAddr, WebSocketService) {
    let service = stage::service();
    let (socket, http) = (WebSocketService::new(&service), HttpService::new(&service));
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
    let address = listener.local_addr().expect("an address");
    let mounted = socket.clone();
    RUNTIME.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (socket, http) = (mounted.clone(), http.clone());
            let routes = service_fn(move |request: Request<Incoming>| {
                let (mut socket, mut http) = (socket.clone(), http.clone());
                async move {
                    if request.uri().path() == "/socket" {
                        return socket.call(request).await;
                    }
                    http.call(request).await
                }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), routes);
            RUNTIME.spawn(connection.with_upgrades());
        }
    });
    (address, socket)
}

fn open(address: SocketAddr) -> Frames {
    let (head, frames) = Handshake::new(address).line("GET /socket HTTP/1.1").send();
    assert!(head.starts_with("http/1.1 101"), "{head}");
    frames
}

#[test]
fn a_socket_mounted_beside_http_can_be_shut_down() {
    let (address, service) = serve();
    let mut socket = open(address);
    socket.send_text(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(socket.next_frame(), Some((TEXT, br#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_vec())));
    let (wire, events) = http::http(address, MODERN);
    let mut link = Link::open(wire, events, MODERN, true);
    link.assert_alive();

    RUNTIME
        .block_on(async { tokio::time::timeout(Duration::from_secs(3), service.end()).await })
        .expect("it ends");
    assert_eq!(socket.close_code(), 1001);
    let (refused, _) = Handshake::new(address).line("GET /socket HTTP/1.1").send();
    assert!(refused.starts_with("http/1.1 503"), "{refused}");
    link.assert_alive();
}

#[test]
fn shutdown_does_not_wait_for_a_peer_that_does_not_close() {
    let (address, service) = serve();
    // It reads nothing, and so never answers the close frame.
    let mut socket = open(address);
    let start = Instant::now();
    RUNTIME.block_on(service.end());
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(socket.next_frame().map(|(opcode, _)| opcode), Some(CLOSE));
    assert_eq!(socket.next_frame(), None);
}

#[test]
fn a_server_without_upgrades_gets_an_error() {
    let mut service = WebSocketService::new(&stage::service());
    let request = Request::get("/")
        .header("Host", "localhost")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .body(())
        .expect("a request");
    let response: Result<Response<_>, Infallible> = RUNTIME.block_on(service.call(request));
    assert_eq!(response.expect("it never fails").status(), StatusCode::NOT_IMPLEMENTED);
}
