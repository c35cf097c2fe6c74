//! `cargo mcp dev`: serves a package while it is developed. It is rebuilt when its sources change, and the client keeps its
//! session: the server in front is this process, and the program behind it is replaced.
//!
//! `sources` finds changes, `program` builds and starts programs (`endpoint` those that serve over HTTP), `current` is the
//! provider in front of the program that runs now, and `log` shows calls. Protocol messages are forwarded by the gateway's
//! [`Proxy`].

mod current;
mod endpoint;
mod log;
mod program;
mod sources;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use toolwright_core::manifest::visible;
use toolwright_gateway::Proxy;
use toolwright_server::{Http, Server, Service, Stdio, Transport, shutdown_signal};

use crate::client::{RequestError, RequestExit};
use crate::error::Error;
use crate::flags::PackageArgs;
use crate::packages::Program;
use crate::shell::{self, Shell};

use current::{Current, State};
use endpoint::Endpoint;
use log::CallLog;
use program::{Programs, Started};
use sources::{Sources, Stamps};

/// The path of the server over HTTP.
const PATH: &str = "/mcp";
/// How often sources are looked at. Polling works in every container and on every network drive, where notifications of the
/// system do not arrive, and takes no crate; a package has few files.
const INTERVAL: Duration = Duration::from_millis(300);
/// What to do after a program that does not start, or exits.
const NO_SERVER: &str = "no server runs; it is built again when a source changes";

#[derive(Debug, Args)]
pub(crate) struct DevArgs {
    /// Serve over HTTP at this address, at the path /mcp, instead of stdio
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// The program serves over HTTP at this URL, instead of stdio
    #[arg(long, value_name = "URL")]
    url: Option<Endpoint>,
    #[command(flatten)]
    pub(crate) packages: PackageArgs,
    /// Arguments for the program
    #[arg(last = true, value_name = "ARGS", help_heading = "Program")]
    arguments: Vec<OsString>,
}

impl DevArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp dev                          as the command of a client
  cargo mcp dev --http 127.0.0.1:8080    for clients of http://127.0.0.1:8080/mcp
  cargo mcp dev --url http://127.0.0.1:8080/mcp
                                         the program serves there itself
  cargo mcp dev -v                       also shows arguments and error messages";
}

/// Serves until the client disconnects, or a signal arrives.
///
/// # Errors
/// An address that is unavailable or not on this machine; arguments that are not Unicode. A build that fails and a program that
/// does not start are shown, and tried again when the sources change.
pub(crate) fn run(args: DevArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    if let Some(address) = args.http.filter(|address| !address.ip().is_loopback()) {
        return Err(RequestError::Usage(format!(
            "{address} can be reached from other machines, and callers are not checked: use 127.0.0.1"
        )));
    }
    if let (Some(address), Some(program)) = (args.http, &args.url)
        && address.to_string() == program.address
    {
        let why = "--http and --url have the same address: clients use the first, the program the second";
        return Err(RequestError::Usage(why.to_owned()));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args, shell))
}

async fn serve(args: DevArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    // First, since the address may be in use. Clients can connect, and wait for the first build.
    let listen = |address| Http::bind(address).map_err(|error| RequestError::Listen(address, error));
    let http = args.http.map(listen).transpose()?;
    let mut rebuilder = Rebuilder {
        programs: Programs::new(args.packages, args.url, args.arguments, shell)?,
        sources: Sources::default(),
        stamps: Stamps::default(),
        shell,
    };
    let first = rebuilder.first().await?;
    let current = Current::new(Arc::clone(&first.proxy));
    let service = service(&first.proxy, current.clone(), shell)?;
    let stop_asked = shutdown_signal();
    let transport: Transport = if let Some(http) = http {
        shell.note(&format!("listening at http://{}{PATH}", http.local_addr()?));
        http.path(PATH).into()
    } else {
        shell.note(&"serving on standard input and output");
        Stdio.into()
    };
    let stopping = CancellationToken::new();
    let following = tokio::spawn(rebuilder.follow(current, first, stopping.clone()));
    let served = service.serve_until(transport, stop_asked).await;
    stopping.cancel();
    _ = following.await;
    served?;
    Ok(RequestExit::Ok)
}

