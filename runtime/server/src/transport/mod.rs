//! Transports: where the bytes come from and go to.

#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "stdio")]
mod lines;
#[cfg(feature = "stdio")]
pub mod stdio;
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
    /// An HTTP server of its own.
    #[cfg(feature = "http")]
    Http(http::Http),
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
            #[cfg(feature = "http")]
            Self::Http(http) => http.serve(service, shutdown).await,
        }
    }
}
