//! Schemas as rules, which are the same in every dialect.

use std::collections::HashMap;

use serde_json::Value;

use super::number::Decimal;
use super::pattern::Set;

/// The id of a schema.
pub(super) type Id = usize;

/// The id of a pattern.
pub(super) type PatternId = usize;

/// The JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum JsonType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl JsonType {
    pub(super) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

/// A minimum or maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) value: Decimal,
    pub(super) exclusive: bool,
}

/// The keywords `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug, Clone, Default)]
pub(super) struct Properties<'a> {
    pub(super) named: Vec<(&'a str, Id)>,
    pub(super) patterns: Vec<(PatternId, Id)>,
    pub(super) additional: Option<Id>,
}

/// A rule of a schema; a value is valid if it satisfies all rules.
#[derive(Debug, Clone)]
pub(super) enum Rule<'a> {
    Never,
    /// A rule that is unsupported, for the reason `why`; `text` identifies it.
    Opaque {
        text: String,
        why: String,
    },
    /// A reference or a part of `allOf`.
    Include(Id),
    AnyOf(Vec<Id>),
    OneOf(Vec<Id>),
    Not(Id),
    Conditional {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    /// Values of these types; numbers must be integers if `only_integers` is set.
    Types {
        types: Vec<JsonType>,
        only_integers: bool,
    },
    Enum(Vec<&'a Value>),
    Minimum(Bound),
    Maximum(Bound),
    MultipleOf(Decimal),
    MinLength(u64),
    MaxLength(u64),
    Pattern(PatternId),
    Format(&'a str),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    Items {
        prefix: Vec<Id>,
        rest: Option<Id>,
    },
    Contains {
        schema: Id,
        min: u64,
        max: Option<u64>,
    },
    UnevaluatedItems(Id),
    MinProperties(u64),
    MaxProperties(u64),
    Required(Vec<&'a str>),
    Properties(Properties<'a>),
    PropertyNames(Id),
    /// An object with this member must have those.
    DependentRequired(&'a str, Vec<&'a str>),
    /// An object with this member must match.
    DependentSchema(&'a str, Id),
    UnevaluatedProperties(Id),
}

/// Both schemas of a comparison, with all their subschemas.
#[derive(Debug, Default)]
pub(super) struct Nodes<'a> {
    pub(super) rules: Vec<Vec<Rule<'a>>>,
    /// The class of each schema; schemas of the same class have the same rules, in any document.
    pub(super) classes: Vec<u32>,
    pub(super) addresses: HashMap<(usize, *const Value), Id>,
    /// The sets of strings that the patterns match; `None` for unsupported ones.
    pub(super) patterns: Vec<(&'a str, Option<Set>)>,
    pub(super) pattern_ids: HashMap<&'a str, PatternId>,
}

impl<'a> Nodes<'a> {
    pub(super) fn count(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn rules(&self, id: Id) -> &[Rule<'a>] {
        &self.rules[id]
    }

    pub(super) fn set_rules(&mut self, rules: Vec<Vec<Rule<'a>>>) {
        self.rules = rules;
    }

    pub(super) fn make_opaque(&mut self, id: Id, why: &str) {
        self.rules[id] = vec![Rule::Opaque { text: format!("{id} {why}"), why: why.to_owned() }];
    }

    pub(super) fn pattern(&self, id: PatternId) -> Option<Set> {
        self.patterns[id].1
    }
}
