//! Function declarations for the Gemini API: `tools[].functionDeclarations[]` with `name`, `description` and
//! `parameters`, a subset of OpenAPI 3.0 (<https://ai.google.dev/api/caching#Schema>).
//!
//! Types are upper case, one per schema, and null is `nullable`. There are no references, and objects list their
//! properties. A function without parameters has no `parameters`.

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::pointer::{below, of_fragment};

use super::anthropic::{name, takes_nothing};
use super::bounds::set_bounds;
use super::loss::{InTool, Losses};
use super::merge::merge;
use super::openai::with_examples;

/// Keywords that are copied unchanged.
const SUPPORTED: [&str; 10] = [
    "title",
    "description",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "default",
];

/// Keywords that are expressed in another way, or do not restrict values. A server rejects unknown names anyway, so
/// dropping `additionalProperties: false` is no loss.
const NO_LOSS: [&str; 19] = [
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
    "nullable",
    "allOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// The maximum depth of schemas, including followed references; deeper ones are removed.
const DEPTH_LIMIT: usize = 64;
/// The maximum number of schemas of a tool, including followed references; further ones are removed.
const SCHEMA_LIMIT: usize = 2000;

pub(super) fn tool(tool: &ToolDefinition, losses: &mut Losses) -> Value {
    let mut declaration = Map::from_iter([("name".to_owned(), name(tool, losses).into())]);
    if let Some(description) = losses.text(Some(&tool.name), "/description", tool.description.as_deref()) {
        declaration.insert("description".to_owned(), description.into());
    }
    if !takes_nothing(&tool.input_schema) {
        let losses = InTool { losses, tool: &tool.name };
        let mut conversion =
            Conversion { losses, root: &tool.input_schema, open: Vec::new(), depth: 0, made: 0 };
        declaration.insert("parameters".to_owned(), conversion.schema("/inputSchema", &tool.input_schema));
    }
    Value::Object(declaration)
}

/// The conversion of one tool's schema.
struct Conversion<'l> {
    losses: InTool<'l>,
    root: &'l Value,
    /// The references being followed.
    open: Vec<String>,
    /// The depth of the current schema, and the number of schemas so far.
    depth: usize,
    made: usize,
}

