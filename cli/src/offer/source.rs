//! How users name what a server offers, and how that is read. All commands take the same forms.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use toolwright_core::manifest::answer::Origin;
use toolwright_core::manifest::visible;

use super::{Offer, OfferError, git, live};
use crate::args::ToolsArgs;
use crate::command_line::quoted;
use crate::error::Error;
use crate::packages::{self, Document, Sources};
use crate::shell::{Shell, quoted as quoted_lines};
use crate::text;

/// Where definitions come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// The package that the flags choose, or the one of this name.
    Package(Option<String>),
    /// The manifest that is committed beside the package that the flags choose.
    Committed,
    /// A word that may be the name of a package, or of a file.
    Word(String),
    /// A manifest, or saved answers of a server.
    File(PathBuf),
    /// The same in a revision of the Git repository.
    Revision { revision: String, path: String },
    /// A server over HTTP.
    Http(String),
    /// A server over standard input and output, started by this command.
    Command(Vec<OsString>),
}

/// The file that holds the manifest of a package where nothing else is said.
pub(crate) const MANIFEST_FILE: &str = "mcp.json";

/// The forms, for every help and every error.
pub(crate) const FORMS: &str = "  FILE            a manifest, or saved answers to tools/list, prompts/list,
                  resources/list and resources/templates/list
  REV:PATH        such a file in a Git revision; ./PATH from this folder
  NAME            a package of the workspace; package:NAME where a file has
                  the same name; package for the one that the flags choose
  http://…        a running server, over Streamable HTTP
  -- COMMAND …    a server on standard input and output, in the last place";

/// Why a source has no offer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("git does not have it\n  {}\n{}", visible(.command), quoted_lines(.text))]
    Git { command: String, text: String },
    #[error(
        "there is no committed manifest: git has no {MANIFEST_FILE} at HEAD in {}\n{}\n  write it with `cargo mcp \
         manifest --out {MANIFEST_FILE}` and commit it, or say what to compare with: cargo mcp diff OLD",
        visible(&.folder.display().to_string()), quoted_lines(.text)
    )]
    NotCommitted { folder: PathBuf, text: String },
    #[error("{} is not a manifest; write one with `cargo mcp manifest --out FILE`, or name one of\n{FORMS}", visible(.place))]
    NoManifest { place: String, source: OfferError },
    #[error("the definitions of {} cannot be used", visible(.place))]
    Unusable { place: String, source: OfferError },
    #[error("cannot read {}: there is no such file; name one of\n{FORMS}", visible(&.file.display().to_string()))]
    NoFile { file: PathBuf },
    #[error("{} is a folder; name one of\n{FORMS}", visible(&.file.display().to_string()))]
    Folder { file: PathBuf },
    #[error("`{}` is neither a file nor a package of the workspace{}; name one of\n{FORMS}", visible(.word), known(.members))]
    UnknownWord { word: String, members: Vec<String> },
    #[error("`{word}` is a file here and a package of the workspace: write ./{word} or package:{word}")]
    Ambiguous { word: String },
    #[error("the server {} cannot be asked: {}", visible(.server), visible(.why))]
    Live { server: String, why: String },
}

fn known(members: &[String]) -> String {
    if members.is_empty() { String::new() } else { format!(", which has {}", visible(&members.join(", "))) }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Http(text.to_owned()));
        }
        if text == "package" {
            return Ok(Self::Package(None));
        }
        let unknown = |why: &str| Err(format!("{why}; name one of\n{FORMS}\n"));
        if let Some(name) = text.strip_prefix("package:") {
            return if name.is_empty() {
                unknown("no package is named")
            } else {
                Ok(Self::Package(Some(name.to_owned())))
            };
        }
        if is_word(text) {
            return Ok(Self::Word(text.to_owned()));
        }
        // A file's name may hold a colon, and a path on Windows does.
        match text.split_once(':') {
            _ if text.is_empty() => unknown("nothing is named"),
            _ if Path::new(text).exists() => Ok(Self::File(text.into())),
            Some((scheme, path)) if path.starts_with("//") && is_word(scheme) => {
                unknown("servers are asked over http only")
            }
            Some(("", _) | (_, "")) => unknown("a revision and a path stand around `:`"),
            Some((revision, path)) if revision.len() > 1 => {
                Ok(Self::Revision { revision: revision.to_owned(), path: path.to_owned() })
            }
            _ => Ok(Self::File(text.into())),
        }
    }
}

