//! A client's end of any transport.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_protocol::dialog::{asks, everything, next_round};
use test_protocol::validation;
use tokio::runtime::Runtime;

/// The time after which the server counts as hanging.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The runtime of the servers and clients in this process.
///
/// # Panics
/// If there is no runtime.
pub static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .expect("the system gives threads")
});

/// The newest revision, which needs no handshake.
pub const MODERN: &str = "2026-07-28";

/// Sends the messages of one client to the server. Responses go to the channel of the [`Link`].
pub trait Wire: Send {
    /// Sends a message as JSON text; it need not be valid.
    fn send(&mut self, message: &str);

    /// Cancels a request, in the way of this transport.
    fn cancel(&mut self, id: &Value) {
        let params = json!({"requestId": id, "reason": "no longer needed"});
        self.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string(),
        );
    }

    /// Opens the stream for messages that belong to no request, if it is a separate one.
    fn listen(&mut self) {}
}

/// An incoming event.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A message.
    Message(Value),
    /// A message as the body of an HTTP response with this status, other than 200.
    Status(u16, Value),
    /// The connection is closed, with the close code of a WebSocket.
    Closed(Option<u16>),
}

/// A client of the server, over some transport in some revision.
pub struct Link {
    wire: Box<dyn Wire>,
    events: Receiver<Event>,
    revision: &'static str,
    /// The methods of requests, by the JSON text of their id.
    methods: HashMap<String, String>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("revision", &self.revision).finish_non_exhaustive()
    }
}

impl Link {
    /// Opens a client of `revision`. Performs the handshake if `with_handshake`, where the revision has one.
    ///
    /// # Panics
    /// If the server does not agree on the revision.
    pub fn open(
        wire: Box<dyn Wire>,
        events: Receiver<Event>,
        revision: &'static str,
        with_handshake: bool,
    ) -> Self {
        let mut link = Self { wire, events, revision, methods: HashMap::new() };
        if with_handshake && !link.is_modern() {
            let client_info = json!({"name": "test", "version": "1"});
            let params =
                json!({"protocolVersion": revision, "capabilities": everything(), "clientInfo": client_info});
            assert_eq!(link.result("initialize", params)["protocolVersion"], revision);
            link.wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        }
        link
    }

    /// Whether each request carries its own metadata.
    pub fn is_modern(&self) -> bool {
        self.revision == MODERN
    }

    /// Sends a raw string.
    pub fn send_text(&mut self, text: &str) {
        self.wire.send(text);
    }

    /// Sends a request, with the metadata that the revision requires.
    pub fn request(&mut self, id: &Value, method: &str, params: Value) {
        let request = self.request_text(id, method, params);
        self.wire.send(&request);
    }

