//! Finds objects by members.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::declared::{Child, Sides};
use super::facts::{Facts, Name, SomeProperty};
use super::{Alternatives, Constraint, Goal, Outcome, Solver, TOO_LARGE, unknown};
use crate::schema_inclusion::node::{JsonType, PatternId};
use crate::schema_inclusion::validator::{Validator, all};

/// Maximum number of name patterns that are combined.
const MAX_PATTERNS: usize = 6;
/// Maximum number of members to add for a minimum count.
const MAX_ADDED: usize = 64;
/// The prefix of generated names.
const OTHER: &str = "other";

/// The constraints on an object, with all relevant names and patterns.
struct Problem<'p, 'a> {
    facts: &'p Facts<'a>,
    sides: &'p Sides,
    absent: BTreeSet<Name>,
    known: BTreeSet<Name>,
    patterns: Vec<PatternId>,
}

/// A member of the object.
#[derive(Debug, Clone)]
struct Member {
    name: Name,
    constraints: Vec<Constraint>,
}

impl<'a> Solver<'_, 'a> {
    pub(super) fn find_object(&self, facts: &Facts<'a>, sides: &Sides) -> Outcome {
        let undeclared = self.undeclared_names(sides).into_iter().map(Name::from);
        let absent: BTreeSet<Name> = facts.absent.iter().cloned().chain(undeclared).collect();
        if facts.present.iter().any(|name| absent.contains(name)) {
            return Outcome::Unsatisfiable;
        }
        let mut known: BTreeSet<Name> = absent.union(&facts.present).cloned().collect();
        let mut patterns: Vec<PatternId> = Vec::new();
        for properties in &facts.properties {
            known.extend(properties.named.iter().map(|(name, _)| Name::from(*name)));
            patterns.extend(properties.patterns.iter().map(|(pattern, _)| *pattern));
        }
        for (except, others, _) in &facts.other_properties {
            known.extend(except.iter().cloned());
            patterns.extend(others);
        }
        for property in &facts.some_properties {
            known.extend(property.except.iter().cloned());
            patterns.extend(property.patterns.iter().map(|(pattern, _)| *pattern));
        }
        let (declared_names, declared_patterns) = self.collect_names(sides);
        known.extend(declared_names.into_iter().map(Name::from));
        patterns.extend(declared_patterns);
        patterns.sort_unstable();
        patterns.dedup();
        let problem = Problem { facts, sides, absent, known, patterns };

        let mut chosen = Vec::new();
        let mut alternatives = Alternatives::default();
        for name in &facts.present {
            if self.is_valid_name(&problem, name, &[]) == Some(false) {
                return Outcome::Unsatisfiable;
            }
            let member = Member { name: name.clone(), constraints: self.member_constraints(&problem, name) };
            match self.find_member(&problem, &member) {
                Outcome::Unsatisfiable => return Outcome::Unsatisfiable,
                // Another member may prove that there is no value.
                outcome @ Outcome::Unknown(_) => drop(alternatives.add(outcome)),
                Outcome::Value(_) => {}
            }
            chosen.push(member);
        }
        match self.choose_names(&problem, &facts.some_properties, chosen) {
            Outcome::Value(_) if alternatives.unknown.is_some() => alternatives.finish(),
            outcome => outcome,
        }
    }

    fn find_member(&self, problem: &Problem<'_, 'a>, member: &Member) -> Outcome {
        let sides = self.descend(problem.sides, Child::Property(&member.name));
        self.find_value(Goal { constraints: member.constraints.clone(), sides })
    }

    /// Returns whether the name satisfies the constraints on names.
    fn is_valid_name(&self, problem: &Problem<'_, 'a>, name: &str, more: &[Constraint]) -> Option<bool> {
        let name = Value::from(name);
        all(problem
            .facts
            .name_constraints
            .iter()
            .chain(more)
            .map(|constraint| self.satisfies(constraint, &name)))
    }

    /// Returns the constraints on a member with this name.
    fn member_constraints(&self, problem: &Problem<'_, 'a>, name: &str) -> Vec<Constraint> {
        let validator = Validator::new(self.nodes, self.sets);
        Self::member_constraints_if(problem, name, |pattern| validator.is_match(pattern, name) == Some(true))
    }

    fn member_constraints_if(
        problem: &Problem<'_, 'a>,
        name: &str,
        matches: impl Fn(PatternId) -> bool,
    ) -> Vec<Constraint> {
        let mut constraints = Vec::new();
        for properties in &problem.facts.properties {
            let own = properties.named.iter().filter(|(own, _)| *own == name).map(|(_, id)| *id);
            let matching =
                properties.patterns.iter().filter(|(pattern, _)| matches(*pattern)).map(|(_, id)| *id);
            let mut ids: Vec<_> = own.chain(matching).collect();
            if ids.is_empty() {
                ids.extend(properties.additional);
            }
            constraints.extend(ids.into_iter().map(|id| Constraint::Schema(id, true)));
        }
        for (except, patterns, id) in &problem.facts.other_properties {
            if !except.iter().any(|except| **except == *name)
                && !patterns.iter().any(|pattern| matches(*pattern))
            {
                constraints.push(Constraint::Schema(*id, true));
            }
        }
        let own = problem.facts.property_constraints.iter().filter(|(own, _)| **own == *name);
        constraints.extend(own.map(|(_, constraint)| constraint.clone()));
        constraints
    }

    /// Chooses names for the required members whose name is not given.
    fn choose_names(&self, problem: &Problem<'_, 'a>, left: &[SomeProperty], chosen: Vec<Member>) -> Outcome {
        if !self.count_step() {
            return unknown(TOO_LARGE);
        }
        if problem.facts.max_count.is_some_and(|max| chosen.len() as u64 > max) {
            return Outcome::Unsatisfiable;
        }
        let Some((first, left)) = left.split_first() else { return self.add_members(problem, chosen) };
        let mut alternatives = Alternatives::default();
        let mut names: Vec<Name> = chosen.iter().map(|member| member.name.clone()).collect();
        names.extend(problem.known.iter().filter(|name| !problem.absent.contains(*name)).cloned());
        names.sort_unstable();
        names.dedup();
        for name in names {
            match self.can_have_name(problem, first, &name) {
                Some(true) => {}
                Some(false) => continue,
                None => {
                    alternatives.add(unknown("a pattern cannot be compared with others"));
                    continue;
                }
            }
            let mut chosen = chosen.clone();
            let at = chosen.iter().position(|member| member.name == name).unwrap_or_else(|| {
                chosen.push(Member {
                    name: name.clone(),
                    constraints: self.member_constraints(problem, &name),
                });
                chosen.len() - 1
            });
            chosen[at].constraints.extend(first.value.iter().cloned());
            if let Some(found) = alternatives.add(self.choose_remaining_names(problem, left, chosen, at)) {
                return found;
            }
        }
        for bits in Self::pattern_combinations(problem, &mut alternatives) {
            if first.patterns.iter().any(|(pattern, matches)| !bits.contains(&(*pattern, *matches))) {
                continue;
            }
            match self.find_fresh_name(problem, &bits, &first.name, &chosen) {
                Outcome::Value(Value::String(name)) => {
                    let matches = |pattern| bits.contains(&(pattern, true));
                    let mut constraints = Self::member_constraints_if(problem, &name, matches);
                    constraints.extend(first.value.iter().cloned());
                    let mut chosen = chosen.clone();
                    chosen.push(Member { name: name.into(), constraints });
                    let at = chosen.len() - 1;
                    if let Some(found) =
                        alternatives.add(self.choose_remaining_names(problem, left, chosen, at))
                    {
                        return found;
                    }
                }
                outcome @ Outcome::Unknown(_) => drop(alternatives.add(outcome)),
                _ => {}
            }
        }
        alternatives.finish()
    }

    fn choose_remaining_names(
        &self,
        problem: &Problem<'_, 'a>,
        left: &[SomeProperty],
        chosen: Vec<Member>,
        at: usize,
    ) -> Outcome {
        match self.find_member(problem, &chosen[at]) {
            Outcome::Value(_) => self.choose_names(problem, left, chosen),
            other => other,
        }
    }

    fn can_have_name(&self, problem: &Problem<'_, 'a>, property: &SomeProperty, name: &str) -> Option<bool> {
        if property.except.iter().any(|except| **except == *name) {
            return Some(false);
        }
        let validator = Validator::new(self.nodes, self.sets);
        let matches = property
            .patterns
            .iter()
            .map(|(pattern, matches)| validator.is_match(*pattern, name).map(|found| found == *matches));
        all(matches.chain([self.is_valid_name(problem, name, &property.name)]))
    }

    /// Returns all combinations of patterns that a name can match.
    fn pattern_combinations(
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

    /// Finds an unused name that matches exactly these patterns.
    fn find_fresh_name(
        &self,
        problem: &Problem<'_, 'a>,
        bits: &[(PatternId, bool)],
        more: &[Constraint],
        chosen: &[Member],
    ) -> Outcome {
        let matches = bits.iter().map(|(pattern, matches)| Constraint::Pattern(*pattern, *matches));
        let chosen = chosen.iter().map(|member| &member.name);
        let not =
            problem.known.iter().chain(chosen).map(|name| Constraint::NotEqual(Value::from(&**name).into()));
        let names = problem.facts.name_constraints.iter().chain(more).cloned();
        let constraints: Vec<_> =
            [Constraint::Type(JsonType::String)].into_iter().chain(names).chain(matches).chain(not).collect();
        // Readable names are tried first.
        let readable =
            (0..8).map(|number| if number == 0 { OTHER.to_owned() } else { format!("{OTHER}{number}") });
        for name in readable.map(Value::from) {
            if all(constraints.iter().map(|constraint| self.satisfies(constraint, &name))) == Some(true) {
                return Outcome::Value(name);
            }
        }
        self.find_value(Goal { constraints, sides: Sides::default() })
    }

    /// Adds members until the minimum count is reached.
    fn add_members(&self, problem: &Problem<'_, 'a>, mut chosen: Vec<Member>) -> Outcome {
        let min_count = usize::try_from(problem.facts.min_count).unwrap_or(usize::MAX);
        if min_count > chosen.len() + problem.known.len() + MAX_ADDED {
            return unknown(TOO_LARGE);
        }
        let mut alternatives = Alternatives::default();
        let optional = problem.known.iter().filter(|name| !problem.absent.contains(*name));
        for name in optional {
            if chosen.len() >= min_count {
                break;
            }
            let is_possible = self.is_valid_name(problem, name, &[]) != Some(false);
            if is_possible && !chosen.iter().any(|member| member.name == *name) {
                let member =
                    Member { name: name.clone(), constraints: self.member_constraints(problem, name) };
                match self.find_member(problem, &member) {
                    Outcome::Value(_) => chosen.push(member),
                    outcome => drop(alternatives.add(outcome)),
                }
            }
        }
        if chosen.len() < min_count {
            for bits in Self::pattern_combinations(problem, &mut alternatives) {
                while chosen.len() < min_count {
                    let name = match self.find_fresh_name(problem, &bits, &[], &chosen) {
                        Outcome::Value(Value::String(name)) => Name::from(name),
                        outcome => {
                            alternatives.add(outcome);
                            break;
                        }
                    };
                    let matches = |pattern| bits.contains(&(pattern, true));
                    let member =
                        Member { constraints: Self::member_constraints_if(problem, &name, matches), name };
                    match self.find_member(problem, &member) {
                        Outcome::Value(_) => chosen.push(member),
                        outcome => {
                            alternatives.add(outcome);
                            break;
                        }
                    }
                }
            }
        }
        if chosen.len() < min_count {
            return alternatives.finish();
        }
        let mut members = Map::new();
        for member in chosen {
            match self.find_member(problem, &member) {
                Outcome::Value(value) => drop(members.insert(member.name.to_string(), value)),
                other => return other,
            }
        }
        Outcome::Value(members.into())
    }
}
