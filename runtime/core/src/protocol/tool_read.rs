//! Single-pass deserialization of tool results, the most common work of a client.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::ToolResult;
use super::content::Name;

impl<'de> Deserialize<'de> for ToolResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = ToolResult;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the result of a call, an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ToolResult, A::Error> {
                let mut result = ToolResult::default();
                let (mut has_content, mut is_error, mut has_meta) = (false, None, false);
                while let Some(Name(name)) = members.next_key()? {
                    let is_second = match &*name {
                        "content" => std::mem::replace(&mut has_content, true),
                        "structuredContent" => result.structured_content.is_some(),
                        "isError" => is_error.is_some(),
                        "_meta" => std::mem::replace(&mut has_meta, true),
                        _ => false,
                    };
                    if is_second {
                        return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    match &*name {
                        "content" => result.content = members.next_value()?,
                        "structuredContent" => result.structured_content = Some(members.next_value()?),
                        "isError" => is_error = Some(members.next_value()?),
                        "_meta" => result.meta = members.next_value()?,
                        _ => {
                            let value = members.next_value()?;
                            result.other.insert(name.into_owned(), value);
                        }
                    }
                }
                result.is_error = is_error.unwrap_or(false);
                Ok(result)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Result<ToolResult, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_result_is_read_with_all_its_members_in_any_order() {
        for value in [
            json!({"content": [], "isError": false}),
            json!({"vendor": [1], "isError": true, "_meta": {"a": null}, "structuredContent": null,
                "content": [{"type": "text", "text": "x"}, 7, {"text": "y", "type": "text", "z": {}}, null, [1]],
                "resultType": "complete"}),
        ] {
            let result = read(&value.to_string()).unwrap();
            assert_eq!(serde_json::to_value(&result).unwrap(), value);
            assert_eq!(serde_json::from_value::<ToolResult>(value.clone()).unwrap(), result);
        }
        assert_eq!(
            read(r#"{"cont\u0065nt":[{"t\u0079pe":"t\u0065xt","text":"\n"}]}"#).unwrap().as_text(),
            "\n"
        );
        assert_eq!(read("{}").unwrap(), ToolResult::default());
    }

    #[test]
    fn invalid_and_duplicate_members_are_rejected() {
        for text in [
            "[]",
            r#"{"content":{}}"#,
            r#"{"isError":null}"#,
            r#"{"_meta":[]}"#,
            r#"{"content":[],"content":[]}"#,
            r#"{"structuredContent":1,"structuredContent":1}"#,
            r#"{"_meta":null,"_meta":null}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    /// A block that is not plain text is read as a tree, whose members keep their order.
    #[test]
    fn blocks_keep_the_order_of_their_members() {
        for text in [
            r#"{"text":"a","type":"vendor"}"#,
            r#"{"type":"text","text":7,"a":1}"#,
            r#"{"text":"a"}"#,
            r#"{"type":"text"}"#,
            r#"{"type":{"a":[1.5,-1,true]},"text":"a"}"#,
            r#"{"a":1,"type":"text"}"#,
            "{}",
        ] {
            let result = read(&format!(r#"{{"content":[{text}]}}"#)).unwrap();
            let written = serde_json::to_string(&result.content[0]).unwrap();
            assert_eq!(written, text);
        }
        let twice = read(r#"{"content":[{"type":"a","text":"x","text":"y","type":"text"}]}"#).unwrap();
        assert_eq!(twice.as_text(), "y");
        let value: Value = serde_json::to_value(&twice.content[0]).unwrap();
        assert_eq!(value, json!({"type": "text", "text": "y"}));
    }
}
