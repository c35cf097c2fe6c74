//! A connection to a server: over whatever it goes, a request is one call here.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

#[cfg(feature = "http")]
use crate::http::Http;

use crate::config::BoxFuture;
use crate::error::{ClientError, ErrorKind};
use crate::host::Host;
use crate::message::{self, OutgoingRequest};
use crate::mux::Mux;
use crate::pending::{Reply, RequestFailure, RequestOptions};
use crate::server_info::ServerInfo;

/// How long a connection that is closed is waited for.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection whose era is known.
pub(crate) struct Connection {
    pub(crate) server: ServerInfo,
    pub(crate) host: Arc<Host>,
    transport: Transport,
    /// The members of `_meta` that each request carries.
    meta: Box<str>,
}

/// What a connection goes over.
pub(crate) enum Transport {
    /// One channel for all requests, driven by a task.
    Mux { mux: Arc<Mux>, task: JoinHandle<()> },
    #[cfg(feature = "http")]
    Http(Arc<Http>),
}

impl Connection {
    pub(crate) fn new(server: ServerInfo, host: Arc<Host>, transport: Transport, meta: String) -> Self {
        let meta = if server.revision.has_request_meta() { meta.into() } else { "".into() };
        Self { server, host, transport, meta }
    }

    /// Sends a request and waits for its answer.
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
        outcome.map_err(|failure| self.failure(&outgoing.method, failure))
    }

    /// Sends a notification; `params` is an object as JSON text, or empty.
    pub(crate) fn notify(&self, method: &str, params: &str) {
        let message = message::notification(method, params);
        match &self.transport {
            Transport::Mux { mux, .. } => mux.send(&message),
            #[cfg(feature = "http")]
            Transport::Http(http) => http.send(message),
        }
    }

    /// Hears what a legacy server says by itself.
    #[cfg(feature = "http")]
    pub(crate) async fn listen(&self) {
        if let Transport::Http(http) = &self.transport {
            http.listen_once().await;
        }
    }

    /// Whether no request can be sent any more.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.transport {
            Transport::Mux { mux, .. } => mux.is_closed(),
            #[cfg(feature = "http")]
            Transport::Http(_) => false,
        }
    }

    /// Changes when what was learned from the server may no longer hold.
    pub(crate) fn generation(&self) -> u64 {
        match &self.transport {
            Transport::Mux { .. } => 0,
            #[cfg(feature = "http")]
            Transport::Http(http) => http.generation(),
        }
    }

    /// Whether arguments of tools are shown in headers.
    pub(crate) fn has_headers(&self) -> bool {
        match &self.transport {
            Transport::Mux { .. } => false,
            #[cfg(feature = "http")]
            Transport::Http(_) => self.server.revision.has_request_meta(),
        }
    }

    /// Ends the connection, and waits until it has: for a child process, until it and all that it started is gone.
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
                Transport::Http(http) => http.end().await,
            }
        })
    }

    fn failure(&self, method: &str, failure: RequestFailure) -> ClientError {
        let (problem, advice) = match failure {
            RequestFailure::Failed(error) => return error,
            RequestFailure::TimedOut(after) => (
                format!("no answer to `{method}` within {after:?}, and no progress; it was cancelled"),
                "raise `request_timeout` if the request is slow, or see whether the server hangs",
            ),
            RequestFailure::MaxDurationReached(after) => (
                format!("`{method}` made progress for {after:?} and came to no end; it was cancelled"),
                "raise the longest duration of a request, or ask for less at once",
            ),
        };
        self.host.error(ErrorKind::Timeout, problem, advice)
    }
}

/// A request over HTTP on the heap: other transports need not carry its state, and its code is compiled in this crate alone.
#[cfg(feature = "http")]
fn boxed_request<'a>(
    http: &'a Arc<Http>,
    outgoing: &'a OutgoingRequest<'_>,
    meta: &'a str,
    options: &'a mut RequestOptions<'_>,
) -> BoxFuture<'a, Result<Reply, RequestFailure>> {
    Box::pin(http.request(outgoing, meta, options))
}

impl Drop for Connection {
    fn drop(&mut self) {
        match &self.transport {
            Transport::Mux { mux, .. } => mux.end(),
            #[cfg(feature = "http")]
            Transport::Http(http) => {
                let http = Arc::clone(http);
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    runtime.spawn(async move { http.end().await });
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
