//! JSON-RPC messages in both directions.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::envelope::Outline;
use super::error::{self, ErrorObject};
use super::{Malformed, MessageFault, RequestId};
use crate::json::{self, JsonFault};

/// A JSON-RPC message in either direction.
///
/// Parameters and results are kept as JSON text and parsed by code that knows the method, so a forwarded
/// message is unchanged.
///
/// ```
/// use toolwright_core::protocol::{Message, Request, method};
///
/// let request = Request::new(7, method::TOOLS_LIST);
/// let line = Message::from(request).to_bytes()?;
/// assert_eq!(line, br#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#);
///
/// let Ok(Message::Response(response)) = Message::parse(br#"{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}"#) else {
///     panic!("a response");
/// };
/// assert_eq!(response.id.and_then(|id| id.as_u64()), Some(7));
/// assert_eq!(response.outcome?.get(), r#"{"tools":[]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub enum Message {
    /// A request, which expects a response.
    Request(Request),
    /// A notification, which has no response.
    Notification(Notification),
    /// A response.
    Response(Response),
}

/// A request (2026-07-28, basic "Requests").
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The id, which the response repeats.
    pub id: RequestId<'static>,
    /// The method, see [`method`](super::method).
    pub method: String,
    /// The parameters: an object, or `None`.
    pub params: Option<Box<RawValue>>,
    /// Members that JSON-RPC does not define.
    pub other: Map<String, Value>,
}

/// A notification (2026-07-28, basic "Notifications").
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Notification {
    /// The method, see [`method`](super::method).
    pub method: String,
    /// The parameters: an object, or `None`.
    pub params: Option<Box<RawValue>>,
    /// Members that JSON-RPC does not define.
    pub other: Map<String, Value>,
}

/// A response (2026-07-28, basic "Responses").
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response {
    /// The id of the request; `None` if the peer could not read it.
    pub id: Option<RequestId<'static>>,
    /// The result or the error.
    pub outcome: Result<Box<RawValue>, ErrorObject>,
    /// Members that JSON-RPC does not define.
    pub other: Map<String, Value>,
}

impl Request {
    /// Creates a request without parameters.
    pub fn new(id: impl Into<RequestId<'static>>, method: impl Into<String>) -> Self {
        Self { id: id.into(), method: method.into(), params: None, other: Map::new() }
    }

    /// Sets the parameters.
    ///
    /// # Errors
    /// Returns the error of the `Serialize` implementation of the parameters.
    pub fn with_params(mut self, params: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        self.params = Some(serde_json::value::to_raw_value(params)?);
        Ok(self)
    }
}

impl Notification {
    /// Creates a notification without parameters.
    pub fn new(method: impl Into<String>) -> Self {
        Self { method: method.into(), params: None, other: Map::new() }
    }

    /// Sets the parameters.
    ///
    /// # Errors
    /// Returns the error of the `Serialize` implementation of the parameters.
    pub fn with_params(mut self, params: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        self.params = Some(serde_json::value::to_raw_value(params)?);
        Ok(self)
    }
}

impl Response {
    /// Creates a response.
    pub fn new(id: Option<RequestId<'static>>, outcome: Result<Box<RawValue>, ErrorObject>) -> Self {
        Self { id, outcome, other: Map::new() }
    }
}

impl From<Request> for Message {
    fn from(request: Request) -> Self {
        Self::Request(request)
    }
}

impl From<Notification> for Message {
    fn from(notification: Notification) -> Self {
        Self::Notification(notification)
    }
}

impl From<Response> for Message {
    fn from(response: Response) -> Self {
        Self::Response(response)
    }
}

