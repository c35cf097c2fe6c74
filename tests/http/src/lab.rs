//! Servers under test, each on its own port.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use toolwright::{Http, HttpConfig, Limits, Service};

use crate::client::{Call, Response};

/// A running server; dropping it shuts it down gracefully.
#[derive(Debug)]
pub struct Lab {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The newest revision.
pub const MODERN: &str = "2026-07-28";

impl Lab {
    /// The server of the protocol tests, with the defaults.
    pub fn start() -> Self {
        Self::with(Limits::default(), HttpConfig::new())
    }

    /// The same with other limits and settings.
    pub fn with(limits: Limits, config: HttpConfig) -> Self {
        Self::serve(test_protocol::tools::service(limits), config)
    }

    /// A server of this service.
    pub fn serve(service: Service, config: HttpConfig) -> Self {
        Self::run(service, |http| http.config(config))
    }

    /// A server of this service, set up like this.
    ///
    /// # Panics
    /// If it cannot listen.
    pub fn run(service: Service, set_up: impl FnOnce(Http) -> Http) -> Self {
        let http = set_up(Http::bind("127.0.0.1:0").expect("a free port"));
        let address = http.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            let shutdown = async {
                // Dropping the sender ends the server as well.
                let _ = stopped.await;
            };
            runtime.block_on(service.serve_until(http, shutdown)).expect("served to its end");
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    /// Uses a server that is already running, and continues when this is dropped.
    pub fn at(address: SocketAddr) -> Self {
        Self { address, stop: None, thread: None }
    }

    /// A request without any header but `Host`.
    pub fn bare(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, path)
    }

    /// A POST with the headers that every POST has.
    pub fn post(&self) -> Call {
        self.bare("POST", "/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// A modern request with all its headers.
    pub fn modern(&self, method: &str, params: &Value) -> Call {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(params)});
        let mut call = self
            .post()
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", method)
            .validate_as(MODERN, method)
            .body(&body);
        if method == "tools/call"
            && let Some(name) = params["name"].as_str()
        {
            call = call.header("Mcp-Name", name);
        }
        call
    }

    /// A modern call of a tool.
    pub fn call(&self, tool: &str, arguments: &Value) -> Call {
        self.modern("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The `initialize` of a legacy client.
    pub fn initialize(&self, revision: &str) -> Call {
        self.initialize_with(revision, &json!({}))
    }

    fn initialize_with(&self, revision: &str, capabilities: &Value) -> Call {
        self.post().validate_as(revision, "initialize").body(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"},
            },
        }))
    }

    /// Opens a session.
    ///
    /// # Panics
    /// If the server opens none.
    pub fn session(&self, revision: &'static str) -> Session<'_> {
        self.session_with(revision, &json!({}))
    }

    /// Opens a session of a client with these capabilities.
    ///
    /// # Panics
    /// If the server opens none.
    pub fn session_with(&self, revision: &'static str, capabilities: &Value) -> Session<'_> {
        let response = self.initialize_with(revision, capabilities).send();
        assert_eq!(response.status, 200);
        let id = response.header("mcp-session-id").expect("a session").to_owned();
        let session = Session { lab: self, id, revision };
        let initialized =
            session.post().body(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).send();
        assert_eq!(initialized.status, 202);
        session
    }

    /// Requests shutdown of the server, without waiting.
    pub fn stop(&mut self) {
        self.stop.take();
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.stop();
        let Some(thread) = self.thread.take() else { return };
        let ended = thread.join();
        if !std::thread::panicking() {
            ended.expect("the server shut down gracefully");
        }
    }
}

/// A session of a legacy client.
#[derive(Debug)]
pub struct Session<'a> {
    lab: &'a Lab,
    /// The session's id.
    pub id: String,
    revision: &'static str,
}

impl Session<'_> {
    /// The revision that was agreed on.
    pub fn revision(&self) -> &str {
        self.revision
    }

    /// A POST of this session.
    pub fn post(&self) -> Call {
        self.of(self.lab.post())
    }

    /// The GET that opens a stream.
    pub fn get(&self) -> Call {
        self.of(self.lab.bare("GET", "/mcp").header("Accept", "text/event-stream"))
    }

    /// The DELETE that ends it.
    pub fn delete(&self) -> Call {
        self.of(self.lab.bare("DELETE", "/mcp"))
    }

    /// A request.
    pub fn request(&self, id: i32, method: &str, params: &Value) -> Call {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.post().validate_as(self.revision, method).body(&body)
    }

    /// A call of a tool.
    pub fn call(&self, id: i32, tool: &str, arguments: &Value) -> Call {
        self.request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    fn of(&self, call: Call) -> Call {
        let call = call.validate_as(self.revision, "").header("Mcp-Session-Id", &self.id);
        // The header came with 2025-06-18.
        if self.revision < "2025-06-18" { call } else { call.header("MCP-Protocol-Version", self.revision) }
    }
}

/// The parameters with the metadata of a modern request.
pub fn with_meta(params: &Value) -> Value {
    let mut params = params.clone();
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if let (Some(meta), Some(own)) = (meta.as_object_mut(), params["_meta"].as_object()) {
        meta.extend(own.clone());
    }
    params["_meta"] = meta;
    params
}

/// The code of an error answer.
pub fn code(mut response: Response) -> (u16, i64) {
    let status = response.status;
    (status, response.json()["error"]["code"].as_i64().unwrap_or_default())
}
