//! Schemas as rules, independent of dialect and notation.

use std::collections::HashMap;

use serde_json::Value;

use super::number::Decimal;
use super::pattern::Set;

/// The id of a schema.
pub(super) type Id = usize;

/// The id of a pattern.
pub(super) type PatternId = usize;

/// The kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

impl Kind {
    pub(super) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::Text, Self::List, Self::Object];

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Object,
        }
    }
}

/// A bound of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) at: Decimal,
    /// Whether the bound is exclusive.
    pub(super) open: bool,
}

/// The constraints on the members of objects by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Members<'a> {
    pub(super) named: Vec<(&'a str, Id)>,
    pub(super) matching: Vec<(PatternId, Id)>,
    pub(super) others: Option<Id>,
}

/// One rule of a schema; a value matches the schema if it satisfies all rules.
#[derive(Debug, Clone)]
pub(super) enum Rule<'a> {
    Never,
    /// A rule that cannot be parsed: its text identifies it and explains why.
    Opaque {
        text: String,
        why: String,
    },
    /// A reference or a part of `allOf`.
    Also(Id),
    Any(Vec<Id>),
    One(Vec<Id>),
    Not(Id),
    Cases {
        when: Id,
        then: Option<Id>,
        other: Option<Id>,
    },
    /// Values of these kinds; numbers must be integers if `whole` is set.
    Kinds {
        kinds: Vec<Kind>,
        whole: bool,
    },
    Values(Vec<&'a Value>),
    Low(Bound),
    High(Bound),
    Multiple(Decimal),
    Shortest(u64),
    Longest(u64),
    Pattern(PatternId),
    Format(&'a str),
    FewestItems(u64),
    MostItems(u64),
    Unique,
    Items {
        prefix: Vec<Id>,
        rest: Option<Id>,
    },
    Contains {
        what: Id,
        least: u64,
        most: Option<u64>,
    },
    UnevaluatedItems(Id),
    FewestMembers(u64),
    MostMembers(u64),
    Required(Vec<&'a str>),
    Members(Members<'a>),
    Names(Id),
    /// An object with this member must have those.
    Needs(&'a str, Vec<&'a str>),
    /// An object with this member must match.
    Entails(&'a str, Id),
    UnevaluatedMembers(Id),
}

/// Both schemas of a comparison, with all of their parts.
#[derive(Debug, Default)]
pub(super) struct Nodes<'a> {
    pub(super) rules: Vec<Vec<Rule<'a>>>,
    /// The class of each schema; schemas of the same class have the same rules, in any document.
    pub(super) classes: Vec<u32>,
    pub(super) addresses: HashMap<(usize, *const Value), Id>,
    /// The sets of strings that the patterns match; `None` for unsupported ones.
    pub(super) patterns: Vec<(&'a str, Option<Set>)>,
    pub(super) pattern_numbers: HashMap<&'a str, PatternId>,
}

impl<'a> Nodes<'a> {
    pub(super) fn count(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn rules(&self, id: Id) -> &[Rule<'a>] {
        &self.rules[id]
    }

    pub(super) fn replace(&mut self, rules: Vec<Vec<Rule<'a>>>) {
        self.rules = rules;
    }

    pub(super) fn make_opaque(&mut self, id: Id, why: &str) {
        self.rules[id] = vec![Rule::Opaque { text: format!("{id} {why}"), why: why.to_owned() }];
    }

    pub(super) fn pattern(&self, id: PatternId) -> Option<Set> {
        self.patterns[id].1
    }
}
