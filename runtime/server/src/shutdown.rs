//! When a service manager or a terminal asks the program to stop: [`shutdown_signal`].

use std::thread;

use tokio::sync::oneshot;

/// Completes when the process is asked to stop: on Ctrl-C or, on Unix, SIGTERM. For
/// [`Service::serve_until`](crate::Service::serve_until), and for the graceful shutdown of axum.
///
/// Signals are received on a thread of their own: a handler that blocks a thread of the runtime cannot keep them from being seen.
/// If the system does not allow that, the future never completes, and a signal ends the process immediately. From the first use
/// on, a signal no longer ends the process by itself, as with [`tokio::signal`].
///
/// ```no_run
/// use toolwright_server::{Http, Server, shutdown_signal};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Server::new(()).build()?;
/// service.serve_until(Http::bind("127.0.0.1:8080")?, shutdown_signal()).await?;
/// # Ok(())
/// # }
/// ```
pub async fn shutdown_signal() {
    let (sender, received) = oneshot::channel();
    let thread = thread::Builder::new().name("toolwright-signal".to_owned()).spawn(move || receive(sender));
    if thread.is_err() || received.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Sends when a signal arrives, or ends when nobody waits for it any more.
fn receive(mut sender: oneshot::Sender<()>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    let is_asked = runtime.block_on(async {
        tokio::select! {
            is_asked = first_signal() => is_asked,
            () = sender.closed() => false,
        }
    });
    if is_asked {
        // Nobody may be waiting any more.
        _ = sender.send(());
    }
}

/// Returns whether a signal arrived; `false` if none can be received.
#[cfg(unix)]
async fn first_signal() -> bool {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut interrupted), Ok(mut terminated)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return false;
    };
    tokio::select! {
        _ = interrupted.recv() => {}
        _ = terminated.recv() => {}
    }
    true
}

#[cfg(not(unix))]
async fn first_signal() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}
