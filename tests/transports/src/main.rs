//! The server on stdio; SIGTERM shuts it down gracefully.

use test_protocol::signal;
use test_transports::stage;
use toolwright::{ServeError, Stdio};

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    stage::service().serve_until(Stdio, signal::terminated()).await
}
