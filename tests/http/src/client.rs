//! A client that writes HTTP/1.1 by hand, so that no library corrects its requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use test_protocol::validation;

/// A request that is not sent yet.
#[derive(Debug, Clone)]
pub struct Call {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    revision: String,
    method: String,
}

impl Call {
    /// A request with `Host` and nothing else.
    pub fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        Self {
            address,
            line: format!("{method} {path} HTTP/1.1"),
            headers: vec![("Host".to_owned(), address.to_string())],
            body: Vec::new(),
            revision: "2026-07-28".to_owned(),
            method: String::new(),
        }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Removes the headers of this name.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// Replaces the value of a header.
    pub fn replace(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    /// Sets a body of JSON.
    pub fn body(self, body: &Value) -> Self {
        self.raw_body(body.to_string().as_bytes())
    }

    /// Sets a body of any bytes.
    pub fn raw_body(mut self, body: &[u8]) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    /// Sets the revision and the method whose schema the response is validated against.
    pub fn validate_as(mut self, revision: &str, method: &str) -> Self {
        revision.clone_into(&mut self.revision);
        method.clone_into(&mut self.method);
        self
    }

    /// Sends it on a new connection, and reads the head of the response.
    ///
    /// # Panics
    /// If that fails.
    pub fn send(self) -> Response {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        self.send_on(stream)
    }

    /// The same on a connection that is open.
    ///
    /// # Panics
    /// If that fails.
    pub fn send_on(self, mut stream: TcpStream) -> Response {
        self.write_to(&mut stream);
        Response::read(stream, self.revision, self.method)
    }

    /// The same, and then shuts down the sending half of the connection.
    ///
    /// # Panics
    /// If that fails.
    pub fn send_half(self, mut stream: TcpStream) -> Response {
        self.write_to(&mut stream);
        stream.shutdown(Shutdown::Write).expect("it is open");
        Response::read(stream, self.revision, self.method)
    }

    /// Writes it, and reads nothing.
    ///
    /// # Panics
    /// If that fails.
    pub fn write_to(&self, stream: &mut TcpStream) {
        use std::fmt::Write as _;
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
        let mut head = self.line.clone();
        for (name, value) in &self.headers {
            write!(head, "\r\n{name}: {value}").expect("text");
        }
        let chunked = self.headers.iter().any(|(name, _)| name == "Transfer-Encoding");
        if !chunked && (!self.body.is_empty() || head.starts_with("POST")) {
            write!(head, "\r\nContent-Length: {}", self.body.len()).expect("text");
        }
        head.push_str("\r\n\r\n");
        stream.write_all(&[head.as_bytes(), &self.body].concat()).expect("sent");
    }

    /// The address that it is sent to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// A response whose head was read.
#[derive(Debug)]
pub struct Response {
    /// Its status.
    pub status: u16,
    headers: Vec<(String, String)>,
    reader: BufReader<TcpStream>,
    /// The remaining bytes of the body, or of its chunk.
    left: usize,
    chunked: bool,
    revision: String,
    method: String,
    /// The id of the last event that had one.
    pub last_event_id: Option<String>,
    /// The reconnection delay that the server requests, in milliseconds.
    pub retry: Option<u64>,
}

/// An event, field by field (WHATWG HTML, "Server-sent events").
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its data.
    pub data: Option<String>,
    /// Its reconnection delay.
    pub retry: Option<String>,
}

impl Event {
    /// Reads the lines of one event; none if it is a comment.
    ///
    /// # Panics
    /// If a line is not a field, or a field is repeated.
    pub fn of(text: &str) -> Option<Self> {
        if text.starts_with(':') {
            return None;
        }
        let mut event = Self::default();
        for line in text.lines() {
            let (field, value) = line.split_once(':').expect("a field");
            let place = match field {
                "id" => &mut event.id,
                "event" => &mut event.name,
                "data" => &mut event.data,
                "retry" => &mut event.retry,
                _ => panic!("no field: {line}"),
            };
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            assert!(place.replace(value).is_none(), "twice: {text}");
        }
        Some(event)
    }
}

impl Response {
    fn read(stream: TcpStream, revision: String, method: String) -> Self {
        let mut reader = BufReader::new(stream);
        let mut status = line(&mut reader);
        // `Expect: 100-continue` has a separate response.
        if status.starts_with("HTTP/1.1 100") {
            line(&mut reader);
            status = line(&mut reader);
        }
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let mut headers = Vec::new();
        loop {
            let text = line(&mut reader);
            let Some((name, value)) = text.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let value =
            |name: &str| headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
        let left = value("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let chunked = value("transfer-encoding").is_some();
        let (last_event_id, retry) = (None, None);
        Self { status, headers, reader, left, chunked, revision, method, last_event_id, retry }
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is a stream of events.
    pub fn is_events(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// Reads the whole body.
    ///
    /// # Panics
    /// If it is not UTF-8.
    pub fn text(&mut self) -> String {
        let mut text = Vec::new();
        while let Some(byte) = self.byte() {
            text.push(byte);
        }
        String::from_utf8(text).expect("text")
    }

    /// The body as JSON, validated against the schema unless it is a batch.
    ///
    /// # Panics
    /// If it is not valid JSON.
    pub fn json(&mut self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.status);
        let value: Value = serde_json::from_str(&self.text()).expect("JSON");
        if !value.is_array() {
            self.validate(&value);
        }
        value
    }

    /// The next event as its lines, or none at the end.
    ///
    /// # Panics
    /// If the stream ends within an event.
    pub fn event(&mut self) -> Option<String> {
        let mut text = Vec::new();
        while let Some(byte) = self.byte() {
            text.push(byte);
            if text.ends_with(b"\n\n") {
                return Some(String::from_utf8(text).expect("text").trim_end().to_owned());
            }
        }
        assert!(text.is_empty(), "the stream ended within an event");
        None
    }

    /// The fields of the next event that is not a comment; `None` at the end of the stream.
    ///
    /// # Panics
    /// If it is not an event, or its `retry` is not a number.
    pub fn fields(&mut self) -> Option<Event> {
        let event = std::iter::from_fn(|| self.event()).find_map(|text| Event::of(&text))?;
        if event.id.is_some() {
            self.last_event_id.clone_from(&event.id);
        }
        if let Some(retry) = &event.retry {
            self.retry = Some(retry.parse().expect("milliseconds"));
        }
        Some(event)
    }

    /// Returns the next message of the stream, validated against the schema; `None` at its end.
    ///
    /// # Panics
    /// If an event holds no message.
    pub fn message(&mut self) -> Option<Value> {
        loop {
            let Event { id, name, data, .. } = self.fields()?;
            let data = data.expect("data");
            // From an event without data a client learns where to go on (modelcontextprotocol/typescript-sdk#1184).
            if data.is_empty() {
                assert!(id.is_some(), "an event that says nothing");
                continue;
            }
            assert!(name.is_none_or(|name| name == "message"), "a message");
            let message = serde_json::from_str(&data).expect("JSON");
            self.validate(&message);
            return Some(message);
        }
    }

    /// Sets the revision and the method whose schema the following messages are validated against.
    pub fn validate_as(&mut self, revision: &str, method: &str) {
        revision.clone_into(&mut self.revision);
        method.clone_into(&mut self.method);
    }

    /// All messages until the end of the stream.
    pub fn messages(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.message()).collect()
    }

    /// Returns the connection, if the body was read completely.
    pub fn into_stream(mut self) -> TcpStream {
        self.text();
        self.reader.into_inner()
    }

    fn validate(&self, message: &Value) {
        validation::validate(&self.revision, Some(self.method.as_str()), message);
    }

    fn byte(&mut self) -> Option<u8> {
        if self.left == 0 && self.chunked {
            let size = line(&mut self.reader);
            self.left = usize::from_str_radix(&size, 16).unwrap_or(0);
            if self.left == 0 {
                self.chunked = false;
                line(&mut self.reader);
                return None;
            }
        }
        if self.left == 0 {
            return None;
        }
        let mut byte = [0];
        self.reader.read_exact(&mut byte).expect("the body goes on");
        self.left -= 1;
        if self.left == 0 && self.chunked {
            line(&mut self.reader);
        }
        Some(byte[0])
    }
}

/// Reads one line without its line break; empty at the end of the connection.
fn line(reader: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    line.trim_end().to_owned()
}
