//! A client of HTTP+SSE.

use serde_json::{Value, json};

use crate::client::{Call, Response};
use crate::lab::Lab;

/// A client with its stream open.
#[derive(Debug)]
pub struct SseClient<'a> {
    lab: &'a Lab,
    /// The stream.
    pub stream: Response,
    /// The address to POST to.
    pub messages: String,
}

impl<'a> SseClient<'a> {
    /// Opens the stream at a path, and reads the address to POST to.
    ///
    /// # Panics
    /// If the server opens none, or does not say where to POST first.
    pub fn open(lab: &'a Lab, path: &str) -> Self {
        let mut stream = lab.bare("GET", path).header("Accept", "text/event-stream").send();
        assert_eq!((stream.status, stream.is_events()), (200, true));
        let first = stream.fields().expect("a first event");
        assert_eq!(first.name.as_deref(), Some("endpoint"));
        let messages = resolved(path, &first.data.expect("an address"));
        Self { lab, stream, messages }
    }

    /// The same, followed by the handshake.
    ///
    /// # Panics
    /// If the server does not agree.
    pub fn initialized(lab: &'a Lab, revision: &str) -> Self {
        let mut client = Self::open(lab, "/sse");
        let info = json!({"name": "t", "version": "1"});
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": info});
        let answer = client.request(revision, 0, "initialize", &params);
        assert_eq!(answer["result"]["protocolVersion"], revision);
        client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// A POST with a body that is not sent yet.
    pub fn message(&self, body: &Value) -> Call {
        let call = self.lab.bare("POST", &self.messages).header("Content-Type", "application/json");
        call.body(body)
    }

    /// Sends a message.
    ///
    /// # Panics
    /// If the server does not accept it.
    pub fn post(&self, body: &Value) {
        let mut taken = self.message(body).send();
        assert_eq!((taken.status, taken.text().as_str()), (202, ""), "{body}");
    }

    /// Sends a request and reads the next message, validated as its response.
    ///
    /// # Panics
    /// If none comes.
    pub fn request(&mut self, revision: &str, id: i32, method: &str, params: &Value) -> Value {
        self.stream.validate_as(revision, method);
        self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.stream.message().expect("an answer")
    }
}

/// A relative address, resolved as RFC 3986 §5 has it, as far as servers here go.
fn resolved(base: &str, reference: &str) -> String {
    if reference.starts_with('/') {
        return reference.to_owned();
    }
    let mut folder: Vec<&str> = base.split('/').collect();
    folder.pop();
    let mut rest = reference;
    while let Some(up) = rest.strip_prefix("../") {
        folder.pop();
        rest = up;
    }
    format!("{}/{rest}", folder.join("/"))
}
