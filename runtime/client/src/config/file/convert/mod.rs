//! A configuration file in the form of another client.

mod member;
mod toml_text;
mod variable;

use std::path::Path;

use serde_json::{Map, Value, json};

use super::grammar::{OTHERS, Transport, rule_of};
use super::layout::Document;
use super::node::Node;
use super::problem::{ConfigError, Severity};
use super::reader::Format;
use super::{ConfigReader, grammar, json as json_text};
use variable::Variables;

/// What a configuration file can be converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// `.vscode/mcp.json` of VS Code: `servers` and `inputs`.
    VsCode,
    /// `.mcp.json` of Claude Code: `mcpServers`, variables with defaults.
    Claude,
    /// `.cursor/mcp.json` of Cursor: `mcpServers`, variables as `${env:NAME}`.
    Cursor,
    /// Our own form, which holds everything.
    Toml,
}

impl Dialect {
    /// As messages call it.
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
    /// The file.
    pub text: String,
    /// What it cannot express, or expresses differently: one per line.
    pub losses: Vec<String>,
}

/// The text of a file in the form of another client. Variables stay variables: nothing is looked up, and no value is
/// written that was not in the file.
///
/// # Errors
/// [`ConfigError`] where the file cannot be read, or something about its servers is wrong regardless of the environment.
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
    // What is wrong with the file is reported as usual; what depends on the environment is not asked for.
    let checked = ConfigReader::without_environment().check_only().leave_variables().read_text(path, text)?;
    let is_wrong = checked.problems().iter().any(|problem| problem.severity == Severity::Error);
    if is_wrong {
        checked.complete()?;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = Format::of(path);
    let Ok(root) = format.parse(text) else {
        // It was parsed a moment ago.
        return Ok(Conversion { text: String::new(), losses: Vec::new() });
    };
    let document = Document::of(&root, format.home(), &mut Vec::new());
    let mut converter = Converter { dialect, losses: Vec::new(), inputs: Vec::new() };
    let mut servers = Map::new();
    for named in &document.entries {
        if let Some(server) = converter.server(named.name, &named.node) {
            servers.insert(named.name.to_owned(), server);
        }
    }
    let file = converter.file(&document, servers);
    if format != Format::Json && has_comment_lines(text)
        || format == Format::Json && json_text::has_comments(text)
    {
        converter.losses.push("comments are not kept".to_owned());
    }
    let text = match dialect {
        Dialect::Toml => toml_text::write(&file, &mut converter.losses),
        Dialect::VsCode | Dialect::Claude | Dialect::Cursor => format!("{file:#}\n"),
    };
    Ok(Conversion { text, losses: converter.losses })
}

/// Lines of TOML and YAML that are comments.
fn has_comment_lines(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('#'))
}

struct Converter {
    dialect: Dialect,
    losses: Vec<String>,
    /// Inputs that take the place of something else.
    inputs: Vec<Value>,
}

impl Converter {
    /// The whole file.
    fn file(&mut self, document: &Document<'_>, servers: Map<String, Value>) -> Value {
        let mut inputs: Vec<Value> = match document.inputs.map(Node::plain_json) {
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
        if let Some(tokens) = document.tokens {
            if self.dialect == Dialect::Toml {
                file.insert("tokens".to_owned(), tokens.plain_json());
            } else {
                self.losses.push(format!("`tokens` has no place in files of {}", self.dialect.name()));
            }
        }
        Value::Object(file)
    }

    /// A server, or nothing if the client would take it for another one than it is.
    fn server(&mut self, name: &str, node: &Node) -> Option<Value> {
        let transport = transport_of(node);
        if self.dialect != Dialect::Toml {
            if is_switched_off(node) {
                self.lose(name, "it is switched off, which has no place there: it is left out");
                return None;
            }
            if transport == Transport::WebSocket {
                self.lose(name, "there are no WebSockets there: it is left out");
                return None;
            }
        }
        let mut server = Map::new();
        let has_type = node
            .members()?
            .iter()
            .any(|member| rule_of(&member.name).is_some_and(|rule| rule.name == "type"));
        if has_type || self.dialect == Dialect::VsCode {
            server.insert("type".to_owned(), transport.name().into());
        }
        for member in node.members()? {
            match rule_of(&member.name) {
                Some(rule) => self.member(name, rule, node, member, &mut server),
                None if OTHERS.contains(&member.name.as_str()) => {}
                None => self.lose(name, &format!("`{}` is not known", member.name)),
            }
        }
        Some(server.into())
    }

    fn variables(&mut self) -> Variables<'_> {
        Variables { dialect: self.dialect, losses: Vec::new(), inputs: &mut self.inputs }
    }

    /// A value with its variables in the dialect's words.
    fn translated(&mut self, server: &str, node: &Node) -> Value {
        let mut variables = self.variables();
        let value = node.to_json(&mut |text, _| variables.translate(text));
        let losses = std::mem::take(&mut variables.losses);
        for loss in losses {
            self.lose(server, &loss);
        }
        value
    }

    fn lose(&mut self, server: &str, what: &str) {
        let loss = format!("server {server:?}: {what}");
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }
}

fn find<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let rule = grammar::named(name)?;
    let mut members = node.members()?.iter();
    members.find(|member| rule_of(&member.name) == Some(rule)).map(|member| &member.value)
}

fn transport_of(node: &Node) -> Transport {
    if let Some(named) = find(node, "type").and_then(Node::text).and_then(Transport::of) {
        return named;
    }
    match find(node, "url").and_then(Node::text) {
        None => Transport::Stdio,
        Some(url) if url.starts_with("ws://") || url.starts_with("wss://") => Transport::WebSocket,
        Some(_) => Transport::Http,
    }
}

fn is_switched_off(node: &Node) -> bool {
    let is =
        |name: &str, wanted: bool| find(node, name).is_some_and(|node| node.plain_json() == json!(wanted));
    is("disabled", true) || is("enabled", false)
}
