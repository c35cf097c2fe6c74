//! Prompts: templates that a person chooses and a server fills in (2026-07-28, server/prompts).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::{TextArguments, TextReader};
use crate::content::{ContentBlock, Role};
use crate::definition::{Icon, add_scopes};
use crate::protocol::Revision;
use crate::request::RequestError;

/// A prompt as a client sees it (2026-07-28, schema `Prompt`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// What clients ask for; unique on a server.
    pub name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the prompt is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments; a server writes them from the type that the prompt's handler takes, see [`Prompt::arguments`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Pictures for user interfaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whatever else belongs to the prompt.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
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
        }
    }

    /// The prompt with a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The prompt with a text that says what it is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The prompt with the arguments that are the fields of `A`, for a prompt that is declared before there is a server:
    /// the manifest shows them. A server takes only a handler with the same arguments.
    ///
    /// # Panics
    /// If a field of `A` is no text, or the schema of `A` cannot be enforced: the message says which and what to do.
    pub fn arguments<A: TextArguments>(mut self) -> Self {
        match TextReader::of::<A>() {
            Ok(reader) => self.arguments = reader.arguments().to_vec(),
            Err(error) => panic!("the arguments of the prompt `{}` cannot be read: {error}", self.name),
        }
        self
    }

    /// The prompt with scopes that a caller needs over HTTP, all of them, as `#[mcp(scopes(…))]` says it of a tool: without them
    /// it is neither shown nor filled in. They stand in `_meta`.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add_scopes(&mut self.meta, scopes);
        self
    }

    /// The prompt with the members that the revision has (schema `Prompt` of each).
    pub fn for_revision(&self, revision: Revision) -> Cow<'_, Self> {
        if revision >= Revision::V2025_11_25 {
            return Cow::Borrowed(self);
        }
        let mut shown = self.clone();
        shown.icons.clear();
        if revision < Revision::V2025_06_18 {
            shown.title = None;
            shown.meta = None;
            for argument in &mut shown.arguments {
                argument.title = None;
            }
        }
        Cow::Owned(shown)
    }
}

/// An argument of a prompt; its value is always a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    pub required: bool,
}

/// A message of a filled-in prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// A message of the person.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// A message of the model.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// A prompt that is filled in (2026-07-28, schema `GetPromptResult`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptResult {
    /// What the prompt is for; the prompt's own description if left out.
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
}

/// What a prompt's handler may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no prompt",
    label = "return a text, one or more `PromptMessage`s, a `PromptResult`, or a `Result` of these"
)]
pub trait IntoPromptResult {
    /// The filled-in prompt, or why there is none.
    fn into_prompt_result(self) -> Result<PromptResult, RequestError>;
}

impl IntoPromptResult for PromptResult {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        Ok(self)
    }
}

impl IntoPromptResult for Vec<PromptMessage> {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        Ok(PromptResult { description: None, messages: self })
    }
}

impl<const N: usize> IntoPromptResult for [PromptMessage; N] {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        Vec::from(self).into_prompt_result()
    }
}

impl IntoPromptResult for PromptMessage {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        [self].into_prompt_result()
    }
}

/// One message of the person.
impl IntoPromptResult for String {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        PromptMessage::user(self).into_prompt_result()
    }
}

/// One message of the person.
impl IntoPromptResult for &str {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        PromptMessage::user(self).into_prompt_result()
    }
}

impl<T: IntoPromptResult, E: Into<RequestError>> IntoPromptResult for Result<T, E> {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        self.map_err(Into::into)?.into_prompt_result()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{IntoPromptResult, Prompt, PromptArgument, PromptMessage};
    use crate::content::{ContentBlock, Role};
    use crate::definition::Icon;
    use crate::protocol::Revision;
    use crate::request::{RequestError, RequestErrorKind};

    #[test]
    fn each_revision_has_its_own_members() {
        let icon = Icon {
            src: "data:,".to_owned(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
            other: serde_json::Map::new(),
        };
        let mut prompt = Prompt::new("greet").title("Greeting").description("Greets.");
        prompt.icons.push(icon);
        prompt.meta = Some([("a/b".to_owned(), json!(1))].into_iter().collect());
        prompt.arguments.push(PromptArgument {
            name: "name".to_owned(),
            title: Some("Name".to_owned()),
            description: None,
            required: true,
        });
        for revision in Revision::ALL {
            let shown = serde_json::to_value(prompt.for_revision(revision)).expect("JSON");
            assert_eq!(shown["description"], "Greets.");
            assert_eq!(shown.get("icons").is_some(), revision >= Revision::V2025_11_25, "{revision}");
            for later in [shown.get("title"), shown.get("_meta"), shown["arguments"][0].get("title")] {
                assert_eq!(later.is_some(), revision >= Revision::V2025_06_18, "{revision}");
            }
        }
    }

    #[test]
    fn texts_messages_and_results_are_prompts() {
        let text = "hello".into_prompt_result().expect("a prompt");
        assert_eq!(text.messages, [PromptMessage { role: Role::User, content: ContentBlock::text("hello") }]);
        let two = [PromptMessage::user("hello"), PromptMessage::assistant("good day")];
        assert_eq!(two.into_prompt_result().expect("a prompt").messages.len(), 2);

        let failed: Result<String, std::fmt::Error> = Err(std::fmt::Error);
        assert_eq!(failed.into_prompt_result().expect_err("failed").kind(), RequestErrorKind::Failed);
        let refused: Result<String, RequestError> = Err(RequestError::invalid("no such language"));
        assert_eq!(refused.into_prompt_result(), Err(RequestError::invalid("no such language")));
    }
}
