//! The JSON Schema of configuration files, generated from the grammar of the reader.

use serde_json::{Map, Value, json};

use super::grammar::{AppliesTo, Kind, RULES, Rule};
use super::token;

/// Returns the JSON Schema (2020-12) of configuration files, for editors and other tools.
///
/// It describes the names and types of members. Variables and files depend on the environment, so only the reader checks them.
pub fn schema() -> Value {
    let server = server_schema();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Servers of the Model Context Protocol",
        "type": "object",
        "properties": {
            "mcpServers": {
                "description": "The servers by name, in the format of most clients.",
                "$ref": "#/$defs/servers",
            },
            "servers": { "description": "The servers by name.", "$ref": "#/$defs/servers" },
            "inputs": {
                "description": "Values that the user provides: `${input:ID}`.",
                "type": "array",
                "items": { "$ref": "#/$defs/input" },
            },
            "tokens": {
                "description": "Tokens that are fetched at run time: `${runtime:NAME}`.",
                "type": "object",
                "additionalProperties": { "$ref": "#/$defs/token" },
            },
            "tools": {
                "description": "The tools of an agent file; those of the type `mcp` are servers.",
                "type": "array",
                "items": {
                    "if": { "properties": { "type": { "const": "mcp" } }, "required": ["type"] },
                    "then": { "$ref": "#/$defs/tool" },
                },
            },
        },
        "anyOf": [
            { "required": ["mcpServers"] },
            { "required": ["servers"] },
            { "required": ["tools"] },
            { "required": ["mcp"] },
        ],
        "$defs": {
            "servers": {
                "type": "object",
                "propertyNames": { "pattern": "^(?!_)(?!.*__).*[^_]$" },
                "additionalProperties": { "$ref": "#/$defs/server" },
            },
            "server": server,
            "tool": tool_schema(),
            "input": {
                "type": "object",
                "properties": {
                    "id": { "type": "string", "minLength": 1 },
                    "type": { "enum": ["promptString", "pickString"] },
                    "description": { "type": "string" },
                    "default": { "type": "string" },
                    "password": { "type": "boolean" },
                    "options": { "type": "array" },
                },
                "required": ["id"],
            },
            "token": {
                "type": "object",
                "properties": token::MEMBERS.map(|(name, doc)| {
                    let kind = if name == "args" { json!({"type": "array", "items": {"type": "string"}}) } else { json!({"type": "string"}) };
                    (name.to_owned(), with_doc(kind, doc))
                }).into_iter().collect::<Map<_, _>>(),
                "oneOf": [{ "required": ["command"] }, { "required": ["file"] }],
                "additionalProperties": false,
            },
        },
    })
}

/// Returns the schema of a server: one branch for each transport.
fn server_schema() -> Value {
    let branch =
        |title: &str, names: &[&str], applies_to: &[AppliesTo], required: Value, type_required: bool| {
            let mut properties = Map::new();
            for rule in RULES {
                let schema = if rule.name == "type" {
                    json!({ "enum": names })
                } else if applies_to.contains(&rule.applies_to) || (rule.name == "timeout") {
                    // Other clients use `timeout` for all servers.
                    rule_schema(rule)
                } else {
                    json!(false)
                };
                properties.extend(rule.spellings().map(|name| (name, schema.clone())));
            }
            let mut branch = json!({ "title": title, "properties": properties, "allOf": [required] });
            if type_required {
                branch["anyOf"] = json!([{ "required": ["type"] }, { "required": ["transport"] }]);
            }
            branch
        };
    let any_of = |rule: &str| {
        let rule = RULES.iter().find(|known| known.name == rule);
        let names = rule.into_iter().flat_map(Rule::spellings);
        json!({ "anyOf": names.map(|name| json!({ "required": [name] })).collect::<Vec<_>>() })
    };
    let program = json!({ "oneOf": [{ "required": ["command"] }, { "required": ["server"] }] });
    json!({
        "type": "object",
        "properties": properties(),
        "oneOf": [
            branch("A child process", &["stdio", "local"], &[AppliesTo::All, AppliesTo::Stdio], program, false),
            branch(
                "Streamable HTTP",
                &["http", "streamable-http", "streamable_http", "streamableHttp", "remote"],
                &[AppliesTo::All, AppliesTo::Remote, AppliesTo::Http, AppliesTo::StreamableHttp],
                json!({ "allOf": [any_of("url"), not_a_socket()] }),
                false,
            ),
            branch("HTTP+SSE", &["sse"], &[AppliesTo::All, AppliesTo::Remote, AppliesTo::Http], any_of("url"), true),
            branch(
                "WebSocket",
                &["websocket", "ws"],
                &[AppliesTo::All, AppliesTo::Remote],
                json!({ "allOf": [any_of("url"), { "not": not_a_socket() }] }),
                false,
            ),
        ],
        "unevaluatedProperties": false,
    })
}

/// Matches servers whose URL is not that of a WebSocket.
fn not_a_socket() -> Value {
    json!({ "properties": { "url": { "not": { "pattern": "^[wW][sS]{1,2}://" } } } })
}

/// Returns the schema of a tool of an agent file, which is a server with a name.
fn tool_schema() -> Value {
    let mut properties = properties();
    properties.insert("type".to_owned(), json!({ "const": "mcp" }));
    properties.insert("name".to_owned(), json!({ "type": "string", "pattern": "^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$", "maxLength": super::MAX_SERVER_NAME }));
    json!({
        "type": "object",
        "properties": properties,
        "required": ["type", "name"],
        "anyOf": [{ "required": ["command"] }, { "required": ["server"] }, { "required": ["url"] }],
        "additionalProperties": false,
    })
}

fn properties() -> Map<String, Value> {
    let properties = RULES.iter().flat_map(|rule| rule.spellings().map(|name| (name, rule_schema(rule))));
    properties.collect()
}

fn rule_schema(rule: &Rule) -> Value {
    let text = json!({ "type": "string" });
    let schema = match rule.kind {
        Kind::Text => text,
        Kind::Bool => json!({ "anyOf": [{ "type": "boolean" }, variable()] }),
        Kind::Seconds => json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": 86_400 },
            { "type": "string", "pattern": "^ *[0-9.]+ *(ms|s|sec|m|min|h)? *$" },
            variable(),
        ] }),
        Kind::Count => json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, variable()] }),
        Kind::Texts => json!({ "type": "array", "items": text }),
        Kind::TextOrTexts => json!({ "anyOf": [text, { "type": "array", "items": { "type": "string" } }] }),
        Kind::Variables => json!({
            "type": "object",
            "propertyNames": { "pattern": "^[^=]+$" },
            "additionalProperties": { "type": ["string", "number", "boolean", "null"] },
        }),
        Kind::Headers => json!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" },
            "additionalProperties": { "type": ["string", "number", "boolean"] },
        }),
        Kind::Object => json!({ "type": "object" }),
        Kind::OneOf(words) => json!({ "anyOf": [{ "enum": words }, variable()] }),
    };
    with_doc(schema, rule.doc)
}

/// Matches a string with a variable.
fn variable() -> Value {
    json!({ "type": "string", "pattern": "\\$\\{.+\\}" })
}

fn with_doc(mut schema: Value, doc: &str) -> Value {
    schema["description"] = doc.into();
    schema
}
