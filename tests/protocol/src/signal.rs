//! The signal by which a service manager ends a program.

/// Done when the process is asked to end. A thread waits for the signal, as a handler that blocks may hold up the
/// runtime's own.
pub fn terminated() -> impl Future<Output = ()> {
    let (sender, terminated) = tokio::sync::oneshot::channel();
    #[cfg(unix)]
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
    async {
        if terminated.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
