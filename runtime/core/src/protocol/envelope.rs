//! Zero-copy parsing of one JSON-RPC message, in one pass. [`Message`](super::Message) is the owned and more
//! convenient form.

use std::borrow::Cow;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::id::string;
use super::{RequestId, method};
use crate::json::each_member;

/// A raw JSON value; an explicit `null` differs from an absent member.
type Text<'a> = Option<&'a RawValue>;

/// A parsed message: request, notification or response.
#[derive(Debug, Deserialize)]
pub struct Envelope<'a> {
    /// The JSON-RPC version.
    #[serde(borrow, default, deserialize_with = "present")]
    pub jsonrpc: Text<'a>,
    /// The id of the request, or of the request that a response belongs to.
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Text<'a>,
    /// The method of a request or notification.
    #[serde(borrow, default, deserialize_with = "present")]
    pub method: Text<'a>,
    /// The parameters; `None` if they are absent or `null`.
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

/// The members of `params` that server methods use.
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
    /// The cursor of a list request.
    #[serde(borrow, default)]
    pub cursor: Text<'a>,
    /// The id of the request to cancel.
    #[serde(borrow, default)]
    pub request_id: Text<'a>,
    /// The minimum log level.
    #[serde(borrow, default)]
    pub level: Text<'a>,
    /// The requested revision, in `initialize`.
    #[serde(borrow, default)]
    pub protocol_version: Text<'a>,
    /// The capabilities of the client, in `initialize`.
    #[serde(borrow, default)]
    pub capabilities: Text<'a>,
    /// The client's implementation info, in `initialize`.
    #[serde(borrow, default)]
    pub client_info: Text<'a>,
    /// The filter of a subscription.
    #[serde(borrow, default)]
    pub notifications: Text<'a>,
    /// The URI of a resource.
    #[serde(borrow, default)]
    pub uri: Text<'a>,
    /// The prompt or resource template whose argument is completed.
    #[serde(borrow, default, rename = "ref")]
    pub reference: Text<'a>,
    /// The argument to complete.
    #[serde(borrow, default)]
    pub argument: Text<'a>,
    /// The arguments that have been resolved already.
    #[serde(borrow, default)]
    pub context: Text<'a>,
    /// The `requestState` of an earlier response.
    #[serde(borrow, default)]
    pub request_state: Text<'a>,
    /// The responses to the server's input requests.
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
    /// Reads `_meta`; `None` if it is not an object or has a duplicate member.
    #[inline]
    fn of(params: Option<&EnvelopeParams<'a>>) -> Option<Self> {
        let Some(text) = params.and_then(|params| params.meta) else { return Some(Self::default()) };
        // A derived implementation would accept an array as well.
        text.get().starts_with('{').then(|| serde_json::from_str(text.get()).ok())?
    }
}

/// A message that could not be parsed, with the parts that could.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Malformed<'a> {
    /// The cause.
    pub fault: MessageFault,
    /// The id of the request, if it was readable.
    pub id: Option<RequestId<'a>>,
}

/// Why a message is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// Not JSON, or not UTF-8: -32700.
    #[error("not valid JSON in UTF-8")]
    Syntax,
    /// JSON, but not a request, notification or response: -32600.
    #[error("not a JSON-RPC 2.0 message")]
    Message,
    /// The message has a duplicate member, which parsers resolve differently: -32600.
    #[error("the message has a duplicate member; send each member once")]
    Repeated,
    /// The `params` of a request are not an object: -32602.
    #[error("`params` must be an object")]
    Params,
    /// The `params` of a request have a duplicate member: -32602.
    #[error("`params` has a duplicate member; send each member once")]
    RepeatedParam,
    /// An invalid notification, which gets no response (JSON-RPC 2.0 §4.1).
    #[error("invalid notification: `params` must be an object without duplicate members")]
    Notification,
}

impl Malformed<'_> {
    /// Converts into an owned value.
    pub fn into_owned(self) -> Malformed<'static> {
        Malformed { fault: self.fault, id: self.id.map(RequestId::into_owned) }
    }
}

impl<'a> Envelope<'a> {
    /// Parses one message.
    ///
    /// # Errors
    /// [`Malformed`], with the id of the request if it was readable.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed<'a>> {
        // UTF-8 is validated once here instead of for each string.
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

    /// Returns the name of the method, if it is a string.
    #[inline]
    pub fn method_name(&self) -> Option<Cow<'a, str>> {
        string(self.method?)
    }

    /// Returns the id of the request to cancel, if the message is a cancellation.
    #[inline]
    pub fn cancelled(&self) -> Option<RequestId<'a>> {
        let is_cancellation = self.id.is_none() && self.method_name()? == method::CANCELLED;
        let id = self.params.as_ref()?.request_id?;
        is_cancellation.then(|| RequestId::referred_to(id))?
    }

    /// Returns whether the message is a response to a request of the server.
    #[inline]
    pub fn is_response(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    /// Returns the id of a request, if it is valid.
    #[inline]
    pub fn request_id(&self) -> Option<RequestId<'a>> {
        self.id.and_then(RequestId::new)
    }
}

/// The members of a message, unvalidated.
#[derive(Default)]
pub(super) struct Outline<'a> {
    jsonrpc: Text<'a>,
    pub(super) id: Text<'a>,
    pub(super) method: Text<'a>,
    pub(super) params: Text<'a>,
    pub(super) result: Text<'a>,
    pub(super) error: Text<'a>,
    /// Whether a member is duplicated.
    pub(super) is_repeated: bool,
    /// Whether the id is duplicated.
    is_id_repeated: bool,
}

impl<'a> Outline<'a> {
    fn read(text: &'a str) -> Result<Self, Malformed<'a>> {
        Self::read_with(text, |_, _| ())
    }

    /// Passes members that JSON-RPC does not define to `unknown`.
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

    /// Returns the id for an error response.
    pub(super) fn request_id(&self) -> Option<RequestId<'a>> {
        let is_request = self.method.is_some() && !self.is_id_repeated;
        self.id.filter(|_| is_request).and_then(RequestId::new)
    }

    /// Classifies the message, or returns what is wrong with it.
    fn judge(self) -> Result<Envelope<'a>, Malformed<'a>> {
        let is_named = self.method.and_then(string).is_some();
        let is_versioned = self.is_versioned();
        let is_repeated = self.is_repeated;
        let has_object = self.params.is_some_and(|params| params.get().starts_with('{'));
        let fault = match self.id {
            None if is_named => MessageFault::Notification,
            // Unknown members of a response are ignored: the caller that waits for it must not wait longer.
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

/// Distinguishes `null` from an absent member.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Accepts only an object: a derived implementation would accept an array as well.
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
