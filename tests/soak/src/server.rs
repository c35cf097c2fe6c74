//! The server at full load: that of the protocol tests, with sessions that end soon.

use std::error::Error;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use toolwright::{Http, Limits, ServeError};

/// Serves until a signal requests shutdown.
pub(crate) fn serve() -> Result<(), Box<dyn Error>> {
    // The messages of intended panics would fill the pipe.
    std::panic::set_hook(Box::new(|_| ()));
    let limits = Limits { session_idle: Duration::from_secs(2), ..Limits::default() };
    let service = test_protocol::tools::service(limits);
    let http = Http::bind("127.0.0.1:0")?;
    eprintln!("listens on http://{}/mcp", http.local_addr()?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(runtime.block_on(async {
        let mut terminated = signal(SignalKind::terminate()).map_err(ServeError::Listen)?;
        let shutdown = async {
            terminated.recv().await;
        };
        service.serve_until(http, shutdown).await
    })?)
}
