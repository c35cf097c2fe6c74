//! A server whose calls an OpenTelemetry collector sees: a span and a duration for each, and the caller's span as its parent.
//!
//! `cargo run -p observed` serves `http://127.0.0.1:8080/mcp`, `cargo run -p observed -- ADDRESS` another address. It exports to the
//! collector at `http://localhost:4318`, by OTLP over HTTP; `OTEL_EXPORTER_OTLP_ENDPOINT` and the other variables of OpenTelemetry
//! change that. `telemetry.rs` is all that another server needs.

mod telemetry;

use std::error::Error;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Http, Server, Tool, ToolError, shutdown_signal};

use telemetry::Telemetry;

/// Brews a pot of tea.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct BrewTea {
    /// How many cups.
    #[mcp(minimum = 1, maximum = 100)]
    cups: u32,
}

async fn brew(BrewTea { cups }: BrewTea) -> Result<String, ToolError> {
    if cups > 8 {
        return Err(ToolError::new("the pot holds 8 cups; brew less at a time"));
    }
    heat_water(cups).await;
    Ok(format!("cups of tea: {cups}"))
}

/// What handlers record is inside of the span of their call.
#[tracing::instrument]
async fn heat_water(cups: u32) {
    tokio::time::sleep(Duration::from_millis(5) * cups).await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let telemetry = Telemetry::start()?;
    let service = Server::new(brew).tools::<BrewTea>().middleware(telemetry::spans()).build()?;
    let http = Http::bind(address)?;
    eprintln!("observed serves http://{}/mcp", http.local_addr()?);
    service.serve_until(http, shutdown_signal()).await?;
    // The sessions end with the service, and are exported too.
    drop(service);
    if let Err(error) = telemetry.finish() {
        eprintln!("the last spans and metrics did not reach the collector: {error}");
    }
    Ok(())
}
