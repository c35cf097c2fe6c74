//! The client and its builder.

mod builder;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;
use toolwright_core::protocol::Revision;
use toolwright_wire::memory::MemoryServer;

use crate::config::{BoxFuture, ServerSpec};
use crate::connect::Connector;
use crate::connection::Connection;
use crate::era::parse_rpc_error;
use crate::error::{ClientError, ErrorKind, quote};
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

/// The delay after the first failed connection attempt; it doubles up to [`MAX_RETRY_DELAY`].
const RETRY_DELAY: Duration = Duration::from_millis(500);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);
/// Maximum number of consecutive failures before the client gives up, unless it [keeps
/// trying](ClientBuilder::keep_trying).
const MAX_FAILURES: u32 = 10;
/// The number of connections in a row that were lost within [`STABLE_AFTER`] from which on there are delays.
const MAX_LOSSES: u32 = 5;
/// A connection that lasts this long resets the count of failures.
const STABLE_AFTER: Duration = Duration::from_secs(30);

/// A client of one MCP server, in whichever revision the server speaks.
///
/// Clones share one connection. It is opened by the first request, and reopened after a loss: pending requests then
/// fail, and requests that the server may have executed are not repeated. It is closed when the last clone is dropped,
/// or by [`Client::close`].
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
    /// Held while connecting, so that concurrent requests share one attempt.
    connect_lock: tokio::sync::Mutex<ConnectionHistory>,
    pub(crate) tool_cache: ToolCache,
    /// Limits the concurrent requests if [`ServerSpec::max_concurrency`] is set.
    permits: Option<Semaphore>,
}

/// The outcomes of earlier connections.
#[derive(Debug, Default)]
struct ConnectionHistory {
    failures: u32,
    last: Option<(Instant, ClientError)>,
    connected_at: Option<Instant>,
    /// The revision of the last connection; it is assumed to stay the same.
    revision: Option<Revision>,
    is_closed: bool,
}

impl Client {
    /// Connects to a server, given as a URL or as any kind of [`ServerSpec`].
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub async fn connect(server: impl Into<ServerSpec>) -> Result<Self, ClientError> {
        Self::builder().connect(server).await
    }

    /// Creates a client of a server in the same process ([`ClientBuilder::in_process`]).
    pub fn in_process(server: impl Into<MemoryServer>) -> Self {
        Self::builder().in_process(server)
    }

    /// Returns a builder, to change settings.
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

    /// Returns the name of the server in error messages.
    pub fn label(&self) -> &str {
        &self.shared.host.server
    }

    /// Returns what the server says about itself. Connects if necessary.
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub async fn server(&self) -> Result<ServerInfo, ClientError> {
        Ok(self.connection().await?.server.clone())
    }

    /// Returns whether the client is connected. If it is not, the next request connects.
    pub fn is_connected(&self) -> bool {
        self.current().as_ref().is_some_and(|connection| !connection.is_closed())
    }

    /// Closes the connection, and waits until it is closed: a child process and everything in its process group has
    /// exited. Later requests fail.
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

    /// Returns the connection, and connects if necessary.
    pub(crate) async fn connection(&self) -> Result<Arc<Connection>, ClientError> {
        if let Some(connection) = self.current().as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        self.boxed_reconnect().await
    }

