//! The root of the arguments, and its documentation.

use serde_json::{Value, json};
use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::schema::Node;
use super::super::subject::{Problems, Subject};

pub(super) fn undescribed_parameter(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in tool.parameters() {
            let text = node.get("description").and_then(Value::as_str).unwrap_or_default();
            if text.trim().is_empty() {
                let name = node.property.unwrap_or_default();
                problems.at(tool, &*node.pointer, format!("the parameter `{name}` has no description"));
            }
        }
    }
}

pub(super) fn root_combinator(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for keyword in rule.words.iter().filter(|keyword| tool.definition.input_schema.get(keyword).is_some())
        {
            let message = format!("the arguments have `{keyword}` at their root");
            problems.at(tool, below("/inputSchema", keyword), message);
        }
    }
}

pub(super) fn root_without_properties(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        if !tool.definition.input_schema.get("properties").is_some_and(Value::is_object) {
            problems.at(tool, "/inputSchema", "the root of the arguments has no `properties`");
        }
    }
}

pub(super) fn root_title(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        if let Some(title) = tool.definition.input_schema.get("title") {
            problems.at(tool, "/inputSchema/title", format!("the arguments are titled {title}"));
        }
    }
}

pub(super) fn open_arguments(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let schema = &tool.definition.input_schema;
        let is_open = |keyword| schema.get(keyword).is_none_or(|value| *value == Value::Bool(true));
        if is_open("additionalProperties") && is_open("unevaluatedProperties") {
            problems.at(tool, "/inputSchema", "arguments of any name are accepted");
        }
    }
}

pub(super) fn open_object(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        // The root has a separate rule.
        for node in tool.input.iter().skip(1).filter(|node| is_open_object(&tool.input, node)) {
            let what = node.property.map_or_else(|| "an object".to_owned(), |name| format!("`{name}`"));
            let message = format!("{what} accepts members of any name, and drops unknown ones");
            problems.at(tool, &*node.pointer, message);
        }
    }
}

