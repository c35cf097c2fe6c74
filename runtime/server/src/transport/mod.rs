//! Transports, which read and write the bytes of messages.
//!
//! Transports are an enum rather than a trait: a transport owns threads or tasks and its own shutdown, and needs the
//! connection itself, which a public trait could not expose. `Lines` accepts streams that others create. When a
//! WebSocket closes, its calls are cancelled; when a stream of lines ends, running calls may finish within the grace
//! period, because a program that writes its requests and closes its end still wants the responses.

#[cfg(any(feature = "socket", feature = "http"))]
mod bounded;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "socket")]
pub mod lines;
#[cfg(any(feature = "socket", feature = "http"))]
mod peers;
#[cfg(feature = "stdio")]
pub mod stdio;
#[cfg(all(feature = "socket", unix))]
pub mod unix;
#[cfg(feature = "stdio")]
mod watch;

use crate::error::ServeError;
use crate::service::Service;

/// A transport to serve on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Transport {
    /// Standard input and output of this process.
    #[cfg(feature = "stdio")]
    Stdio(stdio::Stdio),
    /// A pair of streams, with a single peer.
    #[cfg(feature = "socket")]
    Lines(lines::Lines),
    /// A Unix socket.
    #[cfg(all(feature = "socket", unix))]
    UnixSocket(unix::UnixSocket),
    /// The built-in HTTP server.
    #[cfg(feature = "http")]
    Http(http::Http),
    /// The built-in WebSocket server.
    #[cfg(feature = "ws")]
    WebSocket(http::WebSocket),
}

impl Service {
    /// Serves one transport until its peer disconnects, or an error ends it.
    ///
    /// # Errors
    /// [`ServeError::Stream`] if reading or writing fails for another reason than the peer's disconnecting.
    pub async fn serve(&self, transport: impl Into<Transport>) -> Result<(), ServeError> {
        self.serve_until(transport, std::future::pending()).await
    }

    /// Like [`Service::serve`], and shuts down gracefully when `shutdown` completes: no new message is read, running
    /// calls get [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to finish, their responses are sent, and
    /// subscriptions end with their last message. Tasks fail when the last transport ends or, if the service is mounted
    /// in another server as well, when its last handle is dropped.
    ///
    /// Wait for signals with `shutdown_signal` (feature `http`), or on a thread of your own: a handler that blocks a thread of
    /// the runtime can keep `tokio::signal` from seeing them.
    ///
    /// # Errors
    /// See [`Service::serve`].
    pub async fn serve_until(
        &self,
        transport: impl Into<Transport>,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        #[cfg(feature = "tasks")]
        let serving = self.shared().extensions().tasks.as_ref().map(|tasks| tasks.serving());
        let ended = transport.into().serve(self, shutdown).await;
        #[cfg(feature = "tasks")]
        if let Some(serving) = serving {
            serving.end(self.limits().shutdown_grace).await;
        }
        ended
    }
}

impl Transport {
    async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        match self {
            #[cfg(feature = "stdio")]
            Self::Stdio(stdio) => stdio.serve(service, shutdown).await,
            #[cfg(feature = "socket")]
            Self::Lines(lines) => lines.serve(service, shutdown).await,
            #[cfg(all(feature = "socket", unix))]
            Self::UnixSocket(socket) => socket.serve(service, shutdown).await,
            #[cfg(feature = "http")]
            Self::Http(http) => http.serve(service, shutdown).await,
            #[cfg(feature = "ws")]
            Self::WebSocket(socket) => socket.serve(service, shutdown).await,
        }
    }
}
