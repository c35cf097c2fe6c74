//! The Model Context Protocol as types, for servers, clients and gateways.
//!
//! Everything here is read and written, in both directions and for all revisions ([`Revision`]). What a type does not know
//! it keeps and writes again, so that a gateway forwards what it does not understand. Optional lists
//! make no difference between absent and empty: both are read as an empty list, which is not written.
//!
//! - A message: [`Message`], read comfortably, and [`Envelope`], read without a copy; [`RequestId`], [`ErrorObject`].
//! - Names: of methods ([`method`]), of keys of `_meta` ([`meta`]), of extensions ([`extension`]); codes of errors
//!   ([`error`]).
//! - Who speaks and what it can do: [`Implementation`], [`ClientCapabilities`], [`ServerCapabilities`],
//!   [`InitializeParams`], [`DiscoverResult`], [`RequestMeta`].
//! - What a server offers: [`ToolDefinition`], [`Prompt`], [`Resource`], [`ResourceTemplate`], in lists ([`Page`]).
//! - What it answers: [`ToolResult`], [`PromptResult`], [`ResourceResult`], [`CompleteResult`]; in place of these, since
//!   2026-07-28, questions or a task ([`Outcome`]).
//! - What it asks: [`ElicitParams`], [`CreateMessageParams`], [`ListRootsResult`]; since 2026-07-28 as [`InputRequest`]s.
//! - What goes on: [`ProgressParams`], [`LogMessage`], [`SubscriptionFilter`], [`Task`].

pub mod error;
pub mod extension;
pub mod meta;
pub mod method;

pub mod envelope;
mod id;
mod message;
mod requests;
pub mod revision;

mod capabilities;
mod implementation;
mod initialize;

pub mod content;
mod icon;
mod list;
mod metadata;
mod prompt;
mod resource;
mod structured;
mod tool;
mod tool_read;

mod completion;
mod logging;
mod outcome;
mod subscription;
mod task;

mod elicitation;
mod input;
mod roots;
mod sampling;

pub mod number;

pub use capabilities::{
    ClientCapabilities, ElicitationCapability, ListCapability, MissingCapability, ResourcesCapability,
    RootsCapability, SamplingCapability, ServerCapabilities,
};
pub use completion::{
    CompleteParams, CompleteResult, CompletionArgument, CompletionArguments, CompletionReference,
    CompletionValues, PromptReference, ResourceTemplateReference,
};
pub use content::{
    Annotations, ContentBlock, EmbeddedResource, Extras, MediaContent, ResourceContents, ResourceData,
    ResourceLink, Role, TextContent,
};
pub use elicitation::{
    ElicitAction, ElicitFormParams, ElicitMode, ElicitParams, ElicitResult, ElicitUrlParams,
    ElicitationCompleteParams, UrlElicitationRequired,
};
pub use envelope::{Envelope, EnvelopeMeta, EnvelopeParams, Malformed, MessageFault};
pub use error::ErrorObject;
pub use icon::Icon;
pub use id::{RequestId, string, trimmed};
pub use implementation::Implementation;
pub use initialize::{DiscoverResult, InitializeParams, InitializeResult};
pub use input::{
    InputRequest, InputRequestKind, InputRequests, InputRequiredResult, InputResponseParams, InputResponses,
};
pub use list::{DefinitionMap, EntryError, ListKind, Listed, Page, PageParams};
pub use logging::{LogLevel, LogMessage, SetLevelParams};
pub use message::{Message, Notification, Request, Response};
pub use outcome::Outcome;
pub use prompt::{GetPromptParams, Prompt, PromptArgument, PromptMessage, PromptResult};
pub use requests::{
    CancelledParams, EmptyResult, NotificationMeta, NotificationParams, ProgressParams, ProgressToken,
    RequestMeta, RequestParams, ResultType, read, server_info_in,
};
pub use resource::{CacheScope, ReadResourceParams, Resource, ResourceResult, ResourceTemplate};
pub use revision::{Era, Revision};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, ModelHint, ModelPreferences, SamplingBlock, SamplingContent,
    SamplingMessage, ToolChoice, ToolChoiceMode, ToolResultContent, ToolUseContent,
};
pub use structured::StructuredContent;
pub use subscription::{
    AcknowledgedParams, ListenParams, ListenResult, ResourceUpdatedParams, SubscribeParams,
    SubscriptionFilter,
};
pub use task::{CreateTaskResult, RelatedTask, Task, TaskParams, TaskRequest, TaskStatus, UpdateTaskParams};
pub use tool::{CallToolParams, TaskSupport, ToolAnnotations, ToolDefinition, ToolResult, is_within};

use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// A time in milliseconds, as large as every peer reads it.
pub fn milliseconds(time: Duration) -> u64 {
    const MAX: u64 = (1 << 53) - 1;
    u64::try_from(time.as_millis()).map_or(MAX, |milliseconds| milliseconds.min(MAX))
}

/// Keeps `null` apart from an absent member; for members that may be any JSON value.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Members that are rarely there, for `#[serde(flatten)]`.
pub(crate) mod boxed {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::{Map, Value};

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub(crate) fn serialize<S: Serializer>(
        members: &Option<Box<Map<String, Value>>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        members.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Box<Map<String, Value>>>, D::Error> {
        let members = Map::deserialize(deserializer)?;
        Ok((!members.is_empty()).then(|| Box::new(members)))
    }
}
