//! `inputs`: values that the user provides.

use std::cell::RefCell;
use std::collections::HashMap;

use super::node::{Data, Node};
use super::problem::{Problem, ProblemKind, Severity, did_you_mean};
use crate::config::Secret;

/// The prefix of the environment variables of inputs; the ID follows in capitals, with `_` for other characters.
pub const INPUT_VARIABLE_PREFIX: &str = "MCP_INPUT_";

/// A value that the user provides: `${input:ID}`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Input {
    /// The ID in the file.
    pub id: String,
    /// The text of the prompt.
    pub description: Option<String>,
    /// Whether the input is hidden while typing.
    pub is_password: bool,
    /// The options to choose from; if empty, any text is allowed.
    pub options: Vec<String>,
    /// The value if the user provides none.
    pub default: Option<Secret>,
}

impl Input {
    /// Returns the environment variable that provides the value: `MCP_INPUT_API_KEY` for `api-key`.
    pub fn variable(&self) -> String {
        let id =
            self.id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
        INPUT_VARIABLE_PREFIX.chars().chain(id).collect()
    }
}

/// Obtains the value of an input; called once for each.
pub(super) type GetInput<'a> = dyn Fn(&Input) -> Option<Secret> + 'a;

/// The inputs of a file, and the values obtained so far.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    declared: Vec<Input>,
    values: RefCell<HashMap<String, Option<Secret>>>,
}

/// The result of looking up an input.
pub(super) enum InputLookup<'a> {
    Value(&'a Input, Secret),
    NoValue(&'a Input),
    /// The value is not one of the options.
    InvalidOption(&'a Input),
    /// The input is not declared; has the suggestion of a similar ID.
    Undeclared(String),
}

impl Inputs {
    /// Reads the list, without the inputs that are invalid.
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Self {
        let mut inputs = Self::default();
        let Data::Array(items) = &node.data else {
            let message = format!("`inputs` must be a list of objects, not {}", node.type_name());
            problems.push(Problem::error(ProblemKind::WrongType, node.span.clone(), message));
            return inputs;
        };
        for item in items {
            match read_input(item, problems) {
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

    pub(super) fn look_up(&self, id: &str, get_input: &GetInput<'_>) -> InputLookup<'_> {
        let Some(input) = self.declared.iter().find(|input| input.id == id) else {
            let ids = self.declared.iter().map(|input| input.id.as_str());
            return InputLookup::Undeclared(did_you_mean(id, ids));
        };
        let known = self.values.borrow().get(id).cloned();
        let value = known.unwrap_or_else(|| {
            let value = get_input(input);
            self.values.borrow_mut().insert(id.to_owned(), value.clone());
            value
        });
        match value.or_else(|| input.default.clone()) {
            None => InputLookup::NoValue(input),
            Some(value) if input.options.is_empty() || input.options.iter().any(|o| o == value.expose()) => {
                InputLookup::Value(input, value)
            }
            Some(_) => InputLookup::InvalidOption(input),
        }
    }
}

fn read_input(item: &Node, problems: &mut Vec<Problem>) -> Result<Input, Box<Problem>> {
    const KNOWN: [&str; 8] =
        ["type", "id", "description", "default", "password", "options", "command", "args"];
    let error =
        |kind, node: &Node, message: String| Box::new(Problem::error(kind, node.span.clone(), message));
    let members = item.members().ok_or_else(|| {
        error(ProblemKind::WrongType, item, format!("an input must be an object, not {}", item.type_name()))
    })?;
    for member in members.iter().filter(|member| !KNOWN.contains(&member.name.as_str())) {
        let suggestion = did_you_mean(&member.name, KNOWN);
        let message = format!("unknown member `{}` of an input{suggestion}", member.name);
        problems.push(Problem::new(
            Severity::Warning,
            ProblemKind::UnknownMember,
            member.name_span.clone(),
            message,
        ));
    }
    let text = |name: &str| match item.member(name).map(|member| &member.value) {
        None => Ok(None),
        Some(value) => value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| {
            error(
                ProblemKind::WrongType,
                value,
                format!("`{name}` must be a string, not {}", value.type_name()),
            )
        }),
    };
    let id = text("id")?
        .filter(|id| !id.is_empty())
        .ok_or_else(|| error(ProblemKind::Missing, item, "an input needs an `id`".to_owned()))?;
    let input_type = text("type")?;
    if let Some(unsupported) =
        input_type.filter(|name| !["promptString", "pickString"].contains(&name.as_str()))
    {
        let message = format!(
            "the input `{id}` has the type `{unsupported}`; only promptString and pickString are supported"
        );
        return Err(error(ProblemKind::Unsupported, item, message));
    }
    let options = match item.member("options").map(|member| &member.value) {
        None => Vec::new(),
        Some(Node { data: Data::Array(options), .. }) => options.iter().filter_map(read_option).collect(),
        Some(other) => {
            let message = format!("`options` must be a list, not {}", other.type_name());
            return Err(error(ProblemKind::WrongType, other, message));
        }
    };
    let is_password =
        item.member("password").is_some_and(|member| matches!(member.value.data, Data::Bool(true)));
    let default = text("default")?.map(Secret::new);
    Ok(Input { id, description: text("description")?, is_password, options, default })
}

/// Reads an option: a string, or an object with a label and a value.
fn read_option(node: &Node) -> Option<String> {
    node.as_str().or_else(|| node.member("value")?.value.as_str()).map(str::to_owned)
}
