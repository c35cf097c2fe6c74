//! Creates the definition of a tool from its type (2026-07-28, server/tools "Tool").

use serde_json::{Map, Value};

use super::{Tool, ToolMetadata};
use crate::arguments::{ArgumentReader, SchemaError};
use crate::protocol::meta;
use crate::schema::{self, Draft, Profile};

pub use crate::protocol::meta as meta_keys;
pub use crate::protocol::meta::scopes_in;
pub use crate::protocol::{Icon, ToolAnnotations, ToolDefinition, is_within};

/// Creates the definition of `T` in the portable profile.
///
/// # Panics
/// If serde does not deserialize `T` from an object; the message names the tool and says what to change.
pub(super) fn of<T: Tool>() -> ToolDefinition {
    let draft = Draft::of::<T>();
    // A bug in the program, found by the first code that needs the definitions: a test, the manifest or startup.
    if let Some(problem) = draft.problem() {
        panic!("the tool `{}` cannot be registered: {problem}", T::NAME);
    }
    of_draft::<T>(draft)
}

/// Creates the definition of `T` and the reader of its arguments from one draft.
///
/// # Errors
/// Returns an error if the schema cannot be enforced; it names the tool.
pub fn with_reader<T: Tool>() -> Result<(ToolDefinition, ArgumentReader), SchemaError> {
    let draft = Draft::of::<T>();
    let reader = ArgumentReader::of_draft::<T>(&draft)?;
    Ok((of_draft::<T>(draft), reader))
}

fn of_draft<T: Tool>(draft: Draft) -> ToolDefinition {
    let metadata = T::METADATA;
    let hints = metadata.hints;
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: hints.read_only,
        destructive_hint: hints.destructive,
        idempotent_hint: hints.idempotent,
        open_world_hint: hints.open_world,
        other: Map::new(),
    };
    ToolDefinition {
        name: T::NAME.to_owned(),
        title: metadata.title.map(str::to_owned),
        description: metadata.description.map(schema::plain_lines).filter(|text| !text.is_empty()),
        icons: metadata.icons.iter().map(|icon| from_text(icon)).collect(),
        input_schema: draft.finish(Profile::Portable),
        output_schema: metadata.output.map(|output| output()),
        annotations: (annotations != ToolAnnotations::default()).then_some(annotations),
        meta: create_meta(&metadata),
        other: Map::new(),
    }
}

fn create_meta(metadata: &ToolMetadata) -> Option<Map<String, Value>> {
    let mut all: Map<String, Value> = metadata.meta.map(from_text).unwrap_or_default();
    for (key, list) in
        [(meta::SCOPES, metadata.scopes), (meta::WAS, metadata.was), (meta::TAGS, metadata.tags)]
    {
        if !list.is_empty() {
            all.insert(key.to_owned(), list.into());
        }
    }
    if let Some(context) = metadata.context {
        all.insert(meta::CONTEXT.to_owned(), context.into());
    }
    if let Some(task) = metadata.task {
        all.insert(meta::TASK.to_owned(), task.as_str().into());
    }
    (!all.is_empty()).then_some(all)
}

/// Parses JSON text written by the derive.
fn from_text<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text)
        .unwrap_or_else(|error| panic!("the derive wrote invalid JSON: {error}: {text}"))
}
