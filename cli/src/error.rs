//! The errors of commands, with what to do next.

use std::io;
use std::path::{Path, PathBuf};

use toolwright_client::config::ConfigError;
use toolwright_core::manifest::answer::AnswerError;
use toolwright_core::manifest::{ManifestError, visible};

use crate::escape::quote_lines;
use crate::exit::Exit;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("unknown package `{}`; the workspace has: {}", visible(.name), list(.members))]
    UnknownPackage { name: String, members: Vec<String> },

    #[error(
        "several packages of the workspace use Toolwright: {}\n  select one with --package NAME, or build all with --workspace",
        list(.packages)
    )]
    SeveralPackages { packages: Vec<String> },

    #[error("no Cargo.toml in {} or any folder above: change to the folder of a package, or pass --manifest-path", path(.folder))]
    NoCargoToml { folder: PathBuf },

    #[error("package `{package}` has no feature `{}`; available: {}", visible(.feature), list(.known))]
    UnknownFeature { package: String, feature: String, known: Vec<String> },

    #[error(
        "`{}` is a feature of a dependency, which cannot be enabled for a library: add a feature to \
             `{package}` that enables it, and pass that one", visible(.feature)
    )]
    DependencyFeature { package: String, feature: String },

    #[error("package `{package}` has no library to link: drop --lib, or select a program with --bin")]
    NoLibrary { package: String },

    #[error("unknown server `{}`; available: {}", visible(.name), list(.known))]
    UnknownServer { name: String, known: Vec<String> },

    #[error("there are several servers: {}\n  choose one with --server NAME, or write one file each with --out FOLDER/", list(.servers))]
    SeveralServers { servers: Vec<String> },

    #[error("several toolsets have the server name `{}`: {}\n  give each its own with `#[mcp(name = \"…\")]`", visible(.name), list(.places))]
    OneNameForSeveral { name: String, places: Vec<String> },

    #[error("the programs of package `{package}` have different tools, and no toolset groups them: select one with \
             --bin NAME: {}", list(.programs))]
    SeveralPrograms { package: String, programs: Vec<String> },

    #[error("no program to run in {}: cargo built none with these flags\n  add a src/main.rs that calls \
             `Server::new(…).tools::<…>().serve(Stdio)`, select an example with --example, or select a package that has \
             a program with -p", list(.places))]
    NothingToServe { places: Vec<String> },

    #[error("several programs can serve: {}\n  select one with --bin NAME, or set `default-run` in the package's Cargo.toml", list(.programs))]
    SeveralToServe { programs: Vec<String> },

    #[error("none of the programs contains Toolwright, so none was started: {}\n  with -p or --bin, select one that \
             derives tools or uses the library that does", list(.programs))]
    NotServing { programs: Vec<String> },

    #[error("cannot start {}: install cargo, or set the variable CARGO to its path", path(.cargo))]
    NoCargo { cargo: PathBuf, source: io::Error },

    #[error("cargo cannot read the workspace\n{}", quote_lines(.text))]
    Workspace { text: String },

    #[error("cannot read the output of cargo: update cargo-mcp, or check whether cargo was killed")]
    CargoOutput { source: io::Error },

    #[error("the build failed ({status}); to reproduce it: {command}")]
    Build { status: std::process::ExitStatus, command: String },

    #[error("{} does not use Toolwright, so it cannot list its tools\n  build it from a package that derives a \
             tool; libraries and scripts do not work", path(.file))]
    NotAnswering { file: PathBuf },

    #[error("cannot run {}: build it for this machine", path(.file))]
    NotRunnable { file: PathBuf, source: io::Error },

    #[error("{} did not list its tools ({status})\n{}", path(.file), quote_lines(.text))]
    Silent { file: PathBuf, status: std::process::ExitStatus, text: String },

    #[error("{} did not list its tools within {seconds} seconds (--timeout) and was killed\n{}", path(.file), quote_lines(.text))]
    Stuck { file: PathBuf, seconds: u64, text: String },

    #[error("the answer of {} is invalid", path(.file))]
    Answer { file: PathBuf, source: AnswerError },

    #[error("cannot create a manifest of the tools of server `{}`", visible(.server))]
    Manifest { server: String, source: ManifestError },

    #[error("no tools in {}: put `#[derive(toolwright::Tool)]` on a struct that is compiled with these features; a \
             program has the tools of a library only if it uses something of that library", list(.places))]
    NoTools { places: Vec<String> },

    #[error("no tool in the context `{}`; available contexts: {}", visible(.path), list(.known))]
    NothingInContext { path: String, known: Vec<String> },

    #[error("cannot read {}", path(.file))]
    Read { file: PathBuf, source: io::Error },

    #[error("{} is not valid JSON", path(.file))]
    Json { file: PathBuf, source: serde_json::Error },

    #[error("`{}` is not a full tool name: use `SERVER__TOOL`", visible(.name))]
    NotAName { name: String },

    #[error("cannot write {}", path(.file))]
    Write { file: PathBuf, source: io::Error },

    #[error("{} does not exist: create it with\n  {command}", path(.file))]
    NothingToCheck { file: PathBuf, command: String },

    #[error("cannot compare {}: recreate it with\n  {command}", path(.file))]
    NotComparable { file: PathBuf, command: String, source: ManifestError },

    #[error(transparent)]
    Module(#[from] ModuleError),

    #[error("invalid allow list {}", path(.file))]
    AllowList { file: PathBuf, source: Cause },

    #[error("no lock file {}: create it with\n  {command}", path(.file))]
    NoLock { file: PathBuf, command: String },

    #[error("invalid lock file {}: fix it, or remove it and pin again", path(.file))]
    Lock { file: PathBuf, source: Cause },

    #[error("no definition named `{}` is pinned or offered; available: {}", visible(.name), list(.known))]
    UnknownPin { name: String, known: Vec<String> },

    #[error("flags that select or build a package cannot be used with {}, which is not a package: remove these flags", visible(.place))]
    NoPackage { place: String },

    #[error("the format cannot express {count} details: choose another one, or drop --deny-lossy")]
    Lossy { count: usize },

    #[error("unknown tool `{}`{}; available: {}", visible(.name), .near.as_ref().map(|near| format!(", did you mean `{}`?", visible(near))).unwrap_or_default(), list(.known))]
    UnknownTool { name: String, near: Option<String>, known: Vec<String> },

    #[error(
        "{name:?} is not a valid package name: start with a lower-case letter, use lower-case letters, digits and single \
             `-` or `_`, and avoid the names of the crates it depends on"
    )]
    NewName { name: String },

    #[error("{} already exists: choose another path", path(.folder))]
    NewExists { folder: PathBuf },

    #[error("{}", visible(.problem))]
    UnknownRule { problem: String },

    #[error("invalid lint levels in {}: {}", visible(.place), visible(.problem))]
    LintSettings { place: String, problem: String },

    #[error("{} is not valid TOML", path(.file))]
    Toml { file: PathBuf, source: toml::de::Error },

    #[error("cannot use {}", path(.file))]
    Config { file: PathBuf, source: Box<ConfigError> },

    #[error(
        "the format cannot express {count} details of the file: choose another one, or drop --deny-lossy"
    )]
    LossyConfig { count: usize },

    #[error("Cargo.lock lacks {}, and --locked or --frozen prevents an update: build once without the flag", list(.missing))]
    Locked { missing: Vec<String> },
}

