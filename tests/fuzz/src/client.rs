//! A client of a server that is driven by the input: part after part, each in response to one message.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use toolwright_client::config::{HttpSpec, ServerSpec, TransportSpec};
use toolwright_client::{Client, ClientBuilder, ClientError};

/// What configured headers hold. The fuzzer may guess it: such inputs are ignored.
pub const SECRET: &str = "s3cr3t-t0k3n";
/// The longest error, in characters.
const LONGEST: usize = 5000;
/// The most parts of an input.
const MOST: usize = 64;
/// The largest message that the client reads here.
const LIMIT: usize = 64 << 10;

/// The parts of an input, which empty lines separate. `{id}` in a part is replaced with the id of the message that it answers.
#[derive(Debug, Clone)]
pub struct Script(Arc<Mutex<VecDeque<Vec<u8>>>>);

impl Script {
    /// Splits an input into its parts.
    pub fn new(input: &[u8]) -> Self {
        let (mut parts, mut rest) = (VecDeque::new(), input);
        while let Some(at) = rest.windows(2).position(|pair| pair == b"\n\n").filter(|_| parts.len() < MOST) {
            parts.push_back(rest[..=at].to_vec());
            rest = &rest[at + 2..];
        }
        parts.push_back(rest.to_vec());
        Self(Arc::new(Mutex::new(parts)))
    }

    /// Returns the next part for a message; `None` after the last one.
    fn answer(&self, message: &[u8]) -> Option<Vec<u8>> {
        let part = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()?;
        let message: Value = serde_json::from_slice(message).unwrap_or_default();
        let id = message.get("id").map_or_else(|| "1".to_owned(), Value::to_string);
        Some(replace(&part, b"{id}", id.as_bytes()))
    }
}

fn replace(text: &[u8], what: &[u8], by: &[u8]) -> Vec<u8> {
    let (mut replaced, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.windows(what.len()).position(|window| window == what) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(by);
        rest = &rest[at + what.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

fn builder() -> ClientBuilder {
    Client::builder()
        .probe_timeout(Duration::from_millis(20))
        .max_message_bytes(LIMIT)
        .max_list_bytes(LIMIT)
        .max_pages(8)
}

/// Connects to a server on a pair of streams, which ends when its input does. The clock runs ahead when nothing is left to do, so that
/// nothing takes time.
pub fn over_lines(input: &[u8]) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    let script = Script::new(input);
    runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(4 << 10);
        let (reader, mut writer) = tokio::io::split(theirs);
        let server = tokio::spawn(async move {
            let mut lines = BufReader::new(reader).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                let Some(part) = script.answer(&line) else { return };
                if writer.write_all(&part).await.is_err() {
                    return;
                }
            }
        });
        let (reader, writer) = tokio::io::split(ours);
        match builder().connect_streams("fuzz", reader, writer).await {
            Ok(client) => speak(&client).await,
            Err(error) => check(&error),
        }
        server.abort();
    });
}

/// Connects to a server over HTTP that answers each request with the next part, and closes the connection: as it is where it begins
/// with `HTTP/`, as a stream of events where it begins with a field of one, as JSON otherwise.
pub fn over_http(input: &[u8]) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let script = Script::new(input);
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let script = script.clone();
                tokio::spawn(async move { answer(stream, &script).await });
            }
        });
        let mut http = HttpSpec::new(&*url);
        http.headers.set("Authorization", format!("Bearer {SECRET}"));
        (http.timeout, http.sse_read_timeout) = (TIMEOUT, TIMEOUT);
        let mut spec = ServerSpec::new("fuzz", TransportSpec::Http(http));
        (spec.request_timeout, spec.start_timeout) = (TIMEOUT, TIMEOUT);
        match builder().connect(spec).await {
            Ok(client) => speak(&client).await,
            Err(error) => check(&error),
        }
        server.abort();
    });
}

/// The time limit of a response over a socket.
const TIMEOUT: Duration = Duration::from_millis(100);

async fn answer(mut stream: TcpStream, script: &Script) {
    let mut request = Vec::new();
    let body = loop {
        let mut chunk = [0; 4096];
        let Ok(read @ 1..) = stream.read(&mut chunk).await else { return };
        request.extend_from_slice(&chunk[..read]);
        if let Some(body) = body_of(&request) {
            break body;
        }
    };
    let Some(part) = script.answer(body) else { return };
    let is_events =
        [&b"data"[..], b"event", b"id", b"retry", b":"].iter().any(|start| part.starts_with(start));
    let kind = if is_events { "text/event-stream" } else { "application/json" };
    if !part.starts_with(b"HTTP/") {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nMcp-Session-Id: s\r\nConnection: close\r\n\r\n"
        );
        _ = stream.write_all(head.as_bytes()).await;
    }
    _ = stream.write_all(&part).await;
    // The line that the empty one took away ends an event.
    _ = stream.write_all(b"\n").await;
    _ = stream.shutdown().await;
}

/// The body of a request, once all of it is there.
fn body_of(request: &[u8]) -> Option<&[u8]> {
    let end = request.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
    request.get(end..end + length)
}

/// Sends every kind of request once.
async fn speak(client: &Client) {
    if let Ok(tools) = note(client.list_tools().await) {
        for tool in tools.iter() {
            // Whatever a definition says, it can be looked at.
            _ = (tool.definition(), tool.to_value());
        }
    }
    if let Ok(result) = note(client.call("echo", json!({"text": "hi"})).await) {
        _ = result.as_text();
    }
    _ = note(client.list_prompts().await);
    _ = note(client.get_prompt("p", json!({"name": "x"})).await);
    _ = note(client.list_resources().await);
    _ = note(client.read_resource("x://y").await);
    _ = note(client.ping().await);
    client.close().await;
}

fn note<T>(outcome: Result<T, ClientError>) -> Result<T, ()> {
    outcome.map_err(|error| check(&error))
}

/// An error is a bounded line without a secret, and says what to do.
fn check(error: &ClientError) {
    let text = error.to_string();
    assert!(!error.advice().is_empty() && !error.problem().is_empty(), "{text}");
    let length = text.chars().count();
    assert!(length <= LONGEST, "{length} characters: {text}");
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(!text.contains(SECRET) && !format!("{error:?}").contains(SECRET), "{text}");
}
