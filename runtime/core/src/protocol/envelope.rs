//! One JSON-RPC message as it arrives, read in one pass and borrowed from its bytes: the fast way of reading, of which
//! [`Message`](super::Message) is the comfortable one.

use std::borrow::Cow;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::id::string;
use super::{RequestId, method};
use crate::json::each_member;

/// A JSON value of which only the text is of interest; `null` is a value, not an absence.
type Text<'a> = Option<&'a RawValue>;

/// A message: request, notification or response.
#[derive(Debug, Deserialize)]
pub struct Envelope<'a> {
    /// The version of JSON-RPC.
    #[serde(borrow, default, deserialize_with = "present")]
    pub jsonrpc: Text<'a>,
    /// The id of a request, or of the request that a response answers.
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Text<'a>,
    /// The method of a request or a notification.
    #[serde(borrow, default, deserialize_with = "present")]
    pub method: Text<'a>,
    /// The parameters; none where they are left out or `null`.
    #[serde(borrow, default, deserialize_with = "object")]
    pub params: Option<EnvelopeParams<'a>>,
    /// The result of a response.
    #[serde(borrow, default, deserialize_with = "present")]
    pub result: Text<'a>,
    /// The error of a response.
    #[serde(borrow, default, deserialize_with = "present")]
    pub error: Text<'a>,
    /// The members of the parameters' `_meta`; `None` if it is not an object.
    #[serde(skip)]
    pub meta: Option<EnvelopeMeta<'a>>,
}

/// The members of `params` that the methods of a server have.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvelopeParams<'a> {
    /// The name of a tool, a prompt or a skill.
    #[serde(borrow, default)]
    pub name: Text<'a>,
    /// The arguments of a tool or a prompt.
    #[serde(borrow, default)]
    pub arguments: Text<'a>,
    /// `_meta`, see [`Envelope::meta`].
    #[serde(borrow, default, rename = "_meta")]
    pub meta: Text<'a>,
    /// Where a page of a list begins.
    #[serde(borrow, default)]
    pub cursor: Text<'a>,
    /// Which request is cancelled.
    #[serde(borrow, default)]
    pub request_id: Text<'a>,
    /// From which level on log messages are sent.
    #[serde(borrow, default)]
    pub level: Text<'a>,
    /// The revision that `initialize` asks for.
    #[serde(borrow, default)]
    pub protocol_version: Text<'a>,
    /// The capabilities of the client, in `initialize`.
    #[serde(borrow, default)]
    pub capabilities: Text<'a>,
    /// Who the client is, in `initialize`.
    #[serde(borrow, default)]
    pub client_info: Text<'a>,
    /// What a subscription asks for.
    #[serde(borrow, default)]
    pub notifications: Text<'a>,
    /// The URI of a resource.
    #[serde(borrow, default)]
    pub uri: Text<'a>,
    /// Whose argument is completed.
    #[serde(borrow, default, rename = "ref")]
    pub reference: Text<'a>,
    /// The argument that is completed.
    #[serde(borrow, default)]
    pub argument: Text<'a>,
    /// The arguments that are known already.
    #[serde(borrow, default)]
    pub context: Text<'a>,
    /// What the server said when it asked for input.
    #[serde(borrow, default)]
    pub request_state: Text<'a>,
    /// The answers to the server's input requests.
    #[serde(borrow, default)]
    pub input_responses: Text<'a>,
    /// The id of a task.
    #[serde(borrow, default)]
    pub task_id: Text<'a>,
}

