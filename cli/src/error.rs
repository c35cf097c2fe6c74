//! Every failure that a user can meet, with what to do next.

use std::io;
use std::path::{Path, PathBuf};

use toolwright_core::manifest::answer::AnswerError;
use toolwright_core::manifest::{ManifestError, visible};

use crate::escape::quote_lines;
use crate::exit::Exit;

/// Why a run ends without a result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("there is no package `{}` in the workspace: it has {}", visible(.name), list(.members))]
    UnknownPackage { name: String, members: Vec<String> },

    #[error("there is no Cargo.toml in {} or above: change the folder, or say --manifest-path", path(.folder))]
    NoCargoToml { folder: PathBuf },

    #[error("package `{package}` has no feature `{}`: it has {}", visible(.feature), list(.known))]
    UnknownFeature { package: String, feature: String, known: Vec<String> },

    #[error(
        "`{}` is a feature of a dependency, which a library package cannot pass on here: add a feature \
             to `{package}` that turns it on, and name that one", visible(.feature)
    )]
    DependencyFeature { package: String, feature: String },

    #[error(
        "package `{package}` has no library that a program can link: leave out --lib, or name a program with --bin"
    )]
    NoLibrary { package: String },

    #[error("there is no server `{}`: there is {}", visible(.name), list(.known))]
    UnknownServer { name: String, known: Vec<String> },

    #[error("there are several servers: {}\n  choose one with --server NAME, or write one file each with --out FOLDER/", list(.servers))]
    SeveralServers { servers: Vec<String> },

    #[error("several toolsets have the server name `{}`: {}\n  give each its own with `#[mcp(name = \"…\")]`", visible(.name), list(.places))]
    OneNameForSeveral { name: String, places: Vec<String> },

    #[error("the programs of package `{package}` have different tools and no toolset says which belong together: \
             choose one with --bin NAME: {}", list(.programs))]
    SeveralPrograms { package: String, programs: Vec<String> },

    #[error("there is no program to run in {}: cargo built none with these flags\n  add a src/main.rs that calls \
             `Server::new(…).tools::<…>().serve(Stdio)`, name an example with --example, or choose a package that has a \
             program with -p", list(.places))]
    NothingToServe { places: Vec<String> },

    #[error("there are several programs that can serve: {}\n  choose one with --bin NAME, or set `default-run` in the \
             package's Cargo.toml", list(.programs))]
    SeveralToServe { programs: Vec<String> },

    #[error("no program that was built contains Toolwright, so none was started: {}\n  choose one that derives tools, \
             or that uses the library that does, with -p or --bin", list(.programs))]
    NotServing { programs: Vec<String> },

    #[error("cannot start {}: install cargo, or set CARGO to its path", path(.cargo))]
    NoCargo { cargo: PathBuf, source: io::Error },

    #[error("cargo cannot read the workspace\n{}", quote_lines(.text))]
    Workspace { text: String },

    #[error("cargo's output cannot be read: this cargo-mcp is too old for it, or cargo was stopped")]
    CargoOutput { source: io::Error },

    #[error("the build failed ({status}); to see it alone: {command}")]
    Build { status: std::process::ExitStatus, command: String },

    #[error("{} does not answer: it does not contain Toolwright\n  build it from a package that derives a tool, and \
             do not name a library or a script", path(.file))]
    NotAnswering { file: PathBuf },

    #[error("cannot run {}: it must be built for this machine", path(.file))]
    NotRunnable { file: PathBuf, source: io::Error },

    #[error("{} gave no answer ({status})\n{}", path(.file), quote_lines(.text))]
    Silent { file: PathBuf, status: std::process::ExitStatus, text: String },

    #[error("{} gave no answer within {seconds} seconds, which --timeout gives it, and was ended\n{}", path(.file), quote_lines(.text))]
    Stuck { file: PathBuf, seconds: u64, text: String },

    #[error("{} gave an answer that cannot be used", path(.file))]
    Answer { file: PathBuf, source: AnswerError },

    #[error("the tools of server `{}` make no manifest", visible(.server))]
    Manifest { server: String, source: ManifestError },

    #[error("there are no tools in {}: put `#[derive(toolwright::Tool)]` on a struct that is compiled with these \
             features; a program has the tools of a library only if it uses something of that library", list(.places))]
    NoTools { places: Vec<String> },

    #[error("no tool can be used in the context `{}`: there are the contexts {}", visible(.path), list(.known))]
    NothingInContext { path: String, known: Vec<String> },

    #[error("cannot read {}", path(.file))]
    Read { file: PathBuf, source: io::Error },

    #[error("{} is not valid JSON", path(.file))]
    Json { file: PathBuf, source: serde_json::Error },

    #[error("`{}` is not the full name of a tool: write the server's name, `__`, and the tool's", visible(.name))]
    NotAName { name: String },

    #[error("cannot write {}", path(.file))]
    Write { file: PathBuf, source: io::Error },

    #[error("{} does not exist yet: write it with\n  {command}", path(.file))]
    NothingToCheck { file: PathBuf, command: String },

    #[error("{} cannot be compared: write it anew with\n  {command}", path(.file))]
    NotComparable { file: PathBuf, command: String, source: ManifestError },

    #[error(transparent)]
    Module(#[from] ModuleError),

    #[error("the allow list {} cannot be used", path(.file))]
    AllowList { file: PathBuf, source: Cause },

    #[error("there is no lock file {}: pin what is offered now with\n  {command}", path(.file))]
    NoLock { file: PathBuf, command: String },

    #[error("{} cannot be used: look at it, or remove it and pin anew", path(.file))]
    Lock { file: PathBuf, source: Cause },

    #[error("there is no tool `{}` and nothing else of that name, neither pinned nor offered: there is {}", visible(.name), list(.known))]
    UnknownPin { name: String, known: Vec<String> },

    #[error("flags that choose or build a package cannot be used with {}, which is none: leave them out", visible(.place))]
    NoPackage { place: String },

    #[error(
        "the form cannot hold {count} points of the tools: choose another one, or leave out --deny-lossy"
    )]
    Lossy { count: usize },

    #[error("there is no tool `{}`{}: there is {}", visible(.name), .near.as_ref().map(|near| format!(", did you mean `{}`?", visible(near))).unwrap_or_default(), list(.known))]
    UnknownTool { name: String, near: Option<String>, known: Vec<String> },

    #[error(
        "{name:?} cannot be the name of a package: start with a letter, use letters, digits, `-` and `_`, and take no \
             name of a crate that it uses"
    )]
    NewName { name: String },

    #[error("{} exists already: choose another path", path(.folder))]
    NewExists { folder: PathBuf },

    #[error("{}", visible(.problem))]
    UnknownRule { problem: String },

    #[error("the levels in {} cannot be used: {}", visible(.place), visible(.problem))]
    LintSettings { place: String, problem: String },

    #[error("{} is not valid TOML", path(.file))]
    Toml { file: PathBuf, source: toml::de::Error },

    #[error("Cargo.lock does not have {}, and --locked or --frozen forbids to change it: build once without", list(.missing))]
    Locked { missing: Vec<String> },
}

/// An error of a module above this one.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// An error that one module alone can meet and describes itself; [`Error`] lists those that several share.
///
/// A module with errors of its own has `impl From<ItsError> for Error`, which says how a run ends for each.
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
            Error::Lossy { .. } => Self::Findings,
            Error::Read { .. }
            | Error::Json { .. }
            | Error::Write { .. }
            | Error::NothingToCheck { .. }
            | Error::NoLock { .. }
            | Error::Lock { .. }
            | Error::NotComparable { .. } => Self::File,
        }
    }
}

/// Names in a sentence; "none" if there are none.
fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { visible(&names.join(", ")) }
}

/// A path on one line.
fn path(path: &Path) -> String {
    visible(&path.display().to_string())
}
