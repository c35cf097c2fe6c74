//! A client over Streamable HTTP: a connection for each message.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use http_body::Body as _;
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::AbortHandle;

use crate::link::{Event, MODERN, RUNTIME, Wire};
use crate::wires::{Wired, send_message};

/// What all requests of a client share.
#[derive(Clone)]
struct Endpoint {
    address: SocketAddr,
    revision: &'static str,
    /// A legacy client's, once the server has given it one.
    session: Arc<Mutex<Option<String>>>,
    events: Sender<Event>,
}

struct Http {
    endpoint: Endpoint,
    running: HashMap<String, AbortHandle>,
}

/// A client of the endpoint `/mcp` at `address`.
pub fn http(address: SocketAddr, revision: &'static str) -> Wired {
    let (events, received) = channel();
    let endpoint = Endpoint { address, revision, session: Arc::default(), events };
    (Box::new(Http { endpoint, running: HashMap::new() }), received)
}

impl Wire for Http {
    fn send(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).expect("JSON");
        let id = message["id"].to_string();
        let (endpoint, text) = (self.endpoint.clone(), text.to_owned());
        let task = RUNTIME.spawn(async move { endpoint.post(&message, text).await });
        self.running.insert(id, task.abort_handle());
    }

    fn cancel(&mut self, id: &Value) {
        if self.endpoint.revision == MODERN {
            // Closing the stream cancels the request.
            self.running.remove(&id.to_string()).expect("it was sent").abort();
            return;
        }
        let params = serde_json::json!({"requestId": id});
        let message =
            serde_json::json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.send(&message.to_string());
    }

    fn listen(&mut self) {
        if self.endpoint.revision == MODERN {
            return;
        }
        let endpoint = self.endpoint.clone();
        let response = RUNTIME.block_on(async {
            let request = endpoint.request("GET").header("Accept", "text/event-stream");
            exchange(endpoint.address, request.body(String::new()).expect("a request")).await
        });
        assert_eq!(response.status(), 200);
        let task = RUNTIME.spawn(async move { endpoint.take(response).await });
        self.running.insert("the stream".to_owned(), task.abort_handle());
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.running.values().for_each(AbortHandle::abort);
    }
}

impl Endpoint {
    /// Sends a message as it is written; headers say what is in it.
    async fn post(&self, message: &Value, text: String) {
        let mut request = self
            .request("POST")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if self.revision == MODERN {
            let method = message["method"].as_str().expect("a method");
            request = request.header("Mcp-Method", method);
            let params = &message["params"];
            if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
                request = request.header("Mcp-Name", name);
            }
        }
        let request = request.body(text).expect("a request");
        let response = exchange(self.address, request).await;
        if let Some(session) = response.headers().get("mcp-session-id") {
            *self.session() = Some(session.to_str().expect("text").to_owned());
        }
        self.take(response).await;
    }

    fn request(&self, method: &str) -> hyper::http::request::Builder {
        let request = Request::builder().method(method).uri("/mcp").header("Host", self.address.to_string());
        match &*self.session() {
            _ if self.revision == MODERN => request.header("MCP-Protocol-Version", MODERN),
            Some(session) if self.revision >= "2025-06-18" => {
                request.header("Mcp-Session-Id", session).header("MCP-Protocol-Version", self.revision)
            }
            Some(session) => request.header("Mcp-Session-Id", session),
            None => request,
        }
    }

    fn session(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the messages of the response as they arrive.
    async fn take(&self, response: Response<Incoming>) {
        let status = response.status().as_u16();
        let is_events =
            response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let mut body = response.into_body();
        if is_events {
            let mut events = Events { body, text: Vec::new() };
            while let Some((_, data)) = events.next().await {
                if !data.is_empty() {
                    send_message(&self.events, &data);
                }
            }
            return;
        }
        let mut text = Vec::new();
        while let Some(frame) = next_frame(&mut body).await {
            text.extend_from_slice(&frame);
        }
        let text = String::from_utf8(text).expect("text");
        match status {
            200 if !text.is_empty() => send_message(&self.events, &text),
            200 | 202 => {}
            status => {
                let message = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status}: {text}"));
                let _ = self.events.send(Event::Status(status, message));
            }
        }
    }
}

/// A stream of events.
struct Events {
    body: Incoming,
    /// The beginning of the next one.
    text: Vec<u8>,
}

impl Events {
    /// The name and the data of the next event; none at the end of the stream.
    async fn next(&mut self) -> Option<(String, String)> {
        loop {
            if let Some(end) = self.text.windows(2).position(|end| end == b"\n\n") {
                let event: Vec<u8> = self.text.drain(..end + 2).collect();
                let event = String::from_utf8(event).expect("text");
                let field = |name| event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
                return Some((field("event: ").to_owned(), field("data: ").to_owned()));
            }
            self.text.extend_from_slice(&next_frame(&mut self.body).await?);
        }
    }
}

async fn next_frame(body: &mut Incoming) -> Option<Vec<u8>> {
    let frame = std::future::poll_fn(|task| Pin::new(&mut *body).poll_frame(task)).await?.ok()?;
    Some(frame.into_data().expect("data").to_vec())
}

/// A client of the two endpoints of 2024-11-05.
struct Sse {
    address: SocketAddr,
    /// Where to POST.
    messages: String,
    events: Sender<Event>,
    stream: AbortHandle,
}

/// A client whose stream is `/sse` at `address`.
///
/// # Panics
/// If the server opens none, or does not say where to POST first.
pub fn sse(address: SocketAddr) -> Wired {
    let (events, received) = channel();
    let (messages, mut stream) = RUNTIME.block_on(async {
        let request =
            Request::get("/sse").header("Host", address.to_string()).header("Accept", "text/event-stream");
        let response = exchange(address, request.body(String::new()).expect("a request")).await;
        assert_eq!(response.status(), 200);
        let mut stream = Events { body: response.into_body(), text: Vec::new() };
        let (name, messages) = stream.next().await.expect("a first event");
        assert_eq!(name, "endpoint");
        // The stream is at the root, and so is what is relative to it.
        (format!("/{}", messages.trim_start_matches('/')), stream)
    });
    let messages_of_stream = events.clone();
    let task = RUNTIME.spawn(async move {
        while let Some((_, data)) = stream.next().await {
            if !data.is_empty() {
                send_message(&messages_of_stream, &data);
            }
        }
    });
    (Box::new(Sse { address, messages, events, stream: task.abort_handle() }), received)
}

impl Wire for Sse {
    fn send(&mut self, message: &str) {
        let request = Request::post(&self.messages)
            .header("Host", self.address.to_string())
            .header("Content-Type", "application/json")
            .body(message.to_owned())
            .expect("a request");
        let (status, text) = RUNTIME.block_on(async {
            let response = exchange(self.address, request).await;
            let (status, mut body) = (response.status().as_u16(), response.into_body());
            let mut text = Vec::new();
            while let Some(frame) = next_frame(&mut body).await {
                text.extend_from_slice(&frame);
            }
            (status, text)
        });
        if status != 202 {
            let message = serde_json::from_slice(&text).unwrap_or_else(|_| panic!("{status}: {text:?}"));
            // The test may have seen enough.
            let _ = self.events.send(Event::Status(status, message));
        }
    }
}

impl Drop for Sse {
    fn drop(&mut self) {
        self.stream.abort();
    }
}

async fn exchange(address: SocketAddr, request: Request<String>) -> Response<Incoming> {
    let stream = TcpStream::connect(address).await.expect("the server listens");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("a connection");
    // It ends with its sender.
    RUNTIME.spawn(connection);
    sender.send_request(request).await.expect("a response")
}
