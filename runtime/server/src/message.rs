//! One JSON-RPC message as it arrives, read in one pass and borrowed from its bytes.

use std::borrow::Cow;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::decimal::Decimal;
use crate::members::each_member;

/// A JSON value of which only the text is of interest; `null` is a value, not an absence.
type Text<'a> = Option<&'a RawValue>;

/// A message: request, notification or response.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) jsonrpc: Text<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) method: Text<'a>,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(crate) params: Option<Params<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) result: Text<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) error: Text<'a>,
    /// What `_meta` of the parameters says; none if it is no object.
    #[serde(skip)]
    pub(crate) meta: Option<RequestMeta<'a>>,
}

/// The members of `params` that any method of the server looks at.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) arguments: Text<'a>,
    #[serde(borrow, default, rename = "_meta")]
    pub(crate) meta: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) cursor: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) request_id: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) level: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) protocol_version: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) capabilities: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) client_info: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) notifications: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) uri: Text<'a>,
    #[serde(borrow, default, rename = "ref")]
    pub(crate) reference: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) argument: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) context: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) request_state: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) input_responses: Text<'a>,
    #[cfg(feature = "tasks")]
    #[serde(borrow, default)]
    pub(crate) task_id: Text<'a>,
}

/// The members of a request's `_meta` that the protocol defines (2026-07-28, basic "_meta").
#[derive(Debug, Default, Deserialize)]
pub(crate) struct RequestMeta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(crate) protocol_version: Text<'a>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(crate) client_capabilities: Text<'a>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    pub(crate) log_level: Text<'a>,
    #[serde(borrow, default, rename = "progressToken")]
    pub(crate) progress_token: Text<'a>,
    #[serde(borrow, default, rename = "io.toolwright/contextPath")]
    pub(crate) context_path: Text<'a>,
}

impl<'a> RequestMeta<'a> {
    /// Reads `_meta`, which may be left out; none if it is no object, or one that says something twice.
    fn of(params: Option<&Params<'a>>) -> Option<Self> {
        let Some(text) = params.and_then(|params| params.meta) else { return Some(Self::default()) };
        // Derived code would take an array as well.
        text.get().starts_with('{').then(|| serde_json::from_str(text.get()).ok())?
    }
}

/// Bytes that are no message, as far as they could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed<'a> {
    pub(crate) fault: Fault,
    /// The id of what should have been a request.
    pub(crate) id: Option<RequestId<'a>>,
}

/// Why bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Not JSON, or not UTF-8: -32700.
    Syntax,
    /// JSON, but no request, notification or response: -32600.
    Message,
    /// A member of the message stands there more than once, so that its readers might not agree: -32600.
    Repeated,
    /// A request whose `params` are not an object: -32602.
    Params,
    /// A request whose `params` have a member more than once: -32602.
    RepeatedParam,
    /// A notification, of which nothing more can be said: it has no answer (JSON-RPC 2.0 §4.1).
    Notification,
}

impl<'a> Envelope<'a> {
    /// Reads one message.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed<'a>> {
        // Looked at once here, the text is not looked at again for each string in it.
        let Ok(text) = std::str::from_utf8(bytes) else {
            let text = String::from_utf8_lossy(bytes);
            let id = Outline::read(&text).ok().and_then(|outline| Some(outline.request_id()?.into_owned()));
            return Err(Malformed { fault: Fault::Syntax, id });
        };
        match serde_json::from_str::<Self>(text) {
            Ok(mut envelope) => {
                envelope.meta = RequestMeta::of(envelope.params.as_ref());
                Ok(envelope)
            }
            Err(error) if error.is_data() => Outline::read(text)?.judge(),
            Err(_) => Err(Malformed { fault: Fault::Syntax, id: None }),
        }
    }

    /// The name of the method, if it is a string.
    #[cfg(feature = "http")]
    pub(crate) fn method_name(&self) -> Option<Cow<'a, str>> {
        string(self.method?)
    }

    /// What the message takes back, if that is what it is for.
    #[cfg(feature = "http")]
    pub(crate) fn cancelled(&self) -> Option<RequestId<'a>> {
        let is_cancellation = self.id.is_none() && self.method_name()? == "notifications/cancelled";
        let id = self.params.as_ref()?.request_id?;
        is_cancellation.then(|| RequestId::referred_to(id))?
    }

    /// Whether the message answers a request of the server's.
    pub(crate) fn is_response(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    /// The id of a request, if it is a good one.
    pub(crate) fn request_id(&self) -> Option<RequestId<'a>> {
        self.id.and_then(RequestId::new)
    }
}

/// What can be said of JSON that is no message as it should be.
#[derive(Default)]
struct Outline<'a> {
    jsonrpc: Text<'a>,
    id: Text<'a>,
    method: Text<'a>,
    params: Text<'a>,
    result: Text<'a>,
    error: Text<'a>,
    /// Whether a member stands there again.
    is_repeated: bool,
    /// Whether the id does.
    is_id_repeated: bool,
}

