//! Conversion of the members of a server.

use serde_json::{Map, Value, json};

use super::super::grammar::Rule;
use super::super::node::{Member, Node};
use super::{Converter, Dialect, find};

impl Converter {
    /// Adds a member to the converted entry.
    pub(super) fn convert_member(
        &mut self,
        server: &str,
        rule: &'static Rule,
        node: &Node,
        member: &Member,
        entry: &mut Map<String, Value>,
    ) {
        if rule.name == "type" {
            return;
        }
        let value = self.translate(server, &member.value);
        if self.dialect == Dialect::Toml {
            entry.insert(rule.name.to_owned(), value);
            return;
        }
        match (rule.name, self.dialect) {
            ("command" | "args" | "url", _) => add(entry, rule.name, value),
            ("env" | "headers", _) => merge(entry, rule.name, value),
            ("env_file", Dialect::VsCode | Dialect::Cursor) => match value {
                Value::Array(_) => {
                    let client = self.dialect.name();
                    self.report_loss(server, &format!("{client} only supports one `env_file`"));
                }
                file => add(entry, "envFile", file),
            },
            ("cwd", Dialect::VsCode) => add(entry, "cwd", value),
            ("server", _) => add_launcher(node, value, entry),
            ("auth_token", _) => {
                let token = value.as_str().unwrap_or_default();
                let has_scheme = token.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("bearer "));
                let bearer = if has_scheme { token.to_owned() } else { format!("Bearer {token}") };
                merge(entry, "headers", json!({ "Authorization": bearer }));
            }
            ("oauth", Dialect::Cursor) => add(entry, "auth", cursor_oauth(&value)),
            ("launcher" | "disabled" | "enabled", _) => {}
            ("encoding", _) if value.as_str().is_some_and(is_utf_8) => {}
            ("load_tools" | "load_prompts" | "terminate_on_close", _) if value == json!(true) => {}
            ("required" | "resolve_args", _) if value == json!(false) => {}
            (name, dialect) => {
                self.report_loss(server, &format!("{} does not support `{name}`", dialect.name()));
            }
        }
    }
}

fn add(entry: &mut Map<String, Value>, name: &str, value: Value) {
    // Arguments of a launcher precede those of the package.
    match (entry.get_mut(name), value) {
        (Some(Value::Array(before)), Value::Array(more)) => before.extend(more),
        (_, value) => {
            entry.insert(name.to_owned(), value);
        }
    }
}

fn merge(entry: &mut Map<String, Value>, name: &str, value: Value) {
    match (entry.get_mut(name), value) {
        (Some(Value::Object(before)), Value::Object(more)) => before.extend(more),
        (_, value) => {
            entry.insert(name.to_owned(), value);
        }
    }
}

/// Converts `server` and `launcher` to a command.
fn add_launcher(node: &Node, package: Value, entry: &mut Map<String, Value>) {
    let launcher = find(node, "launcher").and_then(Node::as_str).unwrap_or("npx");
    let mut args: Vec<Value> = match launcher {
        "npx" => vec!["-y".into()],
        "docker" => {
            let names = find(node, "env").and_then(Node::members).unwrap_or_default();
            let passed = names.iter().flat_map(|member| [json!("-e"), json!(member.name)]);
            [json!("run"), json!("-i"), json!("--rm")].into_iter().chain(passed).collect()
        }
        _ => Vec::new(),
    };
    args.push(package);
    entry.insert("command".to_owned(), launcher.into());
    if let Some(Value::Array(after)) = entry.remove("args") {
        args.extend(after);
    }
    entry.insert("args".to_owned(), args.into());
}

fn cursor_oauth(value: &Value) -> Value {
    let names = [
        ("CLIENT_ID", ["client_id", "clientId", "CLIENT_ID"]),
        ("CLIENT_SECRET", ["client_secret", "clientSecret", "CLIENT_SECRET"]),
        ("scopes", ["scopes", "scope", "scopes"]),
    ];
    let found = names.iter().filter_map(|(name, spellings)| {
        spellings
            .iter()
            .find_map(|spelling| value.get(spelling))
            .map(|value| ((*name).to_owned(), value.clone()))
    });
    Value::Object(found.collect())
}

fn is_utf_8(label: &str) -> bool {
    crate::config::Encoding::from_label(label) == Some(crate::config::Encoding::Utf8)
}
