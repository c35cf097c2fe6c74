//! Responses of providers.

use std::fmt;

use serde::de::{DeserializeOwned, Error as _};
use serde_json::value::RawValue;
use toolwright_core::future::BoxFuture;
use toolwright_core::json::{JsonFault, TidyObject};
use toolwright_core::prompt::PromptResult;
use toolwright_core::protocol::{ErrorObject, Revision, Task};
use toolwright_core::resource::ResourceResult;
use toolwright_core::result::{ToolError, ToolResult};

use crate::completion::Completion;
use crate::input_requests::InputRequired;

/// The outcome of a request to a provider.
#[non_exhaustive]
pub enum Outcome<T = ToolResult> {
    /// The result.
    Result(T),
    /// A protocol error: the request failed, and the model is not informed.
    Error(ErrorObject),
    /// Input requests that the client must answer first. The provider is then called again with
    /// [`InputResponses`](super::InputResponses), in either era: up to 2025-11-25, the server sends the requests to the
    /// client and waits; in 2026-07-28, the client repeats its request (basic/patterns/mrtr).
    InputRequired(InputRequired),
    /// The rest takes long. If the client and the server support tasks, and the tool's definition allows them, the call
    /// becomes a task; otherwise the client waits for the future.
    Task(BoxFuture<'static, Outcome<T>>),
    /// A result of another server, forwarded without being parsed. If its `resultType` is `task`, it is handled as
    /// [`Outcome::Created`].
    Raw(RawResult),
    /// The call has become a task that exists elsewhere, such as at another server. It is only allowed for tool calls
    /// with [`Context::accepts_task`](crate::Context::accepts_task), by a provider
    /// [`with_tasks`](super::ProviderCapabilities::with_tasks); the client's requests for the task reach
    /// [`Provider::task`](super::Provider::task).
    Created(Box<Task>),
}

impl<T> Outcome<T> {
    /// Maps the result.
    pub(crate) fn map(self, change: fn(T) -> T) -> Self {
        match self {
            Self::Result(result) => Self::Result(change(result)),
            other => other,
        }
    }

    /// Converts a result into another outcome, and leaves all other outcomes unchanged.
    pub(crate) fn then<U: 'static>(self, change: fn(T) -> Outcome<U>) -> Outcome<U>
    where
        T: 'static,
    {
        match self {
            Self::Result(result) => change(result),
            Self::Error(error) => Outcome::Error(error),
            Self::InputRequired(input) => Outcome::InputRequired(input),
            Self::Task(later) => Outcome::Task(Box::pin(async move { later.await.then(change) })),
            Self::Raw(raw) => Outcome::Raw(raw),
            Self::Created(task) => Outcome::Created(task),
        }
    }

    /// Boxes a future whose output converts to an outcome.
    pub fn from_future<'a, F>(future: F) -> BoxFuture<'a, Self>
    where
        F: Future<Output: Into<Self>> + Send + 'a,
    {
        Box::pin(async move { future.await.into() })
    }
}

impl From<ToolResult> for Outcome {
    fn from(result: ToolResult) -> Self {
        Self::Result(result)
    }
}

impl From<PromptResult> for Outcome<PromptResult> {
    fn from(result: PromptResult) -> Self {
        Self::Result(result)
    }
}

impl From<ResourceResult> for Outcome<ResourceResult> {
    fn from(result: ResourceResult) -> Self {
        Self::Result(result)
    }
}

impl From<Completion> for Outcome<Completion> {
    fn from(completion: Completion) -> Self {
        Self::Result(completion)
    }
}

impl From<Result<ToolResult, ToolError>> for Outcome {
    fn from(result: Result<ToolResult, ToolError>) -> Self {
        Self::Result(result.unwrap_or_else(ToolResult::from))
    }
}

impl<T> From<ErrorObject> for Outcome<T> {
    fn from(error: ErrorObject) -> Self {
        Self::Error(error)
    }
}

impl<T> From<InputRequired> for Outcome<T> {
    fn from(input: InputRequired) -> Self {
        Self::InputRequired(input)
    }
}

impl<T> From<RawResult> for Outcome<T> {
    fn from(result: RawResult) -> Self {
        Self::Raw(result)
    }
}

impl<T: fmt::Debug> fmt::Debug for Outcome<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(result) => f.debug_tuple("Result").field(result).finish(),
            Self::Error(error) => f.debug_tuple("Error").field(error).finish(),
            Self::InputRequired(input) => f.debug_tuple("InputRequired").field(input).finish(),
            Self::Task(_) => f.write_str("Task"),
            Self::Raw(raw) => f.debug_tuple("Raw").field(raw).finish(),
            Self::Created(task) => f.debug_tuple("Created").field(task).finish(),
        }
    }
}

/// A result as another server wrote it, in the form of `revision`.
///
/// A client that uses the same revision receives it unchanged, except for the server's identity. So does a client of
/// another revision in which it has the same form: the result of a tool, if both revisions are 2025-06-18 or later and its
/// structured content need not be wrapped in an object. For other clients, it is parsed and converted. A result that
/// requires input becomes [`Outcome::InputRequired`], with the other server's state.
#[derive(Debug, Clone)]
pub struct RawResult {
    revision: Revision,
    object: Result<TidyObject, JsonFault>,
}

impl RawResult {
    /// Creates a result in the form of `revision`: the `result` member of the other server's response. If it is not an
    /// object that every client can parse, the client's request fails.
    pub fn new(revision: Revision, json: Box<RawValue>) -> Self {
        Self { revision, object: TidyObject::parse(Box::<str>::from(json).into()) }
    }

    /// Creates a result in the form of `revision` from an object that was parsed before.
    pub fn from_object(revision: Revision, object: TidyObject) -> Self {
        Self { revision, object: Ok(object) }
    }

    /// Returns the revision that the other server used.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the `result` member of the other server's response.
    ///
    /// # Errors
    /// [`JsonFault`] if it is not an object that every client can parse.
    pub fn object(&self) -> Result<&TidyObject, &JsonFault> {
        self.object.as_ref()
    }

    /// Parses the result.
    ///
    /// # Errors
    /// If it does not have the form of `T`, or is not an object that every client can parse.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        let object = self.object().map_err(|fault| serde_json::Error::custom(format_args!("it {fault}")))?;
        serde_json::from_str(object.as_str())
    }

    /// Returns the value of a member of the result as JSON, if there is one.
    pub fn member(&self, name: &str) -> Option<&str> {
        self.object.as_ref().ok()?.member(name)
    }

    /// Returns whether this complete result of a tool has the form of a revision. `wraps` is whether structured
    /// content is wrapped in an object for peers that support only objects.
    pub(crate) fn is_tool_result_of(&self, revision: Revision, wraps: bool) -> bool {
        // Since then, there are structured content and all kinds of content blocks.
        let has_form =
            |revision: Revision| revision.has_structured_content() && revision.has_resource_links();
        let is_object =
            || self.member("structuredContent").is_none_or(|content| content.starts_with('{') && !wraps);
        self.revision == revision
            || has_form(self.revision)
                && has_form(revision)
                && (revision.has_any_structured_content() || is_object())
    }

    /// Returns whether it is the result of a tool with `isError`.
    pub(crate) fn is_error(&self) -> bool {
        self.member("isError") == Some("true")
    }
}
