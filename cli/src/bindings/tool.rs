//! Generates one tool: a struct for its arguments, and the type of its result.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use toolwright_core::definition::meta_keys;
use toolwright_core::pointer::below;

use super::module::{Module, Point, What};
use super::names::pascal;
use super::object::{DERIVES, Fields};
use super::reference::{OMITTED, join, resolve};
use super::text::{attribute, doc, string};
use super::types::{Shape, Side, Types};

/// The locations of a tool's schemas in its definition.
const INPUT: &str = Side::Input { is_open: false }.place();
const OUTPUT: &str = Side::Output.place();
/// Names in `_meta` that have their own attributes.
const RESERVED_META: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// Adds the types of a tool, and returns the name of its struct; `None` if it cannot be generated, with the
/// reason.
pub(super) fn add(module: &mut Module, name: &str, definition: &Map<String, Value>) -> Option<String> {
    if let Err(problem) = toolwright_core::names::check(name) {
        let what = What::LeftOut(problem.to_string());
        module.points.push(Point { tool: name.to_owned(), pointer: String::new(), what });
        return None;
    }
    let type_name = module.types.take(&pascal(name, "Tool"));
    let mut tool = Tool { module, name, definition, keys: vec![format!("name = {}", string(name))] };
    tool.line_breaks();
    tool.annotations();
    tool.metadata();
    let output = definition.get("outputSchema").map(|schema| tool.output(schema, &type_name));
    tool.keys.extend(output.map(|output| format!("output = {output}")));
    tool.input(definition.get("inputSchema").unwrap_or(&Value::Null), &type_name);
    Some(type_name)
}

struct Tool<'a> {
    module: &'a mut Module,
    name: &'a str,
    definition: &'a Map<String, Value>,
    /// The keys of `#[mcp(…)]`.
    keys: Vec<String>,
}

