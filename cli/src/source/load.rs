//! Loads the definitions of a source.

use std::io;
use std::path::{Path, PathBuf};

use toolwright_core::manifest::answer::Origin;
use toolwright_core::manifest::visible;

use super::locator::{MANIFEST_FILE, SOURCES, Source};
use super::{DefinitionsError, ServerDefinitions, git, live};
use crate::error::{Error, ModuleError};
use crate::escape::quote_lines;
use crate::exit::Exit;
use crate::flags::ToolsArgs;
use crate::packages::{self, Document, Sources};
use crate::shell::Shell;
use crate::text_file;

/// Why a source cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("git cannot read it\n  {}\n{}", visible(.command), quote_lines(.text))]
    Git { command: String, text: String },
    #[error(
        "there is no committed manifest: git has no {MANIFEST_FILE} at HEAD in {}\n{}\n  write it with `cargo mcp \
         manifest --out {MANIFEST_FILE}` and commit it, or pass what to compare with: cargo mcp diff OLD",
        visible(&.folder.display().to_string()), quote_lines(.text)
    )]
    NotCommitted { folder: PathBuf, text: String },
    #[error("{} is not a manifest; write one with `cargo mcp manifest --out FILE`, or pass one of\n{SOURCES}", visible(.place))]
    NoManifest { place: String, source: DefinitionsError },
    #[error("invalid definitions in {}", visible(.place))]
    Unusable { place: String, source: DefinitionsError },
    #[error("cannot read {}: no such file; expected one of\n{SOURCES}", visible(&.file.display().to_string()))]
    NoFile { file: PathBuf },
    #[error("{} is a folder; expected one of\n{SOURCES}", visible(&.file.display().to_string()))]
    Folder { file: PathBuf },
    #[error("`{}` is neither a file nor a package of the workspace{}; expected one of\n{SOURCES}", visible(.word), suggest_members(.members))]
    UnknownWord { word: String, members: Vec<String> },
    #[error("`{word}` is a file here and a package of the workspace: write ./{word} or package:{word}")]
    Ambiguous { word: String },
    #[error("cannot query the server {}: {}", visible(.server), visible(.why))]
    Live { server: String, why: String },
}

fn suggest_members(members: &[String]) -> String {
    if members.is_empty() { String::new() } else { format!(", which has {}", visible(&members.join(", "))) }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Self {
        let exit = match error {
            SourceError::Ambiguous { .. } | SourceError::UnknownWord { .. } => Exit::Usage,
            SourceError::Live { .. } => Exit::Artifact,
            _ => Exit::File,
        };
        ModuleError::new(exit, error).into()
    }
}

/// The definitions of one server, as a document.
#[derive(Debug)]
pub(crate) struct LoadedDocument {
    pub(crate) document: Document,
    /// The file and its text.
    pub(crate) text: Option<(PathBuf, String)>,
    /// Whether it comes from a package, so that source locations are known.
    pub(crate) is_package: bool,
}

