//! The Model Context Protocol as types, for servers, clients and gateways.
//!
//! All types can be deserialized and serialized, in both directions and for all revisions ([`Revision`]).
//! Unknown members are preserved, so a gateway forwards what it does not understand. Optional lists do not
//! distinguish absent from empty: both deserialize as an empty list, which is not serialized.
//!
//! - Messages: [`Message`], and [`Envelope`] for zero-copy parsing; [`RequestId`], [`ErrorObject`].
//! - Names of methods ([`method`]), `_meta` keys ([`meta`]) and extensions ([`extension`]); error codes ([`error`]).
//! - Identity and capabilities: [`Implementation`], [`ClientCapabilities`], [`ServerCapabilities`],
//!   [`InitializeParams`], [`DiscoverResult`], [`RequestMeta`].
//! - Definitions: [`ToolDefinition`], [`Prompt`], [`Resource`], [`ResourceTemplate`], in lists ([`Page`]).
//! - Results: [`ToolResult`], [`PromptResult`], [`ResourceResult`], [`CompleteResult`]; since 2026-07-28 also
//!   input requests and tasks ([`Outcome`]).
//! - Input requests: [`ElicitParams`], [`CreateMessageParams`], [`ListRootsResult`]; since 2026-07-28 as
//!   [`InputRequest`]s.
//! - Notifications: [`ProgressParams`], [`LogMessage`], [`SubscriptionFilter`], [`Task`].

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

/// Converts a duration to milliseconds, capped at the largest integer that every peer can read.
pub fn milliseconds(time: Duration) -> u64 {
    const MAX: u64 = (1 << 53) - 1;
    u64::try_from(time.as_millis()).map_or(MAX, |milliseconds| milliseconds.min(MAX))
}

/// Distinguishes `null` from an absent member, for members that may be any JSON value.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Members that are rarely present, for `#[serde(flatten)]`.
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