    /// Boxes [`Client::reconnect`], which is rare and has a large future. The type is erased in a function of this
    /// crate; otherwise, every crate that awaits a request would compile all transports again.
    fn boxed_reconnect(&self) -> BoxFuture<'_, Result<Arc<Connection>, ClientError>> {
        Box::pin(self.reconnect())
    }

    async fn reconnect(&self) -> Result<Arc<Connection>, ClientError> {
        let mut history = self.shared.connect_lock.lock().await;
        if history.is_closed {
            let problem = "the client is closed";
            return Err(self.shared.host.error(ErrorKind::Connect, problem, "create a new client"));
        }
        if let Some(connection) = self.current().as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        history.record_loss(|losses| {
            let problem = format!("its last {losses} connections were lost within {STABLE_AFTER:?} each");
            self.shared.host.error(ErrorKind::Connect, problem, "check why it ends")
        });
        history.check_backoff(self.shared.limits.keeps_trying)?;
        self.shared.tool_cache.clear();
        let mut outcome = self.shared.connector.connect(&self.shared.host, history.revision).await;
        if history.revision.is_some()
            && outcome.as_ref().is_err_and(|error| error.kind() != ErrorKind::Connect)
        {
            // The server may have been replaced by one of another revision.
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

    /// Sends a request, and returns its result as JSON.
    pub(crate) async fn send(
        &self,
        outgoing: &OutgoingRequest<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<String, ClientError> {
        let _permit = match &self.shared.permits {
            // A subscription would hold its permit forever. The semaphore is never closed.
            Some(permits) if !outgoing.is_subscription() => permits.acquire().await.ok(),
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
                // A request that may have been executed is not repeated, unless it is idempotent.
                Err(error) if error.kind() == ErrorKind::Lost && outgoing.is_idempotent && is_first => {
                    is_first = false;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Converts a JSON-RPC error response to an error.
    pub(crate) fn error_response(&self, outgoing: &OutgoingRequest<'_>, error: &str) -> ClientError {
        let (error, method) = (parse_rpc_error(error), &outgoing.method);
        // Servers often do not say what they did not find.
        let of = outgoing.name.as_ref().map(|name| format!(" of `{}`", quote(name)));
        let problem = format!(
            "it responded to `{method}`{} with error {}: {}",
            of.unwrap_or_default(),
            error.code,
            quote(&error.message)
        );
        let advice = advice_for_code(error.code);
        self.shared.host.error(ErrorKind::Protocol, problem, advice).with_rpc(error)
    }

    /// Returns the options of a request that overrides none.
    pub(crate) fn default_options(&self) -> RequestOptions<'static> {
        let timeout = self.shared.connector.spec.request_timeout;
        RequestOptions::new(timeout, self.shared.limits.max_duration.max(timeout))
    }

    pub(crate) fn warn(&self, text: &str) {
        self.shared.host.warn(text);
    }
}

/// Returns what to do about a JSON-RPC error with this code.
fn advice_for_code(code: i64) -> &'static str {
    match code {
        -32601 => "use only what the server declares, or upgrade it",
        -32602 => "check the name and the arguments against the server's list",
        -32021 => "add a handler for this input request to the client, such as `on_elicitation`",
        -32603 => "check the server's log",
        _ => "see the message, or check the server's log",
    }
}

impl ConnectionHistory {
    /// Records that the last connection was lost.
    fn record_loss(&mut self, error: impl FnOnce(u32) -> ClientError) {
        let Some(connected_at) = self.connected_at.take() else { return };
        if connected_at.elapsed() >= STABLE_AFTER {
            (self.failures, self.last) = (0, None);
            return;
        }
        self.failures += 1;
        if self.failures >= MAX_LOSSES {
            self.last = Some((Instant::now(), error(self.failures)));
        }
    }

    fn record_failure(&mut self, error: ClientError) {
        self.failures += 1;
        self.last = Some((Instant::now(), error));
    }

    /// Returns an error if it is too early for another attempt.
    fn check_backoff(&self, keeps_trying: bool) -> Result<(), ClientError> {
        let Some((at, error)) = &self.last else { return Ok(()) };
        if self.failures >= MAX_FAILURES && !keeps_trying {
            return Err(
                error.not_retried(&format!("the client gave up after {} failed attempts", self.failures))
            );
        }
        // The first retry is immediate: the caller may have fixed the cause.
        let delay = (RETRY_DELAY * 2_u32.pow(self.failures.saturating_sub(1).min(10))).min(MAX_RETRY_DELAY);
        let wait = delay.saturating_sub(at.elapsed());
        if self.failures > 1 && !wait.is_zero() {
            return Err(error.not_retried(&format!("the next attempt is allowed in {wait:.1?}")));
        }
        Ok(())
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("host", &self.host).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(problem: &str) -> ClientError {
        ClientError::new(ErrorKind::Connect, &"server".into(), problem, "wait")
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_gives_up_unless_it_keeps_trying() {
        let mut history = ConnectionHistory::default();
        for _ in 0..MAX_FAILURES + 5 {
            history.record_failure(error("it is down"));
        }
        tokio::time::sleep(MAX_RETRY_DELAY * 2).await;
        assert!(history.check_backoff(false).unwrap_err().problem().contains("gave up"));
        assert!(history.check_backoff(true).is_ok());
        history.record_failure(error("it is down"));
        tokio::time::sleep(MAX_RETRY_DELAY / 2).await;
        assert!(history.check_backoff(true).unwrap_err().problem().contains("next attempt"));
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_are_lost_soon_are_delayed() {
        let mut history = ConnectionHistory::default();
        let mut lose = |after: Duration| {
            history.connected_at = Instant::now().checked_sub(after);
            history.record_loss(|losses| error(&format!("lost {losses} times")));
            history.check_backoff(true)
        };
        tokio::time::sleep(STABLE_AFTER * 2).await;
        for _ in 1..MAX_LOSSES {
            assert!(lose(Duration::from_secs(1)).is_ok());
        }
        let delayed = lose(Duration::from_secs(1)).unwrap_err();
        assert!(delayed.problem().contains("lost 5 times"), "{delayed}");
        assert!(lose(STABLE_AFTER).is_ok(), "it was stable");
    }
}
