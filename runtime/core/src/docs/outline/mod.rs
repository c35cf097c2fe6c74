//! Describes a schema line by line, for pages and agents: members, enum variants, and constraints in words.
//!
//! Each member has a line below that of its object, and so does each variant of an enum with data. Recursive
//! types are described once. Everything is bounded, and omissions are listed.

mod kind;
mod rules;
mod view;

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::pointer::below;

use view::View;

/// Maximum depth of nested lines.
pub const DEPTH_LIMIT: usize = 8;
/// Maximum number of lines per schema.
pub const LINE_LIMIT: usize = 500;
/// Maximum number of characters of a constraint shown as JSON.
pub const RULE_LIMIT: usize = 400;
/// Maximum number of listed enum values.
pub const CHOICE_LIMIT: usize = 100;
/// Maximum number of schemas visited for one outline, counting each reference.
pub const STEP_LIMIT: usize = 50_000;

/// A schema described in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Outline {
    /// The lines in reading order, members below their object.
    pub lines: Vec<Line>,
    /// Parts of the schema that no line describes.
    pub omitted: Vec<Omitted>,
}

/// A member, a variant or the items of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The nesting depth.
    pub depth: usize,
    /// The path from the root, such as `address.city`, with `[]` for items and `*` for members of any name.
    pub path: String,
    /// What the line describes.
    pub label: Label,
    /// The type, including enum values.
    pub kind: Phrase,
    /// The author's description, unchanged; may be empty.
    pub description: String,
    /// Bounds, default, examples and all other constraints.
    pub rules: Vec<Phrase>,
}

/// What a line describes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Label {
    /// A member of an object.
    Member {
        /// Its name.
        name: String,
        /// Whether it is required.
        is_required: bool,
    },
    /// Members whose names match a pattern.
    Matching(String),
    /// Members with any other name.
    Others,
    /// The items of a list.
    Items,
    /// The list item at this position, starting at 1.
    Item(usize),
    /// A variant of the line above, or of the whole schema.
    Variant {
        /// The number of the variant, starting at 1.
        number: usize,
        /// The number of variants.
        of: usize,
    },
}

/// Text with code in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrase(pub Vec<Part>);

/// A part of a [`Phrase`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Words(String),
    /// Code from the schema: a name, a JSON value, a pattern.
    Code(String),
}

/// A part of the schema that an [`Outline`] omits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Omitted {
    /// JSON Pointer to the part (RFC 6901).
    pub pointer: String,
    /// What is omitted and why, as a fragment.
    pub what: String,
}

/// Describes the schema of arguments or of a result, within the limits of this module.
pub fn outline(schema: &Value) -> Outline {
    let mut writer =
        Writer { root: schema, open: Vec::new(), steps: STEP_LIMIT, lists: 0, outline: Outline::default() };
    let view = writer.combine("", schema);
    let open = writer.enter(&view, "");
    writer.add_children(&view, "", 0);
    writer.open.truncate(open);
    writer.outline
}

impl Phrase {
    fn words(text: impl Into<String>) -> Self {
        Self(vec![Part::Words(text.into())])
    }

    fn code(text: impl Into<String>) -> Self {
        Self(vec![Part::Code(text.into())])
    }

    fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Joins phrases with a separator.
    fn join(phrases: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for (at, phrase) in phrases.into_iter().enumerate() {
            if at > 0 {
                joined.0.push(Part::Words(between.to_owned()));
            }
            joined.0.extend(phrase.0);
        }
        joined
    }

    /// Renders the phrase as Markdown, outside of tables.
    pub fn markdown(&self) -> String {
        self.render_with(super::markdown::code)
    }

    /// Renders the phrase, formatting each code part with `code`.
    pub fn render_with(&self, code: impl Fn(&str) -> String) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Words(words) => words.clone(),
            Part::Code(text) => code(text),
        });
        parts.collect()
    }
}

struct Writer<'a> {
    root: &'a Value,
    /// The schemas being described, with the path of their line.
    open: Vec<(*const Value, String)>,
    /// The number of schemas that may still be visited.
    steps: usize,
    /// The number of enclosing lists and maps without a line.
    lists: usize,
    outline: Outline,
}

impl<'a> Writer<'a> {
    /// Pushes the schemas of a view; returns the former length of the stack.
    fn enter(&mut self, view: &View<'a>, path: &str) -> usize {
        let before = self.open.len();
        self.open.extend(view.schemas.iter().map(|schema| (std::ptr::from_ref(*schema), path.to_owned())));
        before
    }

    fn omit(&mut self, pointer: &str, what: impl Into<String>) {
        let omitted = Omitted { pointer: pointer.to_owned(), what: what.into() };
        if !self.outline.omitted.contains(&omitted) && self.outline.omitted.len() < LINE_LIMIT {
            self.outline.omitted.push(omitted);
        }
    }

