//! How users name the source of definitions. All commands accept the same kinds of sources.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use toolwright_agent::value::stdio_uri;

use crate::command_line::quote;

/// Where definitions come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// The package that the flags select, or the one of this name.
    Package(Option<String>),
    /// The manifest that is committed beside the package that the flags select.
    Committed,
    /// A word that may be the name of a package, or of a file.
    Word(String),
    /// A manifest, or saved responses of a server.
    File(PathBuf),
    /// The same in a revision of the Git repository.
    Revision { revision: String, path: String },
    /// A server at a URL.
    Http(String),
    /// A server over standard input and output, started by this command.
    Command(Vec<OsString>),
}

/// The default file of a package's manifest.
pub(crate) const MANIFEST_FILE: &str = "mcp.json";

/// The kinds of sources, for `--help` and errors.
pub(crate) const SOURCES: &str =
    "  FILE            a manifest, or saved responses to tools/list, prompts/list,
                  resources/list and resources/templates/list
  REV:PATH        such a file in a Git revision; ./PATH from this folder
  NAME            a package of the workspace; package:NAME if a file has the
                  same name; package for the one that the flags select
  https://…       a running server, over Streamable HTTP
  -- COMMAND …    a server over stdio; must come last";

impl Source {
    /// The source on a command line: SOURCE, the command of a server, or else the package.
    pub(crate) fn from_args(source: Option<&Self>, command: &[OsString]) -> Self {
        match source {
            Some(source) => source.clone(),
            None if command.is_empty() => Self::Package(None),
            None => Self::Command(command.to_owned()),
        }
    }

    /// Returns the identifier of the server in tool records: its URL, or `stdio:` and a command line.
    pub(crate) fn server_uri(&self) -> Option<String> {
        match self {
            Self::Http(url) => Some(url.clone()),
            Self::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                Some(stdio_uri(words.iter().map(AsRef::as_ref)))
            }
            _ => None,
        }
    }
}

/// The source of the definitions, for commands that look at one server or package.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// Where the definitions come from [default: the package]
    #[arg(conflicts_with = "command")]
    source: Option<Source>,
    /// The command of a server, instead of SOURCE
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl SourceArgs {
    pub(crate) fn source(&self) -> Source {
        Source::from_args(self.source.as_ref(), &self.command)
    }
}

/// What `--help` of a command with [`SourceArgs`] shows below its flags.
pub(crate) fn help_with_sources(examples: &str) -> String {
    format!("SOURCE is one of:\n{SOURCES}\n\n{examples}")
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
        let unknown = |why: &str| Err(format!("{why}; expected one of\n{SOURCES}\n"));
        if let Some(name) = text.strip_prefix("package:") {
            return if name.is_empty() {
                unknown("the name of the package is missing")
            } else {
                Ok(Self::Package(Some(name.to_owned())))
            };
        }
        if is_word(text) {
            return Ok(Self::Word(text.to_owned()));
        }
        // A file name may contain a colon, as do paths on Windows.
        match text.split_once(':') {
            _ if text.is_empty() => unknown("the source is empty"),
            _ if Path::new(text).exists() => Ok(Self::File(text.into())),
            Some((scheme, path)) if path.starts_with("//") && is_word(scheme) => {
                unknown("unsupported scheme: use http")
            }
            Some(("", _) | (_, "")) => unknown("expected REV:PATH"),
            Some((revision, path)) if revision.len() > 1 => {
                Ok(Self::Revision { revision: revision.to_owned(), path: path.to_owned() })
            }
            _ => Ok(Self::File(text.into())),
        }
    }
}

/// Returns whether a package can have this name.
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
                let words: Vec<_> = words.iter().map(|word| quote(word)).collect();
                write!(f, "`{}`", words.join(" "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_distinguished_by_their_form() {
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
    fn unknown_sources_list_all_forms() {
        for text in ["", "package:", "ftp://example.com/mcp", "ws://localhost", ":mcp.json", "HEAD:"] {
            let error = text.parse::<Source>().unwrap_err();
            for form in ["FILE ", "REV:PATH ", "NAME ", "https://", "-- COMMAND"] {
                assert!(error.contains(form), "{text:?}: no {form} in {error}");
            }
        }
    }
}
