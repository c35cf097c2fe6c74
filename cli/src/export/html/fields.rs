//! The members of arguments and results, each below its object; what is nested can be folded.

use std::fmt::Write as _;

use toolwright_core::docs::outline::{Label, Line};

use super::markdown::block_if_any;
use super::text::{code, phrase};

/// A line with those below it.
struct Node<'a> {
    line: &'a Line,
    children: Vec<Node<'a>>,
    /// The number of lines in it.
    size: usize,
}

impl Node<'_> {
    fn is_variant(&self) -> bool {
        matches!(self.line.label, Label::Variant { .. })
    }
}

// Writing to a string cannot fail.

/// Writes a list of fields with a heading; nested ones of at most `unfolded` lines are unfolded.
pub(super) fn write(text: &mut String, heading: &str, lines: &[Line], unfolded: usize) {
    if lines.is_empty() {
        return;
    }
    _ = writeln!(text, "<h4>{heading}</h4>");
    let mut rest = lines;
    write_list(text, &take_nodes(&mut rest, 0), unfolded);
}

/// Takes the lines of at least this depth.
fn take_nodes<'a>(lines: &mut &'a [Line], depth: usize) -> Vec<Node<'a>> {
    let mut nodes = Vec::new();
    while let [line, rest @ ..] = *lines
        && line.depth >= depth
    {
        *lines = rest;
        let children = take_nodes(lines, line.depth + 1);
        let size = 1 + children.iter().map(|child| child.size).sum::<usize>();
        nodes.push(Node { line, children, size });
    }
    nodes
}

fn write_list(text: &mut String, nodes: &[Node<'_>], unfolded: usize) {
    text.push_str("<ul class=\"fields\">\n");
    for node in nodes {
        write_node(text, node, unfolded);
    }
    text.push_str("</ul>\n");
}

fn write_node(text: &mut String, node: &Node<'_>, unfolded: usize) {
    let line = node.line;
    let class = if node.is_variant() { " class=\"variant\"" } else { "" };
    _ = writeln!(
        text,
        "<li{class}>\n<p class=\"field\">{} <span class=\"type\">{}</span></p>",
        name(&line.label),
        phrase(&line.kind)
    );
    _ = writeln!(text, "{}", block_if_any(&line.description));
    if !line.rules.is_empty() {
        let rules = line.rules.iter().map(|rule| format!("<li>{}</li>", phrase(rule)));
        _ = writeln!(text, "<ul class=\"rules\">{}</ul>", rules.collect::<String>());
    }
    if !node.children.is_empty() {
        let open = if node.size - 1 <= unfolded { " open" } else { "" };
        _ = writeln!(text, "<details{open}>\n<summary>{}</summary>", summary(node));
        write_list(text, &node.children, unfolded);
        text.push_str("</details>\n");
    }
    text.push_str("</li>\n");
}

fn name(label: &Label) -> String {
    match label {
        Label::Member { name, is_required: true } => {
            format!("{} <span class=\"required\">required</span>", code(name))
        }
        Label::Member { name, is_required: false } => code(name),
        Label::Matching(pattern) => format!("<span class=\"any\">names that match</span> {}", code(pattern)),
        Label::Others => "<span class=\"any\">any other name</span>".to_owned(),
        Label::Items => "<span class=\"any\">each item</span>".to_owned(),
        Label::Item(number) => format!("<span class=\"any\">item {number}</span>"),
        Label::Variant { number, of } => format!("<span class=\"number\">Variant {number} of {of}</span>"),
        _ => String::new(),
    }
}

/// Says what is folded.
fn summary(node: &Node<'_>) -> String {
    let variants = node.children.iter().filter(|child| child.is_variant()).count();
    let count = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let counts = [count(node.children.len() - variants, "field"), count(variants, "variant")];
    let counts = counts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    match &node.line.label {
        Label::Member { name, .. } => format!("{counts} of {}", code(name)),
        Label::Variant { number, .. } => format!("{counts} of variant {number}"),
        _ => counts,
    }
}
