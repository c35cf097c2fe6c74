//! Problems with the arguments of a call, in a form that a model can act on.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::pointer;
use crate::protocol::ToolResult;

/// Maximum number of listed problems; the others are counted.
pub const MAX_PROBLEMS: usize = 20;
/// Maximum number of characters of a quoted value or name from the caller.
pub const MAX_QUOTED: usize = 60;
/// Maximum number of listed values, names or forms; the others are counted.
pub const MAX_LISTED: usize = 20;
/// Maximum size in bytes of the example in the text.
pub const MAX_EXAMPLE: usize = 2_000;

/// All problems with the arguments of one call, with example arguments.
///
/// The text is for the model: one line per problem with its JSON pointer, the expected and the actual value,
/// followed by the example. It never contains values of secret arguments or credentials.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentErrors {
    // Boxed: it is part of the `Err` of every call, and calls almost always succeed.
    inner: Box<Inner>,
}

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    findings: Findings,
    example: Option<Arc<Example>>,
}

/// Example arguments and their text, created once for all errors of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct Example {
    value: Value,
    pub(super) text: String,
}

impl Example {
    pub(super) fn new(value: Value) -> Self {
        Self { text: value.to_string(), value }
    }
}

impl ArgumentErrors {
    pub(super) fn new(findings: Findings, example: Option<Arc<Example>>) -> Self {
        Self { inner: Box::new(Inner { findings, example }) }
    }

    /// Creates errors from the findings of a checker, with example arguments unless they are an empty object.
    pub(crate) fn from_findings(findings: Findings, example: &Value) -> Self {
        let is_empty = example.as_object().is_some_and(serde_json::Map::is_empty);
        Self::new(findings, (!is_empty).then(|| Arc::new(Example::new(example.clone()))))
    }

    /// Returns the same errors with an example whose values are strings, as prompts and resource templates take them.
    pub(super) fn with_strings(mut self) -> Self {
        self.inner.example = self.inner.example.take().map(|example| {
            let mut value = example.value.clone();
            for member in value.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
                if !member.is_string() {
                    *member = member.to_string().into();
                }
            }
            Arc::new(Example::new(value))
        });
        self
    }

    /// Returns the problems, in the order of the arguments, at most [`MAX_PROBLEMS`].
    pub fn problems(&self) -> &[Problem] {
        &self.inner.findings.problems
    }

    /// Returns the number of further problems.
    pub fn more(&self) -> usize {
        self.inner.findings.more
    }

    /// Returns small valid arguments, if any could be generated from the schema. They contain no secrets.
    pub fn example(&self) -> Option<&Value> {
        self.inner.example.as_deref().map(|example| &example.value)
    }

    /// Converts into a result with `isError` for the model (2026-07-28, server/tools "Error Handling").
    pub fn into_tool_result(self) -> ToolResult {
        self.into()
    }
}

impl From<ArgumentErrors> for ToolResult {
    fn from(errors: ArgumentErrors) -> Self {
        Self::error(errors.to_string())
    }
}

impl std::error::Error for ArgumentErrors {}

impl fmt::Display for ArgumentErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid arguments; the call had no effect:")?;
        for problem in self.problems() {
            write!(f, "\n- {problem}")?;
        }
        if self.more() > 0 {
            write!(f, "\n- and {} more", self.more())?;
        }
        match self.inner.example.as_deref() {
            Some(Example { text, .. }) if text.len() <= MAX_EXAMPLE => {
                write!(f, "\nexample of valid arguments: {text}")
            }
            _ => Ok(()),
        }
    }
}

/// A problem with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// JSON pointer (RFC 6901) into the arguments, with long names truncated; empty for the arguments as a whole.
    pub pointer: String,
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The expected and the actual value and a suggestion, as a fragment without the pointer.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "arguments" } else { &self.pointer };
        write!(f, "{place}: {}", self.message)
    }
}

/// The kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A required member is missing.
    Missing,
    /// A member has an unknown name.
    Unknown,
    /// A duplicate name.
    Duplicate,
    /// The server sets this value; callers must not.
    Credential,
    /// The server did not set this value, or set an invalid one.
    Server,
    /// The value has the wrong JSON type.
    Type,
    /// The value is not one of those allowed.
    Choice,
    /// The number is out of range or not a multiple.
    Range,
    /// The string does not match its pattern or format.
    Pattern,
    /// The string, array or object is too short or too long, or has duplicate items.
    Size,
    /// The value matches none of several forms, or too many.
    Forms,
    /// The value is nested too deeply or too complex to be checked.
    TooComplex,
    /// The tool's type rejects a value that the schema accepts.
    Rejected,
}

/// Collected problems: the first ones are stored, the others are counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    problems: Vec<Problem>,
    more: usize,
    /// Number of duplicates of a stored problem.
    repeated: usize,
}

impl Findings {
    /// Returns the stored problems.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns the number of further problems.
    pub fn more(&self) -> usize {
        self.more
    }

    /// Returns how often a problem was found, stored or not.
    pub(super) fn count(&self) -> usize {
        self.problems.len() + self.more + self.repeated
    }

    pub(super) fn add(
        &mut self,
        path: &[Segment<'_>],
        name: Option<&str>,
        kind: ProblemKind,
        message: impl FnOnce() -> String,
    ) {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
            return;
        }
        let mut pointer: String = path.iter().map(ToString::to_string).collect();
        if let Some(name) = name {
            pointer.push_str(&Segment::Name(name).to_string());
        }
        let problem = Problem { pointer, kind, message: message() };
        // Several schemas for one value may report the same.
        if self.problems.contains(&problem) {
            self.repeated += 1;
        } else {
            self.problems.push(problem);
        }
    }
}

/// One segment of a JSON pointer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segment<'v> {
    Name(&'v str),
    Index(usize),
}

impl fmt::Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => {
                // Escapes line breaks, so that a name cannot look like a line of the report.
                let line = truncate(name, MAX_QUOTED).replace(char::is_control, "\u{fffd}");
                write!(f, "/{}", pointer::segment(&line))
            }
            Self::Index(index) => write!(f, "/{index}"),
        }
    }
}

/// Formats `text` as a JSON string, truncated to [`MAX_QUOTED`].
pub(super) fn quote(text: &str) -> String {
    Value::from(truncate(text, MAX_QUOTED)).to_string()
}

/// Truncates `text` to `limit` characters.
pub(super) fn truncate(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
