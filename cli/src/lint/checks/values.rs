//! Enumerations, bounds, defaults and examples.

use serde_json::{Map, Value};
use toolwright_core::arguments::Checker;
use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::schema::{Node, type_of};
use super::super::subject::{Problems, Subject, Tool};

pub(super) fn empty_enum_value(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each_enum(subject, problems, |node| {
        let empty = node.values().iter().find(|value| value.is_null() || value.as_str() == Some(""))?;
        Some(format!("the choices include {empty}"))
    });
}

pub(super) fn enum_not_text(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each_enum(subject, problems, |node| {
        let other = node.values().iter().find(|value| !value.is_string() && !value.is_null())?;
        Some(format!("the choices include {other}, which is not a string"))
    });
}

pub(super) fn enum_without_type(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each_enum(subject, problems, |node| {
        node.get("type").is_none().then(|| "the enum has no `type`".to_owned())
    });
}

pub(super) fn mixed_enum(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each_enum(subject, problems, |node| {
        let mut types: Vec<_> = node.values().iter().filter(|value| !value.is_null()).map(type_of).collect();
        types.sort_unstable();
        types.dedup();
        (types.len() > 1).then(|| format!("the enum values have several types: {}", types.join(", ")))
    });
}

pub(super) fn repeated_enum_value(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each_enum(subject, problems, |node| {
        let mut seen = std::collections::HashSet::new();
        let repeated = node.values().iter().find(|value| !seen.insert(value.to_string()))?;
        Some(format!("{repeated} is listed twice"))
    });
}

/// Reports each enumeration of the arguments for which `wrong` returns a message.
fn each_enum(subject: &Subject<'_>, problems: &mut Problems, wrong: impl Fn(&Node<'_>) -> Option<String>) {
    for tool in &subject.tools {
        for node in tool.input.iter().filter(|node| node.get("enum").is_some()) {
            if let Some(message) = wrong(node) {
                problems.at(tool, below(&node.pointer, "enum"), message);
            }
        }
    }
}

pub(super) fn null_default(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in tool.input.iter().filter(|node| node.get("default").is_some_and(Value::is_null)) {
            problems.at(tool, below(&node.pointer, "default"), "the default is null");
        }
    }
}

/// Pairs of keywords; the first must not exceed the second.
const BOUNDS: [(&str, &str); 5] = [
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];

pub(super) fn bounds_without_value(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in &tool.input {
            for (low, high) in BOUNDS {
                let number = |keyword| node.get(keyword).and_then(Value::as_f64);
                if let (Some(from), Some(to)) = (number(low), number(high))
                    && from > to
                {
                    let message = format!("`{low}` is {from} and `{high}` is {to}, so that no value fits");
                    problems.at(tool, below(&node.pointer, low), message);
                }
            }
        }
    }
}

pub(super) fn refused_default(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node) in nodes_of(subject) {
        // A `null` default has a separate rule.
        let default = node.get("default").filter(|default| !default.is_null());
        if let Some(refusal) = default.and_then(|default| rejection(tool, node, default)) {
            problems.at(
                tool,
                below(&node.pointer, "default"),
                format!("the default does not fit: {refusal}"),
            );
        }
    }
}

pub(super) fn refused_example(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node) in nodes_of(subject) {
        let examples = node.get("examples").and_then(Value::as_array).into_iter().flatten();
        for (index, example) in examples.enumerate() {
            if let Some(refusal) = rejection(tool, node, example) {
                let pointer = format!("{}/examples/{index}", node.pointer);
                problems.at(tool, pointer, format!("the example {example} does not fit: {refusal}"));
            }
        }
    }
}

fn nodes_of<'s, 'a>(subject: &'s Subject<'a>) -> impl Iterator<Item = (&'s Tool<'a>, &'s Node<'a>)> {
    subject.tools.iter().flat_map(|tool| tool.input.iter().map(move |node| (tool, node)))
}

/// Returns why the schema of the node rejects the value; `None` if it accepts it, or is not supported.
fn rejection(tool: &Tool<'_>, node: &Node<'_>, value: &Value) -> Option<String> {
    // The definitions are included, so that `#/$defs/…` has a target.
    let root = tool.definition.input_schema.as_object()?;
    let definitions = ["$defs", "definitions"].into_iter();
    let mut alone: Map<String, Value> =
        definitions.filter_map(|name| Some((name.to_owned(), root.get(name)?.clone()))).collect();
    alone.extend(node.keywords()?.clone());
    let checker = Checker::compile(&Value::Object(alone)).ok()?;
    let findings = checker.check(value);
    findings.problems().first().map(|problem| problem.message.clone())
}
