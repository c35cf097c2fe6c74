//! Every failure that a user can meet, with what to do next.

use std::io;
use std::path::PathBuf;

use toolwright_core::manifest::ManifestError;
use toolwright_core::manifest::answer::AnswerError;

use crate::diff::AllowError;
use crate::exit::Exit;
use crate::offer::SourceError;
use crate::pins::LockError;

/// Why a run ends without a result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("there is no package `{name}` in the workspace: it has {}", list(.members))]
    UnknownPackage { name: String, members: Vec<String> },

    #[error("there is no Cargo.toml in {} or above: change the folder, or say --manifest-path", .folder.display())]
    NoCargoToml { folder: PathBuf },

    #[error("package `{package}` has no feature `{feature}`: it has {}", list(.known))]
    UnknownFeature { package: String, feature: String, known: Vec<String> },

    #[error(
        "`{feature}` is a feature of a dependency, which a library package cannot pass on here: add a feature \
             to `{package}` that turns it on, and name that one"
    )]
    DependencyFeature { package: String, feature: String },

    #[error(
        "package `{package}` has no library that a program can link: leave out --lib, or name a program with --bin"
    )]
    NoLibrary { package: String },

    #[error("there is no server `{name}`: there is {}", list(.known))]
    UnknownServer { name: String, known: Vec<String> },

    #[error("there are several servers: {}\n  choose one with --server NAME, or write one file each with --out FOLDER/", list(.servers))]
    SeveralServers { servers: Vec<String> },

    #[error("several toolsets have the server name `{name}`: {}\n  give each its own with `#[mcp(name = \"…\")]`", list(.places))]
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

    #[error("cannot start {}: install cargo, or set CARGO to its path", .cargo.display())]
    NoCargo { cargo: PathBuf, source: io::Error },

    #[error("cargo cannot read the workspace\n{}", .text.trim_end())]
    Workspace { text: String },

    #[error("cargo's output cannot be read: this cargo-mcp is too old for it, or cargo was stopped")]
    CargoOutput { source: io::Error },

    #[error("the build failed ({status}); to see it alone: {command}")]
    Build { status: std::process::ExitStatus, command: String },

    #[error("{} does not answer: it does not contain Toolwright\n  build it from a package that derives a tool, and \
             do not name a library or a script", .file.display())]
    NotAnswering { file: PathBuf },

    #[error("cannot run {}: it must be built for this machine", .file.display())]
    NotRunnable { file: PathBuf, source: io::Error },

    #[error("{} gave no answer ({status})\n{}", .file.display(), .text.trim_end())]
    Silent { file: PathBuf, status: std::process::ExitStatus, text: String },

    #[error("{} gave an answer that cannot be used", .file.display())]
    Answer { file: PathBuf, source: AnswerError },

    #[error("the tools of server `{server}` make no manifest")]
    Manifest { server: String, source: ManifestError },

    #[error("there are no tools in {}: put `#[derive(toolwright::Tool)]` on a struct that is compiled with these \
             features; a program has the tools of a library only if it uses something of that library", list(.places))]
    NoTools { places: Vec<String> },

    #[error("no tool can be used in the context `{path}`: there are the contexts {}", list(.known))]
    NothingInContext { path: String, known: Vec<String> },

    #[error("cannot read {}", .file.display())]
    Read { file: PathBuf, source: io::Error },

    #[error("cannot write {}", .file.display())]
    Write { file: PathBuf, source: io::Error },

    #[error("{} does not exist yet: write it with\n  {command}", .file.display())]
    NothingToCheck { file: PathBuf, command: String },

    #[error("{} cannot be compared: write it anew with\n  {command}", .file.display())]
    NotComparable { file: PathBuf, command: String, source: ManifestError },

    #[error(transparent)]
    Source(#[from] SourceError),

    #[error("the allow list {} cannot be used", .file.display())]
    AllowList { file: PathBuf, source: AllowError },

    #[error("there is no lock file {}: pin what is offered now with\n  {command}", .file.display())]
    NoLock { file: PathBuf, command: String },

    #[error("{} cannot be used: look at it, or remove it and pin anew", .file.display())]
    Lock { file: PathBuf, source: LockError },

    #[error("there is no tool `{name}`, neither pinned nor offered: there is {}", list(.known))]
    UnknownPin { name: String, known: Vec<String> },

    #[error("{} is no manifest: write one with `cargo mcp manifest --out`", .file.display())]
    NoManifest { file: PathBuf, source: ManifestError },

    #[error(
        "the form cannot hold {count} points of the tools: choose another one, or leave out --deny-lossy"
    )]
    Lossy { count: usize },

    #[error("there is no tool `{name}`{}: there is {}", .near.as_ref().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default(), list(.known))]
    UnknownTool { name: String, near: Option<String>, known: Vec<String> },

    #[error(
        "{name:?} cannot be the name of a package: start with a letter, use letters, digits, `-` and `_`, and take no \
             name of a crate that it uses"
    )]
    NewName { name: String },

    #[error("{} exists already: choose another path", .folder.display())]
    NewExists { folder: PathBuf },

    #[error("{problem}")]
    UnknownRule { problem: String },

    #[error("the levels in {place} cannot be used: {problem}")]
    LintSettings { place: String, problem: String },

    #[error("{} is not valid TOML", .file.display())]
    Toml { file: PathBuf, source: toml::de::Error },

    #[error("Cargo.lock does not have {}, and --locked or --frozen forbids to change it: build once without", list(.missing))]
    Locked { missing: Vec<String> },
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
            | Error::LintSettings { .. } => Self::Usage,
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
            | Error::Source(SourceError::Live { .. })
            | Error::Answer { .. }
            | Error::Manifest { .. } => Self::Artifact,
            Error::NoTools { .. } | Error::NothingInContext { .. } => Self::NoTools,
            Error::Lossy { .. } => Self::Findings,
            Error::Read { .. }
            | Error::Write { .. }
            | Error::NoManifest { .. }
            | Error::NothingToCheck { .. }
            | Error::Source(_)
            | Error::NoLock { .. }
            | Error::Lock { .. }
            | Error::NotComparable { .. } => Self::File,
        }
    }
}

/// Names in a sentence; "none" if there are none.
fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
