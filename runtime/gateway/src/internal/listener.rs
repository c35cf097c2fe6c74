//! The listener of the internal API: HTTP/1.1 with limits per connection.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use axum::response::IntoResponse as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Maximum number of connections to the internal API: 256. Further ones wait.
pub const MAX_CONNECTIONS: usize = 256;
/// Maximum time for the head of a request, and for idle connections: 10 seconds.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time from the head of a request to its response, including its body: 30 seconds.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The delay after a system error, such as too many open files.
const BREAK: Duration = Duration::from_millis(100);

/// The timeouts of connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) head: Duration,
    pub(super) request: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self { head: HEAD_TIMEOUT, request: REQUEST_TIMEOUT }
    }
}

/// Serves the routes until `shutdown`, and then finishes the requests that were received.
pub(super) async fn serve(
    router: Router,
    listener: TcpListener,
    times: Times,
    shutdown: impl Future<Output = ()> + Send,
) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let (mut open, stop) = (JoinSet::new(), CancellationToken::new());
    let mut shutdown = pin!(shutdown);
    loop {
        while open.try_join_next().is_some() {}
        let accepted = async {
            // The semaphore is never closed.
            let place = Arc::clone(&room).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut shutdown => break,
        };
        let Ok((stream, _)) = accepted else {
            sleep(BREAK).await;
            continue;
        };
        let (router, stop) = (router.clone(), stop.clone());
        open.spawn(async move {
            serve_connection(router, stream, times, stop).await;
            drop(place);
        });
    }
    drop(listener);
    stop.cancel();
    while open.join_next().await.is_some() {}
}

async fn serve_connection(router: Router, stream: TcpStream, times: Times, stop: CancellationToken) {
    _ = stream.set_nodelay(true);
    let inner = TowerToHyperService::new(router);
    let service = service_fn(|request: Request<Incoming>| {
        let answer = hyper::service::Service::call(&inner, request);
        async move { Ok::<Response<Body>, Infallible>(answered(timeout(times.request, answer).await)) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(times.head);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    // The client disconnected or sent invalid HTTP, so no response is possible.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    _ = connection.await;
}

fn answered<E>(answer: Result<Result<Response<Body>, Infallible>, E>) -> Response<Body> {
    match answer {
        Ok(Ok(response)) => response,
        Ok(Err(never)) => match never {},
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Returns everything that a connection receives which sends this and then waits.
    async fn sent(text: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let echo = axum::routing::post(|body: axum::body::Bytes| async move { body });
        let router = Router::new().route("/", echo);
        let times = Times { head: Duration::from_millis(100), request: Duration::from_millis(200) };
        let server = tokio::spawn(serve(router, listener, times, std::future::pending()));
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        tokio::time::timeout(Duration::from_secs(20), read).await.expect("the connection ends").unwrap();
        server.abort();
        answer
    }

    #[tokio::test]
    async fn a_slow_client_does_not_hold_its_connection() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n";
        assert_eq!(sent("").await, "");
        assert_eq!(sent("POST / HT").await, "");
        assert_eq!(sent(head).await, "");
        let slow_body = sent(&format!("{head}\r\nx")).await;
        assert!(slow_body.starts_with("HTTP/1.1 408"), "{slow_body}");
        let whole = sent(&format!("{head}Connection: close\r\n\r\nhi")).await;
        assert!(whole.starts_with("HTTP/1.1 200") && whole.ends_with("hi"), "{whole}");
    }

    #[tokio::test]
    async fn requests_that_have_come_are_answered_at_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (begun, end) = (CancellationToken::new(), CancellationToken::new());
        let (told, told_end) = (begun.clone(), end.clone());
        let slow = axum::routing::get(move || async move {
            told.cancel();
            told_end.cancelled().await;
            sleep(Duration::from_millis(20)).await;
            "done"
        });
        let router = Router::new().route("/", slow);
        let server = tokio::spawn(serve(router, listener, Times::default(), end.clone().cancelled_owned()));
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        begun.cancelled().await;
        end.cancel();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("done"), "{answer}");
        server.await.unwrap();
    }
}
