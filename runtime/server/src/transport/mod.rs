//! Transports: where the bytes come from and go to.

mod lines;
pub mod stdio;
mod watch;

use crate::error::ServeError;
use crate::service::Service;

/// A way to reach the server.
#[derive(Debug)]
#[non_exhaustive]
pub enum Transport {
    /// Standard input and output of this process.
    Stdio(stdio::Stdio),
}

impl Transport {
    pub(crate) async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        match self {
            Self::Stdio(stdio) => stdio.serve(service, shutdown).await,
        }
    }
}