    /// The text of a request that this client would send.
    pub fn request_text(&mut self, id: &Value, method: &str, params: Value) -> String {
        let mut params = params;
        if self.is_modern() {
            let mut meta = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": everything(),
            });
            if let (Some(meta), Some(own)) = (meta.as_object_mut(), params["_meta"].as_object()) {
                meta.extend(own.clone());
            }
            params["_meta"] = meta;
        }
        self.methods.insert(id.to_string(), method.to_owned());
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    }

    /// Sends a call.
    pub fn call(&mut self, id: &Value, tool: &str, arguments: &Value) {
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments}));
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: &Value) {
        self.wire.cancel(id);
    }

    /// Subscribes to list-changed notifications of tools, and waits until the server has acknowledged it.
    ///
    /// # Panics
    /// If it does not.
    pub fn listen(&mut self) {
        self.wire.listen();
        if self.is_modern() {
            let notifications = json!({"toolsListChanged": true});
            self.request(&json!("listen"), "subscriptions/listen", json!({"notifications": notifications}));
            assert_eq!(self.message()["method"], "notifications/subscriptions/acknowledged");
        }
    }

    /// Subscribes to a resource, and waits until the server has acknowledged it.
    ///
    /// # Panics
    /// If it does not.
    pub fn watch(&mut self, uri: &str) {
        self.wire.listen();
        if self.is_modern() {
            let notifications = json!({"resourceSubscriptions": [uri]});
            self.request(&json!("watch"), "subscriptions/listen", json!({"notifications": notifications}));
            assert_eq!(self.message()["method"], "notifications/subscriptions/acknowledged");
        } else {
            self.result("resources/subscribe", json!({"uri": uri}));
        }
    }

    /// Returns the next event; messages are validated against the schema of their revision.
    ///
    /// # Panics
    /// If nothing comes in time.
    pub fn event(&mut self) -> Event {
        match self.events.recv_timeout(TIMEOUT) {
            Ok(event) => self.validated(event),
            Err(RecvTimeoutError::Timeout) => panic!("the server hangs"),
            Err(RecvTimeoutError::Disconnected) => Event::Closed(None),
        }
    }

    /// The events that come within `time`.
    pub fn within(&mut self, time: Duration) -> Vec<Event> {
        let end = Instant::now() + time;
        let mut events = Vec::new();
        while let Ok(event) = self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
            events.push(self.validated(event));
        }
        events
    }

    /// The next message.
    ///
    /// # Panics
    /// If something else comes.
    pub fn message(&mut self) -> Value {
        match self.event() {
            Event::Message(message) | Event::Status(_, message) => message,
            Event::Closed(code) => panic!("the server has closed the connection: {code:?}"),
        }
    }

    /// Sends a request with a new id and returns its response; other messages in between are dropped.
    pub fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = json!(format!("own-{}", self.methods.len()));
        self.request(&id, method, params);
        loop {
            let message = self.message();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// As [`Link::answer`], and returns its result.
    ///
    /// # Panics
    /// If the answer is an error.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        answer.get("result").unwrap_or_else(|| panic!("an error: {answer}")).clone()
    }

    /// The text of a result.
    ///
    /// # Panics
    /// If it has none.
    pub fn call_text(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}")).to_owned()
    }

    /// Calls a tool and answers each input request that the server sends meanwhile, in the way of the revision. Returns
    /// the last response and the input requests.
    ///
    /// # Panics
    /// If the server does not stop sending input requests.
    pub fn converse(&mut self, tool: &str, reply: impl Fn(&Value) -> Value) -> (Value, Vec<Value>) {
        self.converse_by(tool, reply, Clone::clone)
    }

    /// The same, with the id of each response computed by `id_of` from that of the input request.
    ///
    /// # Panics
    /// If the server does not stop sending input requests.
    pub fn converse_by(
        &mut self,
        tool: &str,
        reply: impl Fn(&Value) -> Value,
        id_of: impl Fn(&Value) -> Value,
    ) -> (Value, Vec<Value>) {
        let call = json!({"name": tool, "arguments": {}});
        let (mut params, mut questions) = (call.clone(), Vec::new());
        for round in 0..5 {
            let id = json!(format!("round {round}"));
            self.request(&id, "tools/call", params);
            let answer = loop {
                let message = self.message();
                if message["id"] == id {
                    break message;
                }
                let response =
                    json!({"jsonrpc": "2.0", "id": id_of(&message["id"]), "result": reply(&message)});
                self.wire.send(&response.to_string());
                questions.push(message);
            };
            if !asks(&answer) {
                return (answer, questions);
            }
            params = next_round(&call, &answer, |question| {
                questions.push(question.clone());
                reply(question)
            });
        }
        panic!("the server does not stop sending input requests");
    }

    /// Asserts that the server answers other calls while the call with this id runs, and that the call returns an empty text.
    ///
    /// # Panics
    /// If not.
    pub fn assert_alive_besides(&mut self, id: &str) {
        self.call(&json!("besides"), "add", &json!({"a": 1, "b": 2}));
        for _ in 0..2 {
            let answer = self.message();
            let expected = if answer["id"] == id { "" } else { "3" };
            assert_eq!(answer["result"]["content"][0]["text"], expected, "{answer}");
        }
    }

    /// Asserts that the server still answers calls.
    ///
    /// # Panics
    /// If it is not.
    pub fn assert_alive(&mut self) {
        assert_eq!(self.call_text("add", &json!({"a": 1, "b": 2})), "3");
    }

    fn validated(&self, event: Event) -> Event {
        if let Event::Message(message) | Event::Status(_, message) = &event {
            let method =
                message.get("id").and_then(|id| self.methods.get(&id.to_string())).map(String::as_str);
            validation::validate(self.revision, method, message);
        }
        event
    }
}
