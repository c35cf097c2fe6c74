//! Prompts: templates that a person chooses and a server fills in (2026-07-28, server/prompts).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::metadata::metadata_builders;
use super::{ContentBlock, Icon, InputResponses, RequestMeta, Role};

/// A prompt as a client sees it (2026-07-28, schema `Prompt`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prompt {
    /// What clients ask for; unique on a server.
    pub name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the prompt is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments; a server writes them from the type that the prompt's handler takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Pictures for user interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whatever else belongs to the prompt.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Prompt {
    /// A prompt with nothing but its name.
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

/// An argument of a prompt; its value is always a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name.
    pub name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the argument means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the argument must be given.
    #[serde(default)]
    pub required: bool,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptArgument {
    /// An argument with nothing but its name, which may be left out.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, required: false, other: Map::new() }
    }
}

/// A message of a filled-in prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: ContentBlock,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptMessage {
    /// A message of the person.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::User, content: content.into(), other: Map::new() }
    }

    /// A message of the model.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::Assistant, content: content.into(), other: Map::new() }
    }
}

/// A prompt that is filled in (2026-07-28, schema `GetPromptResult`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptResult {
    /// What the prompt is for; the prompt's own description if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
    /// Whatever else belongs to the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptResult {
    /// The messages, in order.
    pub fn new(messages: impl Into<Vec<PromptMessage>>) -> Self {
        Self { messages: messages.into(), ..Self::default() }
    }

    /// The same with a description in place of the prompt's own.
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
    /// The prompt.
    pub name: String,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
    /// Answers to what the server asked before; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What the server said then; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl GetPromptParams {
    /// A prompt without arguments.
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
