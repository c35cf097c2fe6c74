//! A client in the same process, for tests of the messages themselves.

mod builder;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use toolwright::protocol::{Implementation, meta, method};
use toolwright::result::ToolResult;
use toolwright::{Revision, Service};
use toolwright_wire::memory::{MemoryChannel, MemoryServer};

pub use builder::RawClientBuilder;
use builder::{InputAnswers, MAX_ROUNDS};

/// A client whose protocol is left to the test: requests and results are JSON, revisions and capabilities are what the test
/// says, and nothing is retried, read into types or answered unless the test says so. Tests of what applications see
/// use that of `toolwright`.
#[derive(Debug)]
pub struct RawClient {
    link: Arc<Link>,
    revision: Revision,
    capabilities: Value,
    notifications: tokio::sync::Mutex<mpsc::UnboundedReceiver<Value>>,
    /// Aborts the task that reads messages when the client is dropped.
    taker: tokio::task::JoinHandle<()>,
}

#[derive(Debug)]
struct Link {
    channel: MemoryChannel,
    next_id: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>>,
    notifications: mpsc::UnboundedSender<Value>,
    answers: Option<InputAnswers>,
}

/// A JSON-RPC error as an answer.
#[derive(Debug, Clone, PartialEq, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    /// The error's code.
    pub code: i32,
    /// The error's text.
    pub message: String,
    /// The error's data.
    #[serde(default)]
    pub data: Option<Value>,
}

/// Why a call of a client has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// The server answered with a protocol error.
    #[error(transparent)]
    Rpc(#[from] RpcError),
    /// The response does not match the protocol.
    #[error("the answer is not what the protocol says")]
    Answer(#[from] serde_json::Error),
    /// The connection ended, or the call was cancelled, before the answer came.
    #[error("no answer came")]
    Closed,
    /// The server sent input requests in more rounds than the limit.
    #[error("the server has no result after {0} rounds of input requests")]
    Rounds(usize),
}

impl RawClient {
    /// A client of the newest revision. Call it within a tokio runtime.
    pub fn in_process(service: &Service) -> Self {
        Self::open(Self::builder(service))
    }

    /// A client with other settings, such as one that answers the server's input requests.
    pub fn builder(service: &Service) -> RawClientBuilder {
        RawClientBuilder {
            service: service.clone(),
            revision: Revision::NEWEST,
            capabilities: json!({}),
            answers: None,
        }
    }

    /// A client that speaks `revision`: for a legacy one, `initialize` is sent first.
    ///
    /// # Errors
    /// [`RawError::Rpc`] where the server refuses the handshake.
    pub async fn in_process_at(service: &Service, revision: Revision) -> Result<Self, RawError> {
        Self::builder(service).revision(revision).connect().await
    }

    async fn initialize(&self) -> Result<(), RawError> {
        let params = json!({
            "protocolVersion": self.revision.as_str(),
            "capabilities": self.capabilities,
            "clientInfo": client_info(),
        });
        self.request(method::INITIALIZE, params).await?;
        self.notify(method::INITIALIZED, &json!({}));
        Ok(())
    }

    fn open(builder: RawClientBuilder) -> Self {
        let RawClientBuilder { service, revision, capabilities, answers } = builder;
        let (sender, receiver) = mpsc::unbounded_channel();
        let link = Arc::new(Link {
            channel: MemoryServer::from(&service).open(),
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
            notifications: sender,
            answers,
        });
        let taker = tokio::spawn(Arc::clone(&link).take_messages());
        Self { link, revision, capabilities, notifications: tokio::sync::Mutex::new(receiver), taker }
    }

    /// Calls a tool. A result with `is_error` is a result.
    ///
    /// # Errors
    /// As [`RawClient::request`]; [`RawError::Rpc`] with -32602 for a tool that does not exist.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<ToolResult, RawError> {
        let result = self.request(method::TOOLS_CALL, json!({"name": tool, "arguments": arguments})).await?;
        Ok(serde_json::from_value(result)?)
    }

    /// Sends a request with an id of its own and waits for the answer. A modern client adds the metadata that every
    /// request needs to `_meta`.
    ///
    /// Dropping the future before the answer came cancels the request.
    ///
    /// A result that asks for input (`input_required`) is a result, unless the client answers by itself
    /// ([`RawClientBuilder::answering`]).
    ///
    /// # Errors
    /// [`RawError::Rpc`] for an error answer, [`RawError::Closed`] if none comes, [`RawError::Rounds`] for a
    /// server that does not stop sending input requests.
    pub async fn request(&self, method: &str, mut params: Value) -> Result<Value, RawError> {
        let Some(answers) = &self.link.answers else { return self.request_once(method, params).await };
        for _ in 0..=MAX_ROUNDS {
            let result = self.request_once(method, params.clone()).await?;
            match answers.next_round(&result, &params)? {
                Some(with_answers) => params = with_answers,
                None => return Ok(result),
            }
        }
        Err(RawError::Rounds(MAX_ROUNDS))
    }

    async fn request_once(&self, method: &str, params: Value) -> Result<Value, RawError> {
        let id = self.link.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.link.waiting().insert(id, sender);
        let cancel = CancelOnDrop { link: &self.link, id };
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": self.with_meta(params)});
        self.link.send(&request);
        let answer = answer.await.map_err(|_| RawError::Closed)?;
        std::mem::forget(cancel);
        Ok(answer?)
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: &Value) {
        self.link.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next notification of the server, as the whole message; waits for it.
    pub async fn next_notification(&self) -> Option<Value> {
        self.notifications.lock().await.recv().await
    }

    fn with_meta(&self, mut params: Value) -> Value {
        if !self.revision.has_request_meta() {
            return params;
        }
        if let Some(params) = params.as_object_mut() {
            let meta = params.entry("_meta").or_insert_with(|| Map::new().into());
            if let Some(meta) = meta.as_object_mut() {
                for (key, value) in [
                    (meta::PROTOCOL_VERSION, json!(self.revision.as_str())),
                    (meta::CLIENT_INFO, json!(client_info())),
                    (meta::CLIENT_CAPABILITIES, self.capabilities.clone()),
                ] {
                    meta.entry(key).or_insert(value);
                }
            }
        }
        params
    }
}

fn client_info() -> Implementation {
    Implementation::new("in-process", env!("CARGO_PKG_VERSION"))
}

impl Drop for RawClient {
    fn drop(&mut self) {
        self.taker.abort();
        self.link.channel.outbox().close();
    }
}

/// Cancels a request when its future is dropped.
struct CancelOnDrop<'a> {
    link: &'a Link,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.link.waiting().remove(&self.id);
        self.link
            .send(&json!({"jsonrpc": "2.0", "method": method::CANCELLED, "params": {"requestId": self.id}}));
    }
}

