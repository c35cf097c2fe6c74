//! Function tools for OpenAI's Responses API: `tools[]` with `type`, `name`, `description`, `parameters` and `strict`
//! (<https://developers.openai.com/api/docs/guides/function-calling>).
//!
//! In strict mode each object is closed and requires all its properties, an optional one admits null, and only the
//! keywords of [`KEPT`] exist (<https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas>).

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::pointer::below;

use super::anthropic::{name, plain};
use super::loss::{InTool, Losses};
use super::pretty;
use crate::packages::Document;

/// What strict mode knows besides `properties`, `required`, `items`, `anyOf`, `$defs` and `additionalProperties`.
const KEPT: [&str; 14] = [
    "type",
    "description",
    "title",
    "enum",
    "const",
    "$ref",
    "pattern",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "minItems",
    "maxItems",
];

/// The formats of text that strict mode knows.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// What says nothing about which values fit, or is said in another way.
const SAID_ELSEWHERE: [&str; 9] = [
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "$defs",
    "default",
    "examples",
    "writeOnly",
];

/// Definitions with the schema as it is.
pub(super) fn tools(documents: &[Document], losses: &mut Losses) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    let tools = tools.map(|tool| {
        let mut schema = plain(&tool.input_schema);
        // "object schema missing properties": https://github.com/openai/openai-agents-python/issues/449
        if let Some(schema) = schema.as_object_mut() {
            schema.entry("properties").or_insert_with(|| json!({}));
        }
        for keyword in ["oneOf", "anyOf", "allOf", "not", "enum", "const", "if"] {
            if schema.as_object_mut().is_some_and(|schema| schema.shift_remove(keyword).is_some()) {
                let what = format!("the API refuses `{keyword}` at the root, so it is left out");
                losses.add(Some(&tool.name), below("/inputSchema", keyword), what);
            }
        }
        function(tool, schema, false, losses)
    });
    pretty(&tools.collect())
}

/// Definitions in strict mode; a tool whose arguments it cannot hold is not strict.
pub(super) fn strict_tools(documents: &[Document], losses: &mut Losses) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    let tools = tools.map(|tool| {
        let mut own = Losses::default();
        let converted =
            Strict(InTool { losses: &mut own, tool: &tool.name }).object("/inputSchema", &tool.input_schema);
        match converted {
            Ok(schema) => {
                losses.append(own);
                function(tool, schema, true, losses)
            }
            Err(Unfit { pointer, what }) => {
                let what = format!("strict mode cannot hold {what}, so the tool is not strict");
                losses.add(Some(&tool.name), pointer, what);
                function(tool, plain(&tool.input_schema), false, losses)
            }
        }
    });
    pretty(&tools.collect())
}

fn function(tool: &ToolDefinition, schema: Value, strict: bool, losses: &mut Losses) -> Value {
    let mut function = Map::from_iter([
        ("type".to_owned(), "function".into()),
        ("name".to_owned(), name(tool, losses).into()),
    ]);
    if let Some(description) = &tool.description {
        function.insert("description".to_owned(), description.clone().into());
    }
    function.insert("parameters".to_owned(), schema);
    function.insert("strict".to_owned(), strict.into());
    Value::Object(function)
}

/// Why a schema cannot be strict.
struct Unfit {
    pointer: String,
    what: &'static str,
}

/// The conversion of one tool's schema.
struct Strict<'l>(InTool<'l>);

