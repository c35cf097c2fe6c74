//! Arguments that are repeated in HTTP headers (2026-07-28, basic/transports/streamable-http "Custom Headers from Tool
//! Parameters").

use std::collections::HashSet;

use serde_json::Value;

/// The keyword in schemas.
pub(crate) const ANNOTATION: &str = "x-mcp-header";
/// Maximum depth of schemas; deeper ones with an annotation are rejected.
const MAX_DEPTH: usize = 64;
/// The largest integer that all JSON implementations represent exactly: 2⁵³ − 1.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// An argument and its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParamHeader {
    /// The names of the properties that lead to it.
    path: Vec<String>,
    /// The full name of the header.
    header: String,
}

/// Reads the headers that a schema declares.
///
/// # Errors
/// If the definition is invalid: such a tool must not be used (basic/transports/streamable-http "Schema Extension").
pub(crate) fn parse(schema: &Value) -> Result<Vec<ParamHeader>, String> {
    let (mut headers, mut seen, mut annotations) = (Vec::new(), HashSet::new(), 0);
    collect(schema, &mut Vec::new(), &mut headers, &mut seen)?;
    count_annotations(schema, 0, &mut annotations)?;
    if annotations == headers.len() {
        Ok(headers)
    } else {
        Err(format!("`{ANNOTATION}` is not on a property that is reachable through `properties`"))
    }
}

/// Collects the annotations that are reachable through `properties`.
fn collect(
    schema: &Value,
    path: &mut Vec<String>,
    headers: &mut Vec<ParamHeader>,
    seen: &mut HashSet<String>,
) -> Result<(), String> {
    if path.len() > MAX_DEPTH {
        return Ok(());
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        path.push(name.clone());
        if let Some(annotation) = property.get(ANNOTATION) {
            let header = header_name(annotation)?;
            if !matches!(property.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean"))
            {
                return Err(format!(
                    "`{name}` has `{ANNOTATION}` and is neither a string, an integer nor a boolean"
                ));
            }
            if !seen.insert(header.to_ascii_lowercase()) {
                return Err(format!("two parameters have the header `{header}`"));
            }
            headers.push(ParamHeader { path: path.clone(), header: format!("Mcp-Param-{header}") });
        }
        collect(property, path, headers, seen)?;
        path.pop();
    }
    Ok(())
}

fn header_name(annotation: &Value) -> Result<&str, String> {
    let name = annotation.as_str().ok_or_else(|| format!("`{ANNOTATION}` is not a string"))?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !name.is_empty() && name.bytes().all(is_token) {
        Ok(name)
    } else {
        Err(format!("`{ANNOTATION}` is {annotation}, which is not valid in the name of a header"))
    }
}

/// Counts all annotations. Among names of properties, the keyword is a name.
fn count_annotations(value: &Value, depth: usize, annotations: &mut usize) -> Result<(), String> {
    if depth > 2 * MAX_DEPTH {
        return Err("its schema is nested too deeply".to_owned());
    }
    match value {
        Value::Array(items) => {
            items.iter().try_for_each(|item| count_annotations(item, depth + 1, annotations))
        }
        Value::Object(members) => members.iter().try_for_each(|(key, below)| match (key.as_str(), below) {
            (ANNOTATION, _) => {
                *annotations += 1;
                Ok(())
            }
            // Values are not schemas.
            ("const" | "default" | "enum" | "examples", _) => Ok(()),
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => named.values().try_for_each(|schema| count_annotations(schema, depth + 1, annotations)),
            _ => count_annotations(below, depth + 1, annotations),
        }),
        _ => Ok(()),
    }
}

/// Returns the headers of a call. Arguments that are absent or `null` have none.
pub(crate) fn build(headers: &[ParamHeader], arguments: &str) -> Vec<(String, String)> {
    let Ok(arguments) = serde_json::from_str::<Value>(arguments) else { return Vec::new() };
    let built = headers.iter().filter_map(|header| {
        let value = header.path.iter().try_fold(&arguments, |value, key| value.get(key))?;
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) => value.to_string(),
            Value::Number(number)
                if number.as_i64().is_some_and(|number| number.unsigned_abs() <= MAX_SAFE_INTEGER) =>
            {
                value.to_string()
            }
            _ => return None,
        };
        Some((header.header.clone(), text))
    });
    built.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_become_headers() {
        let schema = json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limit": {"type": "integer", "x-mcp-header": "Limit"},
            "deep": {"type": "object", "properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
            "x-mcp-header": {"type": "string"},
        }});
        let headers = parse(&schema).unwrap();
        let arguments = r#"{"region":"größe","limit":-7,"deep":{"on":true},"x-mcp-header":"a"}"#;
        let expected = [("Mcp-Param-Region", "größe"), ("Mcp-Param-Limit", "-7"), ("Mcp-Param-On", "true")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(build(&headers, arguments), expected);
        assert_eq!(build(&headers, r#"{"region":null,"deep":{}}"#), []);
        assert_eq!(build(&headers, r#"{"region":""}"#), [("Mcp-Param-Region".to_owned(), String::new())]);
    }

    /// modelcontextprotocol/python-sdk#3033.
    #[test]
    fn invalid_annotations_are_rejected() {
        let of =
            |kind: Value, name: Value| json!({"properties": {"a": {"type": kind, "x-mcp-header": name}}});
        for schema in [
            of(json!("string"), json!("")),
            of(json!("string"), json!("Re gion")),
            of(json!("string"), json!("a:b")),
            of(json!("string"), json!("größe")),
            of(json!("string"), json!("a\n")),
            of(json!("string"), json!(7)),
            of(json!("number"), json!("N")),
            of(json!("object"), json!("O")),
            of(json!("array"), json!("A")),
            of(json!("null"), json!("N")),
            of(json!(["string", "null"]), json!("S")),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}}}),
            json!({"properties": {"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}}),
            json!({"$defs": {"a": {"type": "string", "x-mcp-header": "A"}}}),
            json!({"anyOf": [{"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}]}),
        ] {
            assert!(parse(&schema).is_err(), "{schema}");
        }
        assert_eq!(parse(&json!({"properties": {"a": {"default": {"x-mcp-header": "A"}}}})), Ok(vec![]));
    }
}