/// Creates the server in front, which presents itself as the program does.
fn service(proxy: &Proxy, current: Current, shell: Shell) -> Result<Service, RequestError> {
    let info = proxy.server();
    let mut server = Server::new(()).provider(current).middleware(CallLog::new(shell));
    if let Some(name) = info.name() {
        server = server.name(name);
    }
    if let Some(version) = info.version() {
        server = server.version(version);
    }
    if let Some(instructions) = proxy.instructions() {
        server = server.instructions(instructions);
    }
    server.build().map_err(|error| RequestError::Usage(error.to_string()))
}

/// Builds and starts the program again whenever its sources change.
struct Rebuilder {
    programs: Programs,
    sources: Sources,
    /// The sources that the last build began with.
    stamps: Stamps,
    shell: Shell,
}

impl Rebuilder {
    /// Waits until a program runs.
    ///
    /// # Errors
    /// What no change of a source would correct, such as an unknown package.
    async fn first(&mut self) -> Result<Started, RequestError> {
        loop {
            match self.build_and_start().await {
                Ok(started) => return Ok(started),
                Err(RequestError::Other(error)) if !matches!(error, Error::Build { .. }) => {
                    return Err(RequestError::Usage(error.to_string()));
                }
                Err(error @ RequestError::Usage(_)) => return Err(error),
                Err(error) => shell::error(&error),
            }
            shell::warning(&NO_SERVER);
            while self.changed().is_none() {
                sleep(INTERVAL).await;
            }
        }
    }

    async fn build_and_start(&mut self) -> Result<Started, RequestError> {
        let program = self.build().await?;
        self.programs.start(&program).await
    }

    /// Follows changes until `stopping` is cancelled, then ends the program.
    async fn follow(mut self, current: Current, mut running: Started, stopping: CancellationToken) {
        stopping.run_until_cancelled(self.follow_changes(&current, &mut running)).await;
        running.end().await;
    }

    async fn follow_changes(&mut self, current: &Current, running: &mut Started) {
        loop {
            sleep(INTERVAL).await;
            if let Some(status) = running.exit_status() {
                current.set(State::Stopped);
                shell::failure(&format!("the server has exited ({status})"));
                shell::warning(&NO_SERVER);
                running.end().await;
            }
            let Some(file) = self.changed() else { continue };
            current.set(State::Building);
            self.shell.note(&format!("{} has changed", visible(&file)));
            let is_replaced = self.replace(current, running).await.unwrap_or_else(|error| {
                shell::error(&error);
                false
            });
            if is_replaced {
                self.shell.note(&"the new server runs");
            } else if running.is_running() {
                self.shell.note(&"the server before this change keeps running");
            } else {
                shell::warning(&NO_SERVER);
            }
            current.set(if running.is_running() { State::Running } else { State::Stopped });
        }
    }

    /// Builds the program, and replaces the one that runs. Returns `false` if it is the same.
    ///
    /// # Errors
    /// Those of building and starting it.
    async fn replace(&mut self, current: &Current, running: &mut Started) -> Result<bool, RequestError> {
        let program = self.build().await?;
        if running.is_running() && self.programs.is_started(&program) {
            return Ok(false);
        }
        running.make_way().await;
        let started = self.programs.start(&program).await?;
        current.replace(&started.proxy);
        std::mem::replace(running, started).retire();
        Ok(true)
    }

    /// Builds the program, again if sources change meanwhile.
    ///
    /// # Errors
    /// Those of building it.
    async fn build(&mut self) -> Result<Program, RequestError> {
        loop {
            let begin = SystemTime::now();
            self.stamps = self.sources.stamps();
            let built = self.programs.build().await;
            if self.sources.update(self.programs.sources()) {
                self.stamps.extend(self.sources.stamps(), begin);
            }
            if self.changed().is_none() {
                return Ok(built?);
            }
        }
    }

    /// Returns a source that has changed since the last build began.
    fn changed(&self) -> Option<String> {
        let now = self.sources.stamps();
        Some(now.difference(&self.stamps)?.display().to_string())
    }
}
