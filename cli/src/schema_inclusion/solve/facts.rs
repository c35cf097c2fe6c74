//! Plain facts about a value of one kind.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::Demand;
use crate::schema_inclusion::node::{Bound, Id, Kind, Members, PatternId};
use crate::schema_inclusion::number::Decimal;

/// The name of a member.
pub(super) type Name = Rc<str>;

/// A fact that a rule, or its opposite, states.
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
    /// That it has the format, or not.
    Format(&'a str, bool),
    /// That a rule which cannot be read holds, or not.
    Opaque {
        text: String,
        why: Rc<str>,
        holds: bool,
    },
    Fewest(u64),
    Most(u64),
    Unique,
    /// That two items are the same.
    Repeats,
    Row(Vec<Id>, Option<Id>),
    /// What all items from this place on do.
    From(usize, Demand),
    /// An item at one of these places does this.
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
    /// What all members do that have none of these names and match none of these patterns.
    Others {
        not: Vec<Name>,
        patterns: Vec<PatternId>,
        fit: Id,
    },
    /// What all names do.
    Names(Demand),
    /// A member, present under a name that does all this.
    Someone(Someone),
}

/// A member that must be there, whatever its name.
#[derive(Debug, Clone, Default)]
pub(super) struct Someone {
    /// Names that it does not have.
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
    /// Why it cannot be said of a value that it has all these facts.
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

    /// What can be seen at once.
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

/// An error if the list has the opposite.
fn check_opposite<T: PartialEq>(list: &[(T, bool)], one: &T, holds: bool) -> Result<(), Contradiction> {
    if list.iter().any(|(other, other_holds)| other == one && *other_holds != holds) {
        Err(Contradiction)
    } else {
        Ok(())
    }
}

/// Something that one alternative asks for.
#[derive(Debug, Clone)]
pub(super) enum Step<'a> {
    Demand(Demand),
    /// That it fits, and that what it looks at counts for these trackers.
    Tracked(Id, u64),
    Fact(Fact<'a>),
    /// That all rules of the schema hold but the one about what is left unevaluated, which does not.
    LeavesUnevaluated(Id),
}

/// What is left to be chosen: all steps of one of these.
pub(super) type Choice<'a> = Vec<Vec<Step<'a>>>;

/// A schema that speaks of what its other keywords do not look at.
#[derive(Debug, Clone)]
pub(super) struct Tracker {
    /// The schemas whose keywords count.
    pub(super) sources: Vec<Id>,
    pub(super) owner: Id,
    /// What the rest must fit.
    pub(super) rest: Id,
    /// Whether all of the rest fits, or something does not.
    pub(super) fits: bool,
}

/// Whether a rule about unevaluated values speaks of values of this kind.
pub(super) fn speaks_of(kind: Kind, items: bool) -> bool {
    kind == if items { Kind::List } else { Kind::Object }
}
