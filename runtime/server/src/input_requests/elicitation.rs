//! Elicitation: the user's response to a form or a page.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::object;

/// The user's response to a form or a page (2026-07-28, client/elicitation "Response Actions").
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user agreed, with this content.
    Accepted(T),
    /// The user declined.
    Declined,
    /// The user dismissed the request.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns the content, if the user agreed.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(content) => Some(content),
            Self::Declined | Self::Cancelled => None,
        }
    }

    /// Parses an `ElicitResult`; `content` parses the form's content.
    pub(crate) fn read(
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
    /// Parses an `ElicitResult` without content.
    pub(crate) fn read_choice(answer: &RawValue) -> Result<Self, String> {
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
