//! Finds objects with given members.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::declared::{Declared, Inside};
use super::facts::{Facts, Name, Someone};
use super::{Alternatives, Demand, Outcome, Place, Solver, TOO_LARGE, unknown};
use crate::schema_inclusion::judge::{Judge, all};
use crate::schema_inclusion::node::{Kind, PatternId};

/// Maximum number of name patterns that are combined.
const MAX_PATTERNS: usize = 6;
/// Maximum number of members to add for a minimum count.
const MAX_ADDED: usize = 64;
/// The prefix of invented names.
const OTHER: &str = "other";

/// The demands on an object, with all relevant names and patterns.
struct Problem<'p, 'a> {
    facts: &'p Facts<'a>,
    declared: &'p Declared,
    absent: BTreeSet<Name>,
    known: BTreeSet<Name>,
    patterns: Vec<PatternId>,
}

/// A member of the object.
#[derive(Debug, Clone)]
struct Chosen {
    name: Name,
    demands: Vec<Demand>,
}

impl<'a> Solver<'_, 'a> {
    pub(super) fn object(&self, facts: &Facts<'a>, declared: &Declared) -> Outcome {
        let undeclared = self.undeclared(declared).into_iter().map(Name::from);
        let absent: BTreeSet<Name> = facts.absent.iter().cloned().chain(undeclared).collect();
        if facts.present.iter().any(|name| absent.contains(name)) {
            return Outcome::Nothing;
        }
        let mut known: BTreeSet<Name> = absent.union(&facts.present).cloned().collect();
        let mut patterns: Vec<PatternId> = Vec::new();
        for members in &facts.members {
            known.extend(members.named.iter().map(|(name, _)| Name::from(*name)));
            patterns.extend(members.matching.iter().map(|(pattern, _)| *pattern));
        }
        for (not, others, _) in &facts.others {
            known.extend(not.iter().cloned());
            patterns.extend(others);
        }
        for someone in &facts.someone {
            known.extend(someone.not.iter().cloned());
            patterns.extend(someone.matches.iter().map(|(pattern, _)| *pattern));
        }
        let (told, told_patterns) = self.collect_names(declared);
        known.extend(told.into_iter().map(Name::from));
        patterns.extend(told_patterns);
        patterns.sort_unstable();
        patterns.dedup();
        let problem = Problem { facts, declared, absent, known, patterns };

        let mut chosen = Vec::new();
        let mut alternatives = Alternatives::default();
        for name in &facts.present {
            if self.is_name(&problem, name, &[]) == Some(false) {
                return Outcome::Nothing;
            }
            let member = Chosen { name: name.clone(), demands: self.base(&problem, name) };
            match self.member(&problem, &member) {
                Outcome::Nothing => return Outcome::Nothing,
                // Another member may prove that there is no value.
                outcome @ Outcome::Unknown(_) => drop(alternatives.add(outcome)),
                Outcome::Value(_) => {}
            }
            chosen.push(member);
        }
        match self.with_someone(&problem, &facts.someone, chosen) {
            Outcome::Value(_) if alternatives.unknown.is_some() => alternatives.none(),
            outcome => outcome,
        }
    }

    fn member(&self, problem: &Problem<'_, 'a>, member: &Chosen) -> Outcome {
        let declared = self.declared_inside(problem.declared, Inside::Member(&member.name));
        self.value(Place { demands: member.demands.clone(), declared })
    }

    /// Returns whether a member may have this name.
    fn is_name(&self, problem: &Problem<'_, 'a>, name: &str, more: &[Demand]) -> Option<bool> {
        let name = Value::from(name);
        all(problem.facts.names.iter().chain(more).map(|demand| self.does(demand, &name)))
    }

    /// Returns the demands on a member with this name.
    fn base(&self, problem: &Problem<'_, 'a>, name: &str) -> Vec<Demand> {
        let judge = Judge::new(self.nodes, self.sets);
        Self::base_if(problem, name, |pattern| judge.matches(pattern, name) == Some(true))
    }

    fn base_if(problem: &Problem<'_, 'a>, name: &str, matches: impl Fn(PatternId) -> bool) -> Vec<Demand> {
        let mut demands = Vec::new();
        for members in &problem.facts.members {
            let own = members.named.iter().filter(|(own, _)| *own == name).map(|(_, id)| *id);
            let matching =
                members.matching.iter().filter(|(pattern, _)| matches(*pattern)).map(|(_, id)| *id);
            let mut ids: Vec<_> = own.chain(matching).collect();
            if ids.is_empty() {
                ids.extend(members.others);
            }
            demands.extend(ids.into_iter().map(|id| Demand::Fits(id, true)));
        }
        for (not, patterns, id) in &problem.facts.others {
            if !not.iter().any(|not| **not == *name) && !patterns.iter().any(|pattern| matches(*pattern)) {
                demands.push(Demand::Fits(*id, true));
            }
        }
        let own = problem.facts.member.iter().filter(|(own, _)| **own == *name);
        demands.extend(own.map(|(_, demand)| demand.clone()));
        demands
    }

    /// Chooses a name for each demanded member.
    fn with_someone(&self, problem: &Problem<'_, 'a>, left: &[Someone], chosen: Vec<Chosen>) -> Outcome {
        if !self.step() {
            return unknown(TOO_LARGE);
        }
        if problem.facts.most.is_some_and(|most| chosen.len() as u64 > most) {
            return Outcome::Nothing;
        }
        let Some((first, left)) = left.split_first() else { return self.fill(problem, chosen) };
        let mut alternatives = Alternatives::default();
        let mut names: Vec<Name> = chosen.iter().map(|member| member.name.clone()).collect();
        names.extend(problem.known.iter().filter(|name| !problem.absent.contains(*name)).cloned());
        names.sort_unstable();
        names.dedup();
        for name in names {
            match self.may_be(problem, first, &name) {
                Some(true) => {}
                Some(false) => continue,
                None => {
                    alternatives.add(unknown("a pattern cannot be compared with others"));
                    continue;
                }
            }
            let mut chosen = chosen.clone();
            let at = chosen.iter().position(|member| member.name == name).unwrap_or_else(|| {
                chosen.push(Chosen { name: name.clone(), demands: self.base(problem, &name) });
                chosen.len() - 1
            });
            chosen[at].demands.extend(first.value.iter().cloned());
            if let Some(found) = alternatives.add(self.with_member(problem, left, chosen, at)) {
                return found;
            }
        }
        for bits in Self::combinations(problem, &mut alternatives) {
            if first.matches.iter().any(|(pattern, matches)| !bits.contains(&(*pattern, *matches))) {
                continue;
            }
            match self.fresh_name(problem, &bits, &first.name, &chosen) {
                Outcome::Value(Value::String(name)) => {
                    let matches = |pattern| bits.contains(&(pattern, true));
                    let mut demands = Self::base_if(problem, &name, matches);
                    demands.extend(first.value.iter().cloned());
                    let mut chosen = chosen.clone();
                    chosen.push(Chosen { name: name.into(), demands });
                    let at = chosen.len() - 1;
                    if let Some(found) = alternatives.add(self.with_member(problem, left, chosen, at)) {
                        return found;
                    }
                }
                outcome @ Outcome::Unknown(_) => drop(alternatives.add(outcome)),
                _ => {}
            }
        }
        alternatives.none()
    }

    fn with_member(
        &self,
        problem: &Problem<'_, 'a>,
        left: &[Someone],
        chosen: Vec<Chosen>,
        at: usize,
    ) -> Outcome {
        match self.member(problem, &chosen[at]) {
            Outcome::Value(_) => self.with_someone(problem, left, chosen),
            other => other,
        }
    }

    fn may_be(&self, problem: &Problem<'_, 'a>, someone: &Someone, name: &str) -> Option<bool> {
        if someone.not.iter().any(|not| **not == *name) {
            return Some(false);
        }
        let judge = Judge::new(self.nodes, self.sets);
        let matches = someone
            .matches
            .iter()
            .map(|(pattern, matches)| judge.matches(*pattern, name).map(|found| found == *matches));
        all(matches.chain([self.is_name(problem, name, &someone.name)]))
    }

    /// Returns all combinations of patterns that a name can match.
    fn combinations(
        problem: &Problem<'_, 'a>,
        alternatives: &mut Alternatives,
    ) -> Vec<Vec<(PatternId, bool)>> {
        if problem.patterns.len() > MAX_PATTERNS {
            alternatives.add(unknown("there are too many patterns to compare"));
            return Vec::new();
        }
        let of = |bits: usize| {
            let patterns = problem.patterns.iter().enumerate();
            patterns.map(|(at, pattern)| (*pattern, bits & (1 << at) != 0)).collect()
        };
        (0..1_usize << problem.patterns.len()).map(of).collect()
    }

    /// Returns an unused name that matches these patterns and not those.
    fn fresh_name(
        &self,
        problem: &Problem<'_, 'a>,
        bits: &[(PatternId, bool)],
        more: &[Demand],
        chosen: &[Chosen],
    ) -> Outcome {
        let matches = bits.iter().map(|(pattern, matches)| Demand::Matches(*pattern, *matches));
        let chosen = chosen.iter().map(|member| &member.name);
        let not = problem.known.iter().chain(chosen).map(|name| Demand::Not(Value::from(&**name).into()));
        let names = problem.facts.names.iter().chain(more).cloned();
        let demands: Vec<_> =
            [Demand::Is(Kind::Text)].into_iter().chain(names).chain(matches).chain(not).collect();
        // A readable name.
        let readable =
            (0..8).map(|number| if number == 0 { OTHER.to_owned() } else { format!("{OTHER}{number}") });
        for name in readable.map(Value::from) {
            if all(demands.iter().map(|demand| self.does(demand, &name))) == Some(true) {
                return Outcome::Value(name);
            }
        }
        self.value(Place { demands, declared: Declared::default() })
    }

    /// Adds members until the minimum count is reached.
    fn fill(&self, problem: &Problem<'_, 'a>, mut chosen: Vec<Chosen>) -> Outcome {
        let fewest = usize::try_from(problem.facts.fewest).unwrap_or(usize::MAX);
        if fewest > chosen.len() + problem.known.len() + MAX_ADDED {
            return unknown(TOO_LARGE);
        }
        let mut alternatives = Alternatives::default();
        let optional = problem.known.iter().filter(|name| !problem.absent.contains(*name));
        for name in optional {
            if chosen.len() >= fewest {
                break;
            }
            let is_possible = self.is_name(problem, name, &[]) != Some(false);
            if is_possible && !chosen.iter().any(|member| member.name == *name) {
                let member = Chosen { name: name.clone(), demands: self.base(problem, name) };
                match self.member(problem, &member) {
                    Outcome::Value(_) => chosen.push(member),
                    outcome => drop(alternatives.add(outcome)),
                }
            }
        }
        if chosen.len() < fewest {
            for bits in Self::combinations(problem, &mut alternatives) {
                while chosen.len() < fewest {
                    let name = match self.fresh_name(problem, &bits, &[], &chosen) {
                        Outcome::Value(Value::String(name)) => Name::from(name),
                        outcome => {
                            alternatives.add(outcome);
                            break;
                        }
                    };
                    let matches = |pattern| bits.contains(&(pattern, true));
                    let member = Chosen { demands: Self::base_if(problem, &name, matches), name };
                    match self.member(problem, &member) {
                        Outcome::Value(_) => chosen.push(member),
                        outcome => {
                            alternatives.add(outcome);
                            break;
                        }
                    }
                }
            }
        }
        if chosen.len() < fewest {
            return alternatives.none();
        }
        let mut members = Map::new();
        for member in chosen {
            match self.member(problem, &member) {
                Outcome::Value(value) => drop(members.insert(member.name.to_string(), value)),
                other => return other,
            }
        }
        Outcome::Value(members.into())
    }
}
