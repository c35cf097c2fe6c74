//! Translation of variables to the syntax of another client.

use serde_json::{Value, json};

use super::super::inputs::INPUT_VARIABLE_PREFIX;
use super::super::variables::{self, Piece, Variable};
use super::Dialect;

/// Translates the variables in strings.
pub(super) struct Translator<'a> {
    pub(super) dialect: Dialect,
    pub(super) losses: Vec<String>,
    pub(super) inputs: &'a mut Vec<Value>,
}

impl Translator<'_> {
    pub(super) fn translate(&mut self, text: &str) -> String {
        // Our own format supports the syntax of all others.
        if self.dialect == Dialect::Toml {
            return text.to_owned();
        }
        variables::parse(text).iter().map(|piece| self.translate_piece(text, piece)).collect()
    }

    fn translate_piece(&mut self, text: &str, piece: &Piece<'_>) -> String {
        match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Escape => {
                self.report_loss(format!("{} has no escape for a literal `${{`", self.dialect.name()));
                "$${".to_owned()
            }
            Piece::Invalid(range, _) => text[range.clone()].to_owned(),
            Piece::Variable(variable) => match (variable.namespace, variable.name) {
                (None, name) if is_predefined(name) => self.translate_predefined(name),
                (None | Some("env"), name) => self.translate_environment(name, variable),
                (Some("input"), id) => self.translate_input(id),
                (Some("runtime"), name) => self.translate_token(name),
                _ => text[variable.range.clone()].to_owned(),
            },
        }
    }

    fn translate_environment(&mut self, name: &str, variable: &Variable<'_>) -> String {
        match (self.dialect, &variable.default) {
            (Dialect::Claude | Dialect::Toml, None) => format!("${{{name}}}"),
            (Dialect::Claude | Dialect::Toml, Some(default)) => {
                if !default.if_empty {
                    self.report_loss(format!("the default of `{name}` also replaces an empty value"));
                }
                let text: String =
                    default.pieces.iter().map(|piece| self.translate_piece(default.text, piece)).collect();
                format!("${{{name}:-{text}}}")
            }
            (Dialect::VsCode | Dialect::Cursor, default) => {
                if default.is_some() {
                    self.report_loss(format!(
                        "{} does not support the default of `{name}`",
                        self.dialect.name()
                    ));
                }
                format!("${{env:{name}}}")
            }
        }
    }

    fn translate_predefined(&mut self, name: &str) -> String {
        if self.dialect == Dialect::Claude {
            if name == "userHome" {
                return "${HOME}".to_owned();
            }
            self.report_loss(format!(
                "{} does not support `${{{name}}}`: write the path",
                self.dialect.name()
            ));
        }
        format!("${{{name}}}")
    }

    fn translate_input(&mut self, id: &str) -> String {
        if self.dialect == Dialect::VsCode {
            return format!("${{input:{id}}}");
        }
        let id = id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
        let name: String = INPUT_VARIABLE_PREFIX.chars().chain(id).collect();
        self.report_loss(format!("{} does not prompt for inputs: set `{name}`", self.dialect.name()));
        if self.dialect == Dialect::Cursor { format!("${{env:{name}}}") } else { format!("${{{name}}}") }
    }

    fn translate_token(&mut self, name: &str) -> String {
        match self.dialect {
            Dialect::VsCode => {
                self.report_loss(format!(
                    "{} prompts for the token `{name}` instead of fetching it",
                    self.dialect.name()
                ));
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
                self.report_loss(format!(
                    "{} does not fetch the token `{name}`: set the variable `{variable}`",
                    self.dialect.name()
                ));
                if self.dialect == Dialect::Cursor {
                    format!("${{env:{variable}}}")
                } else {
                    format!("${{{variable}}}")
                }
            }
        }
    }

    fn report_loss(&mut self, loss: String) {
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }
}

fn is_predefined(name: &str) -> bool {
    matches!(
        name,
        "workspaceFolder" | "workspaceRoot" | "workspaceFolderBasename" | "userHome" | "pathSeparator" | "/"
    )
}