impl Strict<'_> {
    fn schema(&mut self, pointer: &str, schema: &Value) -> Result<Value, Unfit> {
        let unfit = |what| Err(Unfit { pointer: pointer.to_owned(), what });
        let Some(keywords) = schema.as_object() else { return unfit("a value of any type") };
        if keywords.contains_key("prefixItems") || keywords.get("items").is_some_and(Value::is_array) {
            return unfit("an array with a schema for each place");
        }
        if keywords.contains_key("properties") || is_of(keywords, "object") {
            return self.object(pointer, schema);
        }
        let says_the_type = ["type", "enum", "const", "$ref", "anyOf", "oneOf"];
        if !says_the_type.iter().any(|keyword| keywords.contains_key(*keyword)) {
            return unfit("a value of any type");
        }
        let mut strict = self.kept(pointer, keywords);
        if let Some(items) = keywords.get("items") {
            strict.insert("items".to_owned(), self.schema(&below(pointer, "items"), items)?);
        } else if is_of(keywords, "array") {
            return unfit("an array of anything");
        }
        self.branches(pointer, keywords, &mut strict)?;
        Ok(Value::Object(strict))
    }

    fn object(&mut self, pointer: &str, schema: &Value) -> Result<Value, Unfit> {
        let unfit = |what| Err(Unfit { pointer: pointer.to_owned(), what });
        let Some(keywords) = schema.as_object() else { return unfit("a value of any type") };
        let is_map = keywords.get("additionalProperties").is_some_and(Value::is_object)
            || keywords.get("patternProperties").is_some();
        let Some(properties) = keywords.get("properties").and_then(Value::as_object) else {
            return unfit("an object with any members");
        };
        let is_open = keywords.get("additionalProperties") == Some(&Value::Bool(true));
        if is_map || (is_open && properties.is_empty()) {
            return unfit("an object with any members");
        }
        let required = |name: &str| {
            keywords
                .get("required")
                .and_then(Value::as_array)
                .is_some_and(|names| names.iter().any(|one| one == name))
        };
        let mut converted = Map::new();
        for (name, property) in properties {
            let pointer = below(&below(pointer, "properties"), name);
            let strict = self.schema(&pointer, property)?;
            converted.insert(name.clone(), if required(name) { strict } else { or_null(strict) });
        }
        let mut strict = self.kept(pointer, keywords);
        strict.insert("type".to_owned(), "object".into());
        strict.insert("properties".to_owned(), Value::Object(converted));
        strict.insert("required".to_owned(), properties.keys().cloned().collect());
        strict.insert("additionalProperties".to_owned(), false.into());
        if let Some(definitions) = keywords.get("$defs").and_then(Value::as_object) {
            let mut converted = Map::new();
            for (name, definition) in definitions {
                let pointer = below(&below(pointer, "$defs"), name);
                converted.insert(name.clone(), self.schema(&pointer, definition)?);
            }
            strict.insert("$defs".to_owned(), Value::Object(converted));
        }
        if pointer == "/inputSchema" {
            for keyword in ["anyOf", "oneOf"].into_iter().filter(|keyword| keywords.contains_key(*keyword)) {
                self.0.add(below(pointer, keyword), format!("`{keyword}` is left out"));
            }
        } else {
            self.branches(pointer, keywords, &mut strict)?;
        }
        Ok(Value::Object(strict))
    }

    fn branches(
        &mut self,
        pointer: &str,
        keywords: &Map<String, Value>,
        strict: &mut Map<String, Value>,
    ) -> Result<(), Unfit> {
        for keyword in ["anyOf", "oneOf"] {
            let Some(branches) = keywords.get(keyword).and_then(Value::as_array) else { continue };
            if keyword == "oneOf" {
                self.0.add(below(pointer, keyword), "`oneOf` becomes `anyOf`");
            }
            let pointer = below(pointer, keyword);
            let branches: Result<Vec<_>, _> = branches
                .iter()
                .enumerate()
                .map(|(index, branch)| self.schema(&below(&pointer, &index.to_string()), branch))
                .collect();
            strict.insert("anyOf".to_owned(), branches?.into());
        }
        Ok(())
    }

    /// The keywords that stay as they are, with examples in the description.
    fn kept(&mut self, pointer: &str, keywords: &Map<String, Value>) -> Map<String, Value> {
        let mut kept = Map::new();
        for (keyword, value) in keywords {
            let is_known_format = keyword == "format" && FORMATS.iter().any(|format| value == format);
            if KEPT.contains(&keyword.as_str()) || is_known_format {
                kept.insert(keyword.clone(), value.clone());
            } else if !SAID_ELSEWHERE.contains(&keyword.as_str()) && keyword != "oneOf" && !is_silent(keyword)
            {
                self.0.add(below(pointer, keyword), format!("`{keyword}` is left out"));
            }
        }
        if let Some(text) = with_examples(keywords) {
            kept.insert("description".to_owned(), text.into());
        }
        kept
    }
}

fn is_silent(keyword: &str) -> bool {
    keyword.starts_with("x-") || matches!(keyword, "$comment" | "readOnly" | "deprecated" | "$schema")
}

fn is_of(keywords: &Map<String, Value>, name: &str) -> bool {
    keywords.get("type").is_some_and(|types| {
        types == name || types.as_array().is_some_and(|all| all.iter().any(|one| one == name))
    })
}

/// The description followed by the examples; nothing if there are none.
pub(super) fn with_examples(keywords: &Map<String, Value>) -> Option<String> {
    let examples =
        keywords.get("examples").and_then(Value::as_array).filter(|examples| !examples.is_empty())?;
    let examples: Vec<_> = examples.iter().map(|example| format!("`{example}`")).collect();
    let description = keywords.get("description").and_then(Value::as_str).unwrap_or_default().trim();
    let space = if description.is_empty() { "" } else { " " };
    Some(format!("{description}{space}For example: {}", examples.join(", ")))
}

/// The schema, or null: how strict mode writes what may be left out.
fn or_null(mut schema: Value) -> Value {
    let Some(keywords) = schema.as_object_mut() else { return schema };
    if let Some(branches) = keywords.get_mut("anyOf").and_then(Value::as_array_mut) {
        let null = json!({"type": "null"});
        if !branches.contains(&null) {
            branches.push(null);
        }
        return schema;
    }
    if keywords.contains_key("$ref") || keywords.contains_key("const") || !keywords.contains_key("type") {
        return json!({"anyOf": [schema, {"type": "null"}]});
    }
    let types = match keywords.get("type") {
        Some(Value::Array(types)) if types.iter().any(|name| name == "null") => return schema,
        Some(Value::Array(types)) => types.iter().cloned().chain([json!("null")]).collect(),
        Some(name) => json!([name, "null"]),
        None => return schema,
    };
    keywords.insert("type".to_owned(), types);
    if let Some(choices) = keywords.get_mut("enum").and_then(Value::as_array_mut)
        && !choices.contains(&Value::Null)
    {
        choices.push(Value::Null);
    }
    schema
}
