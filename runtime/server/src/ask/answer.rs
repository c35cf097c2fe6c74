//! Answers, as handlers get them.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright_core::content::{ContentBlock, Role};

/// What a user said to a form or a page (2026-07-28, client/elicitation "Response Actions").
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user agreed, and this is what was filled in.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user left the question without an answer.
    Cancelled,
}

impl<T> Elicited<T> {
    /// What was filled in, if the user agreed.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(content) => Some(content),
            Self::Declined | Self::Cancelled => None,
        }
    }

    /// Reads `ElicitResult`; `content` reads what was filled in.
    pub(super) fn read(
        answer: &RawValue,
        content: impl Fn(&RawValue) -> Result<T, String>,
    ) -> Result<Self, String> {
        let result: ElicitResult<'_> = object(answer)?;
        Ok(match result.action {
            Action::Accept => Self::Accepted(content(result.content.ok_or("`content` is missing")?)?),
            Action::Decline => Self::Declined,
            Action::Cancel => Self::Cancelled,
        })
    }
}

impl Elicited<()> {
    /// Reads `ElicitResult` where nothing is filled in.
    pub(super) fn read_choice(answer: &RawValue) -> Result<Self, String> {
        let result: ElicitResult<'_> = object(answer)?;
        Ok(match result.action {
            Action::Accept => Self::Accepted(()),
            Action::Decline => Self::Declined,
            Action::Cancel => Self::Cancelled,
        })
    }
}

#[derive(Deserialize)]
struct ElicitResult<'a> {
    action: Action,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Accept,
    Decline,
    Cancel,
}

/// What the client's model wrote (2026-07-28, schema `CreateMessageResult`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sampled {
    /// Who speaks: the assistant, as a rule.
    pub role: Role,
    /// What was written. A use of a tool is a [`ContentBlock::Unknown`].
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<ContentBlock>,
    /// The model.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the client's own.
    #[serde(default)]
    pub stop_reason: Option<String>,
}

impl Sampled {
    /// The text of all text blocks, joined with a blank line.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n\n")
    }

    pub(super) fn read(answer: &RawValue) -> Result<Self, String> {
        object(answer)
    }
}

/// Before 2025-11-25 the content is one block; later it may be a list.
fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    use serde::de::Error;
    let text = <&RawValue>::deserialize(deserializer)?.get();
    let blocks = match text.as_bytes().first() {
        Some(b'[') => serde_json::from_str(text),
        Some(b'{') => serde_json::from_str(text).map(|block| vec![block]),
        _ => return Err(D::Error::custom("`content` must be a block or a list of blocks")),
    };
    blocks.map_err(D::Error::custom)
}

/// A folder that the client works in (2026-07-28, client/roots "Root").
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Its address: `file://…`.
    pub uri: String,
    /// Its name for people.
    #[serde(default)]
    pub name: Option<String>,
}

impl Root {
    pub(super) fn read_list(answer: &RawValue) -> Result<Vec<Self>, String> {
        #[derive(Deserialize)]
        struct ListRootsResult {
            roots: Vec<Root>,
        }
        object::<ListRootsResult>(answer).map(|result| result.roots)
    }
}

/// Reads an object and nothing else: derived code would take an array, member by member.
fn object<'a, T: Deserialize<'a>>(answer: &'a RawValue) -> Result<T, String> {
    if !answer.get().starts_with('{') {
        return Err("it must be an object".to_owned());
    }
    serde_json::from_str(answer.get()).map_err(|error| error.to_string())
}
