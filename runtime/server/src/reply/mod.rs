//! Replies to requests: typed within the server, and written once, in the form of the revision.
//!
//! A [`Reply`] is not the [`Outcome`](crate::provider::Outcome) of a provider. An outcome is what user code returns for
//! one kind of request: generic over its result, public, and incomplete, with raw input requests without sealed state,
//! and a future as its task. A reply is what the server makes of it: input requests that the client supports, with
//! sealed state, an existing task, a rendered page, or a reply that no provider returns. With a single type, providers
//! could build replies that only the server may build.

mod tool_result;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_core::content::{ContentBlock, Role};
use toolwright_core::json::{JsonFault, Member, Members};
use toolwright_core::prompt::PromptResult;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::meta::is_reserved;
use toolwright_core::resource::{CacheScope, ResourceContents, ResourceResult};
use toolwright_core::result::ToolResult;
use toolwright_core::revision::Revision;

use crate::completion::Completion;
use crate::input_requests::KnownRequest;
use crate::json_rpc::{self, CacheHints, Form, ResultObject, ResultType};
use crate::message::RequestId;
use crate::provider::RawResult;
#[cfg(feature = "tasks")]
use crate::tasks::{ProviderTaskView, Task, TaskView};
use crate::tool::ToolEntry;
use crate::{error, log};

/// The reply to a request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A rendered result, in the form of the revision.
    Written(Arc<[u8]>),
    /// The result of a tool.
    Tool(Arc<ToolEntry>, ToolResult),
    /// A prompt filled with arguments.
    Prompt(PromptResult),
    /// The contents of a resource, and whether they are private to the caller.
    Resource(ResourceResult, bool),
    /// Suggestions.
    Completion(Completion),
    /// A skill and its cache hints.
    #[cfg(feature = "skills")]
    Skill(Box<RawValue>, CacheHints),
    /// A page of a provider's directory and its cache hints.
    #[cfg(feature = "skills")]
    Directory(crate::provider::Directory, CacheHints),
    /// An empty result.
    Done,
    /// A call that has become a task.
    #[cfg(feature = "tasks")]
    TaskCreated(Box<Task>),
    /// The state of a task.
    #[cfg(feature = "tasks")]
    Task(Box<Task>),
    /// A call that has become a task of its provider, or the state of such a task.
    #[cfg(feature = "tasks")]
    ProviderTask(ResultType, Box<toolwright_core::protocol::Task>),
    /// Input requests, and the sealed state that is returned with the responses.
    InputRequired(Vec<(String, KnownRequest)>, String),
    /// The result of another server, in the form of the client's revision. If clients may cache it, also whether it is
    /// private to the caller.
    Raw(RawResult, Option<bool>),
    /// A protocol error.
    Error(ErrorObject),
}

/// The kind of a response, for transports that signal it separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    Result,
    Error {
        code: i64,
        /// Whether it has the request's id.
        has_id: bool,
    },
}

impl AnswerKind {
    /// An error with the request's id.
    fn error(error: &ErrorObject) -> Self {
        Self::Error { code: error.code, has_id: true }
    }
}

impl From<ErrorObject> for Reply {
    fn from(error: ErrorObject) -> Self {
        Self::Error(error)
    }
}

impl Reply {
    /// Creates a result that is the same in all revisions.
    pub(crate) fn of_value(result: &Value) -> Self {
        Self::Written(result.to_string().into_bytes().into())
    }

    /// Appends the response to the request with this id.
    pub(crate) fn write(&self, out: &mut Vec<u8>, id: &RequestId<'_>, form: &Form<'_>) -> AnswerKind {
        if let Self::Error(error) = self {
            json_rpc::error(out, Some(id), error, form.revision);
            return AnswerKind::error(error);
        }
        let start = out.len();
        if let Self::Written(result) = self {
            // A page may be long, so it is copied only once.
            out.reserve(json_rpc::HEAD_BYTES + id.as_str().len() + result.len());
        }
        json_rpc::head(out, id);
        match self.append(out, form) {
            Ok(()) => {
                out.push(b'}');
                AnswerKind::Result
            }
            Err(refusal) => {
                out.truncate(start);
                let error = refusal.into_error(id);
                json_rpc::error(out, Some(id), &error, form.revision);
                AnswerKind::error(&error)
            }
        }
    }

    /// Returns only the result, as JSON.
    ///
    /// # Errors
    /// The protocol error in its place.
    pub(crate) fn into_result(self, form: &Form<'_>) -> Result<Box<RawValue>, ErrorObject> {
        if let Self::Error(error) = self {
            return Err(error);
        }
        let mut out = Vec::new();
        self.append(&mut out, form).map_err(|refusal| refusal.into_error(&RequestId::from(0)))?;
        let text = String::from_utf8(out).map_err(|_| error::internal("the result is not valid UTF-8"))?;
        RawValue::from_string(text).map_err(|_| error::internal("the result is not valid JSON"))
    }