/// Whether a package can have this name.
fn is_word(text: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    text.starts_with(|first: char| first.is_alphabetic() || first == '_') && text.chars().all(is_part)
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Package(None) => f.write_str("the package"),
            Self::Package(Some(name)) => write!(f, "package `{name}`"),
            Self::Committed => write!(f, "HEAD:./{MANIFEST_FILE}"),
            Self::Word(word) => f.write_str(word),
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Revision { revision, path } => write!(f, "{revision}:{path}"),
            Self::Http(url) => f.write_str(url),
            Self::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
                write!(f, "`{}`", words.join(" "))
            }
        }
    }
}

impl Source {
    /// What the words of a command line mean: a source, the command of a server, or else the package.
    pub(crate) fn of(source: Option<&Self>, command: &[OsString]) -> Self {
        match source {
            Some(source) => source.clone(),
            None if command.is_empty() => Self::Package(None),
            None => Self::Command(command.to_owned()),
        }
    }

    /// The source with a word made what it is here.
    ///
    /// # Errors
    /// [`SourceError::Ambiguous`], [`SourceError::UnknownWord`].
    pub(crate) fn resolved(self, tools: &ToolsArgs, shell: Shell) -> Result<Self, Error> {
        let Self::Word(word) = self else { return Ok(self) };
        // Outside of a workspace there are only files.
        let members = packages::members(&tools.packages, shell).unwrap_or_default();
        let is_file = Path::new(&word).exists() && !Path::new(&word).is_dir();
        match (is_file, members.contains(&word)) {
            (true, true) => Err(SourceError::Ambiguous { word }.into()),
            (true, false) => Ok(Self::File(word.into())),
            (false, true) => Ok(Self::Package(Some(word))),
            (false, false) => Err(SourceError::UnknownWord { word, members }.into()),
        }
    }
}

/// What one server offers, as a document.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) document: Document,
    /// The file that was read, and its text.
    pub(crate) text: Option<(PathBuf, String)>,
    /// It comes from a package that was built, so its places in the source are known.
    pub(crate) is_package: bool,
}

