//! What a provider is asked.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::external::drop_reserved;

use crate::completion::Reference;
use crate::input_requests::InputResponses;

/// A call of a tool (2026-07-28, server/tools "Calling Tools").
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolRequest<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The arguments as they were sent: the text of a JSON object, `null` or nothing.
    pub arguments: Option<&'a RawValue>,
    /// The request's `_meta` as it was sent. What the protocol defines in it is meant for this server:
    /// [`ToolRequest::own_meta`] is the rest, which may be passed on.
    pub meta: Option<&'a RawValue>,
    /// The application context that the caller works in, such as `orders/42`.
    pub context_path: Option<&'a str>,
    /// What the client answers to [`Outcome::InputRequired`](super::Outcome::InputRequired), if this is not the first
    /// round.
    pub input: Option<&'a InputResponses>,
}

impl<'a> ToolRequest<'a> {
    /// A call of `name` in the root context.
    pub fn new(name: &'a str, arguments: Option<&'a RawValue>) -> Self {
        Self { name, arguments, meta: None, context_path: None, input: None }
    }

    /// The call in an application context.
    pub fn in_context(self, path: Option<&'a str>) -> Self {
        Self { context_path: path, ..self }
    }

    /// The members of `_meta` that are not the protocol's own: what a caller adds for the tool, such as a trace context.
    pub fn own_meta(&self) -> Map<String, Value> {
        own_meta(self.meta)
    }
}

fn own_meta(meta: Option<&RawValue>) -> Map<String, Value> {
    let mut members = meta.and_then(|meta| serde_json::from_str(meta.get()).ok());
    drop_reserved(&mut members);
    members.unwrap_or_default()
}

/// A prompt to be filled in (2026-07-28, server/prompts "Getting a Prompt").
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PromptRequest<'a> {
    /// The prompt's name.
    pub name: &'a str,
    /// The arguments as they were sent: the text of a JSON object, or nothing.
    pub arguments: Option<&'a RawValue>,
    /// The request's `_meta` as it was sent.
    pub meta: Option<&'a RawValue>,
    /// What the client answers, if this is not the first round.
    pub input: Option<&'a InputResponses>,
}

/// A resource to be read (2026-07-28, server/resources "Reading Resources").
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ResourceRequest<'a> {
    /// The address.
    pub uri: &'a str,
    /// The request's `_meta` as it was sent.
    pub meta: Option<&'a RawValue>,
    /// What the client answers, if this is not the first round.
    pub input: Option<&'a InputResponses>,
}

/// An argument to be completed (2026-07-28, server/utilities/completion).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CompletionRequest<'a> {
    /// Whose argument it is.
    pub reference: &'a Reference,
    /// The argument's name.
    pub argument: &'a str,
    /// Its value so far.
    pub value: &'a str,
    /// The arguments that have their values already.
    pub arguments: &'a BTreeMap<String, String>,
}

impl<'a> CompletionRequest<'a> {
    /// A request for values of an argument.
    pub fn new(
        reference: &'a Reference,
        argument: &'a str,
        value: &'a str,
        arguments: &'a BTreeMap<String, String>,
    ) -> Self {
        Self { reference, argument, value, arguments }
    }
}
