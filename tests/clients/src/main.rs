//! `slow-server LOG [ADDRESS]`: a server on stdio, or over HTTP at ADDRESS, whose one tool takes as long as it is asked to.
//! It appends to the file LOG what becomes of each call, so that a test sees a cancellation arrive. A resource counts the
//! calls that finished, and there is a prompt.

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::future::ready;
use std::io::Write;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::watch;
use toolwright::{Context, Handler, Http, Prompt, Resource, Server, Stdio, Tool, ToolError};

/// The address of the resource.
const NIGHTS: &str = "sleeper://nights";

/// Sleeps for a while, and tells when half of it is over.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Sleep {
    /// How long, in milliseconds.
    milliseconds: u32,
}

struct Sleeper {
    log: File,
    nights: watch::Sender<u32>,
}

impl Handler<Sleep> for Sleeper {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Sleep, cx: &Context) -> Self::Output {
        self.write("started");
        let half = Duration::from_millis(input.milliseconds.into()) / 2;
        // A handler may be stopped by its token or by being dropped; either must show in the log.
        let mut night = Night { sleeper: self, outcome: "cancelled" };
        let sleep = async {
            tokio::time::sleep(half).await;
            cx.progress(1.0, Some(2.0), Some("half of it is over")).await;
            tokio::time::sleep(half).await;
        };
        tokio::select! {
            () = sleep => night.outcome = "finished",
            () = cx.cancellation().cancelled() => {}
        }
        if night.outcome == "finished" {
            self.nights.send_modify(|nights| *nights += 1);
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

/// A song.
#[derive(Debug, Deserialize, JsonSchema)]
struct Lullaby {
    /// Who is to sleep.
    name: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("name the log file: `slow-server LOG`")?;
    let address = arguments.next().map(|address| address.into_string().map_err(|_| "no address"));

    let (nights, mut changes) = watch::channel(0);
    let counted = nights.subscribe();
    let log = OpenOptions::new().create(true).append(true).open(path)?;
    let service = Server::new(Sleeper { log, nights })
        .tools::<Sleep>()
        .resource(Resource::new(NIGHTS, "nights"), move || ready(counted.borrow().to_string()))
        .prompt(Prompt::new("lullaby"), async |input: Lullaby| format!("Sleep well, {}.", input.name))
        .build()?;
    let told = service.clone();
    tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            told.notify_resource_updated(NIGHTS);
        }
    });

    match address {
        None => service.serve(Stdio).await?,
        Some(address) => {
            let http = Http::bind(address?)?;
            eprintln!("http://{}/mcp", http.local_addr()?);
            service.serve(http).await?;
        }
    }
    Ok(())
}