impl Conversion<'_> {
    fn schema(&mut self, pointer: &str, schema: &Value) -> Value {
        let Some(keywords) = schema.as_object() else {
            self.losses.add(pointer, "a value of any type becomes a string");
            return json!({"type": "STRING"});
        };
        if self.depth == DEPTH_LIMIT || self.made == SCHEMA_LIMIT {
            let limit = if self.depth == DEPTH_LIMIT {
                format!("everything nested deeper than {DEPTH_LIMIT} levels")
            } else {
                format!("everything after the first {SCHEMA_LIMIT} schemas")
            };
            self.losses.add(pointer, format!("{limit} is removed"));
            return anything();
        }
        self.depth += 1;
        self.made += 1;
        let converted = self.keywords(pointer, keywords);
        self.depth -= 1;
        converted
    }

    fn keywords(&mut self, pointer: &str, keywords: &Map<String, Value>) -> Value {
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            return self.follow(pointer, reference, keywords);
        }
        if let Some(whole) = self.with_parts(pointer, keywords) {
            return self.schema(pointer, &Value::Object(whole));
        }
        let mut converted = Map::new();
        self.type_of(pointer, keywords, &mut converted);
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "title" | "description" => {
                    let text = self.losses.text(&below(pointer, keyword), value.as_str());
                    converted.extend(text.map(|text| (keyword.clone(), text.into())));
                }
                known if SUPPORTED.contains(&known) => _ = converted.insert(keyword.clone(), value.clone()),
                known if NO_LOSS.contains(&known) => {}
                "additionalProperties" | "unevaluatedProperties" if !value.is_object() => {}
                "$schema" | "$comment" | "writeOnly" | "readOnly" => {}
                other if other.starts_with("x-") => {}
                other => self.losses.add(below(pointer, other), format!("`{other}` is removed")),
            }
        }
        if keywords.get("nullable") == Some(&Value::Bool(true)) {
            converted.insert("nullable".to_owned(), true.into());
        }
        if let Some(text) = with_examples(keywords) {
            converted.insert("description".to_owned(), text.into());
        }
        self.format(pointer, keywords, &mut converted);
        self.choices(pointer, keywords, &mut converted);
        set_bounds(&mut self.losses, pointer, keywords, &mut converted);
        self.members(pointer, keywords, &mut converted);
        self.branches(pointer, keywords, converted)
    }

    /// Inlines the target of a reference, together with the keywords beside the reference.
    fn follow(&mut self, pointer: &str, reference: &str, keywords: &Map<String, Value>) -> Value {
        let path = reference.strip_prefix('#').map(of_fragment);
        let target = path.and_then(|path| self.root.pointer(&path)).filter(|target| target.is_object());
        let (false, Some(Value::Object(target))) = (self.open.iter().any(|open| open == reference), target)
        else {
            self.losses.add(below(pointer, "$ref"), format!("`{reference}` is not followed further"));
            return anything();
        };
        let mut whole = keywords.clone();
        whole.shift_remove("$ref");
        merge(&mut self.losses, pointer, &mut whole, target);
        self.open.push(reference.to_owned());
        let converted = self.schema(pointer, &Value::Object(whole));
        self.open.pop();
        converted
    }

    /// Merges the parts of `allOf`, or the only branch besides null, into the schema; `None` if it has neither.
    fn with_parts(&mut self, pointer: &str, keywords: &Map<String, Value>) -> Option<Map<String, Value>> {
        let mut whole = keywords.clone();
        if let Some(Value::Array(parts)) = whole.shift_remove("allOf") {
            for (at, part) in parts.iter().enumerate() {
                let pointer = below(&below(pointer, "allOf"), &at.to_string());
                match part.as_object() {
                    Some(part) => merge(&mut self.losses, &pointer, &mut whole, part),
                    None if *part == Value::Bool(true) => {}
                    None => self.losses.add(pointer, "this part is removed"),
                }
            }
            return Some(whole);
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(branches) = keywords.get(keyword).and_then(Value::as_array) else { continue };
            let mut others = branches.iter().filter(|branch| !is_null(branch));
            if let (Some(Value::Object(only)), None) = (others.next(), others.next()) {
                whole.shift_remove(keyword);
                if branches.len() > 1 {
                    whole.insert("nullable".to_owned(), true.into());
                }
                merge(&mut self.losses, &below(pointer, keyword), &mut whole, only);
                return Some(whole);
            }
        }
        None
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
            self.losses.add(below(pointer, "type"), format!("the type `{dropped}` is removed"));
        }
        let branches = ["anyOf", "oneOf", "enum", "const"];
        let name = match first {
            Some(name) => name.to_uppercase(),
            None if keywords.contains_key("properties") => "OBJECT".to_owned(),
            None if keywords.contains_key("items") => "ARRAY".to_owned(),
            None if keywords.contains_key("enum") || keywords.contains_key("const") => "STRING".to_owned(),
            None if branches.iter().any(|keyword| keywords.contains_key(*keyword)) => return,
            None => {
                self.losses.add(pointer, "a value of any type becomes a string");
                "STRING".to_owned()
            }
        };
        converted.insert("type".to_owned(), name.into());
    }

    /// String formats are `enum` and `date-time` only (<https://github.com/google-gemini/gemini-cli/issues/2237>).
    fn format(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let Some(format) = keywords.get("format").and_then(Value::as_str) else { return };
        if matches!(format, "date-time" | "int32" | "int64" | "float" | "double") {
            converted.insert("format".to_owned(), format.into());
        } else {
            self.losses.add(below(pointer, "format"), format!("the format `{format}` is removed"));
        }
    }

    /// Enum values must be strings (<https://github.com/google-gemini/gemini-cli/issues/4127>). An enum of integers
    /// becomes its bounds.
    fn choices(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let listed = keywords.get("enum").and_then(Value::as_array);
        let (keyword, values) = match (keywords.get("const"), listed) {
            (Some(value), _) => ("const", std::slice::from_ref(value)),
            (None, Some(values)) => ("enum", values.as_slice()),
            (None, None) => return,
        };
        if values.contains(&Value::Null) {
            converted.insert("nullable".to_owned(), true.into());
        }
        let others: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
        let is_text = |value: &&Value| value.as_str().is_some_and(|text| !text.is_empty());
        if converted.get("type").is_some_and(|name| name == "STRING")
            && !others.is_empty()
            && others.iter().all(is_text)
        {
            converted.insert("format".to_owned(), "enum".into());
            converted.insert("enum".to_owned(), others.into_iter().cloned().collect());
            return;
        }
        let mut numbers: Vec<i64> = others.iter().filter_map(|value| value.as_i64()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if let (Some(least), Some(most)) = (numbers.first(), numbers.last())
            && others.iter().all(|value| value.as_i64().is_some())
            && !keywords.get("type").is_some_and(|name| name == "string")
        {
            converted.insert("type".to_owned(), "INTEGER".into());
            converted.insert("minimum".to_owned(), (*least).into());
            converted.insert("maximum".to_owned(), (*most).into());
            let is_a_row =
                usize::try_from(most.abs_diff(*least)).is_ok_and(|between| between + 1 == numbers.len());
            if !is_a_row {
                self.losses.add(
                    below(pointer, keyword),
                    format!("`{keyword}` becomes its smallest and largest value"),
                );
            }
            return;
        }
        self.losses
            .add(below(pointer, keyword), format!("`{keyword}` is removed: it contains more than strings"));
    }

    fn members(&mut self, pointer: &str, keywords: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let is_array = converted.get("type").is_some_and(|of| of == "ARRAY");
        match keywords.get("items") {
            Some(_) if !is_array => self.losses.add(below(pointer, "items"), "`items` is removed"),
            Some(items) if items.is_object() => {
                let items = self.schema(&below(pointer, "items"), items);
                converted.insert("items".to_owned(), items);
            }
            _ if is_array => {
                self.losses.add(pointer, "items of any type become strings");
                converted.insert("items".to_owned(), json!({"type": "STRING"}));
            }
            _ => {}
        }
        let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        let properties = keywords.get("properties").and_then(Value::as_object);
        if converted.get("type").is_some_and(|of| of != "OBJECT") {
            for keyword in
                ["properties", "required"].into_iter().filter(|keyword| keywords.contains_key(*keyword))
            {
                self.losses.add(below(pointer, keyword), format!("`{keyword}` is removed"));
            }
            return;
        }
        let mut members = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            members.insert(name.clone(), self.schema(&below(&below(pointer, "properties"), name), property));
        }
        // Required properties must be listed: https://github.com/probelabs/probe/issues/569
        let (listed, others): (Vec<&Value>, Vec<&Value>) =
            required.partition(|name| name.as_str().is_some_and(|name| members.contains_key(name)));
        for name in others {
            self.losses.add(below(pointer, "required"), format!("{name} is removed: it has no schema"));
        }
        if !listed.is_empty() {
            converted.insert("required".to_owned(), listed.into_iter().cloned().collect());
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
            if branches.iter().any(is_null) {
                converted.insert("nullable".to_owned(), true.into());
            }
            let pointer = below(pointer, keyword);
            if converted.contains_key("anyOf") {
                self.losses.add(pointer, format!("`{keyword}` is removed beside `anyOf`"));
                continue;
            }
            if keyword == "oneOf" {
                self.losses.add(&*pointer, "`oneOf` becomes `anyOf`");
            }
            let others = branches.iter().enumerate().filter(|(_, branch)| !is_null(branch));
            let others: Vec<_> = others
                .map(|(index, branch)| self.schema(&below(&pointer, &index.to_string()), branch))
                .collect();
            if !others.is_empty() {
                converted.insert("anyOf".to_owned(), others.into());
            }
        }
        Value::Object(converted)
    }
}

/// Replaces a schema that cannot be expressed.
fn anything() -> Value {
    json!({"type": "OBJECT", "properties": {"value": {"type": "STRING"}}})
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}
