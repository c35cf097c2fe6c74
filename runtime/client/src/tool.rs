//! Tools as a server lists them.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_core::definition::ToolDefinition;

/// A tool as listed by a server. Its schemas and unknown members are kept as sent.
#[derive(Debug, Clone)]
pub struct ListedTool {
    name: Box<str>,
    title: Option<Box<str>>,
    description: Option<Box<str>>,
    input_schema: Option<Box<RawValue>>,
    output_schema: Option<Box<RawValue>>,
    /// All other members.
    other: Vec<(Box<str>, Box<RawValue>)>,
}

impl ListedTool {
    /// Returns the name, with which the tool is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the display name, if any.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the description for the model, if any.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns the JSON Schema of the arguments, as sent.
    pub fn input_schema(&self) -> Option<&RawValue> {
        self.input_schema.as_deref()
    }

    /// Returns the JSON Schema of the structured content, as sent.
    pub fn output_schema(&self) -> Option<&RawValue> {
        self.output_schema.as_deref()
    }

    /// Returns another member, such as `annotations`, `icons` or `_meta`, as sent.
    pub fn member(&self, name: &str) -> Option<&RawValue> {
        self.other.iter().find(|(key, _)| **key == *name).map(|(_, value)| &**value)
    }

    /// Returns the tool as a JSON object with everything that the server sent.
    pub fn to_value(&self) -> Value {
        let mut object = serde_json::Map::new();
        object.insert("name".to_owned(), (*self.name).into());
        for (key, text) in [("title", &self.title), ("description", &self.description)] {
            if let Some(text) = text {
                object.insert(key.to_owned(), (**text).into());
            }
        }
        let parsed = |value: &RawValue| serde_json::from_str::<Value>(value.get()).unwrap_or_default();
        for (key, schema) in [("inputSchema", &self.input_schema), ("outputSchema", &self.output_schema)] {
            if let Some(schema) = schema {
                object.insert(key.to_owned(), parsed(schema));
            }
        }
        object.extend(self.other.iter().map(|(key, value)| (key.to_string(), parsed(value))));
        Value::Object(object)
    }

    /// Converts the tool to a definition. Members of a wrong type are ignored; a schema that is missing or not an
    /// object becomes `{"type": "object"}`.
    pub fn definition(&self) -> ToolDefinition {
        let mut value = self.to_value();
        if !value["inputSchema"].is_object() {
            value["inputSchema"] = serde_json::json!({"type": "object"});
        }
        match serde_json::from_value(value.clone()) {
            Ok(definition) => definition,
            Err(_) => self.lenient_definition(value),
        }
    }

    /// Removes members of a wrong type one by one, until the definition is valid.
    fn lenient_definition(&self, mut value: Value) -> ToolDefinition {
        let plain = || ToolDefinition::new(&*self.name, serde_json::json!({"type": "object"}));
        for member in ["icons", "_meta", "outputSchema", "annotations"] {
            let Some(taken) = value.as_object_mut().and_then(|object| object.shift_remove(member)) else {
                continue;
            };
            if let Ok(definition) = serde_json::from_value(value.clone()) {
                return if member == "annotations" {
                    with_valid_hints(definition, taken)
                } else {
                    definition
                };
            }
        }
        serde_json::from_value(value).unwrap_or_else(|_| plain())
    }
}

/// Keeps only the hints that are booleans.
fn with_valid_hints(mut definition: ToolDefinition, annotations: Value) -> ToolDefinition {
    if let Value::Object(mut hints) = annotations {
        hints.retain(|name, value| if name.ends_with("Hint") { value.is_boolean() } else { true });
        definition.annotations = serde_json::from_value(Value::Object(hints)).ok();
    }
    definition
}

impl<'de> Deserialize<'de> for ListedTool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = ListedTool;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a tool with a name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ListedTool, A::Error> {
                let (mut name, mut title, mut description) = (None, None, None);
                let (mut input_schema, mut output_schema, mut other) = (None, None, Vec::new());
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    match &*key.0 {
                        "name" => name = Some(map.next_value::<Box<str>>()?),
                        "title" => title = map.next_value::<LenientString>()?.0,
                        "description" => description = map.next_value::<LenientString>()?.0,
                        "inputSchema" => input_schema = map.next_value::<Option<Box<RawValue>>>()?,
                        "outputSchema" => output_schema = map.next_value::<Option<Box<RawValue>>>()?,
                        // Bounds the memory for unknown members.
                        _ if other.len() >= 64 => drop(map.next_value::<IgnoredAny>()?),
                        key => other.push((key.into(), map.next_value::<Box<RawValue>>()?)),
                    }
                }
                let name = name.ok_or_else(|| serde::de::Error::missing_field("name"))?;
                Ok(ListedTool { name, title, description, input_schema, output_schema, other })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(std::borrow::Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(key.into()))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(key.to_owned().into()))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// A string; values of other types are `None`.
struct LenientString(Option<Box<str>>);

impl<'de> Deserialize<'de> for LenientString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = LenientString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<LenientString, E> {
                Ok(LenientString(Some(text.into())))
            }

            fn visit_unit<E>(self) -> Result<LenientString, E> {
                Ok(LenientString(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<LenientString, E> {
                Ok(LenientString(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<LenientString, E> {
                Ok(LenientString(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<LenientString, E> {
                Ok(LenientString(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<LenientString, E> {
                Ok(LenientString(None))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<LenientString, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(LenientString(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LenientString, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(LenientString(None))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(value: &Value) -> ListedTool {
        serde_json::from_str(&value.to_string()).unwrap()
    }

    /// github/copilot-cli#2135, microsoft/semantic-kernel#11457.
    #[test]
    fn unknown_members_and_schemas_are_preserved() {
        let sent = json!({
            "name": "a",
            "title": "A",
            "inputSchema": {"type": "object", "properties": {"z": {"x-vendor": 1}, "a": true, "m": {"const": null}},
                "patternProperties": {"^x": false}, "dependentRequired": {"a": ["z"]}},
            "outputSchema": {"if": {}, "then": {}},
            "annotations": {"readOnlyHint": true},
            "execution": {"x": [1, 2.50]},
        });
        assert_eq!(tool(&sent).to_value(), sent);
        let keys: Vec<_> = tool(&sent).to_value()["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        assert_eq!(keys, ["z", "a", "m"]);
    }

    #[test]
    fn members_of_a_wrong_type_are_ignored() {
        let sent = json!({"name": "a", "description": 7, "title": {"x": []}, "inputSchema": null, "icons": "none",
            "annotations": {"readOnlyHint": "true", "destructiveHint": null, "idempotentHint": true}});
        let definition = tool(&sent).definition();
        assert_eq!((definition.description, definition.title), (None, None));
        assert_eq!(definition.input_schema, json!({"type": "object"}));
        assert!(serde_json::from_str::<ListedTool>(r#"{"name": 7}"#).is_err());
        let only_hints =
            json!({"name": "a", "annotations": {"readOnlyHint": "true", "idempotentHint": true}});
        let hints = tool(&only_hints).definition().annotations.unwrap();
        assert_eq!((hints.read_only_hint, hints.idempotent_hint), (None, Some(true)));
    }
}
