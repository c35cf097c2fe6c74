//! Descriptions of schemas and values.

use serde_json::Value;

use super::{Checker, Node, NodeId, Types};
use crate::arguments::doc::{Doc, Json, ValueId};
use crate::arguments::problem::{MAX_LISTED, MAX_QUOTED, quote, truncate};
use crate::suggest;

/// Maximum length of a description in the message about a missing argument.
const MAX_DESCRIPTION: usize = 160;
/// Maximum number of levels of arms in a description.
const MAX_ARM_LEVELS: usize = 2;

impl Checker {
    /// Describes the values that the node accepts: `a string matching ^a`, `an integer from 1 to 5`.
    pub(in crate::arguments) fn describe(&self, id: NodeId) -> String {
        self.describe_within(id, MAX_ARM_LEVELS)
    }

    /// Describes the values that each of the arms accepts.
    pub(in crate::arguments) fn describe_arms(&self, arms: &[NodeId]) -> String {
        self.arms_within(arms, MAX_ARM_LEVELS)
    }

    /// Returns the message for a missing member.
    pub(in crate::arguments) fn describe_missing(&self, property: Option<NodeId>) -> String {
        let Some(id) = property else { return "missing".to_owned() };
        let mut text = format!("missing; expected {}", self.describe(id));
        if let Some(description) =
            self.unconditional_nodes(id).iter().find_map(|id| self.node(*id).description.as_deref())
        {
            text.push_str(": ");
            text.push_str(&truncate(description.lines().next().unwrap_or_default(), MAX_DESCRIPTION));
        }
        text
    }

    fn describe_within(&self, id: NodeId, levels: usize) -> String {
        let nodes = self.unconditional_nodes(id);
        if let Some(allowed) = nodes.iter().find_map(|id| self.node(*id).allowed.as_deref()) {
            return format_choices(allowed);
        }
        let arms = nodes
            .iter()
            .map(|id| &self.node(*id).in_place)
            .find_map(|parts| [&parts.any_of, &parts.one_of].into_iter().find(|arms| !arms.is_empty()));
        if let Some(arms) = arms {
            return self.arms_within(arms, levels);
        }
        let types = self.types(id);
        if types == Types::ANY {
            return self.with_details(&nodes, "any value".to_owned());
        }
        if types == Types::NONE {
            return "nothing".to_owned();
        }
        let names: Vec<&str> = types.names().collect();
        self.with_details(&nodes, names.join(" or "))
    }

    /// Adds the details that fit on one line.
    fn with_details(&self, nodes: &[NodeId], mut text: String) -> String {
        for node in nodes.iter().map(|id| self.node(*id)) {
            for detail in describe_details(node) {
                text.push(' ');
                text.push_str(&detail);
            }
        }
        text
    }

