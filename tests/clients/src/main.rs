//! `slow-server LOG`: a server on stdio whose one tool takes as long as it is asked to. It appends to the
//! file LOG what becomes of each call, so that a test sees a cancellation arrive.

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Server, Stdio, Tool, ToolError};

/// Sleeps for a while.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Sleep {
    /// How long, in milliseconds.
    milliseconds: u32,
}

struct Sleeper {
    log: File,
}

impl Handler<Sleep> for Sleeper {
    type Output = String;

    async fn call(&self, input: Sleep, cx: &Context) -> Result<String, ToolError> {
        self.write("started");
        let duration = Duration::from_millis(input.milliseconds.into());
        // A handler may be stopped by its token or by being dropped; either must show in the log.
        let mut night = Night { sleeper: self, outcome: "cancelled" };
        tokio::select! {
            () = tokio::time::sleep(duration) => night.outcome = "finished",
            () = cx.cancellation().cancelled() => {}
        }
        Ok(night.outcome.to_owned())
    }
}

impl Sleeper {
    fn write(&self, line: &str) {
        writeln!(&self.log, "{line}").expect("the log can be written");
    }
}

/// Writes how a call ended when it is dropped.
struct Night<'a> {
    sleeper: &'a Sleeper,
    outcome: &'static str,
}

impl Drop for Night<'_> {
    fn drop(&mut self) {
        self.sleeper.write(self.outcome);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("name the log file: `slow-server LOG`")?;
    let sleeper = Sleeper { log: OpenOptions::new().create(true).append(true).open(path)? };
    Server::new(sleeper).tools::<Sleep>().serve(Stdio).await?;
    Ok(())
}
