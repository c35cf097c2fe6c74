//! What is wrong with the arguments of a call, in words that a model can act on.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::pointer;
use crate::protocol::ToolResult;

/// How many problems are listed; the rest is counted.
pub const MAX_PROBLEMS: usize = 20;
/// How many characters of a caller's value or name are repeated.
pub const MAX_QUOTED: usize = 60;
/// How many allowed values, names or forms are listed; the rest is counted.
pub const MAX_LISTED: usize = 20;
/// How many bytes the example may have to be shown in the text.
pub const MAX_EXAMPLE: usize = 2_000;

/// Every problem of one call's arguments, with an example of arguments that fit.
///
/// The text is for the model: one line a problem with its JSON pointer, what was expected and what came, and the
/// example at the end. Values of arguments that are marked secret and of credentials never stand in it.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentErrors {
    // Boxed: it travels in the `Err` of every call, and a call is almost always `Ok`.
    inner: Box<Inner>,
}

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    findings: Findings,
    example: Option<Arc<Example>>,
}

/// Arguments that fit, and their text: made once for all errors of a tool.
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

    /// What a checker has found, with an example of arguments that fit, unless it is an empty object.
    pub(crate) fn of_findings(findings: Findings, example: &Value) -> Self {
        let is_empty = example.as_object().is_some_and(serde_json::Map::is_empty);
        Self::new(findings, (!is_empty).then(|| Arc::new(Example::new(example.clone()))))
    }

    /// The problems, in the order of the arguments, at most [`MAX_PROBLEMS`].
    pub fn problems(&self) -> &[Problem] {
        &self.inner.findings.problems
    }

    /// How many further problems there are.
    pub fn more(&self) -> usize {
        self.inner.findings.more
    }

    /// Small arguments that fit, if some could be made from the schema; free of secrets.
    pub fn example(&self) -> Option<&Value> {
        self.inner.example.as_deref().map(|example| &example.value)
    }

    /// The result with `isError` that the model reads (2026-07-28, server/tools "Error Handling").
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
        f.write_str("the arguments do not fit; nothing was done:")?;
        for problem in self.problems() {
            write!(f, "\n- {problem}")?;
        }
        if self.more() > 0 {
            write!(f, "\n- and {} more", self.more())?;
        }
        match self.inner.example.as_deref() {
            Some(Example { text, .. }) if text.len() <= MAX_EXAMPLE => {
                write!(f, "\nexample of arguments that fit: {text}")
            }
            _ => Ok(()),
        }
    }
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// JSON pointer (RFC 6901) into the arguments, with long names cut; empty for the arguments as a whole.
    pub pointer: String,
    /// What sort of problem it is.
    pub kind: ProblemKind,
    /// What was expected, what came and what to do, as a fragment without the pointer.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "arguments" } else { &self.pointer };
        write!(f, "{place}: {}", self.message)
    }
}

/// The sorts of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A required member is not there.
    Missing,
    /// A member has a name that is not known.
    Unknown,
    /// A name is given twice.
    Repeated,
    /// The server sets this value; callers must not.
    Credential,
    /// The server should have set this value and has not, or not as the tool wants it.
    Server,
    /// The value is of another JSON type.
    Type,
    /// The value is not one of those allowed.
    Choice,
    /// The number is outside its range or not a multiple.
    Range,
    /// The text does not match its pattern or format.
    Pattern,
    /// The text, array or object is too short or too long, or has an item twice.
    Size,
    /// The value fits none of several forms, or too many.
    Forms,
    /// The value is nested too deep or too intricate to be checked.
    TooComplex,
    /// The schema allows the value and the tool's own type does not.
    Rejected,
}

/// Problems as they are found: the first ones are kept, the rest is counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    problems: Vec<Problem>,
    more: usize,
    /// How many were the same as one that was kept.
    repeated: usize,
}

impl Findings {
    /// The problems that were kept.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether there is no problem at all.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// How many further problems there are.
    pub fn more(&self) -> usize {
        self.more
    }

    /// How often a problem was found, kept or not.
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
        // Two schemas for the same value may have the same to say.
        if self.problems.contains(&problem) {
            self.repeated += 1;
        } else {
            self.problems.push(problem);
        }
    }
}

/// One step of a JSON pointer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segment<'v> {
    Name(&'v str),
    Index(usize),
}

impl fmt::Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => {
                // A line break in a name must not look like a line of the report.
                let line = cut(name, MAX_QUOTED).replace(char::is_control, "\u{fffd}");
                write!(f, "/{}", pointer::segment(&line))
            }
            Self::Index(index) => write!(f, "/{index}"),
        }
    }
}

/// `text` as a JSON string, cut to [`MAX_QUOTED`].
pub(super) fn quote(text: &str) -> String {
    Value::from(cut(text, MAX_QUOTED)).to_string()
}

/// `text` with all after `limit` characters left off.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
