//! Expands the examples in the data files of the rules into manifests.
//!
//! An example is a tool, or a manifest with one of the lists. Missing parts of a manifest are added, and `"300 ×
//! word"` means repetition: as an item of an array `word1`, `word2`, …, as a member `word1`, `word2`, … with the
//! same value, as an item `{"300 × tool": {…}}` tools with these names, and as any other string `wordword…`.

use serde_json::{Map, Value, json};
use toolwright_core::manifest::Manifest;

/// The members that distinguish a manifest from a tool.
const MEMBERS: [&str; 5] = ["server", "tools", "prompts", "resources", "resourceTemplates"];

/// Returns the manifest for an example, or what is wrong with the example.
pub(super) fn manifest(example: &str) -> Result<Manifest, String> {
    let value: Value = serde_json::from_str(example).map_err(|error| error.to_string())?;
    let mut document = match value {
        Value::Object(members) if MEMBERS.iter().any(|member| members.contains_key(*member)) => members,
        tool => Map::from_iter([("tools".to_owned(), json!([tool]))]),
    };
    document.entry("manifestVersion").or_insert(1.into());
    document.entry("tools").or_insert_with(|| json!([]));
    document.entry("server").or_insert_with(|| json!({"name": "shop", "version": "1.0.0"}));
    let mut document = expand(Value::Object(document));
    for tool in document["tools"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        tool.entry("inputSchema").or_insert_with(|| json!({"type": "object", "properties": {}}));
    }
    Manifest::from_json(&document.to_string()).map_err(|error| error.to_string())
}

fn expand(value: Value) -> Value {
    match value {
        Value::String(text) => match repetition(&text) {
            Some((times, word)) => word.repeat(times).into(),
            None => text.into(),
        },
        Value::Array(items) => items.into_iter().flat_map(expand_item).collect(),
        Value::Object(members) => members
            .into_iter()
            .flat_map(|(name, value)| {
                let value = expand(value);
                names(&name).map_or_else(
                    || vec![(name.clone(), value.clone())],
                    |names| names.map(|name| (name, value.clone())).collect(),
                )
            })
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

fn expand_item(item: Value) -> Vec<Value> {
    if let Some(names) = item.as_str().and_then(names) {
        return names.map(Value::from).collect();
    }
    let only =
        item.as_object().filter(|members| members.len() == 1).and_then(|members| members.iter().next());
    if let Some((names, body)) = only.and_then(|(name, body)| Some((names(name)?, body))) {
        let named = |name: String| {
            let mut tool = Map::from_iter([("name".to_owned(), name.into())]);
            tool.extend(body.as_object().cloned().unwrap_or_default());
            expand(Value::Object(tool))
        };
        return names.map(named).collect();
    }
    vec![expand(item)]
}

/// Parses `300 × word` into 300 and `word`.
fn repetition(text: &str) -> Option<(usize, &str)> {
    let (times, word) = text.split_once(" × ")?;
    Some((times.parse().ok()?, word))
}

fn names(text: &str) -> Option<impl Iterator<Item = String>> {
    let (times, word) = repetition(text)?;
    Some((1..=times).map(move |number| format!("{word}{number}")))
}
