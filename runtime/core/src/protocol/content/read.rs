//! Deserialization of blocks: every JSON value is a block.
//!
//! Most blocks are plain text. They are read without an intermediate tree.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::ContentBlock;
use super::parts::{
    EmbeddedResource, Extras, MediaContent, ResourceContents, ResourceData, ResourceLink, TextContent,
};

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Block;
        impl<'de> Visitor<'de> for Block {
            type Value = ContentBlock;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a content block")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ContentBlock, A::Error> {
                let mut plain = Plain::default();
                while let Some(Name(name)) = members.next_key()? {
                    if !plain.takes(&name) {
                        return plain.with_further(name, members).map(from_object);
                    }
                    match members.next_value()? {
                        Member::Text(text) => plain.set(&name, text),
                        Member::Other(value) => return plain.with(name, value, members).map(from_object),
                    }
                }
                Ok(plain.finish())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<ContentBlock, A::Error> {
                Value::deserialize(SeqAccessDeserializer::new(items)).map(ContentBlock::Unknown)
            }

            fn visit_str<E>(self, text: &str) -> Result<ContentBlock, E> {
                Ok(ContentBlock::Unknown(text.into()))
            }

            fn visit_bool<E>(self, value: bool) -> Result<ContentBlock, E> {
                Ok(ContentBlock::Unknown(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<ContentBlock, E> {
                Ok(ContentBlock::Unknown(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<ContentBlock, E> {
                Ok(ContentBlock::Unknown(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<ContentBlock, E> {
                Ok(ContentBlock::Unknown(value.into()))
            }

            fn visit_unit<E>(self) -> Result<ContentBlock, E> {
                Ok(ContentBlock::Unknown(Value::Null))
            }
        }
        deserializer.deserialize_any(Block)
    }
}

/// The members read so far, as long as the block is plain text.
#[derive(Default)]
struct Plain<'de> {
    kind: Option<Cow<'de, str>>,
    text: Option<Cow<'de, str>>,
    /// Whether `text` came before `type`.
    is_text_first: bool,
}

impl<'de> Plain<'de> {
    fn takes(&self, name: &str) -> bool {
        name == "type" && self.kind.is_none() || name == "text" && self.text.is_none()
    }

    fn set(&mut self, name: &str, value: Cow<'de, str>) {
        if name == "type" {
            self.kind = Some(value);
        } else {
            self.is_text_first = self.kind.is_none();
            self.text = Some(value);
        }
    }

    /// Builds the block after the last member.
    fn finish(self) -> ContentBlock {
        match self {
            Self { kind: Some(kind), text: Some(text), .. } if kind == "text" => {
                ContentBlock::Text(TextContent { text: text.into_owned(), extras: None })
            }
            other => from_object(other.into_object()),
        }
    }

    fn into_object(self) -> Map<String, Value> {
        let kind = self.kind.map(|kind| ("type".to_owned(), Value::from(kind)));
        let text = self.text.map(|text| ("text".to_owned(), Value::from(text)));
        let ordered = if self.is_text_first { [text, kind] } else { [kind, text] };
        ordered.into_iter().flatten().collect()
    }

    /// Collects all members, `name` being the next one.
    fn with_further<A: MapAccess<'de>>(
        self,
        name: Cow<'de, str>,
        mut members: A,
    ) -> Result<Map<String, Value>, A::Error> {
        let value = members.next_value()?;
        self.with(name, value, members)
    }

    fn with<A: MapAccess<'de>>(
        self,
        name: Cow<'de, str>,
        value: Value,
        mut members: A,
    ) -> Result<Map<String, Value>, A::Error> {
        let mut object = self.into_object();
        object.insert(name.into_owned(), value);
        while let Some((name, value)) = members.next_entry()? {
            object.insert(name, value);
        }
        Ok(object)
    }
}

/// A member name, borrowed unless it has escapes.
#[derive(Deserialize)]
pub(in crate::protocol) struct Name<'a>(#[serde(borrow)] pub(in crate::protocol) Cow<'a, str>);

/// A value, whose strings are borrowed.
enum Member<'de> {
    Text(Cow<'de, str>),
    Other(Value),
}

impl<'de> Deserialize<'de> for Member<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Member<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Member<'de>, E> {
                Ok(Member::Text(text.into()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Member<'de>, E> {
                Ok(Member::Text(text.to_owned().into()))
            }

            fn visit_string<E>(self, text: String) -> Result<Member<'de>, E> {
                Ok(Member::Text(text.into()))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Member<'de>, E> {
                Ok(Member::Other(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Member<'de>, E> {
                Ok(Member::Other(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Member<'de>, E> {
                Ok(Member::Other(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Member<'de>, E> {
                Ok(Member::Other(value.into()))
            }

            fn visit_unit<E>(self) -> Result<Member<'de>, E> {
                Ok(Member::Other(Value::Null))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Member<'de>, A::Error> {
                Value::deserialize(SeqAccessDeserializer::new(items)).map(Member::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Member<'de>, A::Error> {
                Value::deserialize(MapAccessDeserializer::new(members)).map(Member::Other)
            }
        }
        deserializer.deserialize_any(Any)
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

/// Converts an object that has everything its type requires. The members are checked before any is moved, so an
/// object that does not match stays complete.
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

/// Takes the contents out of `value`, only if they are complete.
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

/// Collects the members that are left after those of the type.
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

/// Takes out a member that the caller has checked to be a string.
fn required_text(object: &mut Map<String, Value>, key: &str) -> String {
    take_text(object, key).unwrap_or_default()
}

/// Takes out an optional string. Moves it, since it may be megabytes of base64.
fn take_text(object: &mut Map<String, Value>, key: &str) -> Option<String> {
    let text = match object.get_mut(key)? {
        Value::String(text) => Some(std::mem::take(text)),
        Value::Null => None,
        _ => return None,
    };
    object.shift_remove(key);
    text
}

/// Takes out an optional member. `null` means absent; a member of the wrong type stays with the unknown members.
fn take<T: DeserializeOwned>(object: &mut Map<String, Value>, key: &str) -> Option<T> {
    let read = Option::<T>::deserialize(object.get(key)?).ok()?;
    object.shift_remove(key);
    read
}