impl<'a> Outline<'a> {
    fn read(text: &'a str) -> Result<Self, Malformed<'a>> {
        let mut outline = Self::default();
        let read = each_member(text, |name, value| {
            let member = match &*name {
                "jsonrpc" => &mut outline.jsonrpc,
                "id" => &mut outline.id,
                "method" => &mut outline.method,
                "params" => &mut outline.params,
                "result" => &mut outline.result,
                "error" => &mut outline.error,
                _ => return Ok(()),
            };
            let is_repeated = member.replace(value).is_some();
            outline.is_repeated |= is_repeated;
            outline.is_id_repeated |= is_repeated && name == "id";
            Ok(())
        });
        let fault = |error: serde_json::Error| if error.is_data() { Fault::Message } else { Fault::Syntax };
        read.map_err(|error| Malformed { fault: fault(error), id: None })?;
        Ok(outline)
    }

    /// The id that an error is answered with.
    fn request_id(&self) -> Option<RequestId<'a>> {
        let is_request = self.method.is_some() && !self.is_id_repeated;
        self.id.filter(|_| is_request).and_then(RequestId::new)
    }

    /// The message that it is all the same, or what is wrong with it.
    fn judge(self) -> Result<Envelope<'a>, Malformed<'a>> {
        let is_named = self.method.and_then(string).is_some();
        let is_versioned = self.jsonrpc.and_then(string).is_some_and(|version| version == "2.0");
        let is_repeated = self.is_repeated;
        let has_object = self.params.is_some_and(|params| params.get().starts_with('{'));
        let fault = match self.id {
            None if is_named => Fault::Notification,
            // What a response has beside its own members means nothing; whoever waits for it must not wait longer.
            Some(_)
                if self.method.is_none()
                    && !is_repeated
                    && (self.result.is_some() || self.error.is_some()) =>
            {
                let Self { jsonrpc, id, method, result, error, .. } = self;
                return Ok(Envelope { jsonrpc, id, method, params: None, result, error, meta: None });
            }
            _ if is_repeated => Fault::Repeated,
            _ if !is_named || !is_versioned => Fault::Message,
            _ if has_object => Fault::RepeatedParam,
            _ => Fault::Params,
        };
        Err(Malformed { fault, id: self.request_id() })
    }
}

/// Keeps `null` apart from an absent member.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads an object and nothing else: derived code would take an array, member by member.
fn object<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Params<'a>>, D::Error> {
    struct Object;

    impl<'de> Visitor<'de> for Object {
        type Value = Option<Params<'de>>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
            Params::deserialize(MapAccessDeserializer::new(members)).map(Some)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }

    deserializer.deserialize_any(Object)
}

/// The id of a request: a string or an integer, kept as its JSON text so that it goes back digit for digit
/// (2026-07-28, basic "Requests": no `null`, no fractions).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RequestId<'a>(Cow<'a, str>);

impl<'a> RequestId<'a> {
    /// The id, if `text` is one.
    pub(crate) fn new(text: &'a RawValue) -> Option<Self> {
        let text = text.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // An escape may stand for half a character, and then nobody could read the answer that repeats it.
        let is_string = || !text.contains('\\') || serde_json::from_str::<String>(text).is_ok();
        (is_integer || (text.starts_with('"') && is_string())).then_some(Self(Cow::Borrowed(text)))
    }

    /// An id for an answer that is not sent as one.
    #[cfg(feature = "tasks")]
    pub(crate) fn none() -> Self {
        Self(Cow::Borrowed("0"))
    }

    /// The id that a notification refers to: as [`RequestId::new`], and an integer also where it is written as `1.0`.
    pub(crate) fn referred_to(text: &'a RawValue) -> Option<Self> {
        let plain = || Decimal::parse(text.get())?.integer();
        Self::new(text).or_else(|| plain().map(|plain| Self(Cow::Owned(plain))))
    }

    /// The JSON text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The same for the same id, however its string is escaped.
    pub(crate) fn key(&self) -> Box<str> {
        if self.0.contains('\\')
            && let Ok(text) = serde_json::from_str::<String>(&self.0)
            && let Ok(plain) = serde_json::to_string(&text)
        {
            return plain.into();
        }
        if &*self.0 == "-0" { "0".into() } else { self.as_str().into() }
    }

    /// The id apart from the message it came in.
    pub(crate) fn into_owned(self) -> RequestId<'static> {
        RequestId(Cow::Owned(self.0.into_owned()))
    }
}

/// The string that `text` holds, if it is a string. Half of a surrogate pair is none.
pub(crate) fn string(text: &RawValue) -> Option<Cow<'_, str>> {
    let inner = text.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.as_bytes().contains(&b'\\') {
        return serde_json::from_str(text.get()).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

/// A frame without the space around it, and without the byte order mark that some programs put in front of each text
/// (RFC 8259 §8.1 lets a reader ignore it).
pub(crate) fn trimmed(frame: &[u8]) -> &[u8] {
    const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
    frame.strip_prefix(BYTE_ORDER_MARK).unwrap_or(frame).trim_ascii()
}

#[cfg(test)]
mod tests;
