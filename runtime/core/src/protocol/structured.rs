//! Structured content of results.

use serde::de::Deserializer;
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{self, JsonFault, MAX_DEPTH, MAX_VALUE_DEPTH};

/// A JSON value kept as text: serialized once by the handler and copied to the peer.
///
/// The text has no line breaks. Text from elsewhere may be unsuitable for sending: see [`StructuredContent::fault`].
#[derive(Debug, Clone)]
pub struct StructuredContent {
    text: String,
    fault: Option<Box<JsonFault>>,
}

/// Spare capacity in bytes, beyond the length of the text.
const SPARE: usize = 128;

impl StructuredContent {
    /// Serializes `value`, which may have at most [`MAX_VALUE_DEPTH`] levels of nesting.
    ///
    /// # Errors
    /// Returns the error of the `Serialize` implementation, or a [`JsonFault`] of a raw value inside.
    pub fn new(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        let mut text = Vec::with_capacity(128);
        json::append(&mut text, value, MAX_DEPTH - MAX_VALUE_DEPTH).map_err(serde_json::Error::custom)?;
        let mut text = String::from_utf8(text).map_err(serde_json::Error::custom)?;
        // A little spare capacity is cheaper than moving text that is copied to the peer right away.
        if text.capacity() - text.len() > SPARE {
            text.shrink_to_fit();
        }
        Ok(Self { text, fault: None })
    }

    /// Returns the JSON text.
    pub fn get(&self) -> &str {
        &self.text
    }

    /// Returns why the text cannot be sent, if it came from elsewhere and parsers would reject it or disagree
    /// on it. A server sends an error instead.
    pub fn fault(&self) -> Option<&JsonFault> {
        self.fault.as_deref()
    }

    /// Parses the value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.get()).unwrap_or_default()
    }

    /// Returns a string as is, any other value as JSON text.
    pub fn as_text(&self) -> String {
        match self.to_value() {
            Value::String(text) => text,
            _ => self.get().to_owned(),
        }
    }

    /// Returns whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

/// Accepts any JSON text; [`StructuredContent::fault`] reports problems.
impl<'de> Deserialize<'de> for StructuredContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(match json::tidy(raw.get(), MAX_VALUE_DEPTH) {
            Ok(text) => Self { text: text.into(), fault: None },
            Err(fault) => Self { text: raw.get().into(), fault: Some(Box::new(fault)) },
        })
    }
}

/// Serializes the value, unless it has a [`StructuredContent::fault`].
impl Serialize for StructuredContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.fault {
            Some(fault) => Err(S::Error::custom(format_args!("the structured content {fault}"))),
            None => {
                serde_json::from_str::<&RawValue>(&self.text).map_err(S::Error::custom)?.serialize(serializer)
            }
        }
    }
}

impl PartialEq for StructuredContent {
    fn eq(&self, other: &Self) -> bool {
        self.to_value() == other.to_value()
    }
}
