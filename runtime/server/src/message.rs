//! One JSON-RPC message as it arrives, read in one pass and borrowed from its bytes.

use std::borrow::Cow;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

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
    /// Reads `_meta`, which may be left out; none if it is no object.
    fn of(params: Option<&Params<'a>>) -> Option<Self> {
        let Some(text) = params.and_then(|params| params.meta) else { return Some(Self::default()) };
        // Derived code would take an array as well.
        text.get().starts_with('{').then(|| serde_json::from_str(text.get()).ok())?
    }
}

/// Why bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// Not JSON, or not UTF-8: -32700.
    Syntax,
    /// JSON, but no request, notification or response: -32600.
    Message,
    /// A request whose `params` are not an object: -32602.
    Params,
}

impl<'a> Envelope<'a> {
    /// Reads one message.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        // Looked at once here, the text is not looked at again for each string in it.
        let text = std::str::from_utf8(bytes).map_err(|_| Malformed::Syntax)?;
        match serde_json::from_str::<Self>(text) {
            Ok(mut envelope) => {
                envelope.meta = RequestMeta::of(envelope.params.as_ref());
                Ok(envelope)
            }
            Err(error) if !error.is_data() => Err(Malformed::Syntax),
            // JSON of another shape: if everything but `params` fits, it is a request with bad parameters.
            Err(_) => match serde_json::from_str::<Outline<'_>>(text) {
                Ok(outline) if outline.jsonrpc == "2.0" => Err(Malformed::Params),
                Err(error) if !error.is_data() => Err(Malformed::Syntax),
                _ => Err(Malformed::Message),
            },
        }
    }

    /// The name of the method, if it is a string; no method has escapes in its name.
    pub(crate) fn method_name(&self) -> Option<&'a str> {
        self.method?.get().strip_prefix('"')?.strip_suffix('"')
    }

    /// The id of a message that could not be read as a whole, if that much can be read.
    pub(crate) fn id_of(bytes: &'a [u8]) -> Option<RequestId<'a>> {
        let outline = serde_json::from_slice::<Outline<'_>>(bytes).ok()?;
        RequestId::new(outline.id?)
    }
}

/// A message without its parameters.
#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Text<'a>,
    #[serde(rename = "method")]
    _method: serde::de::IgnoredAny,
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
        self.as_str().into()
    }

    /// The id apart from the message it came in.
    pub(crate) fn into_owned(self) -> RequestId<'static> {
        RequestId(Cow::Owned(self.0.into_owned()))
    }
}

/// The string that `text` holds, if it is a string.
pub(crate) fn string(text: &RawValue) -> Option<Cow<'_, str>> {
    let inner = text.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.as_bytes().contains(&b'\\') {
        return serde_json::from_str(text.get()).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

#[cfg(test)]
mod tests {
    use super::{Envelope, Malformed, RequestId};

    #[test]
    fn malformed_input_is_told_apart() {
        let cases: &[(&str, Malformed)] = &[
            ("not json", Malformed::Syntax),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#, Malformed::Syntax),
            ("\u{1}", Malformed::Syntax),
            ("12", Malformed::Message),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, Malformed::Params),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, Malformed::Message),
        ];
        for (text, expected) in cases {
            assert_eq!(Envelope::parse(text.as_bytes()).err(), Some(*expected), "{text}");
        }
    }

    #[test]
    fn rpc_01_rpc_02_only_strings_and_integers_are_ids() {
        for (text, good) in [
            ("\"1\"", true),
            ("\"\"", true),
            (r#""\ud83d\ude00\n""#, true),
            (r#""\ud800""#, false),
            ("0", true),
            ("-5", true),
            ("9007199254740993", true),
            ("1.5", false),
            ("1e3", false),
            ("null", false),
            ("true", false),
            ("[]", false),
            ("{}", false),
        ] {
            let raw: Box<serde_json::value::RawValue> = serde_json::from_str(text).expect("JSON");
            assert_eq!(RequestId::new(&raw).is_some(), good, "{text}");
        }
    }

    #[test]
    fn one_id_in_two_spellings_has_one_key() {
        let plain: Box<serde_json::value::RawValue> = serde_json::from_str("\"a\"").expect("JSON");
        let escaped: Box<serde_json::value::RawValue> = serde_json::from_str("\"\\u0061\"").expect("JSON");
        let key = |raw| RequestId::new(raw).expect("an id").key();
        assert_eq!(key(&plain), key(&escaped));
    }
}