/// Loads the definitions of a source: a document for each server that the flags select.
///
/// # Errors
/// [`SourceError`], [`Error::NoPackage`], and of a package any [`Error`] of building and querying it.
pub(crate) fn load_documents(
    source: Source,
    tools: &mut ToolsArgs,
    shell: Shell,
) -> Result<Vec<LoadedDocument>, Error> {
    let source = resolve(source, tools, shell)?;
    if let Source::Package(name) = &source {
        let documents = documents_of(name.as_deref(), tools, shell)?.into_iter();
        return Ok(documents
            .map(|document| LoadedDocument { document, text: None, is_package: true })
            .collect());
    }
    if tools.selects_a_package() {
        return Err(Error::NoPackage { place: source.to_string() });
    }
    let (offer, text) = load_definitions(&source, tools, shell)?;
    let place = source.to_string();
    let name =
        text.as_ref().and_then(|(path, _)| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    let manifest = offer
        .to_manifest(&name.unwrap_or_else(|| "server".to_owned()))
        .map_err(|source| SourceError::Unusable { place: place.clone(), source })?;
    let server = Origin {
        package: manifest.server.name.clone(),
        version: manifest.server.version.clone(),
        file: place,
        line: 1,
        column: 1,
    };
    let document = Document { manifest, sources: Sources::of_server(&server, source.server_uri()) };
    let chosen = packages::select(vec![document], tools)?;
    Ok(chosen
        .into_iter()
        .map(|document| LoadedDocument { document, text: text.clone(), is_package: false })
        .collect())
}

/// Loads the definitions of one server; `tools` selects package, server and context, and says how to build.
///
/// # Errors
/// As [`load_documents`], and [`Error::SeveralServers`].
pub(crate) fn load(source: &Source, tools: &mut ToolsArgs, shell: Shell) -> Result<ServerDefinitions, Error> {
    match resolve(source.clone(), tools, shell)? {
        Source::Package(name) => match documents_of(name.as_deref(), tools, shell)?.as_slice() {
            [document] => ServerDefinitions::from_manifest(&document.manifest).map_err(|source| {
                SourceError::Unusable { place: format!("server `{}`", document.server()), source }.into()
            }),
            several => Err(Error::SeveralServers { servers: several.iter().map(Document::place).collect() }),
        },
        source => Ok(load_definitions(&source, tools, shell)?.0),
    }
}

/// Loads the definitions of a source that is not a package, with the file that was read.
fn load_definitions(
    source: &Source,
    tools: &mut ToolsArgs,
    shell: Shell,
) -> Result<(ServerDefinitions, Option<(PathBuf, String)>), Error> {
    let place = source.to_string();
    let parse = |text: &str| {
        ServerDefinitions::parse(text)
            .map_err(|source| SourceError::NoManifest { place: place.clone(), source })
    };
    let live = |why| SourceError::Live { server: place.clone(), why };
    Ok(match source {
        Source::Committed => {
            choose(tools, shell)?;
            let folder = packages::folder(&tools.packages, shell)?;
            let text = git::read(&folder, "HEAD", &format!("./{MANIFEST_FILE}"));
            let text = text.map_err(|error| match error {
                SourceError::Git { text, .. } => SourceError::NotCommitted { folder, text },
                other => other,
            })?;
            (parse(&text)?, None)
        }
        Source::File(file) => {
            let text = text_file::read(file).map_err(|error| read_error(file, error))?;
            let offer = parse(&text)?;
            (offer, Some((file.clone(), text)))
        }
        Source::Revision { revision, path } => (parse(&git::read(Path::new("."), revision, path)?)?, None),
        Source::Http(url) => (live::over_http(url, tools.timeout(), shell).map_err(live)?, None),
        Source::Command(words) => {
            shell.running(&place);
            (live::over_stdio(words, tools.timeout(), shell).map_err(live)?, None)
        }
        // Handled by the callers.
        Source::Package(_) | Source::Word(_) => (ServerDefinitions::default(), None),
    })
}

fn read_error(file: &Path, source: io::Error) -> Error {
    let file = file.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => SourceError::NoFile { file }.into(),
        _ if file.is_dir() => SourceError::Folder { file }.into(),
        _ => Error::Read { file, source },
    }
}

/// The documents of the package of this name, or of those that the flags select.
fn documents_of(name: Option<&str>, tools: &mut ToolsArgs, shell: Shell) -> Result<Vec<Document>, Error> {
    let chosen = tools.packages.packages.package.clone();
    if let Some(name) = name {
        tools.packages.packages.package = vec![name.to_owned()];
    }
    let documents = choose(tools, shell).and_then(|()| packages::documents(tools, shell));
    // The other side of a comparison may be another package.
    if name.is_some() {
        tools.packages.packages.package = chosen;
    }
    documents
}

/// Selects a package, if flags do not; a program is already selected.
fn choose(tools: &mut ToolsArgs, shell: Shell) -> Result<(), Error> {
    if tools.artifact.is_some() { Ok(()) } else { packages::choose(&mut tools.packages, shell) }
}

/// Decides whether a word is a file or a package.
///
/// # Errors
/// [`SourceError::Ambiguous`], [`SourceError::UnknownWord`].
fn resolve(source: Source, tools: &ToolsArgs, shell: Shell) -> Result<Source, Error> {
    let Source::Word(word) = source else { return Ok(source) };
    // Outside of a workspace there are only files.
    let members = packages::members(&tools.packages, shell).unwrap_or_default();
    let is_file = Path::new(&word).exists() && !Path::new(&word).is_dir();
    match (is_file, members.contains(&word)) {
        (true, true) => Err(SourceError::Ambiguous { word }.into()),
        (true, false) => Ok(Source::File(word.into())),
        (false, true) => Ok(Source::Package(Some(word))),
        (false, false) => Err(SourceError::UnknownWord { word, members }.into()),
    }
}
