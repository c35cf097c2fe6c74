//! Reading blocks: every JSON value is some block.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::ContentBlock;
use super::parts::{
    EmbeddedResource, Extras, MediaContent, ResourceContents, ResourceData, ResourceLink, TextContent,
};

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        resource(&mut value).ok_or_else(|| {
            D::Error::custom("contents of a resource need the strings `uri` and `text` or `blob`")
        })
    }
}

impl From<Value> for ContentBlock {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(object) => from_object(object),
            other => Self::Unknown(other),
        }
    }
}

/// The block, where the object has all that its type requires; the members are looked at first and moved then, so
/// that an object that does not fit is still whole.
fn from_object(mut object: Map<String, Value>) -> ContentBlock {
    let has_text = |key: &str| object.get(key).is_some_and(Value::is_string);
    match object.get("type").and_then(Value::as_str) {
        Some("text") if has_text("text") => {
            let text = required_text(&mut object, "text");
            ContentBlock::Text(TextContent { text, extras: extras(object) })
        }
        Some("image") if has_text("data") && has_text("mimeType") => ContentBlock::Image(media(object)),
        Some("audio") if has_text("data") && has_text("mimeType") => ContentBlock::Audio(media(object)),
        Some("resource_link") if has_text("uri") && has_text("name") => {
            ContentBlock::ResourceLink(Box::new(ResourceLink {
                uri: required_text(&mut object, "uri"),
                name: required_text(&mut object, "name"),
                title: take_text(&mut object, "title"),
                description: take_text(&mut object, "description"),
                mime_type: take_text(&mut object, "mimeType"),
                size: take(&mut object, "size"),
                icons: take(&mut object, "icons").unwrap_or_default(),
                extras: extras(object),
            }))
        }
        Some("resource") => match object.get_mut("resource").and_then(resource) {
            Some(resource) => {
                object.shift_remove("resource");
                ContentBlock::Resource(Box::new(EmbeddedResource { resource, extras: extras(object) }))
            }
            None => ContentBlock::Unknown(object.into()),
        },
        _ => ContentBlock::Unknown(object.into()),
    }
}

fn media(mut object: Map<String, Value>) -> MediaContent {
    MediaContent {
        data: required_text(&mut object, "data"),
        mime_type: required_text(&mut object, "mimeType"),
        extras: extras(object),
    }
}

/// The contents; takes them out of `value` only if they are whole.
fn resource(value: &mut Value) -> Option<ResourceContents> {
    let object = value.as_object_mut()?;
    let has_text = |key: &str| object.get(key).is_some_and(Value::is_string);
    if !has_text("uri") || !(has_text("text") || has_text("blob")) {
        return None;
    }
    let mut object = std::mem::take(object);
    let data = match take_text(&mut object, "text") {
        Some(text) => ResourceData::Text(text),
        None => ResourceData::Blob(required_text(&mut object, "blob")),
    };
    Some(ResourceContents {
        uri: required_text(&mut object, "uri"),
        mime_type: take_text(&mut object, "mimeType"),
        data,
        meta: take(&mut object, "_meta"),
        other: object,
    })
}

/// What is left after the block's own members.
fn extras(mut object: Map<String, Value>) -> Option<Box<Extras>> {
    object.shift_remove("type");
    if object.is_empty() {
        return None;
    }
    let annotations = take(&mut object, "annotations");
    let meta = take(&mut object, "_meta");
    let extras = Extras { annotations, meta, other: object };
    (extras != Extras::default()).then(|| Box::new(extras))
}

/// Takes out a member that the caller has seen to be a text.
fn required_text(object: &mut Map<String, Value>, key: &str) -> String {
    take_text(object, key).unwrap_or_default()
}

/// Takes out an optional text; moves it, since it may be megabytes of base64.
fn take_text(object: &mut Map<String, Value>, key: &str) -> Option<String> {
    let text = match object.get_mut(key)? {
        Value::String(text) => Some(std::mem::take(text)),
        Value::Null => None,
        _ => return None,
    };
    object.shift_remove(key);
    text
}

/// Takes out an optional member. `null` is the same as absent; one of a wrong type stays among the unknown members.
fn take<T: DeserializeOwned>(object: &mut Map<String, Value>, key: &str) -> Option<T> {
    let read = Option::<T>::deserialize(object.get(key)?).ok()?;
    object.shift_remove(key);
    read
}
