//! TypeScript types: an input and an output for each tool, and a map from names to both.
//!
//! Types hold the shape of a value. Everything else that a schema says is in the comment of the nearest member or
//! type: `@minLength 1`, and with its place `@minLength 1 (in items)`.

mod circular;
mod comment;

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};
use toolwright_agent::model_api::{InTool, Losses};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::docs::markdown::json;
use toolwright_core::manifest::visible;
use toolwright_core::pointer::below;

use self::circular::{circular, target};
use self::comment::{comment, rules_of};
use crate::packages::Document;

/// The maximum depth of nested types: deeper ones are `unknown`.
const DEPTH_LIMIT: usize = 64;

// Writing to a string cannot fail.

pub(super) fn module(documents: &[Document], losses: &mut Losses) -> String {
    let mut text = String::from("// Made by `cargo mcp manifest --format typescript`.\n");
    let mut map = String::new();
    let mut taken: Vec<String> = vec!["Tools".to_owned()];
    let mut known: Vec<&str> = Vec::new();
    for document in documents {
        let server = &document.manifest.server;
        _ = write!(text, "\n// {} {}\n", one_line(&server.name), one_line(&server.version));
        for tool in &document.manifest.tools {
            let entry = add_tool(&mut text, tool, &mut taken, losses);
            if known.contains(&tool.name.as_str()) {
                losses.add(
                    Some(&tool.name),
                    "/name",
                    "another server has a tool of this name, which is in the map",
                );
            } else {
                known.push(&tool.name);
                map.push_str(&entry);
            }
        }
    }
    _ = write!(text, "\n/** Every tool by its name. */\nexport interface Tools {{\n{map}}}\n");
    text
}

/// Adds the types of a tool; returns its entry in the map.
fn add_tool(
    text: &mut String,
    tool: &ToolDefinition,
    taken: &mut Vec<String>,
    losses: &mut Losses,
) -> String {
    let name = pascal_case(&tool.name);
    let description = losses.text(Some(&tool.name), "/description", tool.description.as_deref());
    let losses = &mut InTool { losses, tool: &tool.name };
    let input = add_type(
        text,
        &format!("{name}Input"),
        ("/inputSchema", &tool.input_schema),
        description,
        taken,
        losses,
    );
    let output = match &tool.output_schema {
        Some(schema) => {
            let what = format!("What `{}` returns.", one_line(&tool.name));
            add_type(text, &format!("{name}Output"), ("/outputSchema", schema), Some(&what), taken, losses)
        }
        None => "unknown".to_owned(),
    };
    format!("  {}: {{ input: {input}; output: {output} }};\n", key(&tool.name))
}

/// Declares the type and the definitions that its schema refers to; returns its name.
fn add_type(
    text: &mut String,
    wanted: &str,
    (pointer, schema): (&str, &Value),
    description: Option<&str>,
    taken: &mut Vec<String>,
    losses: &mut InTool<'_>,
) -> String {
    let own = free_name(wanted, taken);
    let mut schemas = HashMap::from([(String::new(), schema)]);
    let mut places = Vec::new();
    for keyword in ["$defs", "definitions"] {
        for (definition, schema) in schema.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            let place = below(&below("", keyword), definition);
            schemas.insert(place.clone(), schema);
            places.push((definition, place, schema));
        }
    }
    let circular = circular(&schemas);
    let mut names = HashMap::new();
    if !circular.contains("") {
        names.insert(String::new(), own.clone());
    }
    let mut definitions = Vec::new();
    for (definition, place, schema) in places {
        if !circular.contains(&place) {
            let name = free_name(&format!("{own}{}", pascal_case(definition)), taken);
            definitions.push((name.clone(), format!("{pointer}{place}"), schema));
            names.insert(place, name);
        }
    }
    let mut writer = Writer { names, losses, depth: 0 };
    for (name, pointer, schema) in definitions {
        let description = schema.get("description").and_then(Value::as_str);
        let comment = comment(description, &rules_of(schema, false), 0);
        let expression = writer.expression(&pointer, schema, 0);
        _ = write!(text, "\n{comment}export type {name} = {expression};\n");
    }
    let mut about = description.map(str::to_owned).unwrap_or_default();
    let said = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    if !said.trim().is_empty() && !about.contains(said) {
        about = format!("{about}\n\n{said}");
    }
    let comment = comment(Some(about.trim()), &rules_of(schema, false), 0);
    let expression = writer.expression(pointer, schema, 0);
    _ = write!(text, "\n{comment}export type {own} = {expression};\n");
    own
}

struct Writer<'w, 'l> {
    /// The types of what references lead to, by the pointer behind the `#`.
    names: HashMap<String, String>,
    losses: &'w mut InTool<'l>,
    /// The depth of this type.
    depth: usize,
}

