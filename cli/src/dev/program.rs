//! Builds the program, and starts a copy of it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use toolwright_client::config::{ServerSpec, StdioSpec};
use toolwright_client::{Client, ClientBuilder, ErrorKind, Event, ServerProcess};
use toolwright_core::manifest::visible;
use toolwright_gateway::Proxy;

use super::endpoint::Endpoint;
use super::sources::{Sources, recorded};
use crate::client::RequestError;
use crate::error::Error;
use crate::flags::PackageArgs;
use crate::packages::{self, Program};
use crate::shell::{self, Shell};

/// How long the calls of a replaced program may continue.
const DRAIN: Duration = Duration::from_secs(30);
/// The polling interval for the end of these calls.
const DRAIN_STEP: Duration = Duration::from_millis(100);

/// Builds and starts the program of a package.
pub(super) struct Programs {
    args: Arc<PackageArgs>,
    /// Where the program serves, unless over stdio.
    endpoint: Option<Endpoint>,
    arguments: Vec<String>,
    shell: Shell,
    /// The folder of the package, after the first attempt to build it.
    package: Option<PathBuf>,
    /// The program that was built last.
    built: Option<PathBuf>,
    /// The program that was started last, and when it was built.
    started: Option<(PathBuf, Option<SystemTime>)>,
}

/// A program that was started.
pub(super) struct Started {
    pub(super) proxy: Arc<Proxy>,
    process: Process,
    /// The folder of the copy.
    _folder: TempDir,
}

/// The process of a program.
enum Process {
    /// It serves over stdio: the client starts it, again if it exits, and ends it.
    OfClient,
    /// It serves over HTTP.
    OverHttp(Box<ServerProcess>),
    /// It served over HTTP, and has ended.
    Ended,
}

impl Programs {
    /// # Errors
    /// [`RequestError::Usage`] for arguments that are not Unicode.
    pub(super) fn new(
        args: PackageArgs,
        endpoint: Option<Endpoint>,
        arguments: Vec<OsString>,
        shell: Shell,
    ) -> Result<Self, RequestError> {
        let text = |argument: OsString| {
            argument
                .into_string()
                .map_err(|argument| RequestError::Usage(format!("{} is not UTF-8", argument.display())))
        };
        let arguments = arguments.into_iter().map(text).collect::<Result<_, _>>()?;
        let args = Arc::new(args);
        Ok(Self { args, endpoint, arguments, shell, package: None, built: None, started: None })
    }

    /// Returns what is known about the sources.
    pub(super) fn sources(&self) -> Sources {
        let recorded = self.built.as_deref().map(recorded).unwrap_or_default();
        Sources { package: self.package.clone(), recorded }
    }

    /// Builds the program; the messages of cargo and the compiler go to standard error.
    ///
    /// # Errors
    /// Any [`Error`] of building.
    pub(super) async fn build(&mut self) -> Result<Program, Error> {
        let (args, shell) = (Arc::clone(&self.args), self.shell);
        let built = spawn_blocking(move || {
            // First, since the sources have to be watched if the build fails.
            let folder = packages::folder(&args, shell).and_then(|folder| absolute(&folder));
            (folder.ok(), packages::program_to_serve(&args, shell))
        });
        let (folder, program) = match built.await {
            Ok(built) => built,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        };
        self.package = folder.or_else(|| self.package.take()).or_else(|| std::env::current_dir().ok());
        let program = program?;
        self.built = Some(program.file.clone());
        Ok(program)
    }

    /// Returns whether this is the program that was started last, since a change was one that the compiler does not see.
    pub(super) fn is_started(&self, program: &Program) -> bool {
        self.started.as_ref() == Some(&stamp(program))
    }