    fn arms_within(&self, arms: &[NodeId], levels: usize) -> String {
        let constants: Option<Vec<Value>> = arms
            .iter()
            .map(|arm| self.node(*arm).allowed.clone())
            .collect::<Option<Vec<_>>>()
            .map(|lists| lists.into_iter().flatten().collect());
        if let Some(constants) = constants {
            return format_choices(&constants);
        }
        if levels == 0 {
            return "one of several forms".to_owned();
        }
        let mut forms: Vec<String> = Vec::new();
        for arm in arms {
            let form = self.describe_within(*arm, levels - 1);
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        let more = forms.len().saturating_sub(MAX_LISTED);
        forms.truncate(MAX_LISTED);
        let mut text = forms.join(", or ");
        if more > 0 {
            text = format!("{text}, or one of {more} more forms");
        }
        text
    }
}

/// Returns the message for an unknown member of an object that all of `nodes` apply to.
pub(super) fn describe_unknown_member(nodes: &[&Node], name: &str) -> String {
    let objects = || nodes.iter().map(|node| &node.object);
    let mut known: Vec<&str> = Vec::new();
    for (name, _) in objects().flat_map(|object| &object.properties) {
        if !known.contains(&&**name) {
            known.push(name);
        }
    }
    let patterns: Vec<&str> =
        objects().flat_map(|object| &object.patterns).map(|(pattern, _)| pattern.as_str()).collect();
    if patterns.is_empty() {
        return describe_unknown(name, &known);
    }
    let patterns = truncate(&patterns.join(" or "), MAX_DESCRIPTION);
    if known.is_empty() {
        return format!("unknown name; names match {patterns}");
    }
    format!("{}; names may also match {patterns}", describe_unknown(name, &known))
}

/// Describes a value: scalars are quoted unless they are `hidden`, others are described by kind.
pub(in crate::arguments) fn describe_value(doc: &Doc<'_>, value: ValueId, hidden: bool) -> String {
    match doc.get(value) {
        Json::Null => "null".to_owned(),
        Json::Array(items) => format!("an array of {}", quantity_of(items.len() as u64, "item")),
        Json::Object(_) => "an object".to_owned(),
        Json::Text(_) if hidden => "another string".to_owned(),
        Json::Number(_) if hidden => "another number".to_owned(),
        Json::Bool(_) if hidden => "another boolean".to_owned(),
        Json::Text(text) => quote(text),
        Json::Number(number) => truncate(number, MAX_QUOTED),
        Json::Bool(flag) => flag.to_string(),
    }
}

/// Formats `1 to 3 items`, `at least 2 items`.
pub(in crate::arguments) fn format_quantity(min: Option<u64>, max: Option<u64>, of: &str) -> String {
    match (min.filter(|min| *min > 0), max) {
        (Some(min), Some(max)) if min == max => quantity_of(min, of),
        (Some(min), Some(max)) => format!("{min} to {max} {of}s"),
        (Some(min), None) => format!("at least {}", quantity_of(min, of)),
        (None, Some(max)) => format!("at most {}", quantity_of(max, of)),
        (None, None) => format!("any number of {of}s"),
    }
}

/// Returns the message for an unknown member `name`; `known` are the names that exist.
pub(in crate::arguments) fn describe_unknown(name: &str, known: &[&str]) -> String {
    // The edit distance takes time in proportion to both lengths, and such a long name is not a typo.
    const MAX_NAME: usize = 128;
    let nearest = if name.len() <= MAX_NAME { suggest::nearest(name, known.iter().copied()) } else { None };
    if let Some(nearest) = nearest {
        return format!("unknown name; did you mean {}?", quote(nearest));
    }
    match known {
        [] => "unknown name; leave it out".to_owned(),
        _ => format!("unknown name; known are {}", format_list(known.iter().map(|name| quote(name)))),
    }
}

fn quantity_of(count: u64, of: &str) -> String {
    if count == 1 { format!("1 {of}") } else { format!("{count} {of}s") }
}

/// Formats `one of "a", "b"`.
pub(super) fn format_choices(allowed: &[Value]) -> String {
    let quoted =
        |value: &Value| value.as_str().map_or_else(|| truncate(&value.to_string(), MAX_DESCRIPTION), quote);
    match allowed {
        [only] => quoted(only),
        _ => format!("one of {}", format_list(allowed.iter().map(quoted))),
    }
}

/// Formats a list, truncated if it is too long.
fn format_list(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(MAX_LISTED);
    let mut text = items.take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text = format!("{text} and {more} more");
    }
    text
}

fn describe_details(node: &Node) -> Vec<String> {
    let mut details = Vec::new();
    let number = &node.number;
    match (number.minimum, number.maximum) {
        (Some(minimum), Some(maximum)) => details.push(format!("from {minimum} to {maximum}")),
        (Some(minimum), None) => details.push(format!("of at least {minimum}")),
        (None, Some(maximum)) => details.push(format!("of at most {maximum}")),
        (None, None) => {}
    }
    details.extend(number.exclusive_minimum.map(|minimum| format!("above {minimum}")));
    details.extend(number.exclusive_maximum.map(|maximum| format!("below {maximum}")));
    details.extend(number.multiple_of.map(|step| format!("that is a multiple of {step}")));
    let string = &node.string;
    if string.min_length.is_some() || string.max_length.is_some() {
        details.push(format!("of {}", format_quantity(string.min_length, string.max_length, "character")));
    }
    details.extend(string.format.map(|format| format!("that is {}", format.describe())));
    details.extend(
        string
            .pattern
            .as_ref()
            .map(|pattern| format!("matching {}", truncate(pattern.as_str(), MAX_DESCRIPTION))),
    );
    let array = &node.array;
    if array.min_items.is_some() || array.max_items.is_some() {
        details.push(format!("of {}", format_quantity(array.min_items, array.max_items, "item")));
    }
    if !node.object.required.is_empty() {
        details
            .push(format!("with {}", format_list(node.object.required.iter().map(|(name, _)| quote(name)))));
    }
    details
}
