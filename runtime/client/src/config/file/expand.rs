//! Expansion of variables in strings, in a single pass: values are not expanded again.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

use super::inputs::{GetInput, InputLookup, Inputs};
use super::problem::{ProblemKind, Severity, did_you_mean};
use super::variables::{self, DefaultValue, Piece, Variable};
use crate::config::template::Part;
use crate::config::{Expanded, Secret};

/// The maximum size of a string after expansion, in bytes.
pub const MAX_VALUE_SIZE: usize = 1 << 20;

/// The maximum total size of the strings of a file after expansion, in bytes.
pub const MAX_EXPANDED_SIZE: usize = 16 << 20;

/// The values of variables, inputs and tokens.
pub(super) struct Scope<'a> {
    pub(super) variables: &'a BTreeMap<String, OsString>,
    pub(super) inputs: &'a Inputs,
    pub(super) get_input: &'a GetInput<'a>,
    /// The names of the tokens that are available at run time.
    pub(super) tokens: &'a [String],
    pub(super) workspace: PathBuf,
    /// Whether inputs need no values.
    pub(super) is_check_only: bool,
    /// Whether variables and tokens need no values either.
    pub(super) keeps_variables: bool,
    /// The number of bytes that expansions may still produce.
    pub(super) remaining_bytes: Cell<usize>,
}

/// An expanded string.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    pub(super) parts: Vec<Part>,
    pub(super) has_variable: bool,
    /// Whether it contains a password, a token, or a variable whose name suggests a secret.
    pub(super) has_secret: bool,
    /// Whether a value is missing that is not needed yet.
    pub(super) is_incomplete: bool,
}

/// A problem with a variable, and its range in the string.
#[derive(Debug)]
pub(super) struct VariableProblem {
    pub(super) severity: Severity,
    pub(super) kind: ProblemKind,
    pub(super) range: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Expansion {
    /// Returns the value if it contains no tokens.
    pub(super) fn value(&self) -> Option<String> {
        let mut value = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => value.push_str(text.expose()),
                Part::Token(_) => return None,
            }
        }
        Some(value)
    }

    /// Returns the value if it contains no tokens; it is displayed unexpanded.
    pub(super) fn displayed_as(&self, unexpanded: &str) -> Option<Expanded> {
        let value = self.value()?;
        Some(if self.has_variable { Expanded::new(value, unexpanded) } else { Expanded::from(value) })
    }

    fn push(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Part::Text(Secret::new(text)));
        }
    }
}

