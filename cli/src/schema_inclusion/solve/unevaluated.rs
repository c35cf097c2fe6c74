//! Handles `unevaluatedItems` and `unevaluatedProperties`.

use std::rc::Rc;

use super::branch::Branch;
use super::facts::{Contradiction, Fact, Name, Someone, Tracker};
use super::{Demand, Solver};
use crate::schema_inclusion::node::{Kind, PatternId, Rule};

impl<'a> Solver<'_, 'a> {
    /// Returns the demands of a rule about unevaluated items or members, once all other facts are known.
    pub(super) fn unevaluated(
        &self,
        branch: &mut Branch<'a>,
        tracker: &Tracker,
    ) -> Result<(), Contradiction> {
        let mut sources = tracker.sources.clone();
        sources.sort_unstable();
        sources.dedup();
        let mut named: Vec<Name> = Vec::new();
        let mut patterns: Vec<PatternId> = Vec::new();
        let mut first = 0;
        let mut contained = Vec::new();
        let mut is_all = false;
        for source in sources {
            for rule in self.nodes.rules(source) {
                match (branch.kind, rule) {
                    (Kind::Object, Rule::Members(members)) => {
                        named.extend(members.named.iter().map(|(name, _)| Name::from(*name)));
                        patterns.extend(members.matching.iter().map(|(pattern, _)| *pattern));
                        is_all |= members.others.is_some();
                    }
                    (Kind::List, Rule::Items { prefix, rest }) => {
                        first = first.max(prefix.len());
                        is_all |= rest.is_some();
                    }
                    (Kind::List, Rule::Contains { what, .. }) => contained.push(*what),
                    (Kind::Object, Rule::UnevaluatedMembers(_)) | (Kind::List, Rule::UnevaluatedItems(_)) => {
                        is_all |= source != tracker.owner;
                    }
                    _ => {}
                }
            }
        }
        let rest = Demand::Fits(tracker.rest, tracker.fits);
        let fact = match (is_all, tracker.fits, branch.kind) {
            (true, true, _) => return Ok(()),
            (true, false, _) => return Err(Contradiction),
            (_, true, Kind::List) => {
                let contained = contained.into_iter().map(|what| vec![Demand::Fits(what, true)]);
                let either: Rc<[_]> = [vec![rest]].into_iter().chain(contained).collect();
                Fact::From(first, Demand::Either(either))
            }
            (_, false, Kind::List) => {
                let not_contained = contained.into_iter().map(|what| Demand::Fits(what, false));
                Fact::Somewhere {
                    from: first,
                    to: None,
                    demands: [rest].into_iter().chain(not_contained).collect(),
                }
            }
            (_, true, _) => Fact::Others { not: named, patterns, fit: tracker.rest },
            (_, false, _) => Fact::Someone(Someone {
                not: named,
                matches: patterns.into_iter().map(|pattern| (pattern, false)).collect(),
                value: vec![rest],
                ..Someone::default()
            }),
        };
        branch.facts.add(fact)
    }
}
