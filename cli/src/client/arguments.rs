//! Arguments on the command line.

use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;

/// Parses `NAME=VALUE` pairs with strings as values.
///
/// # Errors
/// Describes the first invalid word.
pub(super) fn parse_strings(words: &[String]) -> Result<Map<String, Value>, String> {
    words.iter().map(|word| parse_pair(word).map(|(name, value)| (name.to_owned(), value.into()))).collect()
}

/// Parses one JSON object, or `NAME=VALUE` pairs whose values are parsed by the tool's schema: for a string they are
/// unchanged, otherwise they are JSON if possible. `NAME:=JSON` is always JSON.
///
/// # Errors
/// Describes the first invalid word.
pub(crate) fn parse(words: &[String], tool: Option<&ToolDefinition>) -> Result<Map<String, Value>, String> {
    if let [word] = words
        && word.trim_start().starts_with('{')
    {
        return serde_json::from_str(word)
            .map_err(|error| format!("the arguments are not a JSON object: {error}"));
    }
    let properties = tool.and_then(|tool| tool.input_schema.get("properties"));
    let read = |word: &String| {
        if let Some((name, json)) = word.split_once(":=") {
            let value = serde_json::from_str(json);
            return Ok((
                name.to_owned(),
                value.map_err(|error| format!("`{word}` has no JSON after `:=`: {error}"))?,
            ));
        }
        let (name, text) = parse_pair(word)?;
        let is_string = properties.and_then(|properties| properties.get(name)).is_some_and(accepts_strings);
        let value = if is_string { None } else { serde_json::from_str(text).ok() };
        Ok((name.to_owned(), value.unwrap_or_else(|| text.into())))
    };
    words.iter().map(read).collect()
}

/// Returns whether a schema accepts strings, so that `7` is a string.
fn accepts_strings(schema: &Value) -> bool {
    match &schema["type"] {
        Value::String(kind) => kind == "string",
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "string"),
        _ => schema
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| values.iter().all(Value::is_string)),
    }
}

fn parse_pair(word: &str) -> Result<(&str, &str), String> {
    let pair = word.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.ok_or_else(|| {
        format!("`{word}` is not an argument: write NAME=VALUE, NAME:=JSON, or one JSON object")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn arguments_are_parsed_by_the_schema() {
        let schema = json!({"properties": {"n": {"type": "integer"}, "t": {"type": "string"}, "o": {"type": ["string", "null"]}}});
        let tool = ToolDefinition::new("x", schema);
        let read =
            parse(&words(&["n=7", "t=7", "o=null", "x=true", "y=a b", "z=", "j:=[1]"]), Some(&tool)).unwrap();
        let expected = json!({"n": 7, "t": "7", "o": "null", "x": true, "y": "a b", "z": "", "j": [1]});
        assert_eq!(Value::Object(read), expected);
        assert_eq!(parse(&words(&[r#"{"a": 1}"#]), None).unwrap()["a"], 1);
        assert!(parse(&[], None).unwrap().is_empty());
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        for word in ["a", "=a", "a:=x", "{"] {
            assert!(parse(&words(&[word]), None).is_err(), "{word}");
        }
        assert!(parse_strings(&words(&["a"])).is_err());
    }
}