impl Scope<'_> {
    /// Expands a string, and returns the problems of its variables.
    pub(super) fn expand(&self, text: &str) -> (Expansion, Vec<VariableProblem>) {
        let (mut expansion, mut problems) = (Expansion::default(), Vec::new());
        self.append(&variables::parse(text), &mut expansion, &mut problems);
        let size = expansion.parts.iter().map(|part| match part {
            Part::Text(text) => text.expose().len(),
            Part::Token(_) => 0,
        });
        let size = size.sum::<usize>();
        let remaining = self.remaining_bytes.get();
        self.remaining_bytes.set(remaining.saturating_sub(size));
        if size > MAX_VALUE_SIZE || size > remaining {
            let (limit, what) = if size > remaining {
                (MAX_EXPANDED_SIZE, "all values together")
            } else {
                (MAX_VALUE_SIZE, "the value")
            };
            expansion.parts.clear();
            problems.push(VariableProblem {
                severity: Severity::Error,
                kind: ProblemKind::Limit,
                range: 0..text.len(),
                message: format!("{what} would be larger than {limit} bytes"),
                help: None,
            });
        }
        (expansion, problems)
    }

    fn append(&self, pieces: &[Piece<'_>], expansion: &mut Expansion, problems: &mut Vec<VariableProblem>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => expansion.push(text),
                Piece::Escape => expansion.push("${"),
                Piece::Variable(variable) => {
                    expansion.has_variable = true;
                    self.expand_variable(variable, expansion, problems);
                }
                Piece::Invalid(range, message) => problems.push(VariableProblem {
                    severity: Severity::Error,
                    kind: ProblemKind::InvalidVariable,
                    range: range.clone(),
                    message: message.clone(),
                    help: Some("write `${NAME}`, or `$${` for a literal `${`".to_owned()),
                }),
            }
        }
    }

    fn expand_variable(
        &self,
        variable: &Variable<'_>,
        expansion: &mut Expansion,
        problems: &mut Vec<VariableProblem>,
    ) {
        let value = match variable.namespace {
            None => self
                .predefined(variable.name)
                .map_or_else(|| self.environment(variable), |value| Ok(Some(value))),
            Some("env") => self.environment(variable),
            Some("input") => return self.expand_input(variable, expansion, problems),
            Some("runtime") => return self.expand_token(variable, expansion, problems),
            Some(namespace) => Err(unknown_namespace(namespace, variable)),
        };
        match (value, &variable.default) {
            (Err(problem), _) => problems.push(problem),
            (Ok(Some(value)), Some(DefaultValue { if_empty: true, pieces, .. })) if value.is_empty() => {
                self.append(pieces, expansion, problems);
            }
            (Ok(Some(value)), _) => {
                expansion.has_secret |= looks_secret(variable.name);
                expansion.push(&value);
            }
            (Ok(None), Some(default)) => self.append(&default.pieces, expansion, problems),
            (Ok(None), None) if self.keeps_variables => expansion.is_incomplete = true,
            (Ok(None), None) => problems.push(self.unset(variable)),
        }
    }

    /// Returns the value of a variable that editors define.
    fn predefined(&self, name: &str) -> Option<String> {
        let path = |path: PathBuf| Some(path.to_string_lossy().into_owned());
        match name {
            "workspaceFolder" | "workspaceRoot" => path(self.workspace.clone()),
            "workspaceFolderBasename" => {
                Some(self.workspace.file_name().unwrap_or_default().to_string_lossy().into_owned())
            }
            "userHome" => path(self.home()?),
            "pathSeparator" | "/" => Some(std::path::MAIN_SEPARATOR_STR.to_owned()),
            _ => None,
        }
    }

    /// Returns the home directory of the user.
    pub(super) fn home(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        self.get(name).filter(|home| !home.is_empty()).map(PathBuf::from)
    }

    fn get(&self, name: &str) -> Option<&OsString> {
        let exact = self.variables.get(name);
        if exact.is_some() || !cfg!(windows) {
            return exact;
        }
        self.variables.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn environment(&self, variable: &Variable<'_>) -> Result<Option<String>, VariableProblem> {
        let Some(value) = self.get(variable.name) else { return Ok(None) };
        let value = value.to_str().ok_or_else(|| {
            let message = format!("the variable `{}` is not UTF-8", variable.name);
            VariableProblem::error(ProblemKind::Unresolved, variable, message, None)
        })?;
        Ok(Some(value.to_owned()))
    }

    fn unset(&self, variable: &Variable<'_>) -> VariableProblem {
        let name = variable.name;
        let suggestion = did_you_mean(name, self.variables.keys().map(String::as_str));
        let message = format!("the variable `{name}` is not set{suggestion}");
        let help = format!(
            "set it, add a default with `${{{name}:-…}}`, or write `${{runtime:{name}}}` for a token that a program fetches"
        );
        VariableProblem::error(ProblemKind::Unresolved, variable, message, Some(help))
    }

    fn expand_input(
        &self,
        variable: &Variable<'_>,
        expansion: &mut Expansion,
        problems: &mut Vec<VariableProblem>,
    ) {
        let id = variable.name;
        match self.inputs.look_up(id, self.get_input) {
            InputLookup::Value(input, value) => {
                expansion.has_secret |= input.is_password;
                expansion.push(value.expose());
            }
            InputLookup::NoValue(input) if self.is_check_only => {
                expansion.has_secret |= input.is_password;
                expansion.is_incomplete = true;
            }
            InputLookup::NoValue(input) => {
                if let Some(default) = &variable.default {
                    return self.append(&default.pieces, expansion, problems);
                }
                let help = format!("set {}, or run in a terminal to be prompted", input.variable());
                let message = format!("the input `{id}` has no value");
                problems.push(VariableProblem::error(ProblemKind::Unresolved, variable, message, Some(help)));
            }
            InputLookup::InvalidOption(input) => {
                let message = format!("the value of the input `{id}` is not one of its options");
                let help = format!("choose one of: {}", input.options.join(", "));
                problems.push(VariableProblem::error(
                    ProblemKind::InvalidValue,
                    variable,
                    message,
                    Some(help),
                ));
            }
            InputLookup::Undeclared(suggestion) => {
                let message = format!("unknown input `{id}`{suggestion}");
                let help = "declare it in `inputs`".to_owned();
                problems.push(VariableProblem::error(ProblemKind::Unresolved, variable, message, Some(help)));
            }
        }
    }

    fn expand_token(
        &self,
        variable: &Variable<'_>,
        expansion: &mut Expansion,
        problems: &mut Vec<VariableProblem>,
    ) {
        let name = variable.name;
        if variable.default.is_some() {
            let message = format!("the token `{name}` has a default, which would be sent instead of it");
            let help = format!("write `${{runtime:{name}}}`");
            problems.push(VariableProblem::error(
                ProblemKind::InvalidVariable,
                variable,
                message,
                Some(help),
            ));
        } else if self.keeps_variables || self.tokens.iter().any(|known| known == name) {
            expansion.has_secret = true;
            expansion.parts.push(Part::Token(name.to_owned()));
        } else {
            let suggestion = did_you_mean(name, self.tokens.iter().map(String::as_str));
            let message = format!("unknown token `{name}`{suggestion}");
            let help =
                "declare it under `tokens`, or add a provider with this name to the program".to_owned();
            problems.push(VariableProblem::error(ProblemKind::Unresolved, variable, message, Some(help)));
        }
    }
}

impl VariableProblem {
    fn error(kind: ProblemKind, variable: &Variable<'_>, message: String, help: Option<String>) -> Self {
        Self { severity: Severity::Error, kind, range: variable.range.clone(), message, help }
    }
}

fn unknown_namespace(namespace: &str, variable: &Variable<'_>) -> VariableProblem {
    const NAMESPACES: [&str; 3] = ["env", "input", "runtime"];
    let suggestion = did_you_mean(namespace, NAMESPACES);
    let message = format!("unknown prefix in `${{{namespace}:…}}`{suggestion}");
    let help = "use `env:`, `input:` or `runtime:`; a default is written `${NAME:-…}`".to_owned();
    VariableProblem::error(ProblemKind::InvalidVariable, variable, message, Some(help))
}

/// Whether the name of a variable or member suggests a secret.
pub(super) fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "passw", "key", "credential", "bearer"].iter().any(|word| name.contains(word))
}
