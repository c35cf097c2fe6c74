//! TypeScript types: an input and an output for each tool, and a map from names to both.
//!
//! Types hold the shape of a value. Bounds, patterns, defaults and examples stand in the comments.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;

use super::loss::Losses;
use crate::packages::Document;

// Writing to a string cannot fail.

pub(super) fn module(documents: &[Document], losses: &mut Losses) -> String {
    let mut text = String::from("// Made by `cargo mcp manifest --format typescript`.\n");
    let mut map = String::new();
    let mut names: Vec<String> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for document in documents {
        let server = &document.manifest.server;
        _ = write!(text, "\n// {} {}\n", one_line(&server.name), one_line(&server.version));
        for tool in &document.manifest.tools {
            let name = free_name(&pascal_case(&tool.name), &mut names);
            let entry = add_tool(&mut text, tool, &name);
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
fn add_tool(text: &mut String, tool: &ToolDefinition, name: &str) -> String {
    let input = format!("{name}Input");
    add_type(text, &input, &tool.input_schema, tool.description.as_deref());
    let output = match &tool.output_schema {
        Some(schema) => {
            let output = format!("{name}Output");
            add_type(text, &output, schema, Some(&format!("What `{}` returns.", tool.name)));
            output
        }
        None => "unknown".to_owned(),
    };
    format!("  {}: {{ input: {input}; output: {output} }};\n", key(&tool.name))
}

/// A declaration of the type and of what its schema refers to.
fn add_type(text: &mut String, name: &str, schema: &Value, description: Option<&str>) {
    for (definition, schema) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        let name = format!("{name}{}", pascal_case(definition));
        _ = write!(text, "\nexport type {name} = {};\n", expression(&name_of(&name, definition), schema, 0));
    }
    text.push('\n');
    text.push_str(&comment(description, &Map::new(), 0));
    _ = writeln!(text, "export type {name} = {};", expression(name, schema, 0));
}

/// The name of the type whose definitions `$ref` means.
fn name_of(name: &str, definition: &str) -> String {
    name.strip_suffix(&pascal_case(definition)).unwrap_or(name).to_owned()
}

/// The type of a schema; `owner` is the type in whose schema it stands.
fn expression(owner: &str, schema: &Value, indent: usize) -> String {
    let Some(keywords) = schema.as_object() else {
        return if *schema == Value::Bool(false) { "never" } else { "unknown" }.to_owned();
    };
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
        let definition = reference.rsplit('/').next().unwrap_or_default();
        return if reference == "#" {
            owner.to_owned()
        } else {
            format!("{owner}{}", pascal_case(definition))
        };
    }
    if let Some(value) = keywords.get("const") {
        return value.to_string();
    }
    if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
        return values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ");
    }
    for (keyword, between) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
        if let Some(branches) = keywords.get(keyword).and_then(Value::as_array) {
            let branches = branches.iter().map(|branch| in_brackets(expression(owner, branch, indent)));
            return branches.collect::<Vec<_>>().join(between);
        }
    }
    let types: Vec<&str> = match keywords.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if keywords.contains_key("properties") => vec!["object"],
        _ => return "unknown".to_owned(),
    };
    let one = |name: &&str| match *name {
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => array(owner, keywords, indent),
        "object" => object(owner, keywords, indent),
        _ => "unknown".to_owned(),
    };
    types.iter().map(one).collect::<Vec<_>>().join(" | ")
}

fn array(owner: &str, keywords: &Map<String, Value>, indent: usize) -> String {
    if let Some(places) = keywords.get("prefixItems").and_then(Value::as_array) {
        let places = places.iter().map(|place| expression(owner, place, indent));
        return format!("[{}]", places.collect::<Vec<_>>().join(", "));
    }
    match keywords.get("items") {
        Some(items) => format!("{}[]", in_brackets(expression(owner, items, indent))),
        None => "unknown[]".to_owned(),
    }
}

fn object(owner: &str, keywords: &Map<String, Value>, indent: usize) -> String {
    let Some(properties) =
        keywords.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty())
    else {
        return match keywords.get("additionalProperties") {
            Some(Value::Bool(false)) => "Record<string, never>".to_owned(),
            Some(values @ Value::Object(_)) => {
                format!("Record<string, {}>", expression(owner, values, indent))
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
        let described = property.as_object().cloned().unwrap_or_default();
        let description = property.get("description").and_then(Value::as_str);
        text.push_str(&comment(description, &described, inner));
        let optional = if is_required(name) { "" } else { "?" };
        _ = writeln!(text, "{space}{}{optional}: {};", key(name), expression(owner, property, inner));
    }
    text + &"  ".repeat(indent) + "}"
}

/// A documentation comment with what types cannot say.
fn comment(description: Option<&str>, keywords: &Map<String, Value>, indent: usize) -> String {
    let mut lines: Vec<String> =
        description.unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect();
    for keyword in [
        "default",
        "examples",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
    ] {
        match (keyword, keywords.get(keyword)) {
            (_, None) => {}
            ("examples", Some(Value::Array(examples))) => {
                lines.extend(examples.iter().map(|example| format!("@example {example}")));
            }
            ("pattern" | "format", Some(Value::String(value))) => lines.push(format!("@{keyword} {value}")),
            (_, Some(value)) => lines.push(format!("@{keyword} {value}")),
        }
    }
    let space = "  ".repeat(indent);
    // What would end the comment does not.
    let lines: Vec<_> = lines.iter().map(|line| line.replace("*/", "*\\/")).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{space}/** {line} */\n"),
        lines => {
            let lines = lines.iter().map(|line| format!("{space} * {line}").trim_end().to_owned() + "\n");
            format!("{space}/**\n{}{space} */\n", lines.collect::<String>())
        }
    }
}

fn in_brackets(expression: String) -> String {
    if expression.contains([' ', '|', '&']) && !expression.starts_with('{') {
        format!("({expression})")
    } else {
        expression
    }
}

/// `get_order` as `GetOrder`.
fn pascal_case(name: &str) -> String {
    let words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    let name: String = words.collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("Tool{name}") } else { name }
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
    if is_word { name.to_owned() } else { Value::from(name).to_string() }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
