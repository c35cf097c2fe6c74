//! Facts about a value of one kind.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::Demand;
use crate::schema_inclusion::node::{Bound, Id, Kind, Members, PatternId};
use crate::schema_inclusion::number::Decimal;

/// The name of a member.
pub(super) type Name = Rc<str>;

/// A fact that a rule, or its negation, states.
#[derive(Debug, Clone)]
pub(super) enum Fact<'a> {
    Low(Bound),
    High(Bound),
    Multiple(Decimal),
    NoMultiple(Decimal),
    NotValue(Rc<Value>),
    Shortest(u64),
    Longest(u64),
    Matches(PatternId, bool),
    /// It has the format, or not.
    Format(&'a str, bool),
    /// An unsupported rule is satisfied, or violated.
    Opaque {
        text: String,
        why: Rc<str>,
        holds: bool,
    },
    Fewest(u64),
    Most(u64),
    Unique,
    /// Two items are equal.
    Repeats,
    Row(Vec<Id>, Option<Id>),
    /// The demands on all items from this index on.
    From(usize, Demand),
    /// The demands on an item with one of these indices.
    Somewhere {
        from: usize,
        to: Option<usize>,
        demands: Vec<Demand>,
    },
    Contains {
        what: Id,
        least: u64,
        most: Option<u64>,
    },
    Present(Name),
    Absent(Name),
    Member(Name, Demand),
    Members(Members<'a>),
    /// The demands on all members that have none of these names and match none of these patterns.
    Others {
        not: Vec<Name>,
        patterns: Vec<PatternId>,
        fit: Id,
    },
    /// The demands on all names.
    Names(Demand),
    /// A member whose name satisfies all demands.
    Someone(Someone),
}

/// A required member with any name.
#[derive(Debug, Clone, Default)]
pub(super) struct Someone {
    /// Names that the object lacks.
    pub(super) not: Vec<Name>,
    pub(super) matches: Vec<(PatternId, bool)>,
    pub(super) name: Vec<Demand>,
    pub(super) value: Vec<Demand>,
}

/// All facts about one value.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts<'a> {
    pub(super) low: Option<Bound>,
    pub(super) high: Option<Bound>,
    pub(super) multiples: Vec<Decimal>,
    pub(super) no_multiples: Vec<Decimal>,
    pub(super) not_values: Vec<Rc<Value>>,
    pub(super) shortest: u64,
    pub(super) longest: Option<u64>,
    pub(super) matches: Vec<(PatternId, bool)>,
    pub(super) formats: Vec<(&'a str, bool)>,
    opaque: Vec<(String, bool)>,
    /// Why it is unknown whether a value satisfies the facts.
    pub(super) unsure: Option<Rc<str>>,
    pub(super) fewest: u64,
    pub(super) most: Option<u64>,
    pub(super) unique: bool,
    pub(super) repeats: bool,
    pub(super) rows: Vec<(Vec<Id>, Option<Id>)>,
    pub(super) from: Vec<(usize, Demand)>,
    pub(super) somewhere: Vec<(usize, Option<usize>, Vec<Demand>)>,
    pub(super) contains: Vec<(Id, u64, Option<u64>)>,
    pub(super) present: BTreeSet<Name>,
    pub(super) absent: BTreeSet<Name>,
    pub(super) member: Vec<(Name, Demand)>,
    pub(super) members: Vec<Members<'a>>,
    pub(super) others: Vec<(Vec<Name>, Vec<PatternId>, Id)>,
    pub(super) names: Vec<Demand>,
    pub(super) someone: Vec<Someone>,
}

/// The facts contradict each other.
#[derive(Debug)]
pub(super) struct Contradiction;

impl<'a> Facts<'a> {
    pub(super) fn add(&mut self, fact: Fact<'a>) -> Result<(), Contradiction> {
        match fact {
            Fact::Low(bound) => {
                let is_tighter = |own: Bound| bound.at > own.at || (bound.at == own.at && bound.open);
                if self.low.is_none_or(is_tighter) {
                    self.low = Some(bound);
                }
            }
            Fact::High(bound) => {
                let is_tighter = |own: Bound| bound.at < own.at || (bound.at == own.at && bound.open);
                if self.high.is_none_or(is_tighter) {
                    self.high = Some(bound);
                }
            }
            Fact::Multiple(factor) => self.multiples.push(factor),
            Fact::NoMultiple(factor) => self.no_multiples.push(factor),
            Fact::NotValue(value) => self.not_values.push(value),
            Fact::Shortest(least) => self.shortest = self.shortest.max(least),
            Fact::Longest(most) => self.longest = Some(self.longest.map_or(most, |own| own.min(most))),
            Fact::Matches(pattern, matches) => {
                check_opposite(&self.matches, &pattern, matches)?;
                self.matches.push((pattern, matches));
            }
            Fact::Format(format, has) => {
                check_opposite(&self.formats, &format, has)?;
                self.formats.push((format, has));
            }
            Fact::Opaque { text, why, holds } => {
                check_opposite(&self.opaque, &text, holds)?;
                self.opaque.push((text, holds));
                self.unsure.get_or_insert(why);
            }
            Fact::Fewest(least) => self.fewest = self.fewest.max(least),
            Fact::Most(most) => self.most = Some(self.most.map_or(most, |own| own.min(most))),
            Fact::Unique => self.unique = true,
            Fact::Repeats => self.repeats = true,
            Fact::Row(prefix, rest) => self.rows.push((prefix, rest)),
            Fact::From(from, demand) => self.from.push((from, demand)),
            Fact::Somewhere { from, to, demands } => self.somewhere.push((from, to, demands)),
            Fact::Contains { what, least, most } => self.contains.push((what, least, most)),
            Fact::Present(name) => {
                self.present.insert(name);
            }
            Fact::Absent(name) => {
                self.absent.insert(name);
            }
            Fact::Member(name, demand) => self.member.push((name, demand)),
            Fact::Members(members) => self.members.push(members),
            Fact::Others { not, patterns, fit } => self.others.push((not, patterns, fit)),
            Fact::Names(demand) => self.names.push(demand),
            Fact::Someone(someone) => self.someone.push(someone),
        }
        self.possible()
    }

    /// Detects obvious contradictions.
    fn possible(&self) -> Result<(), Contradiction> {
        let is_crossed = |low: u64, high: Option<u64>| high.is_some_and(|high| low > high);
        let numbers = match (self.low, self.high) {
            (Some(low), Some(high)) => low.at > high.at || (low.at == high.at && (low.open || high.open)),
            _ => false,
        };
        let fewest = self.fewest.max(self.present.len() as u64);
        if numbers
            || is_crossed(self.shortest, self.longest)
            || is_crossed(fewest, self.most)
            || (self.unique && self.repeats)
            || self.present.iter().any(|name| self.absent.contains(name))
        {
            return Err(Contradiction);
        }
        Ok(())
    }
}

/// Returns an error if the list contains the negation.
fn check_opposite<T: PartialEq>(list: &[(T, bool)], one: &T, holds: bool) -> Result<(), Contradiction> {
    if list.iter().any(|(other, other_holds)| other == one && *other_holds != holds) {
        Err(Contradiction)
    } else {
        Ok(())
    }
}

/// A step of an alternative.
#[derive(Debug, Clone)]
pub(super) enum Step<'a> {
    Demand(Demand),
    /// The schema matches or not, and counts for these trackers.
    Tracked(Id, u64),
    Fact(Fact<'a>),
    /// All rules of the schema are satisfied except the one about unevaluated values, which is violated.
    LeavesUnevaluated(Id),
}

/// A pending choice: all steps of one of these.
pub(super) type Choice<'a> = Vec<Vec<Step<'a>>>;

/// A schema with a rule about unevaluated items or members.
#[derive(Debug, Clone)]
pub(super) struct Tracker {
    /// The schemas whose evaluated values count.
    pub(super) sources: Vec<Id>,
    pub(super) owner: Id,
    /// The schema for the remaining values.
    pub(super) rest: Id,
    /// Whether all remaining values match, or one does not.
    pub(super) fits: bool,
}

/// Returns whether a rule about unevaluated values applies to this kind.
pub(super) fn speaks_of(kind: Kind, items: bool) -> bool {
    kind == if items { Kind::List } else { Kind::Object }
}