/// The members of a request's `_meta` that the protocol defines (2026-07-28, basic "_meta").
#[derive(Debug, Default, Deserialize)]
pub struct EnvelopeMeta<'a> {
    /// [`meta::PROTOCOL_VERSION`](super::meta::PROTOCOL_VERSION).
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    pub protocol_version: Text<'a>,
    /// [`meta::CLIENT_CAPABILITIES`](super::meta::CLIENT_CAPABILITIES).
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub client_capabilities: Text<'a>,
    /// [`meta::LOG_LEVEL`](super::meta::LOG_LEVEL).
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    pub log_level: Text<'a>,
    /// [`meta::PROGRESS_TOKEN`](super::meta::PROGRESS_TOKEN).
    #[serde(borrow, default, rename = "progressToken")]
    pub progress_token: Text<'a>,
    /// [`meta::CONTEXT_PATH`](super::meta::CONTEXT_PATH).
    #[serde(borrow, default, rename = "io.toolwright/contextPath")]
    pub context_path: Text<'a>,
}

impl<'a> EnvelopeMeta<'a> {
    /// Reads `_meta`, which may be absent; `None` if it is not an object, or repeats a member.
    #[inline]
    fn of(params: Option<&EnvelopeParams<'a>>) -> Option<Self> {
        let Some(text) = params.and_then(|params| params.meta) else { return Some(Self::default()) };
        // Derived code would take an array as well.
        text.get().starts_with('{').then(|| serde_json::from_str(text.get()).ok())?
    }
}

/// Bytes that are not a message, as far as they could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Malformed<'a> {
    /// What is wrong.
    pub fault: MessageFault,
    /// The id of what should have been a request.
    pub id: Option<RequestId<'a>>,
}

/// Why bytes are not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// Not JSON, or not UTF-8: -32700.
    #[error("not valid JSON in UTF-8")]
    Syntax,
    /// JSON, but not a request, notification or response: -32600.
    #[error("not a JSON-RPC 2.0 message")]
    Message,
    /// A member of the message is repeated, so that its readers might not agree: -32600.
    #[error("a member of the message is repeated; send it once")]
    Repeated,
    /// A request whose `params` are not an object: -32602.
    #[error("`params` must be an object")]
    Params,
    /// A request whose `params` have a member more than once: -32602.
    #[error("a member of `params` is repeated; send it once")]
    RepeatedParam,
    /// A notification that is not well formed, which has no answer (JSON-RPC 2.0 §4.1).
    #[error("not a notification: `params` must be an object, and no member may be repeated")]
    Notification,
}

impl Malformed<'_> {
    /// The same apart from the bytes.
    pub fn into_owned(self) -> Malformed<'static> {
        Malformed { fault: self.fault, id: self.id.map(RequestId::into_owned) }
    }
}

impl<'a> Envelope<'a> {
    /// Reads one message.
    ///
    /// # Errors
    /// [`Malformed`], with the id of the request where it could be read.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed<'a>> {
        // Looked at once here, the text is not looked at again for each string in it.
        let Ok(text) = std::str::from_utf8(bytes) else {
            let text = String::from_utf8_lossy(bytes);
            let id = Outline::read(&text).ok().and_then(|outline| Some(outline.request_id()?.into_owned()));
            return Err(Malformed { fault: MessageFault::Syntax, id });
        };
        match serde_json::from_str::<Self>(text) {
            Ok(mut envelope) => {
                envelope.meta = EnvelopeMeta::of(envelope.params.as_ref());
                Ok(envelope)
            }
            Err(error) if error.is_data() => Outline::read(text)?.judge(),
            Err(_) => Err(Malformed { fault: MessageFault::Syntax, id: None }),
        }
    }

    /// The name of the method, if it is a string.
    #[inline]
    pub fn method_name(&self) -> Option<Cow<'a, str>> {
        string(self.method?)
    }

    /// The request that the message cancels, if it is a cancellation.
    #[inline]
    pub fn cancelled(&self) -> Option<RequestId<'a>> {
        let is_cancellation = self.id.is_none() && self.method_name()? == method::CANCELLED;
        let id = self.params.as_ref()?.request_id?;
        is_cancellation.then(|| RequestId::referred_to(id))?
    }

    /// Whether the message answers a request of the server's.
    #[inline]
    pub fn is_response(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    /// The id of a request, if it is a good one.
    #[inline]
    pub fn request_id(&self) -> Option<RequestId<'a>> {
        self.id.and_then(RequestId::new)
    }
}

