//! Requests to providers.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::json::Members;
use toolwright_core::protocol::meta::is_reserved;

use crate::completion::Reference;
use crate::input_requests::InputResponses;

/// A tool call (2026-07-28, server/tools "Calling Tools").
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolRequest<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The arguments as they were sent: a JSON object, `null` or nothing.
    pub arguments: Option<&'a RawValue>,
    /// The request's `_meta` as it was sent. The members that the protocol defines are meant for this server;
    /// [`ToolRequest::own_meta`] returns the others, which may be forwarded.
    pub meta: Option<&'a RawValue>,
    /// The caller's application context, such as `orders/42`.
    pub context_path: Option<&'a str>,
    /// The client's responses to [`Outcome::InputRequired`](super::Outcome::InputRequired), unless this is the first
    /// round.
    pub input: Option<&'a InputResponses>,
}

impl<'a> ToolRequest<'a> {
    /// Creates a call of `name` in the root context.
    pub fn new(name: &'a str, arguments: Option<&'a RawValue>) -> Self {
        Self { name, arguments, meta: None, context_path: None, input: None }
    }

    /// Sets the application context.
    pub fn in_context(self, path: Option<&'a str>) -> Self {
        Self { context_path: path, ..self }
    }

    /// Returns the members of `_meta` that the protocol does not define, such as a trace context.
    pub fn own_meta(&self) -> Map<String, Value> {
        own_meta(self.meta)
    }
}

fn own_meta(meta: Option<&RawValue>) -> Map<String, Value> {
    // Most requests have nothing else than what the protocol defines, which is not parsed.
    let members = meta.and_then(Members::of).into_iter().flatten();
    let own = members.map(|member| (member.name(), member.value)).filter(|(name, _)| !is_reserved(name));
    own.filter_map(|(name, value)| Some((name.into_owned(), serde_json::from_str(value).ok()?))).collect()
}

/// A request about a task that the provider returned as [`Outcome::Created`](super::Outcome::Created), by the caller
/// whose call it was (SEP-2663 "Supported Methods").
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TaskRequest<'a> {
    /// The id that the provider chose.
    pub id: &'a str,
    /// The name of the called tool.
    pub tool: &'a str,
    /// What the client requests.
    pub action: TaskAction<'a>,
}

impl<'a> TaskRequest<'a> {
    /// Creates a request about the task `id` of a call of `tool`.
    pub fn new(id: &'a str, tool: &'a str, action: TaskAction<'a>) -> Self {
        Self { id, tool, action }
    }
}

/// What a client requests of a task.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum TaskAction<'a> {
    /// Its state, with the result or the error once it has ended (`tasks/get`).
    Get,
    /// To pass on these responses to its input requests (`tasks/update`). Unknown keys are to be ignored.
    Update(&'a BTreeMap<String, Box<RawValue>>),
    /// To cancel it (`tasks/cancel`). It may end in another way nevertheless.
    Cancel,
}

/// A request for a prompt (2026-07-28, server/prompts "Getting a Prompt").
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PromptRequest<'a> {
    /// The prompt's name.
    pub name: &'a str,
    /// The arguments as they were sent: a JSON object, or nothing.
    pub arguments: Option<&'a RawValue>,
    /// The request's `_meta` as it was sent.
    pub meta: Option<&'a RawValue>,
    /// The client's input responses, unless this is the first round.
    pub input: Option<&'a InputResponses>,
}

/// A request for a resource (2026-07-28, server/resources "Reading Resources").
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ResourceRequest<'a> {
    /// The URI.
    pub uri: &'a str,
    /// The request's `_meta` as it was sent.
    pub meta: Option<&'a RawValue>,
    /// The client's input responses, unless this is the first round.
    pub input: Option<&'a InputResponses>,
}

/// A request for the entries of a directory (SEP-2640).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DirectoryRequest<'a> {
    /// The URI of the directory.
    pub uri: &'a str,
    /// The cursor of a page before, as the provider returned it.
    pub cursor: Option<&'a str>,
}

impl<'a> DirectoryRequest<'a> {
    /// Creates a request for a page of the directory at `uri`, the first one without a cursor.
    pub fn new(uri: &'a str, cursor: Option<&'a str>) -> Self {
        Self { uri, cursor }
    }
}

/// A request for completions (2026-07-28, server/utilities/completion).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CompletionRequest<'a> {
    /// The prompt or resource template of the argument.
    pub reference: &'a Reference,
    /// The argument's name.
    pub argument: &'a str,
    /// Its value so far.
    pub value: &'a str,
    /// The arguments that already have values.
    pub arguments: &'a BTreeMap<String, String>,
}

impl<'a> CompletionRequest<'a> {
    /// Creates a request for values of an argument.
    pub fn new(
        reference: &'a Reference,
        argument: &'a str,
        value: &'a str,
        arguments: &'a BTreeMap<String, String>,
    ) -> Self {
        Self { reference, argument, value, arguments }
    }
}
