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
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;
use toolwright::{Context, Handler, HttpService, Server, Tool, ToolError, no_delay, shutdown_signal};

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
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Sign, _cx: &Context) -> Self::Output {
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
        .merge(mcp.router("/mcp"))
        .with_state(book);

    let listener = TcpListener::bind(address).await?;
    let stop_asked = shutdown_signal();
    eprintln!("a page at http://{0}/, MCP at http://{0}/mcp", listener.local_addr()?);
    let shutdown = async move {
        stop_asked.await;
        // axum waits for requests in flight. Streams that never end by themselves must be ended.
        mcp.end_streams();
    };
    axum::serve(no_delay(listener), app).with_graceful_shutdown(shutdown).await?;
    Ok(())
}
