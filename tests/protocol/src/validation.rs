//! Validates the server's messages against the schema of their revision.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

/// The JSON Schemas of all revisions, as the specification publishes them.
pub const SCHEMAS: [(&str, &str); 5] = [
    ("2024-11-05", include_str!("../schemas/2024-11-05.schema.json")),
    ("2025-03-26", include_str!("../schemas/2025-03-26.schema.json")),
    ("2025-06-18", include_str!("../schemas/2025-06-18.schema.json")),
    ("2025-11-25", include_str!("../schemas/2025-11-25.schema.json")),
    ("2026-07-28", include_str!("../schemas/2026-07-28.schema.json")),
];

static VALIDATORS: LazyLock<Mutex<HashMap<(String, String), &'static Validator>>> =
    LazyLock::new(Mutex::default);

/// Asserts that `message` is one that a server may send in `revision`; `method` is that of the request that it answers.
///
/// # Panics
/// If the message does not match the schema.
pub fn validate(revision: &str, method: Option<&str>, message: &Value) {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    if let Some(result) = message.get("result") {
        let definition = match method {
            Some("tools/call" | "prompts/get" | "resources/read")
                if result["resultType"] == "input_required" =>
            {
                "InputRequiredResult"
            }
            Some("initialize") => "InitializeResult",
            Some("server/discover") => "DiscoverResult",
            Some("tools/list") => "ListToolsResult",
            Some("tools/call") => "CallToolResult",
            Some("prompts/list") => "ListPromptsResult",
            Some("prompts/get") => "GetPromptResult",
            Some("resources/list") => "ListResourcesResult",
            Some("resources/templates/list") => "ListResourceTemplatesResult",
            Some("resources/read") => "ReadResourceResult",
            Some("completion/complete") => "CompleteResult",
            _ if revision == "2026-07-28" => "Result",
            _ => "EmptyResult",
        };
        validate_definition(revision, definition, result);
        let response = if revision >= "2025-11-25" { "JSONRPCResultResponse" } else { "JSONRPCResponse" };
        validate_definition(revision, response, message);
    } else if message.get("error").is_some() {
        let response = if revision >= "2025-11-25" { "JSONRPCErrorResponse" } else { "JSONRPCError" };
        // Up to 2025-06-18 the schema has no definition of an error whose request had no id that could be read; JSON-RPC
        // 2.0 §5 says `null` then.
        if !(revision <= "2025-06-18" && message["id"].is_null()) {
            validate_definition(revision, response, message);
        }
    } else if message.get("id").is_some() {
        // 2026-07-28 has no requests of servers, and so no definition for them.
        validate_definition(revision, "ServerRequest", message);
        validate_definition(revision, "JSONRPCRequest", message);
    } else if message["method"] == "notifications/tasks" {
        // Of an extension (SEP-2663), which has no schema.
        validate_definition(revision, "JSONRPCNotification", message);
    } else {
        validate_definition(revision, "ServerNotification", message);
    }
}

fn validate_definition(revision: &str, definition: &str, instance: &Value) {
    let validator = validator(revision, definition);
    let problems: Vec<String> =
        validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{revision} {definition}: {problems:#?} in {instance:#}");
}

fn validator(revision: &str, definition: &str) -> &'static Validator {
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (revision.to_owned(), definition.to_owned());
    validators.entry(key).or_insert_with(|| {
        let text = SCHEMAS.iter().find(|(name, _)| *name == revision).expect("a known revision").1;
        let mut schema: Value = serde_json::from_str(text).expect("the schema is JSON");
        let place = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
        let reference = format!("#/{place}/{definition}");
        assert!(schema[place].get(definition).is_some(), "{revision} has no {definition}");
        schema.as_object_mut().expect("an object").insert("$ref".to_owned(), json!(reference));
        Box::leak(Box::new(jsonschema::validator_for(&schema).expect("the schema compiles")))
    })
}
