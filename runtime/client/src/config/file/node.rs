//! A document as a tree that knows where each part of it stands, whatever its format.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Number, Value};

use super::problem::{Problem, ProblemKind};

/// How deep lists and objects may stand in each other.
pub(super) const MAX_DEPTH: usize = 64;

/// A value and where it stands, in bytes.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) data: Data,
}

#[derive(Debug, Clone)]
pub(super) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Members(Vec<Member>),
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) name_span: Range<usize>,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn new(span: Range<usize>, data: Data) -> Self {
        Self { span, data }
    }

    pub(super) fn members(&self) -> Option<&[Member]> {
        match &self.data {
            Data::Members(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members()?.iter().find(|member| member.name == name)
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Members(_) => "an object",
        }
    }

    /// The value as JSON, with each string through `text`.
    pub(super) fn to_json(&self, text: &mut impl FnMut(&str, &Range<usize>) -> String) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::Number(number.clone()),
            Data::Text(value) => Value::String(text(value, &self.span)),
            Data::List(items) => items.iter().map(|item| item.to_json(text)).collect(),
            Data::Members(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.name.clone(), member.value.to_json(text)))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// The value as JSON, as it was written.
    pub(super) fn plain_json(&self) -> Value {
        self.to_json(&mut |text, _| text.to_owned())
    }

    /// Reports each member that stands in its object a second time: two readers may take different ones.
    pub(super) fn report_duplicates(&self, problems: &mut Vec<Problem>) {
        match &self.data {
            Data::List(items) => items.iter().for_each(|item| item.report_duplicates(problems)),
            Data::Members(members) => {
                let mut seen = HashSet::new();
                for member in members {
                    if !seen.insert(member.name.as_str()) {
                        problems.push(
                            Problem::error(
                                ProblemKind::Duplicate,
                                member.name_span.clone(),
                                format!("`{}` appears twice", member.name),
                            )
                            .help("remove one of the two"),
                        );
                    }
                    member.value.report_duplicates(problems);
                }
            }
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => {}
        }
    }
}

/// The error of a document that is too deep.
pub(super) fn too_deep(span: Range<usize>) -> Box<Problem> {
    Box::new(Problem::error(
        ProblemKind::Limit,
        span,
        format!("more than {MAX_DEPTH} lists and objects stand in each other"),
    ))
}
