//! An OpenAPI 3.1 document with one operation per tool: `POST /tools/{name}` takes the arguments and returns the
//! structured result (<https://spec.openapis.org/oas/v3.1.0>).
//!
//! OpenAPI 3.1 supports JSON Schema 2020-12, so no keyword is lost; references are changed to the new locations of schemas.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use toolwright_agent::model_api::Losses;
use toolwright_core::arguments;
use toolwright_core::definition::{ToolDefinition, meta_keys};
use toolwright_core::schema::rewrite::{Rewrite, rewrite_keywords};

use crate::packages::Document;

pub(super) fn convert(document: &Document, losses: &mut Losses) -> Value {
    let manifest = &document.manifest;
    let mut paths = Map::new();
    let mut schemas = Map::new();
    let mut taken = HashSet::new();
    for tool in &manifest.tools {
        let name = plain_name(tool, &mut taken, losses);
        let input = add_component(&mut schemas, &name, "input", &tool.input_schema);
        let output =
            tool.output_schema.as_ref().map(|schema| add_component(&mut schemas, &name, "output", schema));
        let operation = operation(tool, &name, &input, output.as_ref(), losses);
        paths.insert(format!("/tools/{name}"), json!({ "post": operation }));
    }
    let mut info = json!({
        "title": manifest.server.title.as_ref().unwrap_or(&manifest.server.name),
        "version": manifest.server.version,
    });
    if let Some(instructions) = losses.text(None, "/instructions", manifest.instructions.as_deref()) {
        info["description"] = instructions.into();
    }
    json!({
        "openapi": "3.1.0",
        "info": info,
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

/// Adds a schema to the components, and returns a reference to it.
fn add_component(schemas: &mut Map<String, Value>, tool: &str, part: &str, schema: &Value) -> Value {
    let name = format!("{tool}.{part}");
    let place = format!("#/components/schemas/{name}");
    schemas.insert(name, move_references(schema, &place));
    json!({ "$ref": place })
}

/// Replaces characters that are invalid in names of components and paths.
fn plain_name(tool: &ToolDefinition, taken: &mut HashSet<String>, losses: &mut Losses) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-');
    let plain: String = tool.name.chars().map(|one| if is_plain(one) { one } else { '-' }).collect();
    let numbered = (2..).map(|number| format!("{plain}-{number}"));
    let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
    let name = free.unwrap_or_default();
    if name != tool.name {
        losses.add(Some(&tool.name), "/name", format!("the name becomes `{name}`"));
    }
    taken.insert(name.clone());
    name
}

/// Returns the schema with its references moved below `place`.
fn move_references(schema: &Value, place: &str) -> Value {
    rewrite_keywords(schema, &|keyword, value| {
        let path =
            value.as_str().filter(|_| keyword == "$ref").and_then(|reference| reference.strip_prefix('#'));
        path.map_or(Rewrite::Keep, |path| Rewrite::Into(format!("{place}{path}").into()))
    })
}

fn operation(
    tool: &ToolDefinition,
    name: &str,
    input: &Value,
    output: Option<&Value>,
    losses: &mut Losses,
) -> Value {
    let text = json!({ "description": "Text for the model." });
    let result = output.unwrap_or(&text);
    let mut operation = Map::from_iter([("operationId".to_owned(), name.into())]);
    for (member, pointer, text) in
        [("summary", "/title", &tool.title), ("description", "/description", &tool.description)]
    {
        if let Some(text) = losses.text(Some(&tool.name), pointer, text.as_deref()) {
            operation.insert(member.to_owned(), text.into());
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
