//! The entry of a server in a file, and how it is shown.

use serde_json::{Map, Value, json};
use toolwright_core::manifest::visible_json;

use super::InstallError;
use super::args::UrlOrCommand;
use super::client::Client;

/// Members whose values may be secrets.
const SECRET: [&str; 2] = ["env", "headers"];

/// The entry of a server, as its client writes it.
#[derive(Debug)]
pub(super) struct Entry(Value);

impl Entry {
    pub(super) fn new(
        client: Client,
        server: UrlOrCommand,
        env: &[(String, String)],
    ) -> Result<Self, InstallError> {
        let mut entry = Map::new();
        let set_type = |kind: &str| {
            let members = client.writes_type().then(|| ("type".to_owned(), kind.into()));
            Map::from_iter(members)
        };
        match server {
            UrlOrCommand::Url(url) => {
                let member =
                    client.url_member().ok_or(InstallError::NoUrls { client: client.display_name() })?;
                entry.extend(set_type("http"));
                entry.insert(member.to_owned(), url.into());
            }
            UrlOrCommand::Command { command, arguments } => {
                entry.extend(set_type("stdio"));
                entry.insert("command".to_owned(), command.into());
                entry.insert("args".to_owned(), arguments.into());
                if !env.is_empty() {
                    let env: Map<_, _> =
                        env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                    entry.insert("env".to_owned(), env.into());
                }
            }
        }
        Ok(Self(entry.into()))
    }

    pub(super) fn json(&self) -> &Value {
        &self.0
    }
}

/// Formats the change of a server, one line with `-` or `+` per line of JSON. Values that may be secrets are not shown.
pub(super) fn difference(name: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    let lines = |value: &Value, other: Option<&Value>, mark: char| {
        let text = format!("{}: {:#}", json!(name), hide(value, other));
        let lines: Vec<_> = visible_json(&text).lines().map(|line| format!("{mark} {line}\n")).collect();
        lines.concat()
    };
    let removed = old.map(|old| lines(old, new, '-')).unwrap_or_default();
    removed + &new.map(|new| lines(new, old, '+')).unwrap_or_default()
}

/// Replaces values that may be secrets, and says which of them differ from those of `other`.
fn hide(entry: &Value, other: Option<&Value>) -> Value {
    let mut hidden = entry.clone();
    for member in SECRET {
        let Some(values) = hidden.get_mut(member).and_then(Value::as_object_mut) else { continue };
        for (name, value) in values {
            let before = other.and_then(|other| other.get(member)?.get(name));
            let is_other = before.is_some_and(|before| before != value);
            *value = if is_other { "(hidden, another value)" } else { "(hidden)" }.into();
        }
    }
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_no_values_of_variables() {
        let old = json!({"command": "a", "env": {"KEY": "s3cret", "SAME": "same"}});
        let new = json!({"command": "b", "env": {"KEY": "other", "SAME": "same"}});
        let text = difference("shop", Some(&old), Some(&new));
        assert!(text.contains("-   \"command\": \"a\"") && text.contains("+   \"command\": \"b\""), "{text}");
        assert_eq!(text.matches("\"KEY\": \"(hidden, another value)\"").count(), 2, "{text}");
        assert_eq!(text.matches("\"SAME\": \"(hidden)\"").count(), 2, "{text}");
        assert!(!text.contains("s3cret") && !text.contains("other\""), "{text}");
    }
}
