//! The server on stdio; SIGTERM ends it in order.

use test_transports::stage;
use toolwright::{ServeError, Stdio};

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    let (sender, terminated) = tokio::sync::oneshot::channel();
    match signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]) {
        Ok(mut signals) => {
            std::thread::spawn(move || {
                signals.forever().next();
                // The server may have ended by itself.
                let _ = sender.send(());
            });
        }
        Err(error) => eprintln!("SIGTERM ends the process at once: {error}"),
    }
    let shutdown = async {
        if terminated.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    stage::service().serve_until(Stdio, shutdown).await
}
