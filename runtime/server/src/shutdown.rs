//! When a service manager or a terminal asks the program to stop: [`shutdown_signal`].

use std::sync::mpsc;
use std::thread;

use tokio::sync::oneshot;

/// Completes when the process is asked to stop: on Ctrl-C or, on Unix, SIGTERM. For
/// [`Service::serve_until`](crate::Service::serve_until), and for the graceful shutdown of axum.
///
/// Signals are received from the call on, not only once the future is polled: call this before the program says that it is
/// ready. From then on, a signal no longer ends the process by itself, as with [`tokio::signal`]. A thread of its own receives
/// them: a handler that blocks a thread of the runtime cannot keep them from being seen. If the system does not allow that, the
/// future never completes, and a signal ends the process immediately.
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
pub fn shutdown_signal() -> impl Future<Output = ()> + Send + 'static {
    let (sender, received) = oneshot::channel();
    let (ready, is_ready) = mpsc::sync_channel(1);
    let thread =
        thread::Builder::new().name("toolwright-signal".to_owned()).spawn(move || receive(sender, &ready));
    if thread.is_ok() {
        // An error means that no signal can be received: the future says so.
        _ = is_ready.recv();
    }
    async move {
        if received.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Sends when a signal arrives, or ends when nobody waits for it any more. `ready` is told once signals are received.
fn receive(mut sender: oneshot::Sender<()>, ready: &mpsc::SyncSender<()>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    runtime.block_on(async {
        let Some(signals) = Signals::new() else { return };
        _ = ready.send(());
        tokio::select! {
            () = signals.first() => {
                // Nobody may be waiting any more.
                _ = sender.send(());
            }
            () = sender.closed() => {}
        }
    });
}

/// The signals that ask the process to stop, received from [`Self::new`] on.
#[cfg(unix)]
struct Signals {
    interrupted: tokio::signal::unix::Signal,
    terminated: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Returns `None` if the system has no room for them.
    fn new() -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let interrupted = signal(SignalKind::interrupt()).ok()?;
        let terminated = signal(SignalKind::terminate()).ok()?;
        Some(Self { interrupted, terminated })
    }

    async fn first(mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
    }
}

/// Ctrl-C in the console, received from [`Self::new`] on.
#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    /// Returns `None` if the system does not report it.
    fn new() -> Option<Self> {
        tokio::signal::windows::ctrl_c().ok().map(Self)
    }

    async fn first(mut self) {
        _ = self.0.recv().await;
    }
}
