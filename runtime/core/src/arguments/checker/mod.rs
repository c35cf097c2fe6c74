//! A compiled schema.
//!
//! `compile` converts a schema into nodes, and `marks` computes properties of nodes from the nodes that they
//! refer to. `check` validates a value, with `object`, `arms` (selects one of several variants), `rivals` (the
//! variant that serde would select) and `text`. `describe` and `tags` provide the messages.
//!
//! The derive generates no checks. Constraints that serde does not enforce may come from nested types of other
//! crates, which a derive cannot see, so they are compiled from the schema, once, when the server is built.

mod beyond_serde;
mod compile;
mod marks;

mod arms;
mod check;
mod cost;
mod object;
mod rivals;
mod text;

mod decimal;
mod describe;
mod format;
mod number;
mod pattern;
mod tags;

use std::collections::HashSet;

use serde_json::Value;

pub use compile::{SchemaError, SchemaFault};

pub(super) use beyond_serde::Beyond;
pub(super) use check::{Check, Mode, NoTypeInfo, TypeInfo};
pub(super) use cost::is_affordable;
pub(super) use describe::{describe_unknown, describe_value};
pub(super) use number::{Exact, equal};
pub(super) use object::DUPLICATE_MESSAGE;

use super::doc::Doc;
use super::problem::Findings;
use format::Format;
use pattern::Pattern;

/// A compiled JSON Schema (2020-12).
///
/// Supports all keywords of the validation vocabulary and the applicators, except `unevaluatedItems` and
/// `$dynamicRef`; `unevaluatedProperties` must be `false`. [`crate::arguments`] lists the supported formats.
#[derive(Debug)]
pub struct Checker {
    nodes: Vec<Node>,
    /// A node that accepts everything.
    anything: NodeId,
    /// The location of each node in the schema, as JSON pointers.
    pointers: Vec<String>,
    /// The names of all properties at any depth.
    names: HashSet<Box<str>>,
}

/// The index of a node in [`Checker::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(usize);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0
    }
}

/// The root node.
pub(super) const ROOT: NodeId = NodeId(0);

/// One schema object.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub(super) struct Node {
    /// The schema `false`.
    pub(super) never: bool,
    pub(super) types: Option<Types>,
    /// `enum`, or `const` as a list of one.
    pub(super) allowed: Option<Vec<Value>>,
    pub(super) number: NumberRules,
    pub(super) string: StringRules,
    pub(super) array: ArrayRules,
    pub(super) object: ObjectRules,
    pub(super) in_place: InPlace,
    pub(super) description: Option<Box<str>>,
    /// `examples`, then `default`.
    pub(super) samples: Vec<Value>,
    /// A string of its format or pattern that the type accepts, unless the author wrote the pattern.
    pub(super) usual: Option<&'static str>,
    /// Where the value has secrets. Nodes that apply to the same value count as this one.
    pub(super) secrets: Location,
    /// Constraints, here or below, that serde does not enforce by itself.
    pub(super) beyond_serde: Beyond,
    /// Whether `null` also means that the member is omitted.
    pub(super) nullable: bool,
    /// Members of all arms that serde reads only once, whichever arm it selects.
    pub(super) read_once: Vec<Box<str>>,
    /// The types that a value can have, judging by `type`, `enum` and the schemas for the same value.
    pub(super) reach: Types,
    /// Whether the arms are distinguished by a tag or by the name of their only member.
    pub(super) arms_distinct: bool,
    /// Whether that holds for all arms but one, as for a flattened `Option` of a tagged enum.
    pub(super) arms_partly_distinct: bool,
    /// The tags or member names that distinguish this arm (or the arm with this tag) from its siblings.
    pub(super) siblings: Vec<Box<str>>,
    /// Whether a reference leads here.
    pub(super) shared: bool,
    /// Whether an object with a fixed set of names, or a constraint that serde does not enforce, is here or
    /// below.
    pub(super) outlined: bool,
}

/// A location relative to a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Location {
    #[default]
    Nowhere,
    /// Below the node.
    Below,
    /// At the node itself.
    Here,
}

impl Node {
    /// Returns whether the value is secret.
    pub(super) fn is_secret(&self) -> bool {
        self.secrets == Location::Here
    }

    /// Returns whether the value or anything below it is secret.
    pub(super) fn contains_secret(&self) -> bool {
        self.secrets != Location::Nowhere
    }

    /// Returns whether the node accepts any JSON value.
    pub(super) fn is_free(&self) -> bool {
        let parts = &self.in_place;
        self.types.is_none() && self.allowed.is_none() && !self.never && parts.nodes().next().is_none()
    }

    /// Returns whether the node accepts `null`.
    pub(super) fn accepts_null(&self) -> bool {
        self.nullable || self.reach.has(Types::NULL)
    }
}