/// An error of a module above this one.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// An error that occurs in one module only and formats itself; [`Error`] has those that several modules share.
///
/// A module with its own errors implements `From<ItsError> for Error`, which selects the exit code of each.
#[derive(Debug)]
pub(crate) struct ModuleError {
    exit: Exit,
    error: Cause,
}

impl ModuleError {
    pub(crate) fn new(exit: Exit, error: impl Into<Cause>) -> Self {
        Self { exit, error: error.into() }
    }
}

impl std::fmt::Display for ModuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ModuleError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

impl From<&Error> for Exit {
    fn from(error: &Error) -> Self {
        match error {
            Error::UnknownPackage { .. }
            | Error::SeveralPackages { .. }
            | Error::NoCargoToml { .. }
            | Error::UnknownFeature { .. }
            | Error::DependencyFeature { .. }
            | Error::NoLibrary { .. }
            | Error::UnknownServer { .. }
            | Error::UnknownPin { .. }
            | Error::AllowList { .. }
            | Error::SeveralServers { .. }
            | Error::OneNameForSeveral { .. }
            | Error::SeveralPrograms { .. }
            | Error::NothingToServe { .. }
            | Error::SeveralToServe { .. }
            | Error::UnknownTool { .. }
            | Error::NewName { .. }
            | Error::NewExists { .. }
            | Error::UnknownRule { .. }
            | Error::LintSettings { .. }
            | Error::NotAName { .. }
            | Error::NoPackage { .. } => Self::Usage,
            Error::NoCargo { .. }
            | Error::Workspace { .. }
            | Error::CargoOutput { .. }
            | Error::Build { .. }
            | Error::Toml { .. }
            | Error::Locked { .. } => Self::Cargo,
            Error::NotServing { .. }
            | Error::NotAnswering { .. }
            | Error::NotRunnable { .. }
            | Error::Silent { .. }
            | Error::Stuck { .. }
            | Error::Answer { .. }
            | Error::Manifest { .. } => Self::Artifact,
            Error::NoTools { .. } | Error::NothingInContext { .. } => Self::NoTools,
            Error::Module(error) => error.exit,
            Error::Lossy { .. } | Error::LossyConfig { .. } => Self::Findings,
            Error::Read { .. }
            | Error::Json { .. }
            | Error::Write { .. }
            | Error::Config { .. }
            | Error::NothingToCheck { .. }
            | Error::NoLock { .. }
            | Error::Lock { .. }
            | Error::NotComparable { .. } => Self::File,
        }
    }
}

/// Joins names for a message; "none" if there are none.
fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { visible(&names.join(", ")) }
}

/// Formats a path on one line.
fn path(path: &Path) -> String {
    visible(&path.display().to_string())
}
