//! `retail` serves the shop over stdio, `retail --http 127.0.0.1:8080` over HTTP; `retail ask` reads an agent's
//! calls, one per line, and answers them; `retail docs` prints the tools' documentation for an agent.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use toolwright::agent::Agent;
use toolwright::{Context, Http, Limits, Stdio, shutdown_signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        None => retail::server().serve(Stdio).await?,
        Some("--http") => {
            let address = arguments.next().ok_or("say where to listen: `retail --http 127.0.0.1:8080`")?;
            http(&address).await?;
        }
        Some("ask") => ask().await?,
        Some("docs") => print!("{}", agent()?.simple_docs()),
        Some(other) => {
            return Err(format!(
                "`{other}` is none of `--http`, `ask` and `docs`; without any, retail serves stdio"
            )
            .into());
        }
    }
    Ok(())
}

/// Serves HTTP until the process is asked to stop, then finishes the calls in flight.
async fn http(address: &str) -> Result<(), Box<dyn std::error::Error>> {
    let http = Http::bind(address)?;
    eprintln!("retail serves http://{}/mcp", http.local_addr()?);
    retail::server().build()?.serve_until(http, shutdown_signal()).await?;
    Ok(())
}

/// The agent interface to the same tools.
fn agent() -> Result<Agent, toolwright::BuildError> {
    Ok(Agent::new(Arc::new(retail::server().build()?)))
}

/// Answers each line: an envelope `{"type":"mcp_tool_call",…}`, or a plain-text command.
async fn ask() -> Result<(), Box<dyn std::error::Error>> {
    let agent = agent()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let turn = agent.ask(&line, &Context::detached(Limits::default().call_timeout)).await;
        let answer = match turn.outcome {
            Ok(message) => message.to_text(),
            Err(error) => format!("error: {error}"),
        };
        writeln!(io::stdout(), "{answer}")?;
    }
    Ok(())
}
