//! A help desk for agents: tickets in a database, at an MCP endpoint in an axum app. It shows most of what a service needs: tools
//! with structured results, progress, a question to the user, a resource, a prompt, an API key and middleware.
//!
//! `TICKETS_KEY=$(openssl rand -hex 32) cargo run -p tickets` serves `http://127.0.0.1:8080/mcp` for callers with that key, and
//! `cargo run -p tickets -- ADDRESS FILE` another address, with the tickets in a file.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::routing::get;
use tickets::{Desk, Store};
use tokio::net::TcpListener;
use toolwright::auth::{ApiKeys, Protection};
use toolwright::limits::RateLimit;
use toolwright::middleware::{AuditLog, MaxRate};
use toolwright::{HttpConfig, HttpService, Server, no_delay, shutdown_signal};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let file = arguments.next().map_or_else(|| PathBuf::from(":memory:"), PathBuf::from);
    let key = std::env::var("TICKETS_KEY").context("set TICKETS_KEY to the key that callers send")?;

    let service = Server::of(Desk(Store::open(&file)?))
        .middleware(AuditLog::new(std::io::stderr()))
        .middleware(MaxRate::per_tool(RateLimit::new(60, Duration::from_mins(1))))
        .build()?;

    let listener =
        TcpListener::bind(&address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    let keys = ApiKeys::new().key("agent", &key, ["tickets:delete"])?;
    let protection = Protection::new(&format!("http://{address}/mcp"), keys)?;
    let mcp = HttpService::with_config(&service, HttpConfig::new().protect(protection));
    let app = Router::new().route("/health", get(async || "ok")).merge(mcp.router("/mcp"));

    let stop_asked = shutdown_signal();
    eprintln!("listening on http://{address}/mcp");
    let shutdown = async move {
        stop_asked.await;
        mcp.end_streams();
    };
    axum::serve(no_delay(listener), app).with_graceful_shutdown(shutdown).await?;
    Ok(())
}