impl Tool<'_> {
    fn differs(&mut self, pointer: impl Into<String>, how: impl Into<String>) {
        let what = What::Differs(how.into());
        self.module.points.push(Point { tool: self.name.to_owned(), pointer: pointer.into(), what });
    }

    /// Hints, which are flags.
    fn annotations(&mut self) {
        let annotations =
            self.definition.get("annotations").and_then(Value::as_object).cloned().unwrap_or_default();
        let is_true = |hint: &str| annotations.get(hint) == Some(&Value::Bool(true));
        for (member, value) in &annotations {
            let key = match member.as_str() {
                "readOnlyHint" => "read_only",
                "destructiveHint" if is_true("readOnlyHint") && is_true("destructiveHint") => {
                    self.differs("/annotations/destructiveHint", "what only reads does not destroy");
                    continue;
                }
                "destructiveHint" => "destructive",
                "idempotentHint" => "idempotent",
                "openWorldHint" => "open_world",
                other => {
                    self.differs(below("/annotations", other), "it is left out");
                    continue;
                }
            };
            match value {
                Value::Bool(true) => self.keys.push(key.to_owned()),
                Value::Bool(false) => self.keys.push(format!("{key} = false")),
                _ => self.differs(below("/annotations", member), "it is not a boolean"),
            }
        }
    }

    /// Lists the titles and descriptions in which a definition has line feeds instead of carriage returns. The title of the
    /// tool and the descriptions of its arguments are unchanged.
    fn line_breaks(&mut self) {
        let mut found = Vec::new();
        for (member, value) in self.definition {
            carriage_returns(member, value, &below("", member), &mut found);
        }
        let is_unchanged = |place: &str| {
            let argument = place.strip_prefix("/inputSchema/properties/");
            place == "/title" || argument.is_some_and(|rest| rest.split('/').nth(1) == Some("description"))
        };
        for place in found.into_iter().filter(|place| !is_unchanged(place)) {
            self.differs(place, "its carriage returns become line feeds");
        }
    }

    /// The title, and members that types cannot express.
    fn metadata(&mut self) {
        for (member, value) in self.definition {
            match member.as_str() {
                "name" | "description" | "inputSchema" | "outputSchema" | "annotations" => {}
                "title" => match value.as_str().filter(|title| !title.trim().is_empty()) {
                    Some(title) => self.keys.push(format!("title = {}", string(title))),
                    None => self.differs("/title", "it is empty"),
                },
                "_meta" => self.meta(value.as_object().cloned().unwrap_or_default()),
                other => self.differs(below("", other), "it is left out"),
            }
        }
    }

    fn meta(&mut self, members: Map<String, Value>) {
        let mut kept = Vec::new();
        for (name, value) in members {
            if let Some(key) = own_key(self.name, &name, &value) {
                self.keys.push(key);
                continue;
            }
            let is_plain = matches!(value, Value::String(_) | Value::Bool(_)) || value.as_i64().is_some();
            if is_plain && is_meta_name(&name) {
                let value = value.as_str().map_or_else(|| value.to_string(), string);
                kept.push(format!("{} = {value}", string(&name)));
            } else {
                self.differs(below("/_meta", &name), "it is left out");
            }
        }
        if !kept.is_empty() {
            self.keys.push(format!("meta({})", kept.join(", ")));
        }
    }

    /// Generates the struct of the arguments, which is the tool.
    fn input(&mut self, schema: &Value, type_name: &str) {
        let (mut keywords, whole) = self.root_of(schema, INPUT);
        let rest = keywords.get("additionalProperties");
        let is_open = !matches!(rest, Some(Value::Bool(false) | Value::Object(_)));
        if is_open {
            self.keys.push("allow_unknown".to_owned());
        }
        match keywords.shift_remove("type") {
            Some(Value::String(kind)) if kind == "object" => {}
            _ => self.differs(below(INPUT, "type"), "arguments are an object"),
        }
        let side = Side::Input { is_open };
        let mut types = Types::new(self.module, self.name, &whole, side, type_name);
        let Fields { lines, attributes, .. } = types.fields(&mut keywords, INPUT, type_name, true);
        for keyword in keywords.keys().filter(|keyword| !OMITTED.contains(&keyword.as_str())) {
            self.differs(below(INPUT, keyword), "it is left out");
        }
        let description = self.definition.get("description").and_then(Value::as_str).unwrap_or_default();
        let (comment, is_exact) = doc(description, "");
        if !is_exact && !description.trim().is_empty() {
            self.keys.push(format!("description = {}", string(description)));
        } else if description.trim().is_empty() && self.definition.contains_key("description") {
            self.differs("/description", "it is empty");
        }
        let keys = attribute("", "mcp", &self.keys);
        let derives = DERIVES.replace("JsonSchema)", "JsonSchema, Tool)");
        let body = if lines.is_empty() { " {}\n".to_owned() } else { format!(" {{\n{lines}}}\n") };
        self.module.items.push(format!("{comment}{derives}{keys}{attributes}pub struct {type_name}{body}"));
    }

    /// Generates the type of the result.
    fn output(&mut self, schema: &Value, type_name: &str) -> String {
        let (mut keywords, whole) = self.root_of(schema, OUTPUT);
        let wanted = self.module.types.take(&format!("{type_name}Output"));
        let is_struct = keywords.get("type") == Some(&json!("object"))
            && keywords.get("properties").and_then(Value::as_object).is_some_and(|listed| !listed.is_empty());
        for unsaid in OMITTED {
            keywords.shift_remove(unsaid);
        }
        // Definitions have none there: schemars would write the name of the Rust type.
        if keywords.shift_remove("title").is_some() {
            self.differs(below(OUTPUT, "title"), "it is left out");
        }
        let mut types = Types::new(self.module, self.name, &whole, Side::Output, &wanted);
        let can_be_struct = is_struct
            && !keywords.keys().any(|keyword| keyword.ends_with("Of") || keyword == "patternProperties");
        if can_be_struct {
            keywords.shift_remove("type");
            let description = keywords.shift_remove("description");
            let Fields { lines, attributes, is_exact } = types.fields(&mut keywords, OUTPUT, &wanted, false);
            if !is_exact {
                self.differs(OUTPUT, "the rules of its members as a whole are left out");
            }
            let extension = self.module.extension(&keywords).map(|words| format!("#[schemars({words})]\n"));
            let comment = match description.as_ref().and_then(Value::as_str) {
                Some(text) => {
                    self.differs(below(OUTPUT, "description"), "it is a doc comment only");
                    doc(text, "").0
                }
                None => format!("/// What `{}` returns.\n", self.name),
            };
            let item = format!(
                "{comment}{DERIVES}{attributes}{}pub struct {wanted} {{\n{lines}}}\n",
                extension.unwrap_or_default()
            );
            self.module.items.push(item);
            return wanted;
        }
        let shape = types.shape(&keywords.clone().into(), OUTPUT, &format!("{wanted}Value"));
        let is_whole = shape.is_whole() && !keywords.contains_key("description");
        let Shape { text, is_nullable, .. } = shape;
        let text = if is_nullable { format!("Option<{text}>") } else { text };
        let item = if is_whole {
            format!("/// What `{}` returns.\npub type {wanted} = {text};\n", self.name)
        } else {
            let function = types.written_out(&keywords.into(), OUTPUT);
            format!(
                "{DERIVES}#[serde(transparent)]\npub struct {wanted}(#[schemars(schema_with = {})] pub {text});\n",
                string(&function)
            )
        };
        self.module.items.push(item);
        wanted
    }

    /// Returns the keywords of a schema's root with its reference resolved, and the whole schema for other
    /// references.
    fn root_of(&mut self, schema: &Value, at: &str) -> (Map<String, Value>, Value) {
        let mut keywords = schema.as_object().cloned().unwrap_or_default();
        if let Some(Value::String(reference)) = keywords.get("$ref").cloned() {
            let mut beside = keywords.clone();
            for keyword in OMITTED.iter().chain(&["$ref"]) {
                beside.shift_remove(*keyword);
            }
            let target = resolve(&reference, schema).and_then(Value::as_object).cloned();
            match target.and_then(|target| join(target, &beside)) {
                Some(whole) if !whole.contains_key("$ref") => keywords = whole,
                _ => {
                    self.differs(below(at, "$ref"), "the reference is left out");
                    keywords.shift_remove("$ref");
                }
            }
        }
        (keywords, schema.clone())
    }
}