#[derive(Debug, Default)]
pub(super) struct NumberRules {
    pub(super) minimum: Option<Exact>,
    pub(super) maximum: Option<Exact>,
    pub(super) exclusive_minimum: Option<Exact>,
    pub(super) exclusive_maximum: Option<Exact>,
    pub(super) multiple_of: Option<Exact>,
}

#[derive(Debug, Default)]
pub(super) struct StringRules {
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<Format>,
}

impl StringRules {
    /// Returns whether `text` matches the pattern and the format.
    pub(super) fn have_shape_of(&self, text: &str) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
            && self.format.is_none_or(|format| format.fits(text))
    }

    pub(super) fn have_length_of(&self, text: &str) -> bool {
        if self.min_length.is_none() && self.max_length.is_none() {
            return true;
        }
        let length = text.chars().count() as u64;
        self.min_length.is_none_or(|min| length >= min) && self.max_length.is_none_or(|max| length <= max)
    }
}

#[derive(Debug, Default)]
pub(super) struct ArrayRules {
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) unique: bool,
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: Option<NodeId>,
    pub(super) contains: Option<Contains>,
}

impl ArrayRules {
    /// Returns whether the node accepts so many items.
    pub(super) fn have_length(&self, length: u64) -> bool {
        self.min_items.is_none_or(|min| length >= min) && self.max_items.is_none_or(|max| length <= max)
    }
}

#[derive(Debug)]
pub(super) struct Contains {
    pub(super) node: NodeId,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct ObjectRules {
    pub(super) properties: Vec<(Box<str>, NodeId)>,
    /// The names of properties and their aliases, sorted, each with the position in `properties`.
    spellings: Vec<(Box<str>, usize)>,
    pub(super) patterns: Vec<(Pattern, NodeId)>,
    /// `additionalProperties`; `false` is a node that [never](Node::never) matches.
    pub(super) additional: Option<NodeId>,
    /// Names of members of other variants, which are ignored if they are `null`.
    pub(super) other_variants: Vec<Box<str>>,
    /// Whether `unevaluatedProperties` is `false`.
    pub(super) sealed: bool,
    /// Whether serde by itself rejects unknown names.
    pub(super) denies_unknown: bool,
    pub(super) names: Option<NodeId>,
    /// Each with its position in `properties`, if any.
    pub(super) required: Vec<(Box<str>, Option<usize>)>,
    pub(super) dependent_required: Vec<(Box<str>, Vec<Box<str>>)>,
    pub(super) dependent_schemas: Vec<(Box<str>, NodeId)>,
    pub(super) min_properties: Option<u64>,
    pub(super) max_properties: Option<u64>,
}

impl ObjectRules {
    pub(super) fn property(&self, name: &str) -> Option<NodeId> {
        self.position(name).map(|at| self.properties[at].1)
    }

    /// Returns the position of the property with this name or alias.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        // Most objects have few members, and most names differ in length.
        const FEW: usize = 16;
        if self.spellings.len() <= FEW {
            let mut spellings = self.spellings.iter();
            return spellings.find(|(spelling, _)| **spelling == *name).map(|(_, position)| *position);
        }
        let found = self.spellings.binary_search_by(|(spelling, _)| (**spelling).cmp(name)).ok()?;
        Some(self.spellings[found].1)
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|(required, _)| **required == *name)
    }
}

/// Schemas that apply to the same value.
#[derive(Debug, Default)]
pub(super) struct InPlace {
    pub(super) reference: Option<NodeId>,
    pub(super) all_of: Vec<NodeId>,
    pub(super) any_of: Vec<NodeId>,
    pub(super) one_of: Vec<NodeId>,
    pub(super) not: Option<NodeId>,
    /// `if`, `then`, `else`.
    pub(super) condition: Option<(NodeId, Option<NodeId>, Option<NodeId>)>,
}

impl InPlace {
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let condition = self
            .condition
            .iter()
            .flat_map(|(test, then, otherwise)| [Some(*test), *then, *otherwise].into_iter().flatten());
        self.reference
            .into_iter()
            .chain(self.all_of.iter().copied())
            .chain(self.arms())
            .chain(self.not)
            .chain(condition)
    }

    /// The arms of `anyOf` and `oneOf`.
    pub(super) fn arms(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.any_of.iter().chain(&self.one_of).copied()
    }
}

