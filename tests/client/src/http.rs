//! HTTP servers for tests: a function responds to each request.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The HTTP method.
    pub http_method: String,
    /// The path and query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// When it arrived.
    pub at: Instant,
}

impl Request {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns the method of the message.
    pub fn method(&self) -> String {
        self.json()["method"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the ID of the message.
    pub fn id(&self) -> Value {
        self.json()["id"].clone()
    }
}

/// The response to a request.
#[derive(Debug)]
pub struct Reply {
    stream: TcpStream,
    is_open: bool,
}

impl Reply {
    /// Sends a response.
    pub fn send(&mut self, status: u16, headers: &[(&str, &str)], body: &str) {
        let mut head = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            _ = write!(head, "{name}: {value}\r\n");
        }
        self.raw(format!("{head}\r\n{body}").as_bytes());
    }

    /// Sends a response with a JSON body.
    pub fn json(&mut self, status: u16, body: &Value) {
        self.send(status, &[("Content-Type", "application/json")], &body.to_string());
    }

    /// Sends the result of a request.
    pub fn result(&mut self, request: &Request, result: &Value) {
        self.json(200, &json!({"jsonrpc": "2.0", "id": request.id(), "result": result}));
    }

    /// Starts an event stream.
    pub fn events(&mut self) {
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    }

    /// Sends a chunk of a stream.
    pub fn chunk(&mut self, text: &str) {
        self.raw(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes());
    }

    /// Ends a stream.
    pub fn end(&mut self) {
        self.raw(b"0\r\n\r\n");
    }

    /// Sends bytes unchanged.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.is_open &= self.stream.write_all(bytes).and_then(|()| self.stream.flush()).is_ok();
    }

    /// Closes the connection.
    pub fn hang_up(&mut self) {
        self.is_open = false;
    }

    /// Waits until the client closes the connection; returns whether it has within the time limit.
    pub fn wait_for_end(&mut self, time_limit: Duration) -> bool {
        _ = self.stream.set_read_timeout(Some(time_limit));
        let has_ended = matches!(self.stream.read(&mut [0; 1]), Ok(0));
        self.is_open = false;
        has_ended
    }
}

/// A running server.
#[derive(Debug)]
pub struct Fixture {
    /// The URL of the endpoint.
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Fixture {
    /// Starts a server, which runs until the test ends.
    ///
    /// # Panics
    /// If there is no free port.
    pub fn start(respond: impl Fn(&Request, &mut Reply) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("it has an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (respond, received) = (Arc::new(respond), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (respond, received) = (Arc::clone(&respond), Arc::clone(&received));
                thread::spawn(move || serve(&stream, &*respond, &received));
            }
        });
        Self { url, requests }
    }

    /// Returns the requests received so far.
    ///
    /// # Panics
    /// If a thread of the server panicked.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("not poisoned").clone()
    }

    /// Returns the methods of the messages received so far, and the HTTP methods of requests without a message.
    pub fn methods(&self) -> Vec<String> {
        let name = |request: &Request| {
            let method = request.method();
            if method.is_empty() { request.http_method.clone() } else { method }
        };
        self.requests().iter().map(name).collect()
    }
}

fn serve(
    stream: &TcpStream,
    respond: &(dyn Fn(&Request, &mut Reply) + Sync),
    received: &Mutex<Vec<Request>>,
) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        received.lock().expect("not poisoned").push(request.clone());
        let Ok(stream) = stream.try_clone() else { return };
        let mut reply = Reply { stream, is_open: true };
        respond(&request, &mut reply);
        if !reply.is_open {
            _ = reply.stream.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = || {
        let mut text = String::new();
        reader.read_line(&mut text).ok().filter(|read| *read > 0)?;
        Some(text.trim_end().to_owned())
    };
    let start = line()?;
    let mut words = start.split(' ');
    let (http_method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    while let Some(text) = line().filter(|text| !text.is_empty()) {
        let (name, value) = text.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length =
        headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Request { http_method, path, headers, body, at: Instant::now() })
}

/// Responds to a request as a legacy server without a fault.
pub fn legacy(request: &Request, reply: &mut Reply) {
    match request.method().as_str() {
        "server/discover" => reply.send(400, &[], "Bad Request: no session"),
        "initialize" => {
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "fixture", "version": "1"}});
            let body = json!({"jsonrpc": "2.0", "id": request.id(), "result": result}).to_string();
            reply.send(200, &[("Content-Type", "application/json"), ("Mcp-Session-Id", "s1")], &body);
        }
        "tools/list" => {
            reply.result(request, &json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}));
        }
        "tools/call" => reply.result(request, &echo(request)),
        "" if request.http_method == "GET" => reply.send(405, &[], ""),
        "" => reply.send(200, &[], ""),
        _ => reply.send(202, &[], ""),
    }
}

/// Responds to a request as a modern server without a fault.
pub fn modern(request: &Request, reply: &mut Reply) {
    match request.method().as_str() {
        "server/discover" => reply.result(
            request,
            &json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        ),
        "tools/list" => reply.result(request, &json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})),
        "tools/call" => reply.result(request, &echo(request)),
        _ => reply.send(405, &[], ""),
    }
}

/// Returns the result of the tool `echo`.
pub fn echo(request: &Request) -> Value {
    let text = request.json()["params"]["arguments"]["text"].clone();
    json!({"content": [{"type": "text", "text": text.as_str().unwrap_or_default()}]})
}
