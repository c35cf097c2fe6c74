//! Prompts, resources and resource templates, for pages and for agents.

use std::fmt::Write as _;

use serde_json::Value;
use toolwright_core::manifest::{Entry, Kind, Manifest};

/// Maximum length of a description on a line for agents, the same as for tools.
const LINE_LIMIT: usize = toolwright_core::docs::SIMPLE_DESCRIPTION_LIMIT;

/// A prompt, a resource or a template on a page.
pub(super) struct Feature<'a> {
    pub(super) kind: Kind,
    entry: &'a Entry,
}

/// A row of a table: the name of an argument, whether it is required, and its description.
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) is_required: bool,
    pub(super) description: &'a str,
}

impl<'a> Feature<'a> {
    /// Returns the name, or the URI of a resource.
    pub(super) fn name(&self) -> &'a str {
        self.kind.name_of(self.entry).unwrap_or_default()
    }

    fn heading(&self) -> String {
        format!("{} {}", title(self.kind), self.name())
    }

    pub(super) fn text(&self, member: &str) -> Option<&'a str> {
        self.entry.get(member).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns all information except the description: what it is, and its value.
    pub(super) fn facts(&self) -> Vec<(&'static str, &'a str)> {
        let name = self
            .text("name")
            .filter(|_| self.entry.contains_key("uri") || self.entry.contains_key("uriTemplate"));
        let known = [("Name", name), ("Media type", self.text("mimeType"))];
        known.into_iter().filter_map(|(what, text)| Some((what, text?))).collect()
    }

    pub(super) fn arguments(&self) -> Vec<Argument<'a>> {
        let list = self.entry.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let argument = |argument: &'a Value| {
            Some(Argument {
                name: argument.get("name")?.as_str()?,
                is_required: argument.get("required").and_then(Value::as_bool).unwrap_or_default(),
                description: argument.get("description").and_then(Value::as_str).unwrap_or_default(),
            })
        };
        list.filter_map(argument).collect()
    }
}

pub(super) fn features(manifest: &Manifest) -> Vec<Feature<'_>> {
    let lists = [
        (Kind::Prompts, &manifest.prompts),
        (Kind::Resources, &manifest.resources),
        (Kind::ResourceTemplates, &manifest.resource_templates),
    ];
    let mut found = Vec::new();
    for (kind, entries) in lists {
        for entry in entries.iter().flatten() {
            found.push(Feature { kind, entry });
        }
    }
    found
}

pub(super) fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Tools => "Tool",
        Kind::Prompts => "Prompt",
        Kind::Resources => "Resource",
        Kind::ResourceTemplates => "Resource template",
    }
}

// Writing to a string cannot fail.

/// Writes one section each, as Markdown.
pub(crate) fn markdown(manifest: &Manifest) -> String {
    let mut text = String::new();
    for feature in features(manifest) {
        _ = write!(text, "\n## {}\n", plain(&feature.heading()));
        if let Some(title) = feature.text("title") {
            _ = write!(text, "\n**{}**\n", plain(title));
        }
        if let Some(description) = feature.text("description") {
            _ = write!(text, "\n{}\n", plain(description));
        }
        for (what, value) in feature.facts() {
            _ = write!(text, "\n{what}: {}\n", plain(value));
        }
        let arguments = feature.arguments();
        if !arguments.is_empty() {
            text.push_str("\n### Arguments\n\n| name | what it is |\n|---|---|\n");
        }
        for Argument { name, is_required, description } in arguments {
            let required = if is_required { " (required)" } else { "" };
            _ = writeln!(text, "| {}{required} | {} |", plain(name), plain(description));
        }
    }
    text
}

/// Writes one line each, for agents.
pub(crate) fn lines(manifest: &Manifest) -> String {
    let mut text = String::new();
    for feature in features(manifest) {
        let description = feature.text("description").or_else(|| feature.text("title")).unwrap_or_default();
        let mut line = one_line(description);
        if let Some((end, _)) = line.char_indices().nth(LINE_LIMIT) {
            line.truncate(end);
            line.push('…');
        }
        let heading = one_line(&feature.heading());
        let heading = heading[..1].to_lowercase() + &heading[1..];
        let colon = if line.is_empty() { "" } else { ": " };
        _ = writeln!(text, "{heading}{colon}{line}");
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes text for Markdown, on one line.
fn plain(text: &str) -> String {
    let is_sign = |character: char| "\\`*_{}[]<>#|&~".contains(character);
    one_line(text).chars().fold(String::new(), |mut shown, character| {
        if is_sign(character) {
            shown.push('\\');
        }
        shown.push(character);
        shown
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest() -> Manifest {
        let document = json!({
            "manifestVersion": 1,
            "server": {"name": "shop", "version": "1"},
            "tools": [],
            "prompts": [{"name": "re|view`", "title": "A <b>", "description": "Asks\nfor it.",
                "arguments": [{"name": "who", "description": "<i>|", "required": true}, {"name": "why"}]}],
            "resources": [{"uri": "shop://terms", "name": "terms", "mimeType": "text/plain"}],
            "resourceTemplates": [{"uriTemplate": "shop://orders/{id}", "name": "orders", "description": "x".repeat(300)}],
        });
        Manifest::from_json(&document.to_string()).unwrap()
    }

    #[test]
    fn pages_show_each_with_its_arguments() {
        let text = markdown(&manifest());
        for part in [
            "\n## Prompt re\\|view\\`\n\n**A \\<b\\>**\n\nAsks for it.\n",
            "\n### Arguments\n\n| name | what it is |\n|---|---|\n| who (required) | \\<i\\>\\| |\n| why |  |\n",
            "\n## Resource shop://terms\n\nName: terms\n\nMedia type: text/plain\n",
            "\n## Resource template shop://orders/\\{id\\}\n",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
    }

    #[test]
    fn an_agent_gets_one_line_per_entry() {
        let text = lines(&manifest());
        assert_eq!(text.lines().count(), 3);
        assert!(text.starts_with("prompt re|view`: Asks for it.\nresource shop://terms\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 260), "{text}");
    }
}
