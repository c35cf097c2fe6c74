//! How users name what a server offers, and how that is read.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{Offer, OfferError, git, live};
use crate::args::ToolsArgs;
use crate::command_line::quoted;
use crate::error::Error;
use crate::packages;
use crate::shell::Shell;

/// Where definitions come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// The package that the flags choose, or the one of this name.
    Package(Option<String>),
    /// The manifest that is committed beside the package that the flags choose.
    Committed,
    /// A manifest.
    File(PathBuf),
    /// A manifest in a revision of the Git repository.
    Revision { revision: String, path: String },
    /// A server over HTTP.
    Http(String),
    /// A server over standard input and output, started by this command.
    Command(Vec<OsString>),
}

/// The file that holds the manifest of a package where nothing else is said.
pub(crate) const MANIFEST_FILE: &str = "mcp.json";

/// Why a source has no offer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("git does not have it\n  {command}\n  {text}")]
    Git { command: String, text: String },
    #[error(
        "there is no committed manifest: git has no {MANIFEST_FILE} at HEAD in {}\n  {text}\n  write it with `cargo mcp \
         manifest --out {MANIFEST_FILE}` and commit it, or say what to compare with: cargo mcp diff OLD",
        .folder.display()
    )]
    NotCommitted { folder: PathBuf, text: String },
    #[error("{place} is not a manifest; write one with `cargo mcp manifest --out FILE`")]
    NoManifest { place: String, source: OfferError },
    #[error("the server {server} cannot be asked: {why}")]
    Live { server: String, why: String },
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Http(text.to_owned()));
        }
        if text == "package" {
            return Ok(Self::Package(None));
        }
        if let Some(name) = text.strip_prefix("package:") {
            return Ok(Self::Package(Some(name.to_owned())));
        }
        // A file's name may hold a colon, and a path on Windows does.
        Ok(match text.split_once(':') {
            Some((revision, path)) if revision.len() > 1 && !path.is_empty() && !Path::new(text).exists() => {
                Self::Revision { revision: revision.to_owned(), path: path.to_owned() }
            }
            _ => Self::File(text.into()),
        })
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Package(None) => f.write_str("the package"),
            Self::Package(Some(name)) => write!(f, "package `{name}`"),
            Self::Committed => write!(f, "HEAD:./{MANIFEST_FILE}"),
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

/// Reads what a source offers; `tools` says which package, server and context are meant, and how to build.
///
/// # Errors
/// [`Error::Source`], and of a package any [`Error`] of building and asking it.
pub(crate) fn read(source: &Source, tools: &mut ToolsArgs, shell: Shell) -> Result<Offer, Error> {
    let place = source.to_string();
    let of_text = |text: &str| {
        Offer::of_text(text).map_err(|source| SourceError::NoManifest { place: place.clone(), source })
    };
    Ok(match source {
        Source::Package(name) => of_package(name.as_deref(), tools, shell)?,
        Source::Committed => {
            let folder = packages::folder(&tools.packages, shell)?;
            let text = git::text(&folder, "HEAD", &format!("./{MANIFEST_FILE}"));
            let text = text.map_err(|error| match error {
                SourceError::Git { text, .. } => SourceError::NotCommitted { folder, text },
                other => other,
            })?;
            of_text(&text)?
        }
        Source::File(file) => {
            let text =
                fs::read_to_string(file).map_err(|source| Error::Read { file: file.clone(), source })?;
            of_text(&text)?
        }
        Source::Revision { revision, path } => of_text(&git::text(Path::new("."), revision, path)?)?,
        Source::Http(url) => live::over_http(url).map_err(|why| SourceError::Live { server: place, why })?,
        Source::Command(words) => {
            shell.running(&place);
            live::over_stdio(words).map_err(|why| SourceError::Live { server: place, why })?
        }
    })
}

fn of_package(name: Option<&str>, tools: &mut ToolsArgs, shell: Shell) -> Result<Offer, Error> {
    let chosen = tools.packages.packages.package.clone();
    if let Some(name) = name {
        tools.packages.packages.package = vec![name.to_owned()];
    }
    let documents = packages::documents(tools, shell);
    tools.packages.packages.package = chosen;
    match documents?.as_slice() {
        [document] => Offer::of_manifest(&document.manifest).map_err(|source| {
            SourceError::NoManifest { place: format!("server `{}`", document.server()), source }.into()
        }),
        several => {
            Err(Error::SeveralServers { servers: several.iter().map(packages::Document::place).collect() })
        }
    }
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
            ("C:\\mcp.json", Source::File("C:\\mcp.json".into())),
            ("HEAD:mcp.json", revision("HEAD", "mcp.json")),
            ("v1.0:./mcp.json", revision("v1.0", "./mcp.json")),
            ("origin/main:a/b.json", revision("origin/main", "a/b.json")),
            ("package", Source::Package(None)),
            ("package:retail", Source::Package(Some("retail".into()))),
            ("http://localhost:8080/mcp", Source::Http("http://localhost:8080/mcp".into())),
            ("https://example.com/mcp", Source::Http("https://example.com/mcp".into())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }
}
