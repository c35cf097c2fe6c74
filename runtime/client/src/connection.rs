//! A connection to a server, over any transport.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use toolwright_core::future::BoxFuture;
#[cfg(feature = "http")]
use toolwright_core::future::boxed;

#[cfg(feature = "http")]
use crate::http::HttpTransport;

use crate::error::{ClientError, ErrorKind};
use crate::host::Host;
use crate::message::{self, OutgoingRequest};
use crate::mux::Mux;
use crate::pending::{Reply, RequestFailure, RequestOptions};
use crate::server_info::ServerInfo;

/// How long [`Connection::close`] waits.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection with a negotiated revision.
pub(crate) struct Connection {
    pub(crate) server: ServerInfo,
    pub(crate) host: Arc<Host>,
    transport: Transport,
    /// The members of `_meta` that every request has, without braces.
    meta: Box<str>,
}

/// The transport of a connection.
pub(crate) enum Transport {
    /// One channel for all requests, driven by `task`.
    Mux { mux: Arc<Mux>, task: JoinHandle<()> },
    #[cfg(feature = "http")]
    Http(Arc<HttpTransport>),
}

impl Connection {
    pub(crate) fn new(server: ServerInfo, host: Arc<Host>, transport: Transport, meta: String) -> Self {
        let meta = if server.revision.has_request_meta() { meta.into() } else { "".into() };
        Self { server, host, transport, meta }
    }

    /// Sends a request and waits for the response.
    pub(crate) async fn request(
        &self,
        outgoing: &OutgoingRequest<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, ClientError> {
        let meta = outgoing.era_meta.as_deref().unwrap_or(&self.meta);
        let outcome = match &self.transport {
            Transport::Mux { mux, .. } => mux.request(outgoing, meta, options).await,
            #[cfg(feature = "http")]
            Transport::Http(http) => boxed_request(http, outgoing, meta, options).await,
        };
        outcome.map_err(|failure| self.to_error(&outgoing.method, failure))
    }

    /// Sends a notification. `params` is a JSON object, or empty.
    pub(crate) fn notify(&self, method: &str, params: &str) {
        let message = message::notification(method, params);
        match &self.transport {
            Transport::Mux { mux, .. } => mux.send(&message),
            #[cfg(feature = "http")]
            Transport::Http(http) => http.send(message),
        }
    }

    /// Opens the stream for messages of a legacy server that belong to no request.
    #[cfg(feature = "http")]
    pub(crate) async fn listen(&self) {
        if let Transport::Http(http) = &self.transport {
            http.ensure_listening().await;
        }
    }

    /// Returns whether the connection accepts no further requests.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.transport {
            Transport::Mux { mux, .. } => mux.is_closed(),
            #[cfg(feature = "http")]
            Transport::Http(_) => false,
        }
    }

    /// Returns a number that changes whenever cached lists become stale.
    pub(crate) fn generation(&self) -> u64 {
        match &self.transport {
            Transport::Mux { .. } => 0,
            #[cfg(feature = "http")]
            Transport::Http(http) => http.generation(),
        }
    }

    /// Returns whether arguments of tools are repeated in headers.
    pub(crate) fn has_headers(&self) -> bool {
        match &self.transport {
            Transport::Mux { .. } => false,
            #[cfg(feature = "http")]
            Transport::Http(_) => self.server.revision.has_request_meta(),
        }
    }

    /// Closes the connection, and waits until it is closed: a child process and everything in its process group has
    /// exited.
    pub(crate) fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match &self.transport {
                Transport::Mux { mux, task } => {
                    mux.end();
                    let ended = async {
                        while !task.is_finished() {
                            tokio::time::sleep(Duration::from_millis(5)).await;
                        }
                    };
                    _ = tokio::time::timeout(CLOSE_TIMEOUT, ended).await;
                }
                #[cfg(feature = "http")]
                Transport::Http(http) => http.end_session().await,
            }
        })
    }

    fn to_error(&self, method: &str, failure: RequestFailure) -> ClientError {
        let (problem, advice) = match failure {
            RequestFailure::Failed(error) => return error,
            RequestFailure::TimedOut(after) => (
                format!(
                    "no response to `{method}` within {after:?}, and no progress; the request was cancelled"
                ),
                "raise `request_timeout` if the request is slow, or check whether the server hangs",
            ),
            RequestFailure::MaxDurationReached(after) => (
                format!(
                    "`{method}` made progress but did not finish within {after:?}; the request was cancelled"
                ),
                "raise `max_duration`, or ask for less at once",
            ),
        };
        self.host.error(ErrorKind::Timeout, problem, advice)
    }
}

/// Boxes a request over HTTP, so that the futures of other transports do not include its state, and only this crate
/// compiles it.
#[cfg(feature = "http")]
fn boxed_request<'a>(
    http: &'a Arc<HttpTransport>,
    outgoing: &'a OutgoingRequest<'_>,
    meta: &'a str,
    options: &'a mut RequestOptions<'_>,
) -> BoxFuture<'a, Result<Reply, RequestFailure>> {
    boxed(move || http.request(outgoing, meta, options))
}

impl Drop for Connection {
    fn drop(&mut self) {
        match &self.transport {
            Transport::Mux { mux, .. } => mux.end(),
            #[cfg(feature = "http")]
            Transport::Http(http) => {
                let http = Arc::clone(http);
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    runtime.spawn(async move { http.end_session().await });
                }
            }
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}