/// Collects the places of titles and descriptions with carriage returns, in a member of a definition.
fn carriage_returns(member: &str, value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if matches!(member, "title" | "description") && text.contains('\r') => {
            found.push(at.to_owned());
        }
        Value::Object(members) => {
            for (member, value) in members {
                carriage_returns(member, value, &below(at, member), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                carriage_returns("", item, &below(at, &index.to_string()), found);
            }
        }
        _ => {}
    }
}

/// Returns the key for what a Toolwright server writes to `_meta`; `None` if the derive would reject it.
fn own_key(tool: &str, name: &str, value: &Value) -> Option<String> {
    let key = match name {
        meta_keys::SCOPES => "scopes",
        meta_keys::TAGS => "tags",
        meta_keys::WAS => "was",
        meta_keys::CONTEXT => {
            let path = value.as_str().filter(|path| !path.trim().is_empty())?;
            return Some(format!("context = {}", string(path)));
        }
        _ => return None,
    };
    let words: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let is_taken = |word: &&str| match key {
        "scopes" => word.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\'),
        "was" => *word != tool && toolwright_core::names::check(word).is_ok(),
        _ => true,
    };
    let are_distinct = words.iter().collect::<BTreeSet<_>>().len() == words.len();
    let are_taken = words.iter().all(|word| !word.trim().is_empty() && is_taken(word));
    let is_good = !words.is_empty() && are_distinct && are_taken;
    let words: Vec<_> = words.into_iter().map(string).collect();
    is_good.then(|| format!("{key}({})", words.join(", ")))
}

/// Returns whether the attribute accepts the name (2026-07-28, basic "`_meta`").
fn is_meta_name(name: &str) -> bool {
    let (prefix, last) = name.split_once('/').map_or((None, name), |(prefix, last)| (Some(prefix), last));
    let is_word = |word: &str, between: &[u8]| {
        word.starts_with(|first: char| first.is_ascii_alphanumeric())
            && word.ends_with(|last: char| last.is_ascii_alphanumeric())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || between.contains(&byte))
    };
    let labels: Vec<&str> = prefix.into_iter().flat_map(|prefix| prefix.split('.')).collect();
    let is_reserved = labels.get(1).is_some_and(|label| matches!(*label, "modelcontextprotocol" | "mcp"))
        || prefix == Some("io.toolwright")
        || prefix.is_none() && RESERVED_META.contains(&last);
    let are_labels = labels
        .iter()
        .all(|label| is_word(label, b"-") && label.starts_with(|first: char| first.is_ascii_alphabetic()));
    is_word(last, b"-_.") && are_labels && !is_reserved
}
