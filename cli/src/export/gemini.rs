//! Function declarations for the Gemini API: `tools[].functionDeclarations[]` with `name`, `description` and
//! `parameters`, a subset of OpenAPI 3.0 (<https://ai.google.dev/api/caching#Schema>).
//!
//! Types are written in capitals, one each; null is `nullable`; there are no references, and objects say their
//! properties. A function without parameters has no `parameters`.

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::pointer::below;

use super::anthropic::{name, takes_nothing};
use super::loss::{InTool, Losses};
use super::openai::with_examples;
use super::pretty;
use crate::packages::Document;

/// What stays as it is.
const KEPT: [&str; 10] = [
    "title",
    "description",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "default",
];

/// What is said in another way, or says nothing about which values fit. A server refuses unknown names in any case, so
/// that `additionalProperties: false` is nothing that a model could do wrong.
const SAID_ELSEWHERE: [&str; 15] = [
    "type",
    "enum",
    "const",
    "format",
    "properties",
    "required",
    "items",
    "anyOf",
    "oneOf",
    "$ref",
    "$defs",
    "definitions",
    "examples",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

pub(super) fn tools(documents: &[Document], losses: &mut Losses) -> String {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    let declarations: Vec<_> = tools.map(|tool| declaration(tool, losses)).collect();
    pretty(&json!({ "functionDeclarations": declarations }))
}

fn declaration(tool: &ToolDefinition, losses: &mut Losses) -> Value {
    let mut declaration = Map::from_iter([("name".to_owned(), name(tool, losses).into())]);
    if let Some(description) = &tool.description {
        declaration.insert("description".to_owned(), description.clone().into());
    }
    if !takes_nothing(&tool.input_schema) {
        let losses = InTool { losses, tool: &tool.name };
        let mut conversion = Conversion { losses, root: &tool.input_schema, open: Vec::new() };
        declaration.insert("parameters".to_owned(), conversion.schema("/inputSchema", &tool.input_schema));
    }
    Value::Object(declaration)
}

/// The conversion of one tool's schema.
struct Conversion<'l> {
    losses: InTool<'l>,
    root: &'l Value,
    /// The references that are being followed.
    open: Vec<String>,
}

