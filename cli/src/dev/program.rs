//! Builds the program, and starts a copy of it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use toolwright_client::config::{ServerSpec, StdioSpec};
use toolwright_client::{Client, Event};
use toolwright_core::manifest::visible;
use toolwright_gateway::Proxy;

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
    arguments: Vec<String>,
    shell: Shell,
    /// The folder of the package, after the first attempt to build it.
    package: Option<PathBuf>,
    /// The program that was built last.
    built: Option<PathBuf>,
    /// The program that was started last, and when it was built.
    started: Option<(PathBuf, Option<SystemTime>)>,
}

/// A program that runs.
pub(super) struct Started {
    pub(super) proxy: Arc<Proxy>,
    /// The folder of the copy.
    folder: TempDir,
}

impl Programs {
    /// # Errors
    /// [`RequestError::Usage`] for arguments that are not Unicode.
    pub(super) fn new(
        args: PackageArgs,
        arguments: Vec<OsString>,
        shell: Shell,
    ) -> Result<Self, RequestError> {
        let text = |argument: OsString| {
            argument
                .into_string()
                .map_err(|argument| RequestError::Usage(format!("{} is not UTF-8", argument.display())))
        };
        let arguments = arguments.into_iter().map(text).collect::<Result<_, _>>()?;
        Ok(Self { args: Arc::new(args), arguments, shell, package: None, built: None, started: None })
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
        let client = Client::builder()
            .relay_input_requests()
            .name("toolwright-dev", env!("CARGO_PKG_VERSION"))
            .on_event(|event| match event {
                Event::Stderr(line) => shell::text(&line),
                Event::Warning(text) => shell::warning(&visible(&text)),
                _ => {}
            });
        let client = client.connect(ServerSpec::new("dev", spec)).await?;
        let proxy = match Proxy::new(client.clone()).await {
            Ok(proxy) => Arc::new(proxy),
            Err(error) => {
                client.close().await;
                return Err(error.into());
            }
        };
        Ok(Started { proxy, folder })
    }
}

impl Started {
    /// Ends the program in the background, as soon as its calls have ended.
    pub(super) fn retire(self) {
        let Self { proxy, folder } = self;
        tokio::spawn(async move {
            let mut left = DRAIN;
            // Each running call holds another reference.
            while Arc::strong_count(&proxy) > 1 && !left.is_zero() {
                sleep(DRAIN_STEP).await;
                left = left.saturating_sub(DRAIN_STEP);
            }
            proxy.client().close().await;
            drop(folder);
        });
    }
}

fn stamp(program: &Program) -> (PathBuf, Option<SystemTime>) {
    (program.file.clone(), fs::metadata(&program.file).and_then(|file| file.modified()).ok())
}

fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(folder).map_err(|source| Error::Read { file: folder.to_owned(), source })
}
