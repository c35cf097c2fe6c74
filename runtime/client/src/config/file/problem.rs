//! What is wrong with a configuration file.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

use toolwright_core::suggest::nearest;

use super::Source;

/// The most problems of one file that are kept.
pub const MAX_PROBLEMS: usize = 1_000;

/// Something in a configuration file that is wrong, or that may not be meant.
///
/// `Display` gives the server, the member and what is wrong, without the place in the file and the help.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Which kind of problem it is.
    pub kind: ProblemKind,
    /// The server that it belongs to.
    pub server: Option<String>,
    /// The member of the server, such as `headers.Authorization`.
    pub member: Option<String>,
    /// What is wrong: a fragment in lower case, with no secret in it.
    pub message: String,
    /// What to do, if the message does not say it.
    pub help: Option<String>,
    /// Where it stands, in bytes of [`Source::text`].
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// How bad a [`Problem`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It works, and there is something to know.
    Note,
    /// It works, and is probably not meant.
    Warning,
    /// The server cannot be used.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Which kind of [`Problem`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file is not JSON, TOML or YAML.
    Syntax,
    /// A member that nobody knows.
    UnknownMember,
    /// A value of the wrong type.
    WrongType,
    /// A value of the right type that cannot be used.
    InvalidValue,
    /// Something that must be there is not.
    Missing,
    /// Members that do not go together.
    Conflict,
    /// The same thing twice.
    Duplicate,
    /// A variable, an input or a token that has no value.
    Unresolved,
    /// `${…}` that cannot be read.
    InvalidVariable,
    /// A name of a server that its tools cannot have in front.
    InvalidName,
    /// A file with variables that cannot be read.
    EnvFile,
    /// A secret where others can see it.
    Exposed,
    /// Something that is not supported.
    Unsupported,
    /// More than a limit allows.
    Limit,
}

impl ProblemKind {
    /// Its name in reports, such as `unknown-member`.
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

    /// The problem with its line and its column.
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

/// Why a configuration file cannot be used.
///
/// `Display` gives every error of the file on a line of its own, with file, line, column, server and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The file is larger than [`super::MAX_FILE_SIZE`], or what its format allows.
    #[error("{} has more than {limit} bytes; is it the right file?", .path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// The limit, in bytes.
        limit: usize,
    },
    /// Something in the file is wrong.
    #[error("{}", lines(.file, .problems))]
    Invalid {
        /// The file.
        file: Box<Source>,
        /// Everything that is wrong, in the order of the file.
        problems: Vec<Problem>,
    },
}

/// `, did you mean …?` with the word of `known` that is nearest to `word`, or nothing.
pub(super) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default()
}

/// Each problem on a line of its own.
fn lines(source: &Source, problems: &[Problem]) -> String {
    let lines = problems.iter().map(|problem| {
        let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{}:{}:{}: {problem}{help}", source.name(), problem.line, problem.column)
    });
    lines.collect::<Vec<_>>().join("\n")
}
