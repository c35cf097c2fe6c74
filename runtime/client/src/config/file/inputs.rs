//! `inputs`: values that are asked for.

use std::cell::RefCell;
use std::collections::HashMap;

use super::node::{Data, Node};
use super::problem::{Problem, ProblemKind, Severity, did_you_mean};
use crate::config::Secret;

/// What stands in front of the id of an input, in capitals and with `_`, in the environment variable that answers it.
pub const INPUT_VARIABLE_PREFIX: &str = "MCP_INPUT_";

/// A value that a file asks for: `${input:ID}`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Input {
    /// What it is called in the file.
    pub id: String,
    /// What to ask.
    pub description: Option<String>,
    /// Whether it is typed unseen.
    pub is_password: bool,
    /// What there is to choose from; empty: any text.
    pub options: Vec<String>,
    /// The value if there is no answer.
    pub default: Option<Secret>,
}

impl Input {
    /// The environment variable that answers it: `MCP_INPUT_API_KEY` for `api-key`.
    pub fn variable(&self) -> String {
        let id =
            self.id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
        INPUT_VARIABLE_PREFIX.chars().chain(id).collect()
    }
}

/// Where values come from: asked once each.
pub(super) type Answer<'a> = dyn Fn(&Input) -> Option<Secret> + 'a;

/// The inputs of a file and the answers so far.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    declared: Vec<Input>,
    answers: RefCell<HashMap<String, Option<Secret>>>,
}

/// What became of an input.
pub(super) enum Found<'a> {
    Value(&'a Input, Secret),
    NoAnswer(&'a Input),
    /// The answer is none of the options.
    NoOption(&'a Input),
    Undeclared(String),
}

impl Inputs {
    /// Reads the list. What is wrong with one leaves the others as they are.
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Self {
        let mut inputs = Self::default();
        let Data::List(items) = &node.data else {
            let message = format!("`inputs` must be a list of objects, not {}", node.kind());
            problems.push(Problem::error(ProblemKind::WrongType, node.span.clone(), message));
            return inputs;
        };
        for item in items {
            match read_one(item, problems) {
                Ok(input) if inputs.declared.iter().any(|known| known.id == input.id) => {
                    let message = format!("the input `{}` appears twice", input.id);
                    problems.push(Problem::error(ProblemKind::Duplicate, item.span.clone(), message));
                }
                Ok(input) => inputs.declared.push(input),
                Err(problem) => problems.push(*problem),
            }
        }
        inputs
    }

    pub(super) fn find(&self, id: &str, answer: &Answer<'_>) -> Found<'_> {
        let Some(input) = self.declared.iter().find(|input| input.id == id) else {
            return Found::Undeclared(did_you_mean(id, self.declared.iter().map(|input| input.id.as_str())));
        };
        let asked = self.answers.borrow().get(id).cloned();
        let value = asked.unwrap_or_else(|| {
            let value = answer(input);
            self.answers.borrow_mut().insert(id.to_owned(), value.clone());
            value
        });
        match value.or_else(|| input.default.clone()) {
            None => Found::NoAnswer(input),
            Some(value) if input.options.is_empty() || input.options.iter().any(|o| o == value.expose()) => {
                Found::Value(input, value)
            }
            Some(_) => Found::NoOption(input),
        }
    }
}

fn read_one(item: &Node, problems: &mut Vec<Problem>) -> Result<Input, Box<Problem>> {
    const KNOWN: [&str; 8] =
        ["type", "id", "description", "default", "password", "options", "command", "args"];
    let error =
        |kind, node: &Node, message: String| Box::new(Problem::error(kind, node.span.clone(), message));
    let members = item.members().ok_or_else(|| {
        error(ProblemKind::WrongType, item, format!("an input must be an object, not {}", item.kind()))
    })?;
    for member in members.iter().filter(|member| !KNOWN.contains(&member.name.as_str())) {
        let near = did_you_mean(&member.name, KNOWN);
        let message = format!("unknown member `{}` of an input{near}", member.name);
        problems.push(Problem::new(
            Severity::Warning,
            ProblemKind::UnknownMember,
            member.name_span.clone(),
            message,
        ));
    }
    let text = |name: &str| match item.member(name).map(|member| &member.value) {
        None => Ok(None),
        Some(value) => value.text().map(|text| Some(text.to_owned())).ok_or_else(|| {
            error(ProblemKind::WrongType, value, format!("`{name}` must be a string, not {}", value.kind()))
        }),
    };
    let id = text("id")?
        .filter(|id| !id.is_empty())
        .ok_or_else(|| error(ProblemKind::Missing, item, "an input needs an `id`".to_owned()))?;
    let kind = text("type")?;
    if let Some(kind) = kind.filter(|kind| !["promptString", "pickString"].contains(&kind.as_str())) {
        let message =
            format!("the input `{id}` has the type `{kind}`; only promptString and pickString are supported");
        return Err(error(ProblemKind::Unsupported, item, message));
    }
    let options = match item.member("options").map(|member| &member.value) {
        None => Vec::new(),
        Some(Node { data: Data::List(options), .. }) => options.iter().filter_map(option).collect(),
        Some(other) => {
            let message = format!("`options` must be a list, not {}", other.kind());
            return Err(error(ProblemKind::WrongType, other, message));
        }
    };
    let is_password =
        item.member("password").is_some_and(|member| matches!(member.value.data, Data::Bool(true)));
    let default = text("default")?.map(Secret::new);
    Ok(Input { id, description: text("description")?, is_password, options, default })
}

/// A string, or an object with a label and a value.
fn option(node: &Node) -> Option<String> {
    node.text().or_else(|| node.member("value")?.value.text()).map(str::to_owned)
}
