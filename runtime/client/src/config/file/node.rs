//! Parsed documents of any format, as a tree whose nodes have their positions.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Number, Value};

use super::problem::{Problem, ProblemKind};

/// The maximum nesting of lists and objects.
pub(super) const MAX_DEPTH: usize = 64;

/// A value and its range in the document, in bytes.
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
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
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
            Data::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members()?.iter().find(|member| member.name == name)
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the type of the value for messages, with its article.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::String(_) => "a string",
            Data::Array(_) => "a list",
            Data::Object(_) => "an object",
        }
    }

    /// Converts the value to JSON, and each string with `map_string`.
    pub(super) fn to_json_with(&self, map_string: &mut impl FnMut(&str, &Range<usize>) -> String) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::Number(number.clone()),
            Data::String(value) => Value::String(map_string(value, &self.span)),
            Data::Array(items) => items.iter().map(|item| item.to_json_with(map_string)).collect(),
            Data::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.name.clone(), member.value.to_json_with(map_string)))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Converts the value to JSON, with strings unchanged.
    pub(super) fn to_json(&self) -> Value {
        self.to_json_with(&mut |text, _| text.to_owned())
    }

    /// Reports duplicate members, of which parsers may use different ones.
    pub(super) fn report_duplicates(&self, problems: &mut Vec<Problem>) {
        match &self.data {
            Data::Array(items) => items.iter().for_each(|item| item.report_duplicates(problems)),
            Data::Object(members) => {
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
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::String(_) => {}
        }
    }
}

/// Returns the error for a document that is nested too deeply.
pub(super) fn nesting_error(span: Range<usize>) -> Box<Problem> {
    Box::new(Problem::error(
        ProblemKind::Limit,
        span,
        format!("lists and objects are nested more than {MAX_DEPTH} levels deep"),
    ))
}