/// Returns whether the schema lists members of an object, but accepts others. A map, whose members may have any
/// name, does not.
fn is_open_object(nodes: &[Node<'_>], node: &Node<'_>) -> bool {
    if !lists_members(node.schema) && !is_bare_object(node) || is_closed(node.schema) {
        return false;
    }
    let mut below = node;
    while let Some(above) = below.parent.and_then(|at| nodes.get(at)) {
        match below.keyword {
            // A part of another schema, or a condition, does not close an object by itself.
            "allOf" | "if" | "then" | "else" | "dependentSchemas" | "not" | "contains" | "propertyNames" => {
                return false;
            }
            "anyOf" | "oneOf" if lists_members(above.schema) || is_closed(above.schema) => return false,
            "anyOf" | "oneOf" => below = above,
            _ => return !is_in_condition(nodes, above),
        }
    }
    true
}

fn is_in_condition(nodes: &[Node<'_>], node: &Node<'_>) -> bool {
    let line = std::iter::successors(Some(node), |node| nodes.get(node.parent?));
    line.into_iter().any(|node| matches!(node.keyword, "if" | "not" | "contains" | "propertyNames"))
}

/// Returns whether the schema, or a part that applies as well, has `properties`.
fn lists_members(schema: &Value) -> bool {
    let has_some = |members: &Value| members.as_object().is_some_and(|members| !members.is_empty());
    let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    schema.get("properties").is_some_and(has_some)
        || parts.into_iter().any(|part| part.get("properties").is_some_and(has_some))
}

/// Returns whether an object has no constraints on its members.
fn is_bare_object(node: &Node<'_>) -> bool {
    const CONSTRAINS_MEMBERS: [&str; 9] = [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
    ];
    node.types().contains(&"object") && !CONSTRAINS_MEMBERS.iter().any(|keyword| node.get(keyword).is_some())
}

/// Returns whether the schema, or a part that applies as well, constrains further members.
fn is_closed(schema: &Value) -> bool {
    let closes = |schema: &Value| {
        ["additionalProperties", "unevaluatedProperties"].into_iter().any(|keyword| {
            let others = schema.get(keyword);
            others.is_some_and(|others| *others != Value::Bool(true) && *others != json!({}))
        })
    };
    let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    closes(schema) || parts.into_iter().any(closes)
}

pub(super) fn unknown_required(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in &tool.input {
            let names = node.get("required").and_then(Value::as_array).into_iter().flatten();
            // In an arm of a combinator, the properties may be siblings.
            let is_branch = !matches!(node.keyword, "" | "properties" | "items" | "additionalProperties");
            for name in names.filter_map(Value::as_str).filter(|_| !is_branch) {
                if node.get("properties").is_none_or(|properties| properties.get(name).is_none()) {
                    let pointer = below(&node.pointer, "required");
                    problems.at(tool, pointer, format!("`{name}` is required and not among `properties`"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::schema;
    use super::*;

    /// Returns the open objects below the root of a schema with this one property.
    fn open(property: &Value) -> Vec<String> {
        let root = json!({"type": "object", "properties": {"a": property}, "additionalProperties": false});
        let nodes = schema::nodes("", &root);
        let open = nodes.iter().skip(1).filter(|node| is_open_object(&nodes, node));
        open.map(|node| node.pointer.replace("/properties/a", "")).collect()
    }

    #[test]
    fn objects_that_lose_members_are_found_at_every_depth() {
        let members = json!({"b": {"type": "string"}});
        let object = json!({"type": "object", "properties": members});
        let closed = json!({"type": "object", "properties": members, "additionalProperties": false});
        for (schema, expected) in [
            (object.clone(), vec![""]),
            (json!({"type": ["object", "null"], "properties": members}), vec![""]),
            (json!({"type": "object", "properties": members, "additionalProperties": true}), vec![""]),
            (json!({"type": "object"}), vec![""]),
            (json!({"type": "array", "items": object}), vec!["/items"]),
            (json!({"type": "array", "items": {"type": "array", "items": object}}), vec!["/items/items"]),
            (json!({"type": "array", "prefixItems": [closed, object]}), vec!["/prefixItems/1"]),
            (json!({"type": "object", "additionalProperties": object}), vec!["/additionalProperties"]),
            (json!({"anyOf": [object, {"type": "null"}]}), vec!["/anyOf/0"]),
            (json!({"oneOf": [closed, object]}), vec!["/oneOf/1"]),
            (json!({"allOf": [object, {"required": ["b"]}]}), vec![""]),
            (
                json!({"type": "object", "properties": {"c": object}, "additionalProperties": false}),
                vec!["/properties/c"],
            ),
            (json!({"allOf": [closed, {"properties": {"c": object}}]}), vec!["/allOf/1/properties/c"]),
            (closed.clone(), vec![]),
            (json!({"type": "object", "additionalProperties": true}), vec![]),
            (json!({"type": "object", "additionalProperties": {"type": "string"}}), vec![]),
            (
                json!({"type": "object", "properties": members, "additionalProperties": {"type": "string"}}),
                vec![],
            ),
            (json!({"type": "object", "properties": members, "unevaluatedProperties": false}), vec![]),
            (json!({"type": "object", "properties": {}, "additionalProperties": false}), vec![]),
            (json!({"allOf": [object, {"unevaluatedProperties": false}]}), vec![]),
            (json!({"unevaluatedProperties": false, "anyOf": [object, closed]}), vec![]),
            (json!({"type": "string", "not": object}), vec![]),
            (json!({"type": "array", "items": {"type": "string"}, "contains": object}), vec![]),
            (json!({"type": "object", "const": {"b": "x"}}), vec![]),
        ] {
            assert_eq!(open(&schema), expected, "{schema}");
        }
    }
}
