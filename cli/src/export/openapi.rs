//! An OpenAPI 3.1 document with one operation a tool: `POST /tools/{name}` takes the arguments and answers with the
//! structured result (<https://spec.openapis.org/oas/v3.1.0>).
//!
//! OpenAPI 3.1 holds JSON Schema 2020-12, so nothing is lost; references are moved to where the schemas stand now.

use serde_json::{Map, Value, json};
use toolwright_core::arguments;
use toolwright_core::definition::{ToolDefinition, meta_keys};

use crate::packages::Document;

pub(super) fn document(document: &Document) -> Value {
    let manifest = &document.manifest;
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for tool in &manifest.tools {
        let input = component(&mut schemas, &tool.name, "input", &tool.input_schema);
        let output =
            tool.output_schema.as_ref().map(|schema| component(&mut schemas, &tool.name, "output", schema));
        paths.insert(
            format!("/tools/{}", tool.name),
            json!({ "post": operation(tool, &input, output.as_ref()) }),
        );
    }
    let mut info = json!({
        "title": manifest.server.title.as_ref().unwrap_or(&manifest.server.name),
        "version": manifest.server.version,
    });
    if let Some(instructions) = &manifest.instructions {
        info["description"] = instructions.clone().into();
    }
    json!({
        "openapi": "3.1.0",
        "info": info,
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

/// Adds a schema to the components, and refers to it.
fn component(schemas: &mut Map<String, Value>, tool: &str, part: &str, schema: &Value) -> Value {
    // Names of tools are made of the characters that names of components have.
    let name = format!("{tool}.{part}");
    let place = format!("#/components/schemas/{name}");
    schemas.insert(name, moved(schema, &place));
    json!({ "$ref": place })
}

/// The schema with its references below `place`.
fn moved(schema: &Value, place: &str) -> Value {
    match schema {
        Value::Object(keywords) => keywords
            .iter()
            .map(|(keyword, value)| {
                let value = match value {
                    Value::String(reference) if keyword == "$ref" => match reference.strip_prefix('#') {
                        Some(path) => format!("{place}{path}").into(),
                        None => value.clone(),
                    },
                    value if matches!(keyword.as_str(), "enum" | "const" | "default" | "examples") => {
                        value.clone()
                    }
                    value => moved(value, place),
                };
                (keyword.clone(), value)
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| moved(item, place)).collect(),
        other => other.clone(),
    }
}

fn operation(tool: &ToolDefinition, input: &Value, output: Option<&Value>) -> Value {
    let text = json!({ "description": "Text for the model." });
    let result = output.unwrap_or(&text);
    let mut operation = Map::from_iter([("operationId".to_owned(), tool.name.clone().into())]);
    for (member, text) in [("summary", &tool.title), ("description", &tool.description)] {
        if let Some(text) = text {
            operation.insert(member.to_owned(), text.clone().into());
        }
    }
    if let Some(tags) = tool.meta.as_ref().and_then(|meta| meta.get(meta_keys::TAGS)) {
        operation.insert("tags".to_owned(), tags.clone());
    }
    let example = arguments::example(&tool.input_schema);
    operation.insert(
        "requestBody".to_owned(),
        json!({
            "required": tool.input_schema.get("required").is_some(),
            "content": { "application/json": { "schema": input, "example": example } },
        }),
    );
    operation.insert(
        "responses".to_owned(),
        json!({
            "200": {
                "description": "The structured result.",
                "content": { "application/json": { "schema": result } },
            },
            "default": {
                "description": "The call failed; the text says why and what to change.",
                "content": { "text/plain": { "schema": { "type": "string" } } },
            },
        }),
    );
    for (member, value) in [
        ("x-mcp-annotations", tool.annotations.as_ref().map(|annotations| json!(annotations))),
        ("x-mcp-icons", (!tool.icons.is_empty()).then(|| json!(tool.icons))),
        ("x-mcp-meta", tool.meta.as_ref().map(|meta| json!(meta))),
    ] {
        if let Some(value) = value {
            operation.insert(member.to_owned(), value);
        }
    }
    Value::Object(operation)
}
