//! The client and its builder.

mod builder;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;
use toolwright_core::protocol::{Revision, method};
use toolwright_wire::memory::MemoryServer;

use crate::config::{BoxFuture, ServerSpec};
use crate::connect::Connector;
use crate::connection::Connection;
use crate::era::parse_rpc_error;
use crate::error::{ClientError, ErrorKind, quoted};
use crate::host::Host;
use crate::message::OutgoingRequest;
use crate::pending::{Reply, RequestOptions};
use crate::server_info::ServerInfo;
use crate::tool_cache::ToolCache;

pub(crate) use builder::Limits;
pub use builder::{
    ClientBuilder, DEFAULT_MAX_DURATION, DEFAULT_MAX_LIST_BYTES, DEFAULT_MAX_MESSAGE_BYTES,
    DEFAULT_MAX_PAGES, DEFAULT_MAX_ROUNDS, DEFAULT_PROBE_TIMEOUT,
};

/// The first pause after a connection that failed; it doubles up to [`MAX_RETRY_DELAY`].
const RETRY_DELAY: Duration = Duration::from_millis(500);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);
/// How many connections in a row may fail before no further one is attempted.
const MAX_FAILURES: u32 = 10;
/// How long a connection must last for the failures before it to be forgotten.
const STABLE_AFTER: Duration = Duration::from_secs(30);

/// A client of one server, whatever the server is written in and whichever revision it speaks.
///
/// Clones are the same client. The connection is made when it is first needed, and again after it was lost: what was open then
/// fails, and nothing that may have been carried out is sent twice. It ends with the last clone, or with [`Client::close`].
///
/// ```no_run
/// use serde_json::json;
/// use toolwright_client::Client;
///
/// # async fn example() -> Result<(), toolwright_client::ClientError> {
/// let client = Client::connect("https://example.com/mcp").await?;
/// for tool in client.list_tools().await?.iter() {
///     println!("{}", tool.name());
/// }
/// let result = client.call("add", json!({"a": 1, "b": 2})).await?;
/// println!("{}", result.as_text());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) host: Arc<Host>,
    pub(crate) connector: Connector,
    pub(crate) limits: Limits,
    current: Mutex<Option<Arc<Connection>>>,
    /// Held while a connection is made, so that one is made for all.
    connect_lock: tokio::sync::Mutex<ConnectionHistory>,
    pub(crate) tool_cache: ToolCache,
    /// One permit for each request that the server gets at once, where that is bounded.
    permits: Option<Semaphore>,
}

/// What became of the connections so far.
#[derive(Debug, Default)]
struct ConnectionHistory {
    failures: u32,
    last: Option<(Instant, ClientError)>,
    connected_at: Option<Instant>,
    /// What the server spoke, which holds for the life of the configuration.
    revision: Option<Revision>,
    is_closed: bool,
}

impl Client {
    /// Connects to a server: an address, or a [`ServerSpec`] of any kind.
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub async fn connect(server: impl Into<ServerSpec>) -> Result<Self, ClientError> {
        Self::builder().connect(server).await
    }

    /// A client of a server in the same process ([`ClientBuilder::in_process`]).
    pub fn in_process(server: impl Into<MemoryServer>) -> Self {
        Self::builder().in_process(server)
    }