impl Writer<'_, '_> {
    /// The type of a schema, from all its parts.
    fn expression(&mut self, pointer: &str, schema: &Value, indent: usize) -> String {
        let Some(keywords) = schema.as_object() else {
            return if *schema == Value::Bool(false) { "never" } else { "unknown" }.to_owned();
        };
        if self.depth == DEPTH_LIMIT {
            self.losses.add(pointer, format!("what lies deeper than {DEPTH_LIMIT} levels is `unknown`"));
            return "unknown".to_owned();
        }
        self.depth += 1;
        let description = keywords.get("description").and_then(Value::as_str);
        self.losses.text(&below(pointer, "description"), description);
        let mut parts = Vec::new();
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            parts.extend(self.reference(pointer, reference));
        }
        parts.extend(self.plain(pointer, keywords, indent));
        for (keyword, between) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
            let pointer = below(pointer, keyword);
            let branches = keywords.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate();
            let branches: Vec<_> = branches
                .map(|(at, branch)| {
                    parenthesize(self.expression(&below(&pointer, &at.to_string()), branch, indent))
                })
                .collect();
            // Branches that only say more about the value are told in the comment.
            let says_nothing = |branch: &String| branch == "unknown";
            if keyword == "allOf" {
                parts.extend(branches.into_iter().filter(|branch| !says_nothing(branch)));
            } else if !branches.iter().any(says_nothing) && !branches.is_empty() {
                parts.push(branches.join(between));
            }
        }
        self.depth -= 1;
        match parts.len() {
            0 => "unknown".to_owned(),
            1 => parts.remove(0),
            _ => parts.into_iter().map(parenthesize).collect::<Vec<_>>().join(" & "),
        }
    }

    fn reference(&mut self, pointer: &str, reference: &str) -> Option<String> {
        let found = target(reference).and_then(|target| self.names.get(&target).cloned());
        if found.is_none() {
            self.losses.add(
                below(pointer, "$ref"),
                format!("`{reference}` leads to no definition, or to itself, so the type is `unknown`"),
            );
        }
        found
    }

    /// The type by `const`, `enum`, `type` and what belongs to each type.
    fn plain(&mut self, pointer: &str, keywords: &Map<String, Value>, indent: usize) -> Option<String> {
        if let Some(value) = keywords.get("const") {
            return Some(json(value));
        }
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            let never = if values.is_empty() { "never" } else { "" };
            return Some(values.iter().map(json).collect::<Vec<_>>().join(" | ") + never);
        }
        let types: Vec<&str> = match keywords.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if keywords.contains_key("properties") => vec!["object"],
            _ if keywords.contains_key("items") || keywords.contains_key("prefixItems") => vec!["array"],
            _ => return None,
        };
        let types = types.iter().map(|name| match *name {
            "string" => "string".to_owned(),
            "integer" | "number" => "number".to_owned(),
            "boolean" => "boolean".to_owned(),
            "null" => "null".to_owned(),
            "array" => self.array(pointer, keywords, indent),
            "object" => self.object(pointer, keywords, indent),
            _ => "unknown".to_owned(),
        });
        Some(types.collect::<Vec<_>>().join(" | "))
    }

    fn array(&mut self, pointer: &str, keywords: &Map<String, Value>, indent: usize) -> String {
        let at = below(pointer, "prefixItems");
        let places = keywords.get("prefixItems").and_then(Value::as_array).into_iter().flatten().enumerate();
        let mut places: Vec<_> = places
            .map(|(index, place)| self.expression(&below(&at, &index.to_string()), place, indent))
            .collect();
        let items = keywords.get("items").filter(|items| !items.is_array());
        let items = items.map(|items| parenthesize(self.expression(&below(pointer, "items"), items, indent)));
        if places.is_empty() {
            return items.map_or_else(|| "unknown[]".to_owned(), |items| format!("{items}[]"));
        }
        match items.as_deref() {
            Some("never") => {}
            items => places.push(format!("...{}[]", items.unwrap_or("unknown"))),
        }
        format!("[{}]", places.join(", "))
    }

    fn object(&mut self, pointer: &str, keywords: &Map<String, Value>, indent: usize) -> String {
        let Some(properties) =
            keywords.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty())
        else {
            return match keywords.get("additionalProperties") {
                Some(Value::Bool(false)) if !keywords.contains_key("patternProperties") => {
                    "Record<string, never>".to_owned()
                }
                Some(values @ Value::Object(_)) => {
                    let values = self.expression(&below(pointer, "additionalProperties"), values, indent);
                    format!("{{ [name: string]: {values} }}")
                }
                _ => "Record<string, unknown>".to_owned(),
            };
        };
        let required = keywords.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
        let inner = indent + 1;
        let space = "  ".repeat(inner);
        let mut text = "{\n".to_owned();
        for (name, property) in properties {
            let pointer = below(&below(pointer, "properties"), name);
            let description = property.get("description").and_then(Value::as_str);
            text.push_str(&comment(description, &rules_of(property, false), inner));
            let optional = if is_required(name) { "" } else { "?" };
            let expression = self.expression(&pointer, property, inner);
            _ = writeln!(text, "{space}{}{optional}: {expression};", key(name));
        }
        text + &"  ".repeat(indent) + "}"
    }
}

fn parenthesize(expression: String) -> String {
    if has_alternatives(&expression) { format!("({expression})") } else { expression }
}

/// Whether an operator is outside of all brackets and strings.
fn has_alternatives(expression: &str) -> bool {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for character in expression.chars() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ if is_text => {}
            '{' | '[' | '(' | '<' => depth += 1,
            '}' | ']' | ')' | '>' => depth = depth.saturating_sub(1),
            '|' | '&' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// `get_order` as `GetOrder`.
fn pascal_case(name: &str) -> String {
    let words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    let name: String = words.collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) || name.is_empty() {
        return format!("Tool{name}");
    }
    name
}

/// The name, or the name with a number if it is taken.
fn free_name(wanted: &str, taken: &mut Vec<String>) -> String {
    let numbered = (2..).map(|number| format!("{wanted}{number}"));
    let name = std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = name.unwrap_or_default();
    taken.push(name.clone());
    name
}

/// A member's name, in quotes unless it is a word.
fn key(name: &str) -> String {
    let is_word = name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if is_word { name.to_owned() } else { json(&name.into()) }
}

fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
