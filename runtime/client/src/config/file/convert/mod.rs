//! Conversion of configuration files to the formats of other clients.

mod member;
mod toml_text;
mod variable;

use std::path::Path;

use serde_json::{Map, Value, json};

use super::grammar::{IGNORED, Transport, find_rule};
use super::node::Node;
use super::problem::{ConfigError, Severity};
use super::reader::Format;
use super::sections::Sections;
use super::{ConfigReader, grammar, json as json_text};
use variable::Translator;

/// A format that configuration files can be converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// `.vscode/mcp.json` of VS Code: `servers` and `inputs`.
    VsCode,
    /// `.mcp.json` of Claude Code: `mcpServers`, variables with defaults.
    Claude,
    /// `.cursor/mcp.json` of Cursor: `mcpServers`, variables as `${env:NAME}`.
    Cursor,
    /// Our own format, which can express everything.
    Toml,
}

impl Dialect {
    /// Returns the name of the client, or of the format.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::VsCode => "VS Code",
            Self::Claude => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Toml => "TOML",
        }
    }
}

/// A converted file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversion {
    /// The text of the file.
    pub text: String,
    /// What the format cannot express, or expresses differently, with one entry for each.
    pub losses: Vec<String>,
}

/// Converts the text of a file to the format of another client. Variables are translated but not expanded, so the result
/// contains no values from the environment.
///
/// # Errors
/// [`ConfigError`], if the file has syntax errors, or errors that do not depend on the environment.
///
/// ```
/// use toolwright_client::config::{Dialect, convert};
///
/// let text = r#"{"mcpServers": {"a": {"command": "x", "env": {"KEY": "${KEY}"}}}}"#;
/// let converted = convert(".mcp.json", text, Dialect::VsCode)?;
/// assert!(converted.text.contains(r#""KEY": "${env:KEY}""#), "{}", converted.text);
/// assert!(converted.losses.is_empty());
/// # Ok::<(), toolwright_client::config::ConfigError>(())
/// ```
pub fn convert(path: impl AsRef<Path>, text: &str, dialect: Dialect) -> Result<Conversion, ConfigError> {
    let path = path.as_ref();
    // Reports the errors that do not depend on the environment.
    let checked = ConfigReader::without_environment().check_only().keep_variables().read_text(path, text)?;
    let has_errors = checked.problems().iter().any(|problem| problem.severity == Severity::Error);
    if has_errors {
        checked.require_valid()?;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = Format::from_path(path);
    let Ok(root) = format.parse(text) else {
        // Unreachable: the same text was parsed above.
        return Ok(Conversion { text: String::new(), losses: Vec::new() });
    };
    let sections = Sections::find(&root, format.file_kind(), &mut Vec::new());
    let mut converter = Converter { dialect, losses: Vec::new(), inputs: Vec::new() };
    let mut servers = Map::new();
    for entry in &sections.servers {
        if let Some(server) = converter.convert_server(entry.name, &entry.node) {
            servers.insert(entry.name.to_owned(), server);
        }
    }
    let file = converter.build_file(&sections, servers);
    if format != Format::Json && has_comment_lines(text)
        || format == Format::Json && json_text::has_comments(text)
    {
        converter.losses.push("comments are not kept".to_owned());
    }
    let text = match dialect {
        Dialect::Toml => toml_text::format_file(&file, &mut converter.losses),
        Dialect::VsCode | Dialect::Claude | Dialect::Cursor => format!("{file:#}\n"),
    };
    Ok(Conversion { text, losses: converter.losses })
}

/// Whether a text in TOML or YAML has comment lines.
fn has_comment_lines(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('#'))
}

struct Converter {
    dialect: Dialect,
    losses: Vec<String>,
    /// Inputs that replace tokens.
    inputs: Vec<Value>,
}

impl Converter {
    /// Builds the file from its converted servers.
    fn build_file(&mut self, sections: &Sections<'_>, servers: Map<String, Value>) -> Value {
        let mut inputs: Vec<Value> = match sections.inputs.map(Node::to_json) {
            Some(Value::Array(inputs)) => inputs,
            _ => Vec::new(),
        };
        inputs.append(&mut self.inputs);
        let mut file = Map::new();
        match self.dialect {
            Dialect::VsCode | Dialect::Toml => {
                if !inputs.is_empty() {
                    file.insert("inputs".to_owned(), inputs.into());
                }
                file.insert("servers".to_owned(), servers.into());
            }
            Dialect::Claude | Dialect::Cursor => {
                file.insert("mcpServers".to_owned(), servers.into());
            }
        }
        if let Some(tokens) = sections.tokens {
            if self.dialect == Dialect::Toml {
                file.insert("tokens".to_owned(), tokens.to_json());
            } else {
                self.losses.push(format!("{} does not support `tokens`", self.dialect.name()));
            }
        }
        Value::Object(file)
    }

    /// Converts a server; returns `None` if the client does not support it.
    fn convert_server(&mut self, name: &str, node: &Node) -> Option<Value> {
        let transport = transport_of(node);
        if self.dialect != Dialect::Toml {
            let client = self.dialect.name();
            if is_disabled(node) {
                self.report_loss(name, &format!("{client} does not support disabled servers: it is omitted"));
                return None;
            }
            if transport == Transport::WebSocket {
                self.report_loss(name, &format!("{client} does not support WebSockets: it is omitted"));
                return None;
            }
        }
        let mut server = Map::new();
        let has_type = node
            .members()?
            .iter()
            .any(|member| find_rule(&member.name).is_some_and(|rule| rule.name == "type"));
        if has_type || self.dialect == Dialect::VsCode {
            server.insert("type".to_owned(), transport.name().into());
        }
        for member in node.members()? {
            match find_rule(&member.name) {
                Some(rule) => self.convert_member(name, rule, node, member, &mut server),
                None if IGNORED.contains(&member.name.as_str()) => {}
                None => self.report_loss(name, &format!("unknown member `{}`", member.name)),
            }
        }
        Some(server.into())
    }

    fn translator(&mut self) -> Translator<'_> {
        Translator { dialect: self.dialect, losses: Vec::new(), inputs: &mut self.inputs }
    }

    /// Converts a value to JSON, with its variables in the syntax of the dialect.
    fn translate(&mut self, server: &str, node: &Node) -> Value {
        let mut translator = self.translator();
        let value = node.to_json_with(&mut |text, _| translator.translate(text));
        let losses = std::mem::take(&mut translator.losses);
        for loss in losses {
            self.report_loss(server, &loss);
        }
        value
    }

    fn report_loss(&mut self, server: &str, loss: &str) {
        let loss = format!("server {server:?}: {loss}");
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }
}

fn find<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let rule = grammar::rule_named(name)?;
    let mut members = node.members()?.iter();
    members.find(|member| find_rule(&member.name) == Some(rule)).map(|member| &member.value)
}

fn transport_of(node: &Node) -> Transport {
    if let Some(transport) = find(node, "type").and_then(Node::as_str).and_then(Transport::from_name) {
        return transport;
    }
    match find(node, "url").and_then(Node::as_str) {
        None => Transport::Stdio,
        Some(url) if url.starts_with("ws://") || url.starts_with("wss://") => Transport::WebSocket,
        Some(_) => Transport::Http,
    }
}

fn is_disabled(node: &Node) -> bool {
    let has = |name: &str, value: bool| find(node, name).is_some_and(|node| node.to_json() == json!(value));
    has("disabled", true) || has("enabled", false)
}
