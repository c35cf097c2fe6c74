//! Numbers and sizes.

use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::subject::{Problems, Subject, tokens};

pub(super) fn too_many_tools(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let count = subject.tools.len();
    if count > rule.limit {
        problems.at_server(
            "/tools",
            format!("there are {count} tools, but at most {} are supported", rule.limit),
        );
    }
}

pub(super) fn deep_schema(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        // Only the deepest schema is reported.
        let deepest = tool.input.iter().max_by_key(|node| node.depth);
        if let Some(node) = deepest.filter(|node| node.depth > rule.limit) {
            let message = format!(
                "the arguments are {} levels deep, but at most {} are supported",
                node.depth, rule.limit
            );
            problems.at(tool, &*node.pointer, message);
        }
    }
}

pub(super) fn too_many_properties(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let count = tool.input.iter().filter(|node| node.property.is_some()).count();
        if count > rule.limit {
            let message =
                format!("the arguments have {count} properties, but at most {} are supported", rule.limit);
            problems.at(tool, "/inputSchema", message);
        }
    }
}

pub(super) fn large_enum(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in &tool.input {
            let count = node.values().len();
            if count > rule.limit {
                problems.at(tool, below(&node.pointer, "enum"), format!("there are {count} choices"));
            }
        }
    }
}

pub(super) fn large_tool(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| tool.tokens > rule.limit) {
        problems.at(
            tool,
            "",
            format!("`{}` costs about {} tokens in each conversation", tool.name(), tool.tokens),
        );
    }
}

pub(super) fn large_toolset(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let total: usize = subject.tools.iter().map(|tool| tool.tokens).sum();
    if total > rule.limit {
        problems.at_server("/tools", format!("the tools cost about {total} tokens in each conversation"));
    }
}

pub(super) fn large_output_schema(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let size = tool.definition.output_schema.as_ref().map_or(0, |schema| tokens(&schema.to_string()));
        if size > rule.limit {
            problems.at(tool, "/outputSchema", format!("the schema of the result has about {size} tokens"));
        }
    }
}