    /// Appends the result.
    fn append(&self, out: &mut Vec<u8>, form: &Form<'_>) -> Result<(), WriteError> {
        let revision = form.revision;
        match self {
            Self::Tool(tool, result) => {
                append_tool_result(out, tool, result, form);
                Ok(())
            }
            Self::Written(result) => {
                out.extend_from_slice(result);
                Ok(())
            }
            Self::Prompt(prompt) => complete(out, PromptBody::of(prompt, revision), form),
            Self::Resource(resource, is_private) => {
                let hints = CacheHints {
                    ttl_ms: resource.ttl_ms.unwrap_or_default(),
                    // What is private must not be cached for everyone.
                    cache_scope: if *is_private {
                        CacheScope::Private
                    } else {
                        resource.cache_scope.unwrap_or_default()
                    },
                };
                let contents = resource.contents.iter().map(|contents| contents.for_revision(revision));
                let body = ResourceBody { contents: contents.collect() };
                append(out, &ResultObject::new(ResultType::Complete, body, form).cached(hints, revision))
            }
            Self::Completion(completion) => complete(out, CompletionBody { completion }, form),
            #[cfg(feature = "skills")]
            Self::Skill(skill, hints) => {
                let result = ResultObject::new(ResultType::Complete, SkillBody { skill }, form);
                append(out, &result.cached(*hints, revision))
            }
            #[cfg(feature = "skills")]
            Self::Directory(directory, hints) => {
                let mut directory = directory.clone();
                for resource in &mut directory.resources {
                    *resource = resource.for_revision(revision).into_owned();
                }
                let result = ResultObject::new(ResultType::Complete, directory, form);
                append(out, &result.cached(*hints, revision))
            }
            Self::Done => complete(out, NoBody {}, form),
            #[cfg(feature = "tasks")]
            Self::TaskCreated(task) => {
                append(out, &ResultObject::new(ResultType::Task, TaskView::of(task), form))
            }
            #[cfg(feature = "tasks")]
            Self::Task(task) => complete(out, TaskView::of(task), form),
            #[cfg(feature = "tasks")]
            Self::ProviderTask(result_type, task) => {
                let meta = merged_meta(task.meta.clone(), form);
                let meta = serde_json::value::to_raw_value(&meta)
                    .map_err(|_| error::internal("the task cannot be written"));
                let form = Form { revision, server_meta: &meta.map_err(WriteError::Error)? };
                append(out, &ResultObject::new(*result_type, ProviderTaskView::of(task), &form))
            }
            Self::InputRequired(input_requests, request_state) => {
                let body = InputRequiredBody { input_requests, request_state };
                append(out, &ResultObject::new(ResultType::InputRequired, body, form))
            }
            Self::Raw(raw, is_private) => append_raw(out, raw, *is_private, form),
            Self::Error(error) => Err(WriteError::Error(error.clone())),
        }
    }
}

/// A result cannot be written.
enum WriteError {
    Fault(JsonFault),
    Error(ErrorObject),
}

impl From<JsonFault> for WriteError {
    fn from(fault: JsonFault) -> Self {
        Self::Fault(fault)
    }
}

impl WriteError {
    fn into_error(self, id: &RequestId<'_>) -> ErrorObject {
        match self {
            Self::Fault(fault) => json_rpc::unwritable(id, &fault),
            Self::Error(error) => error,
        }
    }
}

fn append(out: &mut Vec<u8>, result: &impl Serialize) -> Result<(), WriteError> {
    Ok(json_rpc::append_result(out, result)?)
}

fn complete(out: &mut Vec<u8>, body: impl Serialize, form: &Form<'_>) -> Result<(), WriteError> {
    append(out, &ResultObject::new(ResultType::Complete, body, form))
}

/// Appends the result of a tool; a result that cannot be sent is replaced by one with `isError`.
fn append_tool_result(out: &mut Vec<u8>, tool: &ToolEntry, result: &ToolResult, form: &Form<'_>) {
    let start = out.len();
    if let Err(fault) = tool_result::append(out, result, tool.wraps, form) {
        out.truncate(start);
        let text = format!("cannot send the result of the tool `{}`: it {fault}", tool.definition.name);
        log::warn(format_args!("{text}"));
        // Text can always be written.
        let _ = tool_result::append(out, &ToolResult::error(text), tool.wraps, form);
    }
}

