//! Tools for Anthropic's Messages API: `tools[]` with `name`, `description` and `input_schema`
//! (<https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview>).
//!
//! Names match `^[a-zA-Z0-9_-]{1,64}$`. The API rejects `oneOf`, `anyOf` and `allOf` at the root
//! (<https://github.com/anthropics/claude-code/issues/40075>); everything else of JSON Schema 2020-12 passes.

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::names;
use toolwright_core::pointer::below;
use toolwright_core::schema::Profile;
use toolwright_core::schema::rewrite::{Rewrite, rewrite_keywords};

use super::loss::Losses;

/// Keywords that the API rejects at the root of a schema.
const ROOT_COMBINATORS: [&str; 3] = ["oneOf", "anyOf", "allOf"];

pub(super) fn tool(tool: &ToolDefinition, losses: &mut Losses) -> Value {
    let mut schema = plain(&tool.input_schema);
    for keyword in ROOT_COMBINATORS {
        if schema.as_object_mut().is_some_and(|schema| schema.shift_remove(keyword).is_some()) {
            let what = format!("the API rejects `{keyword}` at the root, so it is removed");
            losses.add(Some(&tool.name), below("/inputSchema", keyword), what);
        }
    }
    let mut definition = Map::from_iter([("name".to_owned(), name(tool, losses).into())]);
    if let Some(description) = losses.text(Some(&tool.name), "/description", tool.description.as_deref()) {
        definition.insert("description".to_owned(), description.into());
    }
    definition.insert("input_schema".to_owned(), schema);
    Value::Object(definition)
}

/// The name in a format that every provider accepts.
pub(super) fn name(tool: &ToolDefinition, losses: &mut Losses) -> String {
    let public = names::public_name(&tool.name, Profile::Portable);
    if public != tool.name.as_str() {
        losses.add(Some(&tool.name), "/name", format!("the name becomes `{public}`"));
    }
    public.into_owned()
}

/// The schema without the keywords that only MCP clients read: `x-mcp-header` and `$comment`.
pub(super) fn plain(schema: &Value) -> Value {
    rewrite_keywords(schema, &|keyword, _| {
        if is_for_clients(keyword) { Rewrite::Drop } else { Rewrite::Keep }
    })
}

fn is_for_clients(keyword: &str) -> bool {
    keyword == "$comment" || keyword.starts_with("x-")
}

/// Whether the tool takes no arguments.
pub(super) fn takes_nothing(schema: &Value) -> bool {
    schema.get("properties").is_none_or(|properties| *properties == json!({}))
}
