//! Expands `${…}` in one pass: the value of a variable is not expanded again.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

use super::inputs::{Answer, Found, Inputs};
use super::problem::{ProblemKind, Severity, did_you_mean};
use super::variables::{Fallback, Piece, Variable, pieces};
use crate::config::template::Part;
use crate::config::{Expanded, Secret};

/// The most bytes that one string may have after its variables were replaced.
pub const MAX_VALUE_SIZE: usize = 1 << 20;

/// The most bytes that all strings of a file may have together after their variables were replaced.
pub const MAX_EXPANDED_SIZE: usize = 16 << 20;

/// What variables stand for.
pub(super) struct Scope<'a> {
    pub(super) variables: &'a BTreeMap<String, OsString>,
    pub(super) inputs: &'a Inputs,
    pub(super) answer: &'a Answer<'a>,
    /// The names of the tokens that can be had at run time.
    pub(super) tokens: &'a [String],
    pub(super) workspace: PathBuf,
    /// Whether values that people give are not needed yet.
    pub(super) is_check: bool,
    /// Whether variables and tokens need no value either.
    pub(super) leaves_variables: bool,
    /// How many bytes may still be made.
    pub(super) left: Cell<usize>,
}

/// A string with its variables replaced.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    pub(super) parts: Vec<Part>,
    pub(super) has_variable: bool,
    /// Whether a password, or a variable whose name says that it is a secret, went in.
    pub(super) has_secret: bool,
    /// Whether a value is left out since nobody gave it yet.
    pub(super) is_open: bool,
}

/// Something wrong with a variable, and where in its string.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) severity: Severity,
    pub(super) kind: ProblemKind,
    pub(super) range: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Expansion {
    /// The value, if no token belongs to it.
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

    /// The value, shown as it was written.
    pub(super) fn shown_as(&self, written: &str) -> Option<Expanded> {
        let value = self.value()?;
        Some(if self.has_variable { Expanded::new(value, written) } else { Expanded::from(value) })
    }

    fn push(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Part::Text(Secret::new(text)));
        }
    }
}

