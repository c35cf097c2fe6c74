//! `retail` serves the shop over stdio; `retail ask` reads what an agent writes, a line each, and answers it;
//! `retail docs` prints what an agent has to know.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use toolwright::agent::Agent;
use toolwright::{Context, Limits, Stdio};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        None => retail::server().serve(Stdio).await?,
        Some("ask") => ask().await?,
        Some("docs") => print!("{}", agent()?.simple_docs()),
        Some(other) => {
            return Err(format!(
                "`{other}` is neither `ask` nor `docs`; without either, retail serves stdio"
            )
            .into());
        }
    }
    Ok(())
}

/// The agent path in front of the same tools.
fn agent() -> Result<Agent, toolwright::BuildError> {
    Ok(Agent::new(Arc::new(retail::server().build()?)))
}

/// Answers each line: an envelope `{"type":"mcp_tool_call",…}`, or a command in plain words.
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
