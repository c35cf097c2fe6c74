//! Request ids.
//!
//! The type is our own, because the `Id` of `jsonrpsee-types` does not support negative integers. An id is kept
//! as its JSON text and returned digit for digit.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json::{self, Decimal};

/// A request id: a string or an integer, kept as its JSON text so that it is returned unchanged (2026-07-28,
/// basic "Requests": no `null`, no fractions).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestId<'a>(Cow<'a, str>);

impl<'a> RequestId<'a> {
    /// Creates an id, if `text` is a valid one.
    #[inline]
    pub fn new(text: &'a RawValue) -> Option<Self> {
        let text = text.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // Rejects a lone surrogate: no peer could parse the response.
        let is_string = || !text.contains('\\') || serde_json::from_str::<String>(text).is_ok();
        (is_integer || (text.starts_with('"') && is_string())).then_some(Self(Cow::Borrowed(text)))
    }

    /// Reads the id that a notification refers to. Accepts integers written as `1.0`, in addition to those of
    /// [`RequestId::new`].
    pub fn referred_to(text: &'a RawValue) -> Option<Self> {
        let plain = || Decimal::parse(text.get())?.integer();
        Self::new(text).or_else(|| plain().map(|plain| Self(Cow::Owned(plain))))
    }

    /// Returns the JSON text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a key that is equal for equal ids, regardless of how the string is escaped.
    #[inline]
    pub fn key(&self) -> Box<str> {
        if self.0.contains('\\')
            && let Ok(text) = serde_json::from_str::<String>(&self.0)
            && let Ok(plain) = serde_json::to_string(&text)
        {
            return plain.into();
        }
        if &*self.0 == "-0" { "0".into() } else { self.as_str().into() }
    }

    /// Creates a string id.
    pub fn text(text: &str) -> RequestId<'static> {
        RequestId(Cow::Owned(serde_json::Value::from(text).to_string()))
    }

    /// Returns the number, if the id is an integer that fits into 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Converts into an owned id.
    #[inline]
    pub fn into_owned(self) -> RequestId<'static> {
        RequestId(Cow::Owned(self.0.into_owned()))
    }
}

impl From<u64> for RequestId<'_> {
    fn from(number: u64) -> Self {
        Self(Cow::Owned(number.to_string()))
    }
}

/// Formats the id as JSON text.
impl fmt::Display for RequestId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RequestId<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RequestId<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let id = RequestId::new(&raw).map(RequestId::into_owned);
        id.ok_or_else(|| D::Error::custom("an id must be a string or an integer"))
    }
}

/// Returns the string that `text` contains. Returns `None` for other values and for lone surrogates.
#[inline]
pub fn string(text: &RawValue) -> Option<Cow<'_, str>> {
    json::string(text.get())
}

/// Strips whitespace and a byte order mark, which some programs write before each message (RFC 8259 §8.1 allows
/// readers to ignore it).
#[inline]
pub fn trimmed(frame: &[u8]) -> &[u8] {
    const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
    frame.strip_prefix(BYTE_ORDER_MARK).unwrap_or(frame).trim_ascii()
}