impl Scope<'_> {
    /// The string with its variables replaced, and everything that is wrong with them.
    pub(super) fn expand(&self, text: &str) -> (Expansion, Vec<Fault>) {
        let (mut expansion, mut faults) = (Expansion::default(), Vec::new());
        self.append(&pieces(text), &mut expansion, &mut faults);
        let size = expansion.parts.iter().map(|part| match part {
            Part::Text(text) => text.expose().len(),
            Part::Token(_) => 0,
        });
        let size = size.sum::<usize>();
        let left = self.left.get();
        self.left.set(left.saturating_sub(size));
        if size > MAX_VALUE_SIZE || size > left {
            let (limit, what) = if size > left {
                (MAX_EXPANDED_SIZE, "all values together")
            } else {
                (MAX_VALUE_SIZE, "the value")
            };
            expansion.parts.clear();
            faults.push(Fault {
                severity: Severity::Error,
                kind: ProblemKind::Limit,
                range: 0..text.len(),
                message: format!("{what} would have more than {limit} bytes"),
                help: None,
            });
        }
        (expansion, faults)
    }

    fn append(&self, pieces: &[Piece<'_>], expansion: &mut Expansion, faults: &mut Vec<Fault>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => expansion.push(text),
                Piece::Escape => expansion.push("${"),
                Piece::Variable(variable) => {
                    expansion.has_variable = true;
                    self.variable(variable, expansion, faults);
                }
                Piece::Invalid(range, message) => faults.push(Fault {
                    severity: Severity::Error,
                    kind: ProblemKind::InvalidVariable,
                    range: range.clone(),
                    message: message.clone(),
                    help: Some("write `${NAME}`, or `$${` for the characters themselves".to_owned()),
                }),
            }
        }
    }

    fn variable(&self, variable: &Variable<'_>, expansion: &mut Expansion, faults: &mut Vec<Fault>) {
        let found = match variable.space {
            None => self
                .predefined(variable.name)
                .map_or_else(|| self.environment(variable), |value| Ok(Some(value))),
            Some("env") => self.environment(variable),
            Some("input") => return self.input(variable, expansion, faults),
            Some("runtime") => return self.token(variable, expansion, faults),
            Some(space) => Err(unknown_space(space, variable)),
        };
        match (found, &variable.default) {
            (Err(fault), _) => faults.push(fault),
            (Ok(Some(value)), Some(Fallback { if_empty: true, pieces, .. })) if value.is_empty() => {
                self.append(pieces, expansion, faults);
            }
            (Ok(Some(value)), _) => {
                expansion.has_secret |= sounds_secret(variable.name);
                expansion.push(&value);
            }
            (Ok(None), Some(default)) => self.append(&default.pieces, expansion, faults),
            (Ok(None), None) if self.leaves_variables => expansion.is_open = true,
            (Ok(None), None) => faults.push(self.unset(variable)),
        }
    }

    /// What editors define.
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

    /// The folder of the user.
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

    fn environment(&self, variable: &Variable<'_>) -> Result<Option<String>, Fault> {
        let Some(value) = self.get(variable.name) else { return Ok(None) };
        let value = value.to_str().ok_or_else(|| {
            let message = format!("the variable `{}` is not UTF-8", variable.name);
            Fault::error(ProblemKind::Unresolved, variable, message, None)
        })?;
        Ok(Some(value.to_owned()))
    }

    fn unset(&self, variable: &Variable<'_>) -> Fault {
        let name = variable.name;
        let near = did_you_mean(name, self.variables.keys().map(String::as_str));
        let message = format!("the variable `{name}` is not set{near}");
        let help = format!(
            "set it, give a default with `${{{name}:-…}}`, or write `${{runtime:{name}}}` for a token that a program fetches"
        );
        Fault::error(ProblemKind::Unresolved, variable, message, Some(help))
    }

    fn input(&self, variable: &Variable<'_>, expansion: &mut Expansion, faults: &mut Vec<Fault>) {
        let id = variable.name;
        match self.inputs.find(id, self.answer) {
            Found::Value(input, value) => {
                expansion.has_secret |= input.is_password;
                expansion.push(value.expose());
            }
            Found::NoAnswer(input) if self.is_check => {
                expansion.has_secret |= input.is_password;
                expansion.is_open = true;
            }
            Found::NoAnswer(input) => {
                if let Some(default) = &variable.default {
                    return self.append(&default.pieces, expansion, faults);
                }
                let help = format!("set {}, or run in a terminal to be asked", input.variable());
                let message = format!("there is no value for the input `{id}`");
                faults.push(Fault::error(ProblemKind::Unresolved, variable, message, Some(help)));
            }
            Found::NoOption(input) => {
                let message = format!("the value of the input `{id}` is none of its options");
                let help = format!("choose one of: {}", input.options.join(", "));
                faults.push(Fault::error(ProblemKind::InvalidValue, variable, message, Some(help)));
            }
            Found::Undeclared(near) => {
                let message = format!("there is no input `{id}`{near}");
                let help = "declare it in the list `inputs`".to_owned();
                faults.push(Fault::error(ProblemKind::Unresolved, variable, message, Some(help)));
            }
        }
    }

    fn token(&self, variable: &Variable<'_>, expansion: &mut Expansion, faults: &mut Vec<Fault>) {
        let name = variable.name;
        if variable.default.is_some() {
            let message = format!("the token `{name}` has a default, which would be sent instead of it");
            let help = format!("write `${{runtime:{name}}}`");
            faults.push(Fault::error(ProblemKind::InvalidVariable, variable, message, Some(help)));
        } else if self.leaves_variables || self.tokens.iter().any(|known| known == name) {
            expansion.has_secret = true;
            expansion.parts.push(Part::Token(name.to_owned()));
        } else {
            let near = did_you_mean(name, self.tokens.iter().map(String::as_str));
            let message = format!("there is no token `{name}`{near}");
            let help = "declare it under `tokens`, or give the program a provider of this name".to_owned();
            faults.push(Fault::error(ProblemKind::Unresolved, variable, message, Some(help)));
        }
    }
}

impl Fault {
    fn error(kind: ProblemKind, variable: &Variable<'_>, message: String, help: Option<String>) -> Self {
        Self { severity: Severity::Error, kind, range: variable.range.clone(), message, help }
    }
}

fn unknown_space(space: &str, variable: &Variable<'_>) -> Fault {
    const SPACES: [&str; 3] = ["env", "input", "runtime"];
    let near = did_you_mean(space, SPACES);
    let message = format!("nothing is known of `${{{space}:…}}`{near}");
    let help = "there is `env:`, `input:` and `runtime:`; a default is written `${NAME:-…}`".to_owned();
    Fault::error(ProblemKind::InvalidVariable, variable, message, Some(help))
}

/// Whether a variable of this name holds a secret, by all that is usual.
pub(super) fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "passw", "key", "credential", "bearer"].iter().any(|word| name.contains(word))
}
