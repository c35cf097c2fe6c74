//! Structured content: results as data.

use serde::de::Deserializer;
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{self, JsonFault, MAX_DEPTH, MAX_VALUE_DEPTH};

/// A JSON value kept as its text: written once by the handler, copied to the peer as it is.
///
/// The text has no line ends. One that others wrote may still not be fit to be sent: see [`StructuredContent::fault`].
#[derive(Debug, Clone)]
pub struct StructuredContent {
    text: String,
    fault: Option<Box<JsonFault>>,
}

/// How many bytes more than its text a content may hold.
const SPARE: usize = 128;

impl StructuredContent {
    /// The JSON of `value`, of at most [`MAX_VALUE_DEPTH`] levels.
    ///
    /// # Errors
    /// What `value`'s `Serialize` says, or a [`JsonFault`] of a raw value in it.
    pub fn new(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        let mut text = Vec::with_capacity(128);
        json::append(&mut text, value, MAX_DEPTH - MAX_VALUE_DEPTH).map_err(serde_json::Error::custom)?;
        let mut text = String::from_utf8(text).map_err(serde_json::Error::custom)?;
        // A little room to spare costs less than to move what is copied to the peer at once.
        if text.capacity() - text.len() > SPARE {
            text.shrink_to_fit();
        }
        Ok(Self { text, fault: None })
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        &self.text
    }

    /// Why the text cannot be sent, if others wrote it and parsers would refuse it or not agree on it. A server answers
    /// with an error in its place.
    pub fn fault(&self) -> Option<&JsonFault> {
        self.fault.as_deref()
    }

    /// The value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.get()).unwrap_or_default()
    }

    /// A string as it is, anything else as JSON.
    pub fn as_text(&self) -> String {
        match self.to_value() {
            Value::String(text) => text,
            _ => self.get().to_owned(),
        }
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

/// Takes any JSON text; what is wrong with it is found out by [`StructuredContent::fault`].
impl<'de> Deserialize<'de> for StructuredContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(match json::tidy(raw.get(), MAX_VALUE_DEPTH) {
            Ok(text) => Self { text: text.into(), fault: None },
            Err(fault) => Self { text: raw.get().into(), fault: Some(Box::new(fault)) },
        })
    }
}

/// The value, unless it has a [`StructuredContent::fault`].
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