    /// A client with other settings.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(crate) fn new(host: Arc<Host>, connector: Connector, limits: Limits) -> Self {
        let (current, connect_lock, tool_cache) =
            (Mutex::default(), tokio::sync::Mutex::default(), ToolCache::default());
        let permits = connector.spec.max_concurrency.map(|most| Semaphore::new(most.get()));
        Self {
            shared: Arc::new(Shared { host, connector, limits, current, connect_lock, tool_cache, permits }),
        }
    }

    /// How errors name the server.
    pub fn label(&self) -> &str {
        &self.shared.host.server
    }

    /// What the server says about itself. Connects if need be.
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub async fn server(&self) -> Result<ServerInfo, ClientError> {
        Ok(self.connection().await?.server.clone())
    }

    /// Whether there is a connection at the moment. Without one, the next request makes one.
    pub fn is_connected(&self) -> bool {
        self.current().as_ref().is_some_and(|connection| !connection.is_closed())
    }

    /// Ends the connection and waits until it has ended: for a child process, until it and all that it started is gone.
    /// Requests after this fail.
    pub async fn close(&self) {
        let mut history = self.shared.connect_lock.lock().await;
        history.is_closed = true;
        let connection = self.current().take();
        drop(history);
        if let Some(connection) = connection {
            connection.close().await;
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<Arc<Connection>>> {
        self.shared.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection, made if need be.
    pub(crate) async fn connection(&self) -> Result<Arc<Connection>, ClientError> {
        if let Some(connection) = self.current().as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        self.boxed_reconnect().await
    }

    /// [`Client::reconnect`] on the heap: it is rare and large, so no other future carries its state. Its type is erased in a
    /// function of this crate, or each program that awaits any request would compile all transports once more.
    fn boxed_reconnect(&self) -> BoxFuture<'_, Result<Arc<Connection>, ClientError>> {
        Box::pin(self.reconnect())
    }

    async fn reconnect(&self) -> Result<Arc<Connection>, ClientError> {
        let mut history = self.shared.connect_lock.lock().await;
        if history.is_closed {
            let problem = "this client was closed";
            return Err(self.shared.host.error(ErrorKind::Connect, problem, "make a new one"));
        }
        if let Some(connection) = self.current().as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        history.record_loss();
        history.check_backoff()?;
        self.shared.tool_cache.clear();
        let mut outcome = self.shared.connector.connect(&self.shared.host, history.revision).await;
        if history.revision.is_some()
            && outcome.as_ref().is_err_and(|error| error.kind() != ErrorKind::Connect)
        {
            // Perhaps it is another server by now.
            history.revision = None;
            outcome = self.shared.connector.connect(&self.shared.host, None).await;
        }
        match outcome {
            Ok(connection) => {
                let connection = Arc::new(connection);
                history.connected_at = Some(Instant::now());
                history.revision = Some(connection.server.revision);
                *self.current() = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                history.record_failure(error.clone());
                Err(error)
            }
        }
    }

    /// Sends a request; the text of its result.
    pub(crate) async fn send(
        &self,
        outgoing: &OutgoingRequest<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<String, ClientError> {
        let _permit = match &self.shared.permits {
            // A subscription lasts, and would keep others out forever. The semaphore is never closed.
            Some(permits) if outgoing.method != method::SUBSCRIPTIONS_LISTEN => permits.acquire().await.ok(),
            _ => None,
        };
        let relay = options.relay.clone();
        let _guard = relay.as_ref().map(|relay| self.shared.host.register_relay(relay));
        let mut is_first = true;
        loop {
            let connection = self.connection().await?;
            match connection.request(outgoing, options).await {
                Ok(Reply::Result(result)) => return Ok(result),
                Ok(Reply::Error(error)) => return Err(self.error_response(outgoing, &error)),
                // Nothing that may have been carried out is sent twice, unless a repetition changes nothing.
                Err(error) if error.kind() == ErrorKind::Lost && outgoing.is_idempotent && is_first => {
                    is_first = false;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The error that a request was answered with.
    pub(crate) fn error_response(&self, outgoing: &OutgoingRequest<'_>, error: &str) -> ClientError {
        let (error, method) = (parse_rpc_error(error), &outgoing.method);
        // Servers that do not find something often do not say what.
        let of = outgoing.name.as_ref().map(|name| format!(" of `{}`", quoted(name)));
        let problem = format!(
            "it answered `{method}`{} with the error {}: {}",
            of.unwrap_or_default(),
            error.code,
            quoted(&error.message)
        );
        let advice = advice_for_code(error.code);
        self.shared.host.error(ErrorKind::Protocol, problem, advice).with_rpc(error)
    }

    /// A watch over a request without settings of its own.
    pub(crate) fn default_options(&self) -> RequestOptions<'static> {
        let timeout = self.shared.connector.spec.request_timeout;
        RequestOptions {
            timeout,
            max_duration: self.shared.limits.max_duration.max(timeout),
            on_notice: None,
            relay: None,
        }
    }

    pub(crate) fn warn(&self, text: &str) {
        self.shared.host.warn(text);
    }
}

/// What to do about an error of a server.
fn advice_for_code(code: i64) -> &'static str {
    match code {
        -32601 => "use what the server declares, or a newer version of it",
        -32602 => "check the name and the arguments against what the server lists",
        -32021 => {
            "the client cannot answer what the server asks: give it a handler, such as `on_elicitation`"
        }
        -32603 => "look into the log of the server",
        _ => "do what the message says, or look into the log of the server",
    }
}

impl ConnectionHistory {
    /// Takes note of the end of the last connection.
    fn record_loss(&mut self) {
        let Some(connected_at) = self.connected_at.take() else { return };
        if connected_at.elapsed() >= STABLE_AFTER {
            (self.failures, self.last) = (0, None);
        } else {
            self.failures += 1;
        }
    }

    fn record_failure(&mut self, error: ClientError) {
        self.failures += 1;
        self.last = Some((Instant::now(), error));
    }

    /// Whether a further attempt is due.
    fn check_backoff(&self) -> Result<(), ClientError> {
        let Some((at, error)) = &self.last else { return Ok(()) };
        if self.failures >= MAX_FAILURES {
            return Err(
                error.not_retried(&format!("{} attempts failed, so no further one is made", self.failures))
            );
        }
        // The first attempt after a failure is due at once: the caller may have mended what was wrong.
        let delay = (RETRY_DELAY * 2_u32.pow(self.failures.saturating_sub(1).min(10))).min(MAX_RETRY_DELAY);
        let wait = delay.saturating_sub(at.elapsed());
        if self.failures > 1 && !wait.is_zero() {
            return Err(error.not_retried(&format!("the next attempt is made in {wait:.1?} at the earliest")));
        }
        Ok(())
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("host", &self.host).finish_non_exhaustive()
    }
}
