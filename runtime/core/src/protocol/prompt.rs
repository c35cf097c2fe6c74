//! Prompts: templates that users select and servers fill in (2026-07-28, server/prompts).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::metadata::metadata_builders;
use super::{ContentBlock, Icon, InputResponses, RequestMeta, Role};

/// The definition of a prompt (2026-07-28, schema `Prompt`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prompt {
    /// The name; unique per server.
    pub name: String,
    /// Human-readable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments; a server derives them from the argument type of the prompt's handler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Icons for user interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Prompt {
    /// Creates a prompt with a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: Vec::new(),
            icons: Vec::new(),
            meta: None,
            other: Map::new(),
        }
    }

    fn drop_titles_inside(&mut self) {
        for argument in &mut self.arguments {
            argument.title = None;
        }
    }
}

metadata_builders!(Prompt);

/// An argument of a prompt; its value is always a string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name.
    pub name: String,
    /// Human-readable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the argument is required.
    #[serde(default)]
    pub required: bool,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptArgument {
    /// Creates an optional argument with a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, required: false, other: Map::new() }
    }
}

/// A message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// The role of the author.
    pub role: Role,
    /// The content.
    pub content: ContentBlock,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptMessage {
    /// Creates a user message.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::User, content: content.into(), other: Map::new() }
    }

    /// Creates an assistant message.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::Assistant, content: content.into(), other: Map::new() }
    }
}

/// The result of a prompt (2026-07-28, schema `GetPromptResult`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptResult {
    /// A description; defaults to the prompt's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptResult {
    /// Creates a result from its messages, in order.
    pub fn new(messages: impl Into<Vec<PromptMessage>>) -> Self {
        Self { messages: messages.into(), ..Self::default() }
    }

    /// Replaces the prompt's own description.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// The parameters of `prompts/get` (2026-07-28, schema `GetPromptRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPromptParams {
    /// The name of the prompt.
    pub name: String,
    /// The arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
    /// Responses to the input requests of an earlier response; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// The `requestState` of that response; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl GetPromptParams {
    /// Creates parameters without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            meta: None,
            other: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Icon, Prompt, PromptArgument};
    use crate::protocol::Revision;

    #[test]
    fn each_revision_has_its_own_members() {
        let mut prompt = Prompt::new("greet").title("Greeting").description("Greets.");
        prompt.icons.push(Icon::new("data:,"));
        prompt.meta = Some([("a/b".to_owned(), json!(1))].into_iter().collect());
        prompt
            .arguments
            .push(PromptArgument { title: Some("Name".to_owned()), ..PromptArgument::new("name") });
        for revision in Revision::ALL {
            let shown = serde_json::to_value(prompt.for_revision(revision)).expect("JSON");
            assert_eq!(shown["description"], "Greets.");
            assert_eq!(shown.get("icons").is_some(), revision >= Revision::V2025_11_25, "{revision}");
            for later in [shown.get("title"), shown.get("_meta"), shown["arguments"][0].get("title")] {
                assert_eq!(later.is_some(), revision >= Revision::V2025_06_18, "{revision}");
            }
        }
    }
}
