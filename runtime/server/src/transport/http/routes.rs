//! Mounting in axum: a router with all paths of the endpoint, and a listener whose events are not delayed.

use axum::Router;
use axum::serve::{Listener, ListenerExt as _, TapIo};
use tokio::net::{TcpListener, TcpStream};

use super::HttpService;

impl HttpService {
    /// Returns a router with the endpoint at `path`, with and without a trailing slash, since clients do not follow redirects of
    /// a POST. If the endpoint is protected, its metadata document is there too
    /// ([`HttpService::metadata_path`]). Merge it with the routes of your app, which may have any state.
    ///
    /// Serve the app with [`no_delay`], and call [`HttpService::end_streams`] when it shuts down.
    ///
    /// ```no_run
    /// use axum::Router;
    /// use axum::routing::get;
    /// use tokio::net::TcpListener;
    /// use toolwright_server::{HttpService, Server, no_delay, shutdown_signal};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let mcp = HttpService::new(&Server::new(()).build()?);
    /// let app = Router::new().route("/", get(async || "a page")).merge(mcp.router("/mcp"));
    ///
    /// let listener = no_delay(TcpListener::bind("127.0.0.1:8080").await?);
    /// let stop_asked = shutdown_signal();
    /// let shutdown = async move {
    ///     stop_asked.await;
    ///     mcp.end_streams();
    /// };
    /// axum::serve(listener, app).with_graceful_shutdown(shutdown).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If axum does not accept the path, such as one with an unclosed brace.
    pub fn router<S: Clone + Send + Sync + 'static>(&self, path: &str) -> Router<S> {
        let path = format!("/{}", path.trim_matches('/'));
        let mut router = Router::new().route_service(&path, self.clone());
        if path != "/" {
            router = router.route_service(&format!("{path}/"), self.clone());
        }
        #[cfg(feature = "auth")]
        if let Some(path) = self.metadata_path() {
            router = router.route_service(path, self.metadata());
        }
        router
    }
}

/// Sets `TCP_NODELAY` on all accepted connections, as [`Http`](super::Http) does: otherwise an event that follows another within
/// milliseconds waits in the kernel until the client has acknowledged the first, about 40 milliseconds.
pub fn no_delay(listener: TcpListener) -> TapIo<TcpListener, fn(&mut TcpStream)> {
    listener.tap_io(|stream: &mut <TcpListener as Listener>::Io| {
        // It only makes events slower.
        _ = stream.set_nodelay(true);
    })
}