/// Appends the result of another server, unchanged except for the server's identity, and without a type for clients that do
/// not know it.
///
/// `is_private` is set for results that clients may cache, and is whether they are private to the caller. A wider scope
/// is then replaced by "private", and invalid hints by 0 milliseconds (2026-07-28, server/utilities/caching "Choosing a
/// Cache Scope").
fn append_raw(
    out: &mut Vec<u8>,
    raw: &RawResult,
    is_private: Option<bool>,
    form: &Form<'_>,
) -> Result<(), WriteError> {
    const PRIVATE: &str = "\"private\"";
    /// More than the names and values that are added here.
    const MORE_BYTES: usize = 128;

    // A middleware may have made it.
    let object = raw.object().map_err(|fault| WriteError::Fault(fault.clone()))?;
    let is_private = is_private.filter(|_| form.revision.has_cache_hints());
    // It may be long, so it is copied only once.
    out.reserve(object.as_str().len() + form.server_meta.get().len() + MORE_BYTES);
    let mut result = ObjectWriter::begin(out);
    let (mut own, mut has_type, mut has_ttl, mut has_scope) = (None, false, false, false);
    for member in object.members() {
        let value = member.value;
        let flag = match &*member.name() {
            "_meta" => {
                own = Some(value);
                continue;
            }
            "resultType" if !form.revision.has_result_type() => continue,
            "resultType" => &mut has_type,
            "ttlMs" if is_private.is_some() && serde_json::from_str::<u64>(value).is_err() => continue,
            "ttlMs" => &mut has_ttl,
            "cacheScope" => match is_private {
                Some(is_private) if value != PRIVATE && (is_private || value != "\"public\"") => continue,
                _ => &mut has_scope,
            },
            _ => &mut false,
        };
        *flag = true;
        result.push(member.quoted_name, value);
    }
    if form.revision.has_result_type() && !has_type {
        result.push("\"resultType\"", "\"complete\"");
    }
    if is_private.is_some() && !has_ttl {
        result.push("\"ttlMs\"", "0");
    }
    if is_private.is_some() && !has_scope {
        result.push("\"cacheScope\"", PRIVATE);
    }
    let server = Some(form.server_meta).filter(|_| form.revision.has_result_meta()).and_then(Members::of);
    let server = server.into_iter().flatten();
    let is_kept = |member: &Member<'_>| {
        let name = member.name();
        !is_reserved(&name) && server.clone().all(|other| other.name() != name)
    };
    let mut own = own.and_then(Members::of_text).into_iter().flatten().filter(is_kept).peekable();
    if own.peek().is_some() {
        result.push_object("\"_meta\"", own.chain(server.clone()));
    } else if form.revision.has_result_meta() {
        result.push("\"_meta\"", form.server_meta.get());
    }
    result.end();
    Ok(())
}

/// The `_meta` of another server's task, with the identity of this one.
#[cfg(feature = "tasks")]
fn merged_meta(
    mut own: Option<serde_json::Map<String, Value>>,
    form: &Form<'_>,
) -> serde_json::Map<String, Value> {
    toolwright_core::external::drop_reserved(&mut own);
    let mut meta = own.unwrap_or_default();
    if form.revision.has_result_meta()
        && let Ok(Value::Object(server)) = serde_json::from_str(form.server_meta.get())
    {
        meta.extend(server);
    }
    meta
}

/// Writes an object whose members are JSON already.
struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> ObjectWriter<'a> {
    fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    fn push(&mut self, quoted_name: &str, value: &str) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        self.out.reserve(quoted_name.len() + value.len() + 2);
        self.out.extend_from_slice(quoted_name.as_bytes());
        self.out.push(b':');
        self.out.extend_from_slice(value.as_bytes());
    }

    /// Adds an object, unless it is empty.
    fn push_object<'m>(&mut self, quoted_name: &str, members: impl Iterator<Item = Member<'m>>) {
        let mut members = members.peekable();
        if members.peek().is_none() {
            return;
        }
        self.push(quoted_name, "");
        let mut inner = ObjectWriter::begin(self.out);
        members.for_each(|member| inner.push(member.quoted_name, member.value));
        inner.end();
    }

    fn end(self) {
        self.out.push(b'}');
    }
}

#[derive(Serialize)]
struct NoBody {}

#[derive(Serialize)]
struct PromptBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Cow<'a, ContentBlock>,
}

impl<'a> PromptBody<'a> {
    fn of(prompt: &'a PromptResult, revision: Revision) -> Self {
        let messages = prompt
            .messages
            .iter()
            .map(|message| Message { role: message.role, content: message.content.for_revision(revision) });
        Self { description: prompt.description.as_deref(), messages: messages.collect() }
    }
}

#[derive(Serialize)]
struct ResourceBody<'a> {
    contents: Vec<Cow<'a, ResourceContents>>,
}

#[derive(Serialize)]
struct CompletionBody<'a> {
    completion: &'a Completion,
}

/// The result of `skills/get`. The specification leaves open whether it has cache hints; the conformance suite requires
/// them, as for `resources/read`.
#[cfg(feature = "skills")]
#[derive(Serialize)]
struct SkillBody<'a> {
    skill: &'a RawValue,
}

/// 2026-07-28, schema `InputRequiredResult`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InputRequiredBody<'a> {
    #[serde(serialize_with = "as_object")]
    input_requests: &'a [(String, KnownRequest)],
    request_state: &'a str,
}

fn as_object<S: Serializer>(requests: &&[(String, KnownRequest)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(requests.iter().map(|(key, request)| (key, request)))
}
