//! Function tools for OpenAI's Responses API: `tools[]` with `type`, `name`, `description`, `parameters` and `strict`
//! (<https://developers.openai.com/api/docs/guides/function-calling>).
//!
//! In strict mode, each object is closed and requires all of its properties, an optional property accepts null, and
//! only the keywords in [`SUPPORTED`] are supported
//! (<https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas>).

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::pointer::{below, of_fragment};

use super::anthropic::{name, plain};
use super::loss::{InTool, Losses};

/// Keywords that strict mode supports besides `properties`, `required`, `items`, `anyOf`, `$defs` and
/// `additionalProperties`.
const SUPPORTED: [&str; 14] = [
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

/// The string formats that strict mode supports.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Keywords that do not restrict values, or are expressed in another way.
const NO_LOSS: [&str; 9] = [
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "$defs",
    "examples",
    "writeOnly",
];

/// Keywords that the API rejects at the root.
const NOT_AT_THE_ROOT: [&str; 7] = ["oneOf", "anyOf", "allOf", "not", "enum", "const", "if"];

/// The maximum depth of schemas of a strict tool.
const DEPTH_LIMIT: usize = 64;

/// Converts a definition, leaving its schema unchanged.
pub(super) fn tool(tool: &ToolDefinition, losses: &mut Losses) -> Value {
    let mut schema = plain(&tool.input_schema);
    // "object schema missing properties": https://github.com/openai/openai-agents-python/issues/449
    if let Some(schema) = schema.as_object_mut() {
        schema.entry("properties").or_insert_with(|| json!({}));
    }
    for keyword in NOT_AT_THE_ROOT {
        if schema.as_object_mut().is_some_and(|schema| schema.shift_remove(keyword).is_some()) {
            let what = format!("the API rejects `{keyword}` at the root, so it is removed");
            losses.add(Some(&tool.name), below("/inputSchema", keyword), what);
        }
    }
    function(tool, schema, false, losses)
}

/// Converts a definition to strict mode; a tool whose arguments strict mode cannot express becomes a non-strict one.
pub(super) fn strict_tool(tool: &ToolDefinition, losses: &mut Losses) -> Value {
    let mut own = Losses::default();
    let converted =
        Strict { losses: InTool { losses: &mut own, tool: &tool.name }, root: &tool.input_schema, depth: 0 }
            .object(ROOT, &tool.input_schema);
    match converted {
        Ok(schema) => {
            losses.append(own);
            function(tool, schema, true, losses)
        }
        Err(Unfit { pointer, what }) => {
            let what = format!("strict mode cannot express {what}, so the tool is not strict");
            losses.add(Some(&tool.name), pointer, what);
            function(tool, plain(&tool.input_schema), false, losses)
        }
    }
}

fn function(tool: &ToolDefinition, schema: Value, strict: bool, losses: &mut Losses) -> Value {
    let mut function = Map::from_iter([
        ("type".to_owned(), "function".into()),
        ("name".to_owned(), name(tool, losses).into()),
    ]);
    if let Some(description) = losses.text(Some(&tool.name), "/description", tool.description.as_deref()) {
        function.insert("description".to_owned(), description.into());
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

/// The location of the arguments' schema in a definition.
const ROOT: &str = "/inputSchema";

/// The conversion of one tool's schema.
struct Strict<'l> {
    losses: InTool<'l>,
    root: &'l Value,
    /// The depth of the current schema.
    depth: usize,
}

impl Strict<'_> {
    fn schema(&mut self, pointer: &str, schema: &Value) -> Result<Value, Unfit> {
        let unfit = |what| Err(Unfit { pointer: pointer.to_owned(), what });
        if self.depth == DEPTH_LIMIT {
            return unfit("schemas nested this deep");
        }
        self.depth += 1;
        let converted = self.keywords(pointer, schema);
        self.depth -= 1;
        converted
    }

    fn keywords(&mut self, pointer: &str, schema: &Value) -> Result<Value, Unfit> {
        let unfit = |what| Err(Unfit { pointer: pointer.to_owned(), what });
        let Some(keywords) = schema.as_object() else { return unfit("a value of any type") };
        if keywords.contains_key("prefixItems") || keywords.get("items").is_some_and(Value::is_array) {
            return unfit("an array with a schema for each position");
        }
        if keywords.get("$ref").is_some_and(|reference| !self.is_found(reference)) {
            return unfit("a reference to anything but a definition");
        }
        if keywords.contains_key("properties") || is_of(keywords, "object") {
            return self.object(pointer, schema);
        }
        let says_the_type = ["type", "enum", "const", "$ref", "anyOf", "oneOf"];
        if !says_the_type.iter().any(|keyword| keywords.contains_key(*keyword)) {
            return unfit("a value of any type");
        }
        let mut strict = self.keep_supported(pointer, keywords);
        if let Some(items) = keywords.get("items") {
            strict.insert("items".to_owned(), self.schema(&below(pointer, "items"), items)?);
        } else if is_of(keywords, "array") {
            return unfit("an array of any values");
        }
        self.without_members(pointer, keywords);
        self.branches(pointer, keywords, &mut strict)?;
        Ok(Value::Object(strict))
    }

    /// Reports keywords about members of a schema that describes no object.
    fn without_members(&mut self, pointer: &str, keywords: &Map<String, Value>) {
        for keyword in ["required", "additionalProperties"] {
            if keywords.contains_key(keyword) {
                self.losses.add(below(pointer, keyword), format!("`{keyword}` is removed"));
            }
        }
    }

    /// Whether a reference points to the root or to one of its definitions, the only targets that strict mode
    /// supports.
    fn is_found(&self, reference: &Value) -> bool {
        let path = reference.as_str().and_then(|reference| reference.strip_prefix('#')).map(of_fragment);
        path.is_some_and(|path| {
            let name = path.strip_prefix("/$defs/");
            (path.is_empty() || name.is_some_and(|name| !name.contains('/')))
                && self.root.pointer(&path).is_some()
        })
    }

    fn object(&mut self, pointer: &str, schema: &Value) -> Result<Value, Unfit> {
        let unfit = |what| Err(Unfit { pointer: pointer.to_owned(), what });
        let Some(keywords) = schema.as_object() else { return unfit("a value of any type") };
        let is_map = keywords.get("additionalProperties").is_some_and(Value::is_object)
            || keywords.get("patternProperties").is_some();
        let Some(properties) = keywords.get("properties").and_then(Value::as_object) else {
            return unfit("an object with arbitrary members");
        };
        let is_open = keywords.get("additionalProperties") == Some(&Value::Bool(true));
        if is_map || (is_open && properties.is_empty()) {
            return unfit("an object with arbitrary members");
        }
        if is_open {
            let what = "members with other names are removed: strict mode does not allow them";
            self.losses.add(below(pointer, "additionalProperties"), what);
        }
        let names = || keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in names().filter_map(Value::as_str).filter(|name| !properties.contains_key(*name)) {
            self.losses.add(below(pointer, "required"), format!("{name:?} is removed: it has no schema"));
        }
        let required = |name: &str| names().any(|one| one == name);
        let mut converted = Map::new();
        for (name, property) in properties {
            let pointer = below(&below(pointer, "properties"), name);
            let strict = self.schema(&pointer, property)?;
            converted.insert(name.clone(), if required(name) { strict } else { or_null(strict) });
        }
        let mut strict = self.keep_supported(pointer, keywords);
        if let Some(items) = keywords.get("items") {
            self.losses
                .add(below(pointer, "items"), format!("`items` is removed: {items} belongs to an array"));
        }
        let types = strict.get("type").and_then(Value::as_array).cloned().unwrap_or_default();
        for other in types.iter().filter(|name| **name != "object" && **name != "null") {
            self.losses.add(below(pointer, "type"), format!("the type {other} is removed"));
        }
        let is_nullable = types.iter().any(|name| name == "null");
        let kind = if is_nullable { json!(["object", "null"]) } else { json!("object") };
        strict.insert("type".to_owned(), kind);
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
        if pointer == ROOT {
            for keyword in NOT_AT_THE_ROOT.into_iter().filter(|keyword| keywords.contains_key(*keyword)) {
                // Keywords that strict mode never supports have been reported already.
                if strict.shift_remove(keyword).is_some() || matches!(keyword, "anyOf" | "oneOf") {
                    self.losses.add(below(pointer, keyword), format!("`{keyword}` is removed"));
                }
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
            let pointer = below(pointer, keyword);
            if strict.contains_key("anyOf") {
                self.losses.add(pointer, format!("`{keyword}` is removed beside `anyOf`"));
                continue;
            }
            if keyword == "oneOf" {
                self.losses.add(&*pointer, "`oneOf` becomes `anyOf`");
            }
            let branches: Result<Vec<_>, _> = branches
                .iter()
                .enumerate()
                .map(|(index, branch)| self.schema(&below(&pointer, &index.to_string()), branch))
                .collect();
            strict.insert("anyOf".to_owned(), branches?.into());
        }
        Ok(())
    }

    /// Returns the supported keywords, with examples moved to the description.
    fn keep_supported(&mut self, pointer: &str, keywords: &Map<String, Value>) -> Map<String, Value> {
        let mut kept = Map::new();
        for (keyword, value) in keywords {
            let is_known_format = keyword == "format" && FORMATS.iter().any(|format| value == format);
            match keyword.as_str() {
                "description" | "title" => {
                    let text = self.losses.text(&below(pointer, keyword), value.as_str());
                    kept.extend(text.map(|text| (keyword.clone(), text.into())));
                }
                known if SUPPORTED.contains(&known) || is_known_format => {
                    kept.insert(keyword.clone(), value.clone());
                }
                "unevaluatedProperties" if *value == Value::Bool(false) => {}
                "default" => {
                    // In strict mode, an omitted argument is null, which the server treats like any null.
                    self.losses
                        .add(below(pointer, keyword), "`default` is removed: the description states it");
                }
                known if NO_LOSS.contains(&known) || is_silent(known) => {}
                other => self.losses.add(below(pointer, other), format!("`{other}` is removed")),
            }
        }
        if let Some(default) = keywords.get("default") {
            let description = kept.get("description").and_then(Value::as_str).unwrap_or_default().trim();
            let space = if description.is_empty() { "" } else { " " };
            kept.insert(
                "description".to_owned(),
                format!("{description}{space}Default: `{default}`.").into(),
            );
        }
        let mut described = keywords.clone();
        described.extend(kept.get("description").map(|text| ("description".to_owned(), text.clone())));
        if let Some(text) = with_examples(&described) {
            kept.insert("description".to_owned(), text.into());
        }
        kept
    }
}

fn is_silent(keyword: &str) -> bool {
    keyword.starts_with("x-") || matches!(keyword, "$comment" | "readOnly" | "$schema")
}

fn is_of(keywords: &Map<String, Value>, name: &str) -> bool {
    keywords.get("type").is_some_and(|types| {
        types == name || types.as_array().is_some_and(|all| all.iter().any(|one| one == name))
    })
}

/// The description followed by the examples; `None` without examples.
pub(super) fn with_examples(keywords: &Map<String, Value>) -> Option<String> {
    let examples =
        keywords.get("examples").and_then(Value::as_array).filter(|examples| !examples.is_empty())?;
    let examples: Vec<_> = examples.iter().map(|example| format!("`{example}`")).collect();
    let description = keywords.get("description").and_then(Value::as_str).unwrap_or_default().trim();
    let space = if description.is_empty() { "" } else { " " };
    Some(format!("{description}{space}For example: {}", examples.join(", ")))
}

/// The schema or null, which is how strict mode expresses an optional member.
fn or_null(mut schema: Value) -> Value {
    let Some(keywords) = schema.as_object_mut() else { return schema };
    let has_other_types = keywords.contains_key("type") || keywords.contains_key("enum");
    if has_other_types && keywords.contains_key("anyOf") {
        return json!({"anyOf": [schema, {"type": "null"}]});
    }
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