impl Message {
    /// Parses one message.
    ///
    /// Unknown members of a response are ignored, since a caller is waiting for it. A malformed error object
    /// becomes an [internal error](error::INTERNAL_ERROR) with the original as data.
    ///
    /// # Errors
    /// [`Malformed`], with the id of the request if it was readable.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed<'static>> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(Malformed { fault: MessageFault::Syntax, id: None });
        };
        let mut other = Map::new();
        let outline = Outline::read_with(text, |name, value| {
            // Values that cannot be represented, such as `1e999`, are ignored here.
            if let Ok(value) = serde_json::from_str(value.get()) {
                other.insert(name, value);
            }
        });
        let outline = outline.map_err(Malformed::into_owned)?;
        outline.into_message(other)
    }

    /// Serializes the message on one line, as JSON that every peer can parse.
    ///
    /// # Errors
    /// [`JsonFault`] if raw parameters or a raw result contain JSON that parsers reject or interpret differently.
    pub fn to_bytes(&self) -> Result<Vec<u8>, JsonFault> {
        let mut out = Vec::with_capacity(256);
        json::append(&mut out, self, 0)?;
        Ok(out)
    }
}

impl Outline<'_> {
    fn into_message(self, other: Map<String, Value>) -> Result<Message, Malformed<'static>> {
        let is_answer = self.method.is_none() && (self.result.is_some() || self.error.is_some());
        let fault = match (self.id, self.method_name()) {
            _ if is_answer && !self.is_repeated => return Ok(Message::Response(self.response(other))),
            _ if self.is_repeated => MessageFault::Repeated,
            (_, None) => MessageFault::Message,
            _ if !self.is_versioned() => MessageFault::Message,
            _ if !self.has_good_params() => MessageFault::Params,
            (None, Some(method)) => {
                let params = self.owned_params();
                return Ok(Message::Notification(Notification { method, params, other }));
            }
            (Some(_), Some(method)) => match self.request_id().map(RequestId::into_owned) {
                None => MessageFault::Message,
                Some(id) => {
                    let params = self.owned_params();
                    return Ok(Message::Request(Request { id, method, params, other }));
                }
            },
        };
        // A notification has no response, even if it is invalid.
        let fault = if self.is_notification() { MessageFault::Notification } else { fault };
        Err(Malformed { fault, id: self.request_id().map(RequestId::into_owned) })
    }

    fn response(self, other: Map<String, Value>) -> Response {
        let id = self.id.and_then(RequestId::referred_to).map(RequestId::into_owned);
        let error = self.error.filter(|error| self.result.is_none() || error.get() != "null");
        let outcome = match (error, self.result) {
            (None, Some(result)) => Ok(result.to_owned()),
            (error, _) => {
                let error = error.map(RawValue::get).unwrap_or_default();
                Err(serde_json::from_str(error).unwrap_or_else(|_| unreadable(error)))
            }
        };
        Response { id, outcome, other }
    }

    fn has_good_params(&self) -> bool {
        self.params.is_none_or(|params| params.get().starts_with('{') || params.get() == "null")
    }

    fn owned_params(&self) -> Option<Box<RawValue>> {
        Some(self.params.filter(|params| params.get() != "null")?.to_owned())
    }
}

/// Builds the error for a malformed error object.
fn unreadable(text: &str) -> ErrorObject {
    let start = error::shorten(text);
    error::internal(&format!("the peer sent an error without a code or a message: {start}"))
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("jsonrpc", "2.0")?;
        let (params, other) = match self {
            Self::Request(Request { id, method, params, other }) => {
                members.serialize_entry("id", id)?;
                members.serialize_entry("method", method)?;
                (params, other)
            }
            Self::Notification(Notification { method, params, other }) => {
                members.serialize_entry("method", method)?;
                (params, other)
            }
            Self::Response(Response { id, outcome, other }) => {
                if let Some(id) = id {
                    members.serialize_entry("id", id)?;
                }
                match outcome {
                    Ok(result) => members.serialize_entry("result", result)?,
                    Err(error) => members.serialize_entry("error", error)?,
                }
                (&None, other)
            }
        };
        if let Some(params) = params {
            members.serialize_entry("params", params)?;
        }
        for (name, value) in other {
            members.serialize_entry(name, value)?;
        }
        members.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(text.get().as_bytes()).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