/// A set of JSON types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(1 << 1);
    pub(super) const INTEGER: Self = Self(1 << 2);
    /// A number with a fractional part.
    pub(super) const FRACTION: Self = Self(1 << 3);
    pub(super) const NUMBER: Self = Self(1 << 3 | 1 << 2);
    pub(super) const STRING: Self = Self(1 << 4);
    pub(super) const ARRAY: Self = Self(1 << 5);
    pub(super) const OBJECT: Self = Self(1 << 6);
    pub(super) const COMPOSITE: Self = Self(1 << 5 | 1 << 6);
    pub(super) const NONE: Self = Self(0);
    pub(super) const ANY: Self = Self(0x7f);

    /// Each type with its name and its description, in the order of descriptions.
    const NAMED: [(Self, &'static str, &'static str); 7] = [
        (Self::STRING, "string", "a string"),
        (Self::NUMBER, "number", "a number"),
        (Self::INTEGER, "integer", "an integer"),
        (Self::BOOLEAN, "boolean", "a boolean"),
        (Self::OBJECT, "object", "an object"),
        (Self::ARRAY, "array", "an array"),
        (Self::NULL, "null", "null"),
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(_, known, _)| *known == name).map(|(types, ..)| types)
    }

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if Exact::of(number).is_whole() => Self::INTEGER,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the descriptions of the types: `a string`, `an integer`.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMED
            .into_iter()
            .filter(move |(types, ..)| {
                self.has(*types) && !(*types == Self::INTEGER && self.has(Self::NUMBER))
            })
            .map(|(.., name)| name)
    }
}

impl Checker {
    /// Returns the problems with `value`, up to [`super::MAX_PROBLEMS`].
    pub fn check(&self, value: &Value) -> Findings {
        let (mut doc, whole) = Doc::of(value);
        Check::new(self, &NoTypeInfo, &mut doc, Mode::Schema)
            .find_problems(ROOT, whole, Findings::default())
            .0
    }

    /// Like [`Checker::check`], for the text of a value, which must be valid JSON; `None` if it cannot be read as a value, or is
    /// nested too deeply.
    pub(crate) fn check_text(&self, json: &str) -> Option<Findings> {
        let (mut doc, whole) = Doc::parse(json).ok()?;
        Some(
            Check::new(self, &NoTypeInfo, &mut doc, Mode::Schema)
                .find_problems(ROOT, whole, Findings::default())
                .0,
        )
    }

    /// Returns whether `value` matches the node.
    pub(super) fn is_valid(&self, id: NodeId, value: &Value) -> bool {
        let (mut doc, whole) = Doc::of(value);
        let mut check = Check::new(self, &NoTypeInfo, &mut doc, Mode::Schema);
        check.matches(id, whole, Mode::Schema)
    }

    /// Returns whether any choice has several objects that neither a tag nor a name distinguishes.
    pub(super) fn has_rivals(&self) -> bool {
        self.nodes.iter().any(|node| !node.arms_distinct)
    }

    /// Returns whether any object has a property `name`.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns the location of the node in the schema, as a JSON Pointer.
    pub(super) fn pointer(&self, id: NodeId) -> &str {
        &self.pointers[id.0]
    }

    /// All nodes of the schema.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        let anything = self.anything;
        (0..self.nodes.len()).map(NodeId).filter(move |id| *id != anything)
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    pub(super) fn root(&self) -> &Node {
        self.node(ROOT)
    }

    /// The types that a value at `id` can have, as far as `type`, `enum` and the schemas in the same place say.
    pub(super) fn types(&self, id: NodeId) -> Types {
        self.node(id).reach
    }

    /// The node itself and those that always apply to the same value: through `$ref` and `allOf`.
    pub(super) fn unconditional_nodes(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(id) = found.get(next).copied() {
            let in_place = &self.node(id).in_place;
            for part in in_place.reference.iter().chain(&in_place.all_of) {
                if !found.contains(part) {
                    found.push(*part);
                }
            }
            next += 1;
        }
        found
    }

    /// The nodes that can apply to the member `name` (or the item of that index) of a value that any of `nodes`
    /// applies to.
    pub(super) fn nodes_for(&self, nodes: &[NodeId], name: &str) -> Vec<NodeId> {
        let mut here = nodes.to_vec();
        let mut next = 0;
        while let Some(id) = here.get(next).copied() {
            for part in self.node(id).in_place.nodes() {
                if !here.contains(&part) {
                    here.push(part);
                }
            }
            next += 1;
        }
        self.member_nodes(&here, name)
    }

    /// What `nodes` themselves say of the member `name` (or the item of that index).
    pub(super) fn member_nodes(&self, nodes: &[NodeId], name: &str) -> Vec<NodeId> {
        let mut found: Vec<NodeId> = Vec::new();
        for id in nodes {
            let node = self.node(*id);
            let listed = node.object.property(name);
            found.extend(listed);
            found.extend(
                node.object.patterns.iter().filter(|(pattern, _)| pattern.is_match(name)).map(|(_, id)| *id),
            );
            if listed.is_none() {
                found.extend(node.object.additional);
            }
            if let Ok(index) = name.parse::<usize>() {
                found.extend(node.array.prefix.get(index).copied().or(node.array.items));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