    /// Describes a schema and everything below it.
    fn add_schema(&mut self, label: Label, path: &str, pointer: &str, schema: &'a Value, depth: usize) {
        if self.outline.lines.len() >= LINE_LIMIT {
            return self.omit("", format!("only the first {LINE_LIMIT} lines are shown"));
        }
        let view = self.combine(pointer, schema);
        let open = self.enter(&view, path);
        let mut kind = self.describe_type(&view, 0);
        if matches!(label, Label::Variant { .. }) {
            kind = kind.then(self.describe_discriminator(&view));
        }
        let rules = self.describe_rules(&view);
        let line = Line { depth, path: path.to_owned(), label, kind, description: view.description(), rules };
        self.outline.lines.push(line);
        if depth + 1 < DEPTH_LIMIT {
            self.add_children(&view, path, depth + 1);
        } else if self.has_children(&view, 0) {
            self.omit(pointer, format!("only {DEPTH_LIMIT} levels are shown"));
            if let Some(line) = self.outline.lines.last_mut() {
                line.rules.push(Phrase::words("its contents are not shown here"));
            }
        }
        self.open.truncate(open);
    }

    /// Adds the lines below a view: members, items, variants.
    fn add_children(&mut self, view: &View<'a>, path: &str, depth: usize) {
        let member = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (pointer, keywords) in &view.maps {
            for (name, schema) in members(keywords, "properties") {
                let label = Label::Member { name: name.clone(), is_required: view.requires(name) };
                let pointer = below(&below(pointer, "properties"), name);
                self.add_schema(label, &member(name), &pointer, schema, depth);
            }
            for (pattern, schema) in members(keywords, "patternProperties") {
                let pointer = below(&below(pointer, "patternProperties"), pattern);
                self.add_schema(Label::Matching(pattern.clone()), &member("*"), &pointer, schema, depth);
            }
            if let Some(schema) = keywords.get("additionalProperties").filter(|schema| schema.is_object()) {
                let pointer = below(pointer, "additionalProperties");
                if view.is_map() {
                    self.add_repeated(Label::Others, &member("*"), &pointer, schema, depth);
                } else if !is_empty(schema) {
                    self.add_schema(Label::Others, &member("*"), &pointer, schema, depth);
                }
            }
            for (at, schema) in list(keywords, "prefixItems").iter().enumerate() {
                let pointer = below(&below(pointer, "prefixItems"), &at.to_string());
                self.add_schema(Label::Item(at + 1), &format!("{path}[{at}]"), &pointer, schema, depth);
            }
            if let Some(schema) = keywords.get("items").filter(|schema| schema.is_object()) {
                let pointer = below(pointer, "items");
                if keywords.contains_key("prefixItems") {
                    self.add_schema(Label::Items, &format!("{path}[]"), &pointer, schema, depth);
                } else {
                    self.add_repeated(Label::Items, &format!("{path}[]"), &pointer, schema, depth);
                }
            }
        }
        for union in &view.unions {
            if self.is_inline(union, 0) {
                continue;
            }
            let of = union.len();
            for (at, (pointer, schema)) in union.iter().enumerate() {
                self.add_schema(Label::Variant { number: at + 1, of }, path, pointer, schema, depth);
            }
        }
    }

    /// Adds the lines of repeated items or members. The line above names their type, so only details need lines.
    fn add_repeated(&mut self, label: Label, path: &str, pointer: &str, schema: &'a Value, depth: usize) {
        let view = self.combine(pointer, schema);
        if !view.description().is_empty() || !self.describe_rules(&view).is_empty() {
            return self.add_schema(label, path, pointer, schema, depth);
        }
        if self.lists == DEPTH_LIMIT {
            return self.omit(pointer, format!("only {DEPTH_LIMIT} nested lists are shown"));
        }
        let open = self.enter(&view, path);
        self.lists += 1;
        self.add_children(&view, path, depth);
        self.lists -= 1;
        self.open.truncate(open);
    }

    /// Returns whether [`Writer::add_children`] has lines to add.
    fn has_children(&mut self, view: &View<'a>, level: usize) -> bool {
        view.maps.iter().any(|(pointer, keywords)| {
            let named = ["properties", "patternProperties"];
            let many = ["items", "additionalProperties"].into_iter().filter_map(|keyword| {
                Some((below(pointer, keyword), keywords.get(keyword).filter(|schema| schema.is_object())?))
            });
            named.iter().any(|keyword| !members(keywords, keyword).is_empty())
                || !list(keywords, "prefixItems").is_empty()
                || many.into_iter().any(|(pointer, schema)| !self.is_plain(&pointer, schema, level + 1))
        }) || view.unions.iter().any(|union| !self.is_inline(union, level + 1))
    }
}

fn members<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a Map<String, Value> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    keywords.get(keyword).and_then(Value::as_object).unwrap_or(&NONE)
}

fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    keywords.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn is_empty(schema: &Value) -> bool {
    schema.as_object().is_some_and(Map::is_empty)
}

#[cfg(test)]
mod tests;
