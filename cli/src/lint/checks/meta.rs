//! Icons, `_meta` and output schemas.

use serde_json::Value;
use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::subject::{Feature, Problems, Subject};

pub(super) fn icon_source(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let wrong = |source: &str| {
        let plain = source.to_ascii_lowercase();
        (!plain.starts_with("https://") && !plain.starts_with("data:"))
            .then(|| format!("{source:?} is neither an `https:` nor a `data:` address"))
    };
    for tool in &subject.tools {
        for (index, icon) in tool.definition.icons.iter().enumerate() {
            if let Some(message) = wrong(&icon.src) {
                problems.at(tool, format!("/icons/{index}/src"), message);
            }
        }
    }
    each_icon(subject, "src", |feature, pointer, source| {
        if let Some(message) = wrong(source) {
            problems.at_feature(feature, pointer, message);
        }
    });
}

/// Visits a member of every icon of prompts, resources and templates, with its pointer.
fn each_icon(subject: &Subject<'_>, member: &str, mut visit: impl FnMut(&Feature<'_>, String, &str)) {
    for feature in &subject.features {
        let icons = feature.entry.get("icons").and_then(Value::as_array);
        for (index, icon) in icons.into_iter().flatten().enumerate() {
            if let Some(text) = icon.get(member).and_then(Value::as_str) {
                visit(feature, format!("/icons/{index}/{member}"), text);
            }
        }
    }
}

pub(super) fn icon_type(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for (index, icon) in tool.definition.icons.iter().enumerate() {
            if let Some(media) = icon.mime_type.as_deref().filter(|media| !rule.lists(media)) {
                problems.at(
                    tool,
                    format!("/icons/{index}/mimeType"),
                    format!("the icon is of the type `{media}`"),
                );
            }
        }
    }
    each_icon(subject, "mimeType", |feature, pointer, media| {
        if !rule.lists(media) {
            problems.at_feature(feature, pointer, format!("the icon is of the type `{media}`"));
        }
    });
}

pub(super) fn reserved_meta_key(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let is_reserved = |key: &&String| {
        let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
        matches!(prefix.split('.').nth(1), Some("modelcontextprotocol" | "mcp"))
    };
    let message = |key: &str| format!("the key `{key}` is reserved for the protocol");
    for tool in &subject.tools {
        for key in tool.definition.meta.iter().flat_map(|meta| meta.keys()).filter(is_reserved) {
            problems.at(tool, below("/_meta", key), message(key));
        }
    }
    for feature in &subject.features {
        let meta = feature.entry.get("_meta").and_then(Value::as_object);
        for key in meta.into_iter().flat_map(|meta| meta.keys()).filter(is_reserved) {
            problems.at_feature(feature, below("/_meta", key), message(key));
        }
    }
}

pub(super) fn missing_output_schema(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| tool.definition.output_schema.is_none()) {
        problems.at(tool, "", format!("the result of `{}` is not described", tool.name()));
    }
}

pub(super) fn output_not_an_object(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let schema = tool.definition.output_schema.as_ref();
        if schema.is_some_and(|schema| schema.get("type").and_then(|name| name.as_str()) != Some("object")) {
            problems.at(tool, "/outputSchema", "the result is not an object");
        }
    }
}