    /// Starts a copy of the program, so that the next build cannot disturb it, and reads its lists.
    ///
    /// # Errors
    /// If it cannot be copied, started or queried.
    pub(super) async fn start(&mut self, program: &Program) -> Result<Started, RequestError> {
        self.started = Some(stamp(program));
        // Beside it, where programs may be executed.
        let beside = program.file.parent().unwrap_or(Path::new("."));
        let folder = tempfile::Builder::new().prefix(".cargo-mcp-dev-").tempdir_in(beside)?;
        let copy = folder.path().join(program.file.file_name().unwrap_or_default());
        let write_error = |source| Error::Write { file: copy.clone(), source };
        // With its permissions.
        fs::copy(&program.file, &copy).map_err(write_error)?;
        let mut spec = StdioSpec::new(copy.to_string_lossy().into_owned());
        spec.args.extend(self.arguments.iter().cloned().map(Into::into));
        spec.inherit_env = true;
        for (name, value) in program.command().get_envs() {
            let value = value.map(|value| value.to_string_lossy().into_owned().into());
            spec.env.insert(name.to_string_lossy().into_owned(), value);
        }
        let (process, client) = match &self.endpoint {
            None => {
                let connected = client().connect(ServerSpec::new("dev", spec)).await;
                if connected.as_ref().is_err_and(|error| error.kind() == ErrorKind::Timeout) {
                    self.shell.note(&"a program that serves over HTTP needs --url");
                }
                (Process::OfClient, connected?)
            }
            Some(endpoint) => {
                let (process, client) = endpoint.start(&spec).await?;
                (Process::OverHttp(Box::new(process)), client)
            }
        };
        match Proxy::new(client.clone()).await {
            Ok(proxy) => Ok(Started { proxy: Arc::new(proxy), process, _folder: folder }),
            Err(error) => {
                client.close().await;
                process.shut_down().await;
                Err(error.into())
            }
        }
    }
}

/// Creates a client whose events are shown.
pub(super) fn client() -> ClientBuilder {
    let client = Client::builder().relay_input_requests().name("toolwright-dev", env!("CARGO_PKG_VERSION"));
    client.on_event(|event| match event {
        Event::Stderr(line) => shell::text(&line),
        Event::Warning(text) => shell::warning(&visible(&text)),
        _ => {}
    })
}

impl Started {
    /// Returns whether the program can be called. One that serves over stdio is restarted if it exits.
    pub(super) fn is_running(&self) -> bool {
        !matches!(self.process, Process::Ended)
    }

    /// Returns the exit status of a program over HTTP that has exited by itself.
    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        match &mut self.process {
            Process::OverHttp(process) => process.exit_status(),
            Process::OfClient | Process::Ended => None,
        }
    }

    /// Ends a program over HTTP as soon as its calls have ended, since the next one needs its address. One over stdio continues
    /// until [`Started::retire`].
    pub(super) async fn make_way(&mut self) {
        if let Process::OverHttp(_) = self.process {
            // Also held by the provider in front.
            drain(&self.proxy, 2).await;
            self.end().await;
        }
    }

    /// Ends the program in the background, as soon as its calls have ended.
    pub(super) fn retire(mut self) {
        tokio::spawn(async move {
            drain(&self.proxy, 1).await;
            self.end().await;
        });
    }

    /// Ends the program.
    pub(super) async fn end(&mut self) {
        // First: it would reconnect, and streams that it holds open keep some servers from ending.
        self.proxy.client().close().await;
        std::mem::replace(&mut self.process, Process::Ended).shut_down().await;
    }
}

impl Process {
    async fn shut_down(self) {
        if let Self::OverHttp(process) = self {
            // Its output has been shown.
            drop(process.shut_down().await);
        }
    }
}

/// Waits until the calls of a program have ended, for [`DRAIN`] at most: each holds a reference, besides its owners.
async fn drain(proxy: &Arc<Proxy>, owners: usize) {
    let mut left = DRAIN;
    while Arc::strong_count(proxy) > owners && !left.is_zero() {
        sleep(DRAIN_STEP).await;
        left = left.saturating_sub(DRAIN_STEP);
    }
}

fn stamp(program: &Program) -> (PathBuf, Option<SystemTime>) {
    (program.file.clone(), fs::metadata(&program.file).and_then(|file| file.modified()).ok())
}

fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(folder).map_err(|source| Error::Read { file: folder.to_owned(), source })
}
