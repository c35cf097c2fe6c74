//! A schema, compiled for checking: the rules that serde does not know run on every call of a tool that has
//! some, all rules run where a call has failed and its problems are to be named.

mod beyond_serde;
mod compile;

mod check;
mod describe;
mod format;
mod number;

use regex_lite::Regex;
use serde_json::Value;

pub use compile::{SchemaError, SchemaFault};

pub(super) use check::{Rules, budget};
pub(super) use describe::{got, unknown};
pub(super) use number::{Exact, same};

use super::problem::Findings;
use format::Format;

/// A compiled JSON Schema (2020-12).
///
/// All keywords of the validation vocabulary and the applicators are understood, except the `unevaluated…` and
/// `$dynamicRef` ones, and of the formats those that the table in [`crate::arguments`] lists.
#[derive(Debug)]
pub struct Checker {
    nodes: Vec<Node>,
}

/// Where a node stands in [`Checker::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(usize);

/// The node of the whole schema.
pub(super) const ROOT: NodeId = NodeId(0);

/// One schema object.
#[derive(Debug, Default)]
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
    /// Where secrets stand; what stands in the same place counts as here.
    pub(super) secrets: Whereabouts,
    /// Where rules stand that serde does not enforce by itself.
    pub(super) beyond_serde: Whereabouts,
}

/// Where in a schema something stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whereabouts {
    #[default]
    Nowhere,
    /// In what the node leads to.
    Below,
    /// In the node itself.
    Here,
}

impl Node {
    /// Whether the value is secret.
    pub(super) fn is_secret(&self) -> bool {
        self.secrets == Whereabouts::Here
    }

    /// Whether the value or anything below it is secret.
    pub(super) fn holds_secret(&self) -> bool {
        self.secrets != Whereabouts::Nowhere
    }

    /// Whether there are rules here or below that serde does not enforce by itself.
    pub(super) fn is_beyond_serde(&self) -> bool {
        self.beyond_serde != Whereabouts::Nowhere
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
    pub(super) pattern: Option<Regex>,
    pub(super) format: Option<Format>,
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

#[derive(Debug)]
pub(super) struct Contains {
    pub(super) node: NodeId,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct ObjectRules {
    pub(super) properties: Vec<(Box<str>, NodeId)>,
    pub(super) patterns: Vec<(Regex, NodeId)>,
    /// `additionalProperties`; the node of `false` is one that [never](Node::never) fits.
    pub(super) additional: Option<NodeId>,
    pub(super) names: Option<NodeId>,
    pub(super) required: Vec<Box<str>>,
    pub(super) dependent_required: Vec<(Box<str>, Vec<Box<str>>)>,
    pub(super) dependent_schemas: Vec<(Box<str>, NodeId)>,
    pub(super) min_properties: Option<u64>,
    pub(super) max_properties: Option<u64>,
}

impl ObjectRules {
    pub(super) fn property(&self, name: &str) -> Option<NodeId> {
        self.properties.iter().find(|(known, _)| **known == *name).map(|(_, node)| *node)
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| **required == *name)
    }
}

/// Schemas that apply to the very same value.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(1 << 1);
    pub(super) const INTEGER: Self = Self(1 << 2);
    pub(super) const NUMBER: Self = Self(1 << 3 | 1 << 2);
    pub(super) const STRING: Self = Self(1 << 4);
    pub(super) const ARRAY: Self = Self(1 << 5);
    pub(super) const OBJECT: Self = Self(1 << 6);
    pub(super) const COMPOSITE: Self = Self(1 << 5 | 1 << 6);
    pub(super) const NONE: Self = Self(0);
    pub(super) const ANY: Self = Self(0x7f);

    /// Each type with its name and what a person would call one, in the order in which they are described.
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
            Value::Number(_) => Self(Self::NUMBER.0 & !Self::INTEGER.0),
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
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

    /// What a person would call the types: `a string`, `an integer`.
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
    /// Every problem of `value`, up to the limit that [`super::MAX_PROBLEMS`] sets on what is kept.
    pub fn check(&self, value: &Value) -> Findings {
        let mut findings = Findings::default();
        self.find(value, &mut findings);
        findings
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    pub(super) fn root(&self) -> &Node {
        self.node(ROOT)
    }

    /// The types that a value at `id` can have, as far as `type`, `enum` and the schemas in the same place say.
    pub(super) fn types(&self, id: NodeId) -> Types {
        self.types_within(id, MAX_INDIRECTION)
    }

    fn types_within(&self, id: NodeId, indirection: usize) -> Types {
        let node = self.node(id);
        let mut types = node.types.unwrap_or(Types::ANY);
        if node.never {
            return Types::NONE;
        }
        if let Some(allowed) = &node.allowed {
            types = types.and(allowed.iter().map(Types::of).fold(Types::NONE, Types::or));
        }
        let Some(indirection) = indirection.checked_sub(1) else { return types };
        for part in node.in_place.reference.iter().chain(&node.in_place.all_of) {
            types = types.and(self.types_within(*part, indirection));
        }
        for arms in [&node.in_place.any_of, &node.in_place.one_of] {
            if !arms.is_empty() {
                let any = arms.iter().map(|arm| self.types_within(*arm, indirection));
                types = types.and(any.fold(Types::NONE, Types::or));
            }
        }
        types
    }

    /// The node itself and those that always apply to the same value: through `$ref` and `allOf`.
    pub(super) fn always(&self, id: NodeId) -> Vec<NodeId> {
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
    pub(super) fn below(&self, nodes: &[NodeId], name: &str) -> Vec<NodeId> {
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
        let mut found: Vec<NodeId> = Vec::new();
        for id in here {
            let node = self.node(id);
            let listed = node.object.property(name);
            found.extend(listed);
            found.extend(
                node.object.patterns.iter().filter(|(regex, _)| regex.is_match(name)).map(|(_, id)| *id),
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

/// How many `$ref`s and combinators in a row are followed to describe one value.
const MAX_INDIRECTION: usize = 8;
