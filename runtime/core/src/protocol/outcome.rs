//! The possible answers to a request: its result, input requests or a task (2026-07-28, basic "Results").

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{InputRequiredResult, ResultType, Task};

/// The result of a request, or what a server of 2026-07-28 may return instead.
///
/// ```
/// use toolwright_core::protocol::{Outcome, ToolResult};
///
/// let done: Outcome<ToolResult> = serde_json::from_str(r#"{"resultType":"complete","content":[]}"#)?;
/// assert!(matches!(done, Outcome::Complete(_)));
/// // Up to 2025-11-25 results have no type.
/// let done: Outcome<ToolResult> = serde_json::from_str(r#"{"content":[]}"#)?;
/// assert!(matches!(done, Outcome::Complete(_)));
/// let asked: Outcome<ToolResult> = serde_json::from_str(r#"{"resultType":"input_required","requestState":"x"}"#)?;
/// assert!(matches!(asked, Outcome::InputRequired(_)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Outcome<T> {
    /// The result.
    Complete(T),
    /// Input requests; the client responds to them and repeats the request.
    InputRequired(Box<InputRequiredResult>),
    /// A task, which the client polls for the result.
    Task(Box<Task>),
}

/// A result of an unknown type is rejected, as the specification requires.
impl<'de, T: DeserializeOwned> Deserialize<'de> for Outcome<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Typed {
            result_type: Option<ResultType>,
        }
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let text = text.get();
        if !text.starts_with('{') {
            return Err(D::Error::custom("a result must be an object"));
        }
        let Typed { result_type } = serde_json::from_str(text).map_err(D::Error::custom)?;
        match result_type.unwrap_or(ResultType::Complete) {
            ResultType::Complete => serde_json::from_str(text).map(Self::Complete),
            ResultType::InputRequired => {
                serde_json::from_str(text).map(|asked| Self::InputRequired(Box::new(asked)))
            }
            ResultType::Task => serde_json::from_str(text).map(|task| Self::Task(Box::new(task))),
            ResultType::Other(name) => {
                let name = super::error::shorten(&name);
                return Err(D::Error::custom(format_args!("unknown `resultType` `{name}`")));
            }
        }
        .map_err(D::Error::custom)
    }
}
