//! A manifest, prepared for the rules.

use serde_json::Value;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Entry, Kind, Manifest};
use toolwright_core::pointer::below;

use super::schema::{self, Node};

/// A manifest, prepared for the rules.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) tools: Vec<Tool<'a>>,
    /// Prompts, resources and resource templates.
    pub(super) features: Vec<Feature<'a>>,
}

/// A prompt, a resource or a resource template, prepared for the rules.
#[derive(Debug)]
pub(super) struct Feature<'a> {
    pub(super) kind: Kind,
    /// Its name or URI.
    pub(super) name: &'a str,
    pub(super) entry: &'a Entry,
    /// JSON pointer to it in the manifest.
    place: String,
    /// All strings of the definition, with their pointers.
    pub(super) strings: Vec<LocatedString>,
}

/// A tool, prepared for the rules.
#[derive(Debug)]
pub(super) struct Tool<'a> {
    pub(super) definition: &'a ToolDefinition,
    /// All schemas of the arguments, the root first.
    pub(super) input: Vec<Node<'a>>,
    /// All schemas of the result, the root first; empty without an output schema.
    pub(super) output: Vec<Node<'a>>,
    /// All strings of the definition, with their pointers.
    pub(super) strings: Vec<LocatedString>,
    /// The estimated number of tokens that a model reads: see [`tokens`].
    pub(super) tokens: usize,
}

/// A string of a definition.
#[derive(Debug)]
pub(super) struct LocatedString {
    pub(super) pointer: String,
    pub(super) value: String,
    /// Whether it is a description or title, not a name, pattern or value.
    pub(super) is_prose: bool,
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) place: Place,
    /// The problem, as a fragment.
    pub(super) message: String,
}

/// The location of a violation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The definition; `None` for the server itself.
    pub(super) of: Option<Named>,
    /// JSON pointer into that definition, or into the manifest.
    pub(super) pointer: String,
    /// JSON pointer to the entry in the manifest, for entries that are identified by their index in a list;
    /// otherwise empty.
    pub(super) entry: String,
}

impl Place {
    /// JSON pointer into the definition of a tool, or into the manifest.
    pub(super) fn full_pointer(&self) -> String {
        format!("{}{}", self.entry, self.pointer)
    }

    /// Returns the name, if it is that of a tool.
    pub(super) fn tool(&self) -> Option<&str> {
        self.of.as_ref().filter(|of| of.kind == Kind::Tools).map(|of| of.name.as_str())
    }
}

/// One definition of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Named {
    pub(super) kind: Kind,
    /// Its name or URI.
    pub(super) name: String,
}

/// The violations of one rule.
#[derive(Debug, Default)]
pub(super) struct Problems(pub(super) Vec<Problem>);

impl Problems {
    /// Adds a violation by a tool, at a pointer into its definition.
    pub(super) fn at(&mut self, tool: &Tool<'_>, pointer: impl Into<String>, message: impl Into<String>) {
        self.add(Kind::Tools, tool.name(), "", pointer, message);
    }

    /// Adds a violation by a prompt, resource or template, at a pointer into its definition.
    pub(super) fn at_feature(
        &mut self,
        feature: &Feature<'_>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.add(feature.kind, feature.name, &feature.place, pointer, message);
    }

    fn add(
        &mut self,
        kind: Kind,
        name: &str,
        entry: &str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        let of = Some(Named { kind, name: name.to_owned() });
        let place = Place { of, pointer: pointer.into(), entry: entry.to_owned() };
        self.0.push(Problem { place, message: message.into() });
    }

    /// Adds a violation by the server, at a pointer into the manifest.
    pub(super) fn at_server(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        let place = Place { of: None, pointer: pointer.into(), entry: String::new() };
        self.0.push(Problem { place, message: message.into() });
    }
}

impl<'a> Subject<'a> {
    pub(super) fn new(manifest: &'a Manifest) -> Self {
        let lists = [
            (Kind::Prompts, &manifest.prompts),
            (Kind::Resources, &manifest.resources),
            (Kind::ResourceTemplates, &manifest.resource_templates),
        ];
        let features = lists.into_iter().flat_map(|(kind, list)| {
            list.iter().flatten().enumerate().map(move |entry| Feature::new(kind, entry))
        });
        Self { manifest, tools: manifest.tools.iter().map(Tool::new).collect(), features: features.collect() }
    }

    /// The features of one kind.
    pub(super) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Feature<'a>> {
        self.features.iter().filter(move |feature| feature.kind == kind)
    }
}

impl<'a> Feature<'a> {
    fn new(kind: Kind, (index, entry): (usize, &'a Entry)) -> Self {
        let mut strings = Vec::new();
        collect_members(&mut strings, "", entry);
        let place = format!("/{}/{index}", kind.member());
        Self { kind, name: kind.name_of(entry).unwrap_or_default(), entry, place, strings }
    }

    /// Returns the arguments of a prompt, each with its index.
    pub(super) fn arguments(&self) -> impl Iterator<Item = (usize, &'a Value)> {
        let list = self.entry.get("arguments").and_then(Value::as_array);
        list.into_iter().flatten().enumerate()
    }
}

impl<'a> Tool<'a> {
    fn new(definition: &'a ToolDefinition) -> Self {
        let output = definition.output_schema.as_ref();
        let mut strings = Vec::new();
        collect_strings(&mut strings, String::new(), &serde_json::json!(definition), false);
        Self {
            definition,
            input: schema::nodes("/inputSchema", &definition.input_schema),
            output: output.map(|output| schema::nodes("/outputSchema", output)).unwrap_or_default(),
            strings,
            tokens: count_tokens(definition),
        }
    }

    pub(super) fn name(&self) -> &'a str {
        &self.definition.name
    }

    /// Returns the arguments by name that the root lists.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &Node<'a>> {
        self.input.iter().filter(|node| node.parent == Some(0) && node.property.is_some())
    }
}

/// Estimates the number of tokens of `text`: a quarter of its bytes, rounded up.
///
/// Tokenizers differ by provider and model; for English and JSON, the average is close to four bytes per token.
pub(super) fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Estimates the number of tokens that a model reads: of the name, the description and the schema of the arguments.
fn count_tokens(definition: &ToolDefinition) -> usize {
    let description = definition.description.as_deref().unwrap_or_default();
    tokens(&definition.name) + tokens(description) + tokens(&definition.input_schema.to_string())
}

/// Visits every string and every member name in `value`.
fn collect_strings(strings: &mut Vec<LocatedString>, pointer: String, value: &Value, is_prose: bool) {
    match value {
        Value::String(text) => strings.push(LocatedString { pointer, value: text.clone(), is_prose }),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_strings(strings, format!("{pointer}/{index}"), item, false);
            }
        }
        Value::Object(members) => collect_members(strings, &pointer, members),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn collect_members(strings: &mut Vec<LocatedString>, pointer: &str, members: &Entry) {
    for (name, value) in members {
        let pointer = below(pointer, name);
        if !name.is_ascii() {
            strings.push(LocatedString { pointer: pointer.clone(), value: name.clone(), is_prose: false });
        }
        let is_prose = value.is_string() && matches!(name.as_str(), "description" | "title");
        collect_strings(strings, pointer, value, is_prose);
    }
}
