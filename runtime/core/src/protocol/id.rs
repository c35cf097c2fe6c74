//! Ids of requests.
//!
//! They are our own, unlike the error codes of `jsonrpsee-types`, whose `Id` has no negative integers. An id is kept
//! as its JSON text and goes back digit for digit.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json::Decimal;

/// The id of a request: a string or an integer, kept as its JSON text so that it goes back digit for digit
/// (2026-07-28, basic "Requests": no `null`, no fractions).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestId<'a>(Cow<'a, str>);

impl<'a> RequestId<'a> {
    /// The id, if `text` is one.
    #[inline]
    pub fn new(text: &'a RawValue) -> Option<Self> {
        let text = text.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // An escape may be half of a surrogate pair, and then no peer could read the response that repeats it.
        let is_string = || !text.contains('\\') || serde_json::from_str::<String>(text).is_ok();
        (is_integer || (text.starts_with('"') && is_string())).then_some(Self(Cow::Borrowed(text)))
    }

    /// The id that a notification refers to: as [`RequestId::new`], and an integer also where it is written as `1.0`.
    pub fn referred_to(text: &'a RawValue) -> Option<Self> {
        let plain = || Decimal::parse(text.get())?.integer();
        Self::new(text).or_else(|| plain().map(|plain| Self(Cow::Owned(plain))))
    }

    /// The JSON text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same for the same id, however its string is escaped.
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

    /// A string as an id.
    pub fn text(text: &str) -> RequestId<'static> {
        RequestId(Cow::Owned(serde_json::Value::from(text).to_string()))
    }

    /// The number, if the id is one that 64 bits hold: what a peer counted that made its ids by counting.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The id apart from the message it came in.
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

/// The JSON text.
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

/// The string that `text` holds, if it is a string. Half of a surrogate pair is none.
#[inline]
pub fn string(text: &RawValue) -> Option<Cow<'_, str>> {
    let inner = text.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_some() {
        return serde_json::from_str(text.get()).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

/// A frame without the space around it, and without the byte order mark that some programs put in front of each text
/// (RFC 8259 §8.1 lets a reader ignore it).
#[inline]
pub fn trimmed(frame: &[u8]) -> &[u8] {
    const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
    frame.strip_prefix(BYTE_ORDER_MARK).unwrap_or(frame).trim_ascii()
}
