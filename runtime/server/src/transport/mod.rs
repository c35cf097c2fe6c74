//! Transports: where the bytes come from and go to.
//!
//! Transports are an enum and not a trait: a transport owns threads or tasks and its own shutdown, and needs the
//! connection itself, which a trait for users could not expose. `Lines` takes streams that others create. When a
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

/// A way to reach the server.
#[derive(Debug)]
#[non_exhaustive]
pub enum Transport {
    /// Standard input and output of this process.
    #[cfg(feature = "stdio")]
    Stdio(stdio::Stdio),
    /// A pair of streams, with one peer behind them.
    #[cfg(feature = "socket")]
    Lines(lines::Lines),
    /// A Unix socket.
    #[cfg(all(feature = "socket", unix))]
    UnixSocket(unix::UnixSocket),
    /// An HTTP server of its own.
    #[cfg(feature = "http")]
    Http(http::Http),
    /// A WebSocket server of its own.
    #[cfg(feature = "ws")]
    WebSocket(http::WebSocket),
}

impl Transport {
    pub(crate) async fn serve(
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