/// The members of a message, whatever they are.
#[derive(Default)]
pub(super) struct Outline<'a> {
    jsonrpc: Text<'a>,
    pub(super) id: Text<'a>,
    pub(super) method: Text<'a>,
    pub(super) params: Text<'a>,
    pub(super) result: Text<'a>,
    pub(super) error: Text<'a>,
    /// Whether a member is repeated.
    pub(super) is_repeated: bool,
    /// Whether the id is.
    is_id_repeated: bool,
}

impl<'a> Outline<'a> {
    fn read(text: &'a str) -> Result<Self, Malformed<'a>> {
        Self::read_with(text, |_, _| ())
    }

    /// Hands the members that JSON-RPC does not define to `unknown`.
    pub(super) fn read_with(
        text: &'a str,
        mut unknown: impl FnMut(String, &'a RawValue),
    ) -> Result<Self, Malformed<'a>> {
        let mut outline = Self::default();
        let read = each_member(text, |name, value| {
            let member = match &*name {
                "jsonrpc" => &mut outline.jsonrpc,
                "id" => &mut outline.id,
                "method" => &mut outline.method,
                "params" => &mut outline.params,
                "result" => &mut outline.result,
                "error" => &mut outline.error,
                _ => {
                    unknown(name.into_owned(), value);
                    return Ok(());
                }
            };
            let is_repeated = member.replace(value).is_some();
            outline.is_repeated |= is_repeated;
            outline.is_id_repeated |= is_repeated && name == "id";
            Ok(())
        });
        let fault = |error: serde_json::Error| {
            if error.is_data() { MessageFault::Message } else { MessageFault::Syntax }
        };
        read.map_err(|error| Malformed { fault: fault(error), id: None })?;
        Ok(outline)
    }

    pub(super) fn method_name(&self) -> Option<String> {
        self.method.and_then(string).map(Cow::into_owned)
    }

    pub(super) fn is_versioned(&self) -> bool {
        self.jsonrpc.and_then(string).is_some_and(|version| version == "2.0")
    }

    pub(super) fn is_notification(&self) -> bool {
        self.id.is_none() && self.method.and_then(string).is_some()
    }

    /// The id that an error is answered with.
    pub(super) fn request_id(&self) -> Option<RequestId<'a>> {
        let is_request = self.method.is_some() && !self.is_id_repeated;
        self.id.filter(|_| is_request).and_then(RequestId::new)
    }

    /// The message that it is all the same, or what is wrong with it.
    fn judge(self) -> Result<Envelope<'a>, Malformed<'a>> {
        let is_named = self.method.and_then(string).is_some();
        let is_versioned = self.is_versioned();
        let is_repeated = self.is_repeated;
        let has_object = self.params.is_some_and(|params| params.get().starts_with('{'));
        let fault = match self.id {
            None if is_named => MessageFault::Notification,
            // What a response has beside its own members means nothing; whoever waits for it must not wait longer.
            Some(_)
                if self.method.is_none()
                    && !is_repeated
                    && (self.result.is_some() || self.error.is_some()) =>
            {
                let Self { jsonrpc, id, method, result, error, .. } = self;
                return Ok(Envelope { jsonrpc, id, method, params: None, result, error, meta: None });
            }
            _ if is_repeated => MessageFault::Repeated,
            _ if !is_named || !is_versioned => MessageFault::Message,
            _ if has_object => MessageFault::RepeatedParam,
            _ => MessageFault::Params,
        };
        Err(Malformed { fault, id: self.request_id() })
    }
}

/// Keeps `null` apart from an absent member.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads an object and nothing else: derived code would take an array, member by member.
fn object<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<EnvelopeParams<'a>>, D::Error> {
    struct Object;

    impl<'de> Visitor<'de> for Object {
        type Value = Option<EnvelopeParams<'de>>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
            EnvelopeParams::deserialize(MapAccessDeserializer::new(members)).map(Some)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }

    deserializer.deserialize_any(Object)
}

#[cfg(test)]
mod tests;
