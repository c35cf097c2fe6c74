//! Variables in the syntax of another client.

use serde_json::{Value, json};

use super::super::inputs::INPUT_VARIABLE_PREFIX;
use super::super::variables::{Piece, Variable, pieces};
use super::Dialect;

pub(super) struct Variables<'a> {
    pub(super) dialect: Dialect,
    pub(super) losses: Vec<String>,
    pub(super) inputs: &'a mut Vec<Value>,
}

impl Variables<'_> {
    pub(super) fn translate(&mut self, text: &str) -> String {
        // Our own form reads all the others.
        if self.dialect == Dialect::Toml {
            return text.to_owned();
        }
        pieces(text).iter().map(|piece| self.piece(text, piece)).collect()
    }

    fn piece(&mut self, text: &str, piece: &Piece<'_>) -> String {
        match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Escape => {
                self.lose(format!("{} has no way to write `${{` for itself", self.dialect.name()));
                "$${".to_owned()
            }
            Piece::Invalid(range, _) => text[range.clone()].to_owned(),
            Piece::Variable(variable) => match (variable.space, variable.name) {
                (None, name) if is_predefined(name) => self.predefined(name),
                (None | Some("env"), name) => self.environment(name, variable),
                (Some("input"), id) => self.input(id),
                (Some("runtime"), name) => self.token(name),
                _ => text[variable.range.clone()].to_owned(),
            },
        }
    }

    fn environment(&mut self, name: &str, variable: &Variable<'_>) -> String {
        match (self.dialect, &variable.default) {
            (Dialect::Claude | Dialect::Toml, None) => format!("${{{name}}}"),
            (Dialect::Claude | Dialect::Toml, Some(default)) => {
                if !default.if_empty {
                    self.lose(format!("the default of `{name}` is also taken where the variable is empty"));
                }
                let text: String =
                    default.pieces.iter().map(|piece| self.piece(default.text, piece)).collect();
                format!("${{{name}:-{text}}}")
            }
            (Dialect::VsCode | Dialect::Cursor, default) => {
                if default.is_some() {
                    self.lose(format!(
                        "the default of `{name}` has no place in files of {}",
                        self.dialect.name()
                    ));
                }
                format!("${{env:{name}}}")
            }
        }
    }

    fn predefined(&mut self, name: &str) -> String {
        if self.dialect == Dialect::Claude {
            if name == "userHome" {
                return "${HOME}".to_owned();
            }
            self.lose(format!(
                "`${{{name}}}` has no place in files of {}: write the path",
                self.dialect.name()
            ));
        }
        format!("${{{name}}}")
    }

    fn input(&mut self, id: &str) -> String {
        if self.dialect == Dialect::VsCode {
            return format!("${{input:{id}}}");
        }
        let id = id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
        let name: String = INPUT_VARIABLE_PREFIX.chars().chain(id).collect();
        self.lose(format!("nobody is asked for inputs there: set `{name}`"));
        if self.dialect == Dialect::Cursor { format!("${{env:{name}}}") } else { format!("${{{name}}}") }
    }

    fn token(&mut self, name: &str) -> String {
        match self.dialect {
            Dialect::VsCode => {
                self.lose(format!("the token `{name}` is asked for there, not fetched"));
                let input =
                    json!({ "type": "promptString", "id": name, "description": name, "password": true });
                if !self.inputs.contains(&input) {
                    self.inputs.push(input);
                }
                format!("${{input:{name}}}")
            }
            Dialect::Claude | Dialect::Cursor | Dialect::Toml => {
                let variable: String =
                    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
                self.lose(format!("the token `{name}` is not fetched there: set the variable `{variable}`"));
                if self.dialect == Dialect::Cursor {
                    format!("${{env:{variable}}}")
                } else {
                    format!("${{{variable}}}")
                }
            }
        }
    }

    fn lose(&mut self, what: String) {
        if !self.losses.contains(&what) {
            self.losses.push(what);
        }
    }
}

fn is_predefined(name: &str) -> bool {
    matches!(
        name,
        "workspaceFolder" | "workspaceRoot" | "workspaceFolderBasename" | "userHome" | "pathSeparator" | "/"
    )
}