impl Link {
    fn send(&self, message: &Value) {
        let mut answer = Vec::new();
        self.channel.receive(message.to_string().as_bytes(), &mut answer);
        for line in answer.split(|&byte| byte == b'\n') {
            self.deliver(line);
        }
    }

    async fn take_messages(self: Arc<Self>) {
        let mut lines = Vec::new();
        let outbox = Arc::clone(self.channel.outbox());
        while outbox.wait_async().await {
            outbox.take(&mut lines);
            outbox.mark_sent();
            for line in lines.split(|&byte| byte == b'\n') {
                self.deliver(line);
            }
        }
    }

    fn deliver(&self, line: &[u8]) {
        let Ok(mut message) = serde_json::from_slice::<Value>(line) else { return };
        if message.get("method").is_some() && message.get("id").is_some() {
            self.send(&InputAnswers::response(self.answers.as_ref(), message));
            return;
        }
        let Some(id) = message.get("id").and_then(Value::as_u64) else {
            // Nobody may be listening, and then there is nobody to tell.
            let _ = self.notifications.send(message);
            return;
        };
        let Some(waiting) = self.waiting().remove(&id) else { return };
        let answer = match message.get_mut("error").map(Value::take) {
            Some(error) => Err(serde_json::from_value(error).unwrap_or_else(|problem| RpcError {
                code: 0,
                message: problem.to_string(),
                data: None,
            })),
            None => Ok(message.get_mut("result").map(Value::take).unwrap_or_default()),
        };
        // The caller may have stopped waiting.
        let _ = waiting.send(answer);
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