/// What a source offers, a document for each server that the flags choose.
///
/// # Errors
/// [`Error::Source`], [`Error::NoPackage`], and of a package any [`Error`] of building and asking it.
pub(crate) fn found(source: Source, tools: &mut ToolsArgs, shell: Shell) -> Result<Vec<Found>, Error> {
    let source = source.resolved(tools, shell)?;
    if let Source::Package(name) = &source {
        let documents = documents_of(name.as_deref(), tools, shell)?.into_iter();
        return Ok(documents.map(|document| Found { document, text: None, is_package: true }).collect());
    }
    if tools.choose_a_package() {
        return Err(Error::NoPackage { place: source.to_string() });
    }
    let (offer, text) = offered(&source, tools, shell)?;
    let place = source.to_string();
    let name =
        text.as_ref().and_then(|(path, _)| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    let manifest = offer
        .manifest(&name.unwrap_or_else(|| "server".to_owned()))
        .map_err(|source| SourceError::Unusable { place: place.clone(), source })?;
    let server = Origin {
        package: manifest.server.name.clone(),
        version: manifest.server.version.clone(),
        file: place,
        line: 1,
        column: 1,
    };
    let document = Document { manifest, sources: Sources::of_server(&server) };
    let chosen = packages::chosen(vec![document], tools)?;
    Ok(chosen.into_iter().map(|document| Found { document, text: text.clone(), is_package: false }).collect())
}

/// Reads what one server offers; `tools` says which package, server and context are meant, and how to build.
///
/// # Errors
/// As [`found`], and [`Error::SeveralServers`].
pub(crate) fn read(source: &Source, tools: &mut ToolsArgs, shell: Shell) -> Result<Offer, Error> {
    match source.clone().resolved(tools, shell)? {
        Source::Package(name) => match documents_of(name.as_deref(), tools, shell)?.as_slice() {
            [document] => Offer::of_manifest(&document.manifest).map_err(|source| {
                SourceError::Unusable { place: format!("server `{}`", document.server()), source }.into()
            }),
            several => Err(Error::SeveralServers { servers: several.iter().map(Document::place).collect() }),
        },
        source => Ok(offered(&source, tools, shell)?.0),
    }
}

/// What a source that is no package offers, with the file that was read.
fn offered(
    source: &Source,
    tools: &ToolsArgs,
    shell: Shell,
) -> Result<(Offer, Option<(PathBuf, String)>), Error> {
    let place = source.to_string();
    let of_text = |text: &str| {
        Offer::of_text(text).map_err(|source| SourceError::NoManifest { place: place.clone(), source })
    };
    let live = |why| SourceError::Live { server: place.clone(), why };
    Ok(match source {
        Source::Committed => {
            let folder = packages::folder(&tools.packages, shell)?;
            let text = git::text(&folder, "HEAD", &format!("./{MANIFEST_FILE}"));
            let text = text.map_err(|error| match error {
                SourceError::Git { text, .. } => SourceError::NotCommitted { folder, text },
                other => other,
            })?;
            (of_text(&text)?, None)
        }
        Source::File(file) => {
            let text = text::read(file).map_err(|error| not_read(file, error))?;
            let offer = of_text(&text)?;
            (offer, Some((file.clone(), text)))
        }
        Source::Revision { revision, path } => (of_text(&git::text(Path::new("."), revision, path)?)?, None),
        Source::Http(url) => (live::over_http(url, tools.timeout()).map_err(live)?, None),
        Source::Command(words) => {
            shell.running(&place);
            (live::over_stdio(words, tools.timeout()).map_err(live)?, None)
        }
        // The callers have dealt with both.
        Source::Package(_) | Source::Word(_) => (Offer::default(), None),
    })
}

fn not_read(file: &Path, source: io::Error) -> Error {
    let file = file.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => SourceError::NoFile { file }.into(),
        _ if file.is_dir() => SourceError::Folder { file }.into(),
        _ => Error::Read { file, source },
    }
}

/// The documents of the package of this name, or of those that the flags choose.
fn documents_of(name: Option<&str>, tools: &mut ToolsArgs, shell: Shell) -> Result<Vec<Document>, Error> {
    let chosen = tools.packages.packages.package.clone();
    if let Some(name) = name {
        tools.packages.packages.package = vec![name.to_owned()];
    }
    let documents = packages::documents(tools, shell);
    tools.packages.packages.package = chosen;
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_apart_by_their_form() {
        let revision =
            |revision: &str, path: &str| Source::Revision { revision: revision.into(), path: path.into() };
        for (text, expected) in [
            ("mcp.json", Source::File("mcp.json".into())),
            ("./retail", Source::File("./retail".into())),
            ("C:\\mcp.json", Source::File("C:\\mcp.json".into())),
            ("HEAD:mcp.json", revision("HEAD", "mcp.json")),
            ("v1.0:./mcp.json", revision("v1.0", "./mcp.json")),
            ("origin/main:a/b.json", revision("origin/main", "a/b.json")),
            ("HEAD~2:mcp.json", revision("HEAD~2", "mcp.json")),
            ("package", Source::Package(None)),
            ("package:retail", Source::Package(Some("retail".into()))),
            ("retail", Source::Word("retail".into())),
            ("my-shop_2", Source::Word("my-shop_2".into())),
            ("http://localhost:8080/mcp", Source::Http("http://localhost:8080/mcp".into())),
            ("https://example.com/mcp", Source::Http("https://example.com/mcp".into())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_words_are_answered_with_all_forms() {
        for text in ["", "package:", "ftp://example.com/mcp", "ws://localhost", ":mcp.json", "HEAD:"] {
            let error = text.parse::<Source>().unwrap_err();
            for form in ["FILE ", "REV:PATH ", "NAME ", "http://", "-- COMMAND"] {
                assert!(error.contains(form), "{text:?}: no {form} in {error}");
            }
        }
    }
}
