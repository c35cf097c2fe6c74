//! `cargo mcp dev`: serves a package while it is developed. It is rebuilt when its sources change, and the client keeps its
//! session: the server in front is this process, and the program behind it is replaced.
//!
//! `sources` finds changes, `program` builds and starts programs, `current` is the provider in front of the program that
//! runs now, and `log` shows calls. Protocol messages are forwarded by the gateway's [`Proxy`].

mod current;
mod log;
mod program;
mod sources;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use tokio::time::sleep;
use toolwright_core::manifest::visible;
use toolwright_gateway::Proxy;
use toolwright_server::{Http, Server, Service, Stdio, Transport, shutdown_signal};

use crate::client::{RequestError, RequestExit};
use crate::error::Error;
use crate::flags::PackageArgs;
use crate::shell::{self, Shell};

use current::Current;
use log::CallLog;
use program::{Programs, Started};
use sources::{Sources, Stamps};

/// The path of the server over HTTP.
const PATH: &str = "/mcp";
/// How often sources are looked at. Polling works in every container and on every network drive, where notifications of the
/// system do not arrive, and takes no crate; a package has few files.
const INTERVAL: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub(crate) struct DevArgs {
    /// Serve over HTTP at this address, at the path /mcp, instead of stdio
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
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
  cargo mcp dev -v                       also shows arguments and error messages";
}

/// Serves until the client disconnects, or a signal arrives.
///
/// # Errors
/// An address that is unavailable or not on this machine; arguments that are not Unicode. A build that fails is shown, and
/// repeated when the sources change.
pub(crate) fn run(args: DevArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    if let Some(address) = args.http.filter(|address| !address.ip().is_loopback()) {
        return Err(RequestError::Usage(format!(
            "{address} can be reached from other machines, and callers are not checked: use 127.0.0.1"
        )));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args, shell))
}

async fn serve(args: DevArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    // First, since the address may be in use. Clients can connect, and wait for the first build.
    let listen = |address| Http::bind(address).map_err(|error| RequestError::Listen(address, error));
    let http = args.http.map(listen).transpose()?;
    let mut rebuilder = Rebuilder {
        programs: Programs::new(args.packages, args.arguments, shell)?,
        sources: Sources::default(),
        stamps: Stamps::default(),
        shell,
    };
    let first = rebuilder.first().await?;
    let current = Current::new(Arc::clone(&first.proxy));
    let service = service(&first.proxy, current.clone(), shell)?;
    let transport: Transport = if let Some(http) = http {
        shell.note(&format!("listening at http://{}{PATH}", http.local_addr()?));
        http.path(PATH).into()
    } else {
        shell.note(&"serving on standard input and output");
        Stdio.into()
    };
    let following = tokio::spawn(rebuilder.follow(current.clone(), first));
    let served = service.serve_until(transport, shutdown_signal()).await;
    following.abort();
    // Drops the folder of the programs only after they have ended.
    current.proxy().client().close().await;
    drop(following.await);
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
            match self.rebuild().await {
                Ok(Some(started)) => return Ok(started),
                Ok(None) => {}
                Err(RequestError::Other(error)) if !matches!(error, Error::Build { .. }) => {
                    return Err(RequestError::Usage(error.to_string()));
                }
                Err(error) => shell::error(&error),
            }
            shell::warning(&"no server runs yet; it is built again when a source changes");
            while self.changed().is_none() {
                sleep(INTERVAL).await;
            }
        }
    }

    async fn follow(mut self, current: Current, first: Started) {
        let mut running = first;
        loop {
            sleep(INTERVAL).await;
            let Some(file) = self.changed() else { continue };
            current.begin_rebuild();
            self.shell.note(&format!("{} has changed", visible(&file)));
            let rebuilt = self.rebuild().await.unwrap_or_else(|error| {
                shell::error(&error);
                None
            });
            if let Some(started) = rebuilt {
                current.replace(&started.proxy);
                self.shell.note(&"the new server runs");
                std::mem::replace(&mut running, started).retire();
            } else {
                self.shell.note(&"the server before this change keeps running");
            }
            current.end_rebuild();
        }
    }

    /// Returns a source that has changed since the last build began.
    fn changed(&self) -> Option<String> {
        let now = self.sources.stamps();
        Some(now.difference(&self.stamps)?.display().to_string())
    }

    /// Builds and starts the program, again if sources change meanwhile. Returns `None` if it is the one that runs.
    ///
    /// # Errors
    /// Those of building and starting it.
    async fn rebuild(&mut self) -> Result<Option<Started>, RequestError> {
        loop {
            let begin = SystemTime::now();
            self.stamps = self.sources.stamps();
            let built = self.programs.build().await;
            if self.sources.update(self.programs.sources()) {
                self.stamps.extend(self.sources.stamps(), begin);
            }
            if self.changed().is_some() {
                continue;
            }
            let program = built?;
            if self.programs.is_started(&program) {
                return Ok(None);
            }
            return self.programs.start(&program).await.map(Some);
        }
    }
}
