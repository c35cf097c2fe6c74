//! A service that runs where it is needed: over stdio, over HTTP, or as a worker of a gateway.
//!
//! `worker`, `worker --http 127.0.0.1:9000`, or `worker --pool security` with the URL of the gateways' Redis in
//! `REDIS_URL`.

use std::env;
use std::error::Error;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::gateway::Worker;
use toolwright::gateway::redis::RedisBus;
use toolwright::{Http, Server, Service, Stdio, Tool, ToolError, handlers, shutdown_signal};

const USAGE: &str = "usage: worker | worker --http ADDRESS | REDIS_URL=redis://… worker --pool NAME";

/// Checks whether an address is known for abuse.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
struct CheckAddress {
    /// An IPv4 address.
    ip: String,
}

/// Finds the owner of an address.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
struct FindOwner {
    /// An IPv4 address.
    ip: String,
}

struct Reputation;

#[handlers(name = "reputation")]
impl Reputation {
    fn check_address(&self, input: CheckAddress) -> Result<String, ToolError> {
        let ip = address(&input.ip)?;
        // A block reserved for documentation (RFC 5737) stands for the addresses with reports.
        let reports = if ip.octets()[..3] == [203, 0, 113] { 7 } else { 0 };
        Ok(format!("{ip}: {reports} reports of abuse"))
    }

    fn find_owner(&self, input: FindOwner) -> Result<String, ToolError> {
        let ip = address(&input.ip)?;
        Ok(format!("{ip}: no owner is known"))
    }
}

fn address(text: &str) -> Result<Ipv4Addr, ToolError> {
    text.parse().map_err(|_| ToolError::new("`ip` is not an IPv4 address, such as 8.8.8.8"))
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let service = Server::of(Reputation).build()?;
    let words: Vec<_> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => service.serve(Stdio).await?,
        ["--http", address] => serve_http(service, address).await?,
        ["--pool", pool] => {
            let url = env::var("REDIS_URL").map_err(|_| "set REDIS_URL to the URL of the gateways' Redis")?;
            let bus = Arc::new(RedisBus::connect(&url).await?);
            eprintln!("a worker of the pool {pool}");
            // This line makes the service a worker.
            Worker::new(bus, pool, service).run_until(shutdown_signal()).await;
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

async fn serve_http(service: Service, address: &str) -> Result<(), Box<dyn Error>> {
    let http = Http::bind(address).map_err(|error| format!("{address}: {error}"))?;
    eprintln!("listening at http://{}/mcp", http.local_addr()?);
    Ok(service.serve_until(http, shutdown_signal()).await?)
}
