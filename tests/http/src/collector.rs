//! A collector of OpenTelemetry that keeps what it is sent, by OTLP over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::Value;

/// A running collector, until the end of the process.
#[derive(Debug)]
pub struct Collector {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

/// One request.
#[derive(Debug, Clone)]
pub struct Received {
    /// `traces` or `metrics`.
    pub signal: String,
    /// The content type.
    pub kind: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Collector {
    /// Starts a collector on a free port.
    ///
    /// # Panics
    /// If there is none.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let received = Arc::default();
        let kept = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || receive(stream, &kept));
            }
        });
        Self { url, received }
    }

    /// The value of `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns all requests for `traces` or `metrics` so far.
    pub fn received(&self, signal: &str) -> Vec<Received> {
        lock(&self.received).iter().filter(|received| received.signal == signal).cloned().collect()
    }

    /// Returns the spans so far, each with the name of its service. They must be JSON.
    ///
    /// # Panics
    /// If they are not.
    pub fn spans(&self) -> Vec<(String, Value)> {
        let bodies = self.received("traces");
        let all = bodies.iter().flat_map(|received| entries(&received.body, "Spans", "spans"));
        all.collect()
    }

    /// Returns the metrics so far, each with the name of its service. They must be JSON.
    ///
    /// # Panics
    /// If they are not.
    pub fn metrics(&self) -> Vec<(String, Value)> {
        let bodies = self.received("metrics");
        let all = bodies.iter().flat_map(|received| entries(&received.body, "Metrics", "metrics"));
        all.collect()
    }
}

/// The attributes of a span, data point or resource, by name. Numbers are written as JSON.
pub fn attributes(of: &Value) -> Vec<(String, String)> {
    let attributes = of["attributes"].as_array().into_iter().flatten();
    let mut all: Vec<(String, String)> = attributes
        .map(|attribute| {
            let value = &attribute["value"];
            let text = value["stringValue"].as_str().map_or_else(|| value.to_string(), str::to_owned);
            (attribute["key"].as_str().unwrap_or_default().to_owned(), text)
        })
        .collect();
    all.sort();
    all
}

/// The entries of a body: `resourceSpans`, `scopeSpans` and `spans`, or the same of metrics.
fn entries(body: &[u8], kind: &str, name: &str) -> Vec<(String, Value)> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    let mut found = Vec::new();
    for resource in body[format!("resource{kind}")].as_array().expect("resources") {
        let named = attributes(&resource["resource"]).into_iter().find(|(key, _)| key == "service.name");
        let (_, service) = named.expect("a service");
        for scope in resource[format!("scope{kind}")].as_array().expect("scopes") {
            let all = scope[name].as_array().expect("entries");
            found.extend(all.iter().map(|entry| (service.clone(), entry.clone())));
        }
    }
    found
}

/// Reads requests, and accepts them.
fn receive(mut stream: TcpStream, received: &Mutex<Vec<Received>>) {
    let Ok(reader) = stream.try_clone() else { return };
    let mut reader = BufReader::new(reader);
    loop {
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).unwrap_or(0) > 2 {
            head += &line.to_lowercase();
            line.clear();
        }
        let Some(signal) = head.strip_prefix("post /v1/").and_then(|rest| rest.split(' ').next()) else {
            assert!(head.is_empty(), "not a request to a collector: {head}");
            return;
        };
        let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let length = header("content-length:").and_then(|length| length.parse().ok()).expect("a length");
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let kind = header("content-type:").unwrap_or_default().to_owned();
        lock(received).push(Received { signal: signal.to_owned(), kind, body });
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn lock(received: &Mutex<Vec<Received>>) -> MutexGuard<'_, Vec<Received>> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}
