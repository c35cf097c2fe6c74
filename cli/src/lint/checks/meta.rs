//! Icons, `_meta` and the schema of the result.

use toolwright_core::pointer::below;

use super::super::rule::Rule;
use super::super::subject::{Problems, Subject};

pub(super) fn icon_source(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for (index, icon) in tool.definition.icons.iter().enumerate() {
            let source = icon.src.to_ascii_lowercase();
            if !source.starts_with("https://") && !source.starts_with("data:") {
                let message = format!("{:?} is neither an `https:` nor a `data:` address", icon.src);
                problems.at(tool, format!("/icons/{index}/src"), message);
            }
        }
    }
}

pub(super) fn icon_type(rule: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
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
}

pub(super) fn reserved_meta_key(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for key in tool.definition.meta.iter().flat_map(|meta| meta.keys()) {
            let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
            if matches!(prefix.split('.').nth(1), Some("modelcontextprotocol" | "mcp")) {
                let pointer = below("/_meta", key);
                problems.at(tool, pointer, format!("the key `{key}` is reserved for the protocol"));
            }
        }
    }
}

pub(super) fn missing_output_schema(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| tool.definition.output_schema.is_none()) {
        problems.at(tool, "", format!("the result of `{}` is not described", tool.name()));
    }
}

pub(super) fn output_not_an_object(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let schema = tool.definition.output_schema.as_ref();
        if schema.is_some_and(|schema| schema.get("type").and_then(|name| name.as_str()) != Some("object")) {
            problems.at(tool, "/outputSchema", "the result is not an object");
        }
    }
}
