//! An MCP endpoint in an axum app, next to a web page and a plain route. All three show one guest book.
//!
//! `cargo run -p mounted` listens on 127.0.0.1:8080, `cargo run -p mounted -- ADDRESS` elsewhere. The page is at `/`, the
//! names are at `/guests`, and clients of every revision find the tool `sign` at `/mcp`.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use axum::serve::ListenerExt;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;
use toolwright::{Context, Handler, HttpService, Server, Tool, ToolError};

/// What the tool and the web pages share.
#[derive(Debug, Clone, Default)]
struct GuestBook(Arc<Mutex<Vec<String>>>);

impl GuestBook {
    fn names(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Signs the guest book.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Sign {
    /// Who was here.
    #[mcp(min_length = 1, max_length = 80)]
    name: String,
}

impl Handler<Sign> for GuestBook {
    type Output = String;

    async fn call(&self, input: Sign, _cx: &Context) -> Result<String, ToolError> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let thanks = format!("Thank you, {}! You are guest {}.", input.name, names.len() + 1);
        names.push(input.name);
        Ok(thanks)
    }
}

async fn page(State(book): State<GuestBook>) -> Html<String> {
    Html(format!("<!doctype html><title>Guests</title><p>{} were here.</p>", book.names().len()))
}

async fn guests(State(book): State<GuestBook>) -> String {
    book.names().join("\n")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let book = GuestBook::default();
    let mcp = HttpService::new(&Server::new(book.clone()).tools::<Sign>().build()?);
    let app = Router::new()
        .route("/", get(page))
        .route("/guests", get(guests))
        // Clients do not follow redirects of a POST, so both spellings are routed directly.
        .route_service("/mcp", mcp.clone())
        .route_service("/mcp/", mcp.clone())
        .with_state(book);

    let listener = TcpListener::bind(address).await?;
    eprintln!("a page at http://{0}/, MCP at http://{0}/mcp", listener.local_addr()?);
    // Otherwise consecutive events of a stream could each be delayed by 40 ms in the kernel.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let shutdown = async move {
        wait_for_shutdown().await;
        // axum waits for requests in flight. Streams that never end by themselves must be ended.
        mcp.end_streams();
    };
    axum::serve(listener, app).with_graceful_shutdown(shutdown).await?;
    Ok(())
}

/// Completes on Ctrl-C, or on the signal with which a service manager stops a program.
async fn wait_for_shutdown() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // Without a handler the signal ends the process immediately, which is also fine.
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
