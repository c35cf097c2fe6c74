//! The server on stdio, or another in front of it, which the first argument names; SIGTERM shuts it down gracefully.

use test_protocol::signal;
use test_transports::front::Front;
use toolwright::{ServeError, Stdio};

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    let front = std::env::args().nth(1).unwrap_or_default();
    Front::named(&front).service().serve_until(Stdio, signal::terminated()).await
}
