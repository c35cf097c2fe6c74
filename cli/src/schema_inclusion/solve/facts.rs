//! Facts about a value of one type.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::Constraint;
use crate::schema_inclusion::node::{Bound, Id, JsonType, PatternId, Properties};
use crate::schema_inclusion::number::Decimal;

/// The name of a member.
pub(super) type Name = Rc<str>;

/// A fact that a rule, or its negation, states.
#[derive(Debug, Clone)]
pub(super) enum Fact<'a> {
    Minimum(Bound),
    Maximum(Bound),
    MultipleOf(Decimal),
    NotMultipleOf(Decimal),
    NotEqual(Rc<Value>),
    MinLength(u64),
    MaxLength(u64),
    /// The pattern matches, or not.
    Pattern(PatternId, bool),
    /// It has the format, or not.
    Format(&'a str, bool),
    /// An unsupported rule is satisfied, or violated.
    Opaque {
        text: String,
        why: Rc<str>,
        is_satisfied: bool,
    },
    /// The minimum number of items or members.
    MinCount(u64),
    /// The maximum number of items or members.
    MaxCount(u64),
    UniqueItems,
    /// Two items are equal.
    DuplicateItems,
    /// The schemas of the first items, and of the others.
    Items(Vec<Id>, Option<Id>),
    /// A constraint on all items from this index on.
    ItemsFrom(usize, Constraint),
    /// The constraints on an item with one of these indices.
    SomeItem {
        from: usize,
        to: Option<usize>,
        constraints: Vec<Constraint>,
    },
    Contains {
        schema: Id,
        min: u64,
        max: Option<u64>,
    },
    Present(Name),
    Absent(Name),
    Property(Name, Constraint),
    Properties(Properties<'a>),
    /// The schema of all members except those with one of these names or a name that matches one of these patterns.
    OtherProperties {
        except: Vec<Name>,
        patterns: Vec<PatternId>,
        schema: Id,
    },
    /// A constraint on all names.
    PropertyNames(Constraint),
    /// There is a member that satisfies these constraints.
    SomeProperty(SomeProperty),
}

/// A required member whose name is not given.
#[derive(Debug, Clone, Default)]
pub(super) struct SomeProperty {
    /// The names that it does not have.
    pub(super) except: Vec<Name>,
    pub(super) patterns: Vec<(PatternId, bool)>,
    pub(super) name: Vec<Constraint>,
    pub(super) value: Vec<Constraint>,
}

/// All facts about one value.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts<'a> {
    pub(super) minimum: Option<Bound>,
    pub(super) maximum: Option<Bound>,
    pub(super) multiple_of: Vec<Decimal>,
    pub(super) not_multiple_of: Vec<Decimal>,
    pub(super) not_equal: Vec<Rc<Value>>,
    pub(super) min_length: u64,
    pub(super) max_length: Option<u64>,
    pub(super) patterns: Vec<(PatternId, bool)>,
    pub(super) formats: Vec<(&'a str, bool)>,
    opaque: Vec<(String, bool)>,
    /// Why it is unknown whether a value satisfies the facts.
    pub(super) unknown_reason: Option<Rc<str>>,
    pub(super) min_count: u64,
    pub(super) max_count: Option<u64>,
    pub(super) has_unique_items: bool,
    pub(super) has_duplicate_items: bool,
    pub(super) items: Vec<(Vec<Id>, Option<Id>)>,
    pub(super) items_from: Vec<(usize, Constraint)>,
    pub(super) some_items: Vec<(usize, Option<usize>, Vec<Constraint>)>,
    pub(super) contains: Vec<(Id, u64, Option<u64>)>,
    pub(super) present: BTreeSet<Name>,
    pub(super) absent: BTreeSet<Name>,
    pub(super) property_constraints: Vec<(Name, Constraint)>,
    pub(super) properties: Vec<Properties<'a>>,
    pub(super) other_properties: Vec<(Vec<Name>, Vec<PatternId>, Id)>,
    pub(super) name_constraints: Vec<Constraint>,
    pub(super) some_properties: Vec<SomeProperty>,
}

/// The facts contradict each other.
#[derive(Debug)]
pub(super) struct Contradiction;

impl<'a> Facts<'a> {
    pub(super) fn add(&mut self, fact: Fact<'a>) -> Result<(), Contradiction> {
        match fact {
            Fact::Minimum(bound) => {
                let is_tighter =
                    |own: Bound| bound.value > own.value || (bound.value == own.value && bound.exclusive);
                if self.minimum.is_none_or(is_tighter) {
                    self.minimum = Some(bound);
                }
            }
            Fact::Maximum(bound) => {
                let is_tighter =
                    |own: Bound| bound.value < own.value || (bound.value == own.value && bound.exclusive);
                if self.maximum.is_none_or(is_tighter) {
                    self.maximum = Some(bound);
                }
            }
            Fact::MultipleOf(factor) => self.multiple_of.push(factor),
            Fact::NotMultipleOf(factor) => self.not_multiple_of.push(factor),
            Fact::NotEqual(value) => self.not_equal.push(value),
            Fact::MinLength(min) => self.min_length = self.min_length.max(min),
            Fact::MaxLength(max) => self.max_length = Some(self.max_length.map_or(max, |own| own.min(max))),
            Fact::Pattern(pattern, matches) => {
                check_negation(&self.patterns, &pattern, matches)?;
                self.patterns.push((pattern, matches));
            }
            Fact::Format(format, has) => {
                check_negation(&self.formats, &format, has)?;
                self.formats.push((format, has));
            }
            Fact::Opaque { text, why, is_satisfied } => {
                check_negation(&self.opaque, &text, is_satisfied)?;
                self.opaque.push((text, is_satisfied));
                self.unknown_reason.get_or_insert(why);
            }
            Fact::MinCount(min) => self.min_count = self.min_count.max(min),
            Fact::MaxCount(max) => self.max_count = Some(self.max_count.map_or(max, |own| own.min(max))),
            Fact::UniqueItems => self.has_unique_items = true,
            Fact::DuplicateItems => self.has_duplicate_items = true,
            Fact::Items(prefix, rest) => self.items.push((prefix, rest)),
            Fact::ItemsFrom(from, constraint) => self.items_from.push((from, constraint)),
            Fact::SomeItem { from, to, constraints } => self.some_items.push((from, to, constraints)),
            Fact::Contains { schema, min, max } => self.contains.push((schema, min, max)),
            Fact::Present(name) => {
                self.present.insert(name);
            }
            Fact::Absent(name) => {
                self.absent.insert(name);
            }
            Fact::Property(name, constraint) => self.property_constraints.push((name, constraint)),
            Fact::Properties(properties) => self.properties.push(properties),
            Fact::OtherProperties { except, patterns, schema } => {
                self.other_properties.push((except, patterns, schema));
            }
            Fact::PropertyNames(constraint) => self.name_constraints.push(constraint),
            Fact::SomeProperty(property) => self.some_properties.push(property),
        }
        self.check_consistency()
    }

    /// Detects obvious contradictions.
    fn check_consistency(&self) -> Result<(), Contradiction> {
        let exceeds = |min: u64, max: Option<u64>| max.is_some_and(|max| min > max);
        let is_empty_range = match (self.minimum, self.maximum) {
            (Some(low), Some(high)) => {
                low.value > high.value || (low.value == high.value && (low.exclusive || high.exclusive))
            }
            _ => false,
        };
        let min_count = self.min_count.max(self.present.len() as u64);
        if is_empty_range
            || exceeds(self.min_length, self.max_length)
            || exceeds(min_count, self.max_count)
            || (self.has_unique_items && self.has_duplicate_items)
            || self.present.iter().any(|name| self.absent.contains(name))
        {
            return Err(Contradiction);
        }
        Ok(())
    }
}

/// Returns an error if the list contains the negation of a fact.
fn check_negation<T: PartialEq>(list: &[(T, bool)], fact: &T, holds: bool) -> Result<(), Contradiction> {
    if list.iter().any(|(other, other_holds)| other == fact && *other_holds != holds) {
        Err(Contradiction)
    } else {
        Ok(())
    }
}

/// A step of an alternative.
#[derive(Debug, Clone)]
pub(super) enum Step<'a> {
    Constraint(Constraint),
    /// The schema matches, and what it evaluates counts for these trackers.
    Tracked(Id, u64),
    Fact(Fact<'a>),
    /// All rules of the schema are satisfied except the one about unevaluated values, which is violated.
    LeavesUnevaluated(Id),
}

/// A pending choice between alternatives, each a list of steps.
pub(super) type Choice<'a> = Vec<Vec<Step<'a>>>;

/// A schema with a rule about unevaluated items or members.
#[derive(Debug, Clone)]
pub(super) struct Tracker {
    /// The schemas whose evaluated values count.
    pub(super) sources: Vec<Id>,
    pub(super) owner: Id,
    /// The schema for the remaining values.
    pub(super) rest: Id,
    /// Whether all remaining values match it, or one does not.
    pub(super) matches: bool,
}

/// Returns whether `unevaluatedItems`, or else `unevaluatedProperties`, applies to this type.
pub(super) fn applies_to(json_type: JsonType, items: bool) -> bool {
    json_type == if items { JsonType::Array } else { JsonType::Object }
}
