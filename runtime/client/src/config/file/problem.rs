//! The problems of a configuration file.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

use toolwright_core::suggest::nearest;

use super::Source;

/// The maximum number of reported problems of a file.
pub const MAX_PROBLEMS: usize = 1_000;

/// A problem in a configuration file: an error, a likely mistake or a note.
///
/// `Display` prints the server, the member and the message, without the position and the help.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The severity.
    pub severity: Severity,
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The affected server.
    pub server: Option<String>,
    /// The affected member of the server, such as `headers.Authorization`.
    pub member: Option<String>,
    /// What is wrong, as a fragment in lower case without secrets.
    pub message: String,
    /// What to do, if the message does not say so.
    pub help: Option<String>,
    /// The byte range in [`Source::text`].
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// The severity of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Information.
    Note,
    /// A likely mistake.
    Warning,
    /// The server cannot be used.
    Error,
}

impl Severity {
    /// Returns `note`, `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The kind of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file is not JSON, TOML or YAML.
    Syntax,
    /// An unknown member.
    UnknownMember,
    /// A value of the wrong type.
    WrongType,
    /// An invalid value of the right type.
    InvalidValue,
    /// A missing member.
    Missing,
    /// Members that contradict each other.
    Conflict,
    /// A duplicate.
    Duplicate,
    /// A variable, input or token without a value.
    Unresolved,
    /// An invalid `${…}`.
    InvalidVariable,
    /// A server name that is not a valid prefix for the names of its tools.
    InvalidName,
    /// An env file that cannot be read.
    EnvFile,
    /// A secret that others can see.
    Exposed,
    /// An unsupported feature.
    Unsupported,
    /// A limit is exceeded.
    Limit,
}

impl ProblemKind {
    /// Returns its name in reports, such as `unknown-member`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::UnknownMember => "unknown-member",
            Self::WrongType => "wrong-type",
            Self::InvalidValue => "invalid-value",
            Self::Missing => "missing",
            Self::Conflict => "conflict",
            Self::Duplicate => "duplicate",
            Self::Unresolved => "unresolved",
            Self::InvalidVariable => "invalid-variable",
            Self::InvalidName => "invalid-name",
            Self::EnvFile => "env-file",
            Self::Exposed => "exposed",
            Self::Unsupported => "unsupported",
            Self::Limit => "limit",
        }
    }
}

impl Problem {
    pub(super) fn new(
        severity: Severity,
        kind: ProblemKind,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            kind,
            server: None,
            member: None,
            message: message.into(),
            help: None,
            span,
            line: 0,
            column: 0,
        }
    }

    pub(super) fn error(kind: ProblemKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, kind, span, message)
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn at(mut self, server: Option<&str>, member: Option<&str>) -> Self {
        self.server = server.map(str::to_owned);
        self.member = member.map(str::to_owned);
        self
    }

    /// Sets the line and the column.
    pub(super) fn located(mut self, source: &Source) -> Self {
        let text = source.text();
        self.span.start = text.floor_char_boundary(self.span.start);
        self.span.end = text.ceil_char_boundary(self.span.end).max(self.span.start);
        (self.line, self.column) = source.position(self.span.start);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(server) = &self.server {
            write!(f, "server {server:?}: ")?;
        }
        if let Some(member) = &self.member {
            write!(f, "`{member}`: ")?;
        }
        f.write_str(&self.message)
    }
}

/// An error of a configuration file.
///
/// `Display` prints each error of the file on its own line, with file, line, column, server and help.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// An I/O error.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is larger than [`super::MAX_FILE_SIZE`], or [`super::MAX_SMALL_FILE_SIZE`] for TOML and YAML.
    #[error("{} is larger than {limit} bytes; check that it is the right file", .path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The file has errors.
    #[error("{}", format_lines(.file, .problems))]
    Invalid {
        /// The file.
        file: Box<Source>,
        /// The problems, in the order of the file.
        problems: Vec<Problem>,
    },
}

/// Returns `, did you mean …?` with the known name that is most similar, or an empty string.
pub(super) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|similar| format!(", did you mean `{similar}`?")).unwrap_or_default()
}

/// Formats each problem on its own line.
fn format_lines(source: &Source, problems: &[Problem]) -> String {
    let lines = problems.iter().map(|problem| {
        let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{}:{}:{}: {problem}{help}", source.name(), problem.line, problem.column)
    });
    lines.collect::<Vec<_>>().join("\n")
}