impl Conversion<'_> {
    fn schema(&mut self, pointer: &str, schema: &Value) -> Value {
        let Some(keywords) = schema.as_object() else {
            self.losses.add(pointer, "a value of any type becomes text");
            return json!({"type": "STRING"});
        };
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            return self.followed(pointer, reference, keywords);
        }
        let mut converted = Map::new();
        self.type_of(pointer, keywords, &mut converted);
        for (keyword, value) in keywords {
            match keyword.as_str() {
                known if KEPT.contains(&known) => _ = converted.insert(keyword.clone(), value.clone()),
                known if SAID_ELSEWHERE.contains(&known) => {}
                "additionalProperties" if !value.is_object() => {}
                "$schema" | "$comment" | "writeOnly" | "readOnly" | "deprecated" => {}
                other if other.starts_with("x-") => {}
                other => self.losses.add(below(pointer, other), format!("`{other}` is left out")),
            }
        }
        if let Some(text) = with_examples(keywords) {
            converted.insert("description".to_owned(), text.into());
        }
        self.format(pointer, keywords, &mut converted);
        self.bounds(pointer, keywords, &mut converted);
        self.choices(pointer, keywords, &mut converted);
        self.members(pointer, keywords, &mut converted);
        self.branches(pointer, keywords, converted)
    }

    /// What a reference leads to, in its place.
    fn followed(&mut self, pointer: &str, reference: &str, keywords: &Map<String, Value>) -> Value {
        let target = reference.strip_prefix('#').and_then(|path| self.root.pointer(path)).cloned();
        if self.open.iter().any(|open| open == reference) || target.is_none() {
            self.losses.add(below(pointer, "$ref"), format!("`{reference}` is not followed further"));
            return json!({"type": "OBJECT", "properties": {"value": {"type": "STRING"}}});
        }
        self.open.push(reference.to_owned());
        let mut converted = self.schema(pointer, &target.unwrap_or_default());
        self.open.pop();
        if let (Some(converted), Some(description)) = (converted.as_object_mut(), keywords.get("description"))
        {
            converted.insert("description".to_owned(), description.clone());
        }
        converted
    }

    fn type_of(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let types: Vec<&str> = match keywords.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if types.contains(&"null") {
            converted.insert("nullable".to_owned(), true.into());
        }
        let mut others = types.iter().filter(|name| **name != "null");
        let first = others.next();
        if let Some(dropped) = others.next() {
            self.losses.add(below(pointer, "type"), format!("the type `{dropped}` is left out"));
        }
        let branches = ["anyOf", "oneOf", "enum", "const"];
        let name = match first {
            Some(name) => name.to_uppercase(),
            None if keywords.contains_key("properties") => "OBJECT".to_owned(),
            None if keywords.contains_key("enum") || keywords.contains_key("const") => "STRING".to_owned(),
            None if branches.iter().any(|keyword| keywords.contains_key(*keyword)) => return,
            None => {
                self.losses.add(pointer, "a value of any type becomes text");
                "STRING".to_owned()
            }
        };
        converted.insert("type".to_owned(), name.into());
    }

    /// Formats of text are `enum` and `date-time` only (<https://github.com/google-gemini/gemini-cli/issues/2237>).
    fn format(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let Some(format) = keywords.get("format").and_then(Value::as_str) else { return };
        if matches!(format, "date-time" | "int32" | "int64" | "float" | "double") {
            converted.insert("format".to_owned(), format.into());
        } else {
            self.losses.add(below(pointer, "format"), format!("the format `{format}` is left out"));
        }
    }

    /// For an integer, what is above 0 is 1 or more.
    fn bounds(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let is_integer = keywords.get("type").is_some_and(|name| name == "integer");
        for (exclusive, inclusive, step) in
            [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)]
        {
            let Some(bound) = keywords.get(exclusive) else { continue };
            match bound.as_i64().filter(|_| is_integer).and_then(|bound| bound.checked_add(step)) {
                Some(bound) if !keywords.contains_key(inclusive) => {
                    converted.insert(inclusive.to_owned(), bound.into());
                }
                _ => self.losses.add(below(pointer, exclusive), format!("`{exclusive}` is left out")),
            }
        }
    }

    /// Choices are text only (<https://github.com/google-gemini/gemini-cli/issues/4127>).
    fn choices(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let (keyword, values) = match (keywords.get("enum").and_then(Value::as_array), keywords.get("const"))
        {
            (Some(values), _) => ("enum", values.as_slice()),
            (None, Some(value)) => ("const", std::slice::from_ref(value)),
            (None, None) => return,
        };
        if values.contains(&Value::Null) {
            converted.insert("nullable".to_owned(), true.into());
        }
        let texts: Vec<&Value> =
            values.iter().filter(|value| value.as_str().is_some_and(|text| !text.is_empty())).collect();
        let others = values.iter().filter(|value| !value.is_null()).count() - texts.len();
        if others > 0 || texts.is_empty() {
            self.losses
                .add(below(pointer, keyword), format!("`{keyword}` is left out: it holds more than text"));
            return;
        }
        converted.insert("format".to_owned(), "enum".into());
        converted.insert("enum".to_owned(), texts.into_iter().cloned().collect());
    }

    fn members(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        match keywords.get("items") {
            Some(items) if items.is_object() => {
                converted.insert("items".to_owned(), self.schema(&below(pointer, "items"), items));
            }
            _ if converted.get("type").is_some_and(|name| name == "ARRAY") => {
                self.losses.add(pointer, "items of any type become text");
                converted.insert("items".to_owned(), json!({"type": "STRING"}));
            }
            _ => {}
        }
        let Some(properties) = keywords.get("properties").and_then(Value::as_object) else { return };
        let mut members = Map::new();
        for (name, property) in properties {
            members.insert(name.clone(), self.schema(&below(&below(pointer, "properties"), name), property));
        }
        // What is required must be listed: https://github.com/probelabs/probe/issues/569
        let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&Value> =
            required.filter(|name| name.as_str().is_some_and(|name| members.contains_key(name))).collect();
        if !required.is_empty() {
            converted.insert("required".to_owned(), required.into_iter().cloned().collect());
        }
        if !members.is_empty() {
            converted.insert("propertyOrdering".to_owned(), members.keys().cloned().collect());
            converted.insert("properties".to_owned(), Value::Object(members));
        }
    }

    fn branches(
        &mut self,
        pointer: &str,
        keywords: &Map<String, Value>,
        mut converted: Map<String, Value>,
    ) -> Value {
        for keyword in ["anyOf", "oneOf"] {
            let Some(branches) = keywords.get(keyword).and_then(Value::as_array) else { continue };
            let is_null = |branch: &&Value| branch.get("type").is_some_and(|name| name == "null");
            if branches.iter().any(|branch| is_null(&branch)) {
                converted.insert("nullable".to_owned(), true.into());
            }
            if keyword == "oneOf" {
                self.losses.add(below(pointer, keyword), "`oneOf` becomes `anyOf`");
            }
            let pointer = below(pointer, keyword);
            let mut others: Vec<Value> = branches
                .iter()
                .enumerate()
                .filter(|(_, branch)| !is_null(branch))
                .map(|(index, branch)| self.schema(&below(&pointer, &index.to_string()), branch))
                .collect();
            match (others.len(), others.pop()) {
                (1, Some(Value::Object(only))) => {
                    let mut only = only;
                    only.extend(converted);
                    return Value::Object(only);
                }
                (_, last) => {
                    others.extend(last);
                    converted.insert("anyOf".to_owned(), others.into());
                }
            }
        }
        Value::Object(converted)
    }
}
