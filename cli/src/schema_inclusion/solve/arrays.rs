//! Finds arrays by length and items.

use std::collections::HashMap;

use serde_json::Value;

use super::declared::{Child, Sides};
use super::facts::Facts;
use super::{Alternatives, Constraint, Goal, Outcome, Solver, TOO_LARGE, unknown};
use crate::schema_inclusion::number::canonical;

/// Maximum length of an array.
const MAX_LENGTH: usize = 1_000;
/// Maximum length of an array whose items are distinguished, to count some or to make them unique.
const MAX_DISTINGUISHED: usize = 24;
/// Maximum number of `contains` rules.
const MAX_CONTAINS: usize = 4;

/// An array under construction.
#[derive(Debug, Clone)]
struct Draft {
    /// The constraints on each item.
    items: Vec<Vec<Constraint>>,
    /// Two equal items, the second of which is a copy.
    duplicates: Option<(usize, usize)>,
}

impl<'a> Solver<'_, 'a> {
    pub(super) fn find_array(&self, facts: &Facts<'a>, sides: &Sides) -> Outcome {
        let ends = facts.items.iter().map(|(prefix, _)| prefix.len());
        let starts = facts.items_from.iter().map(|(from, _)| *from);
        let some = facts.some_items.iter().map(|(from, to, _)| to.map_or(*from, |to| to + 1));
        // From here on, all items have the same constraints unless one is required.
        let tail = ends.chain(starts).chain(some).max().unwrap_or(0);
        let mut alternatives = Alternatives::default();
        let mut max = facts.max_count.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
        for at in 0..=tail.min(MAX_LENGTH) {
            match self.find_item(sides, at, item_constraints(facts, at)) {
                Outcome::Unsatisfiable => {
                    max = max.min(at);
                    break;
                }
                Outcome::Unknown(why) => drop(alternatives.add(Outcome::Unknown(why))),
                Outcome::Value(_) => {}
            }
        }
        let min_count = usize::try_from(facts.min_count).unwrap_or(usize::MAX);
        if min_count > max {
            return Outcome::Unsatisfiable;
        }
        // An array that is longer than its constraints require can be shortened, so longer ones need not be tried.
        let counted: u64 = facts.contains.iter().map(|(_, min, _)| *min).fold(0, u64::saturating_add);
        let required = facts.some_items.len() + 2 * usize::from(facts.has_duplicate_items);
        let longest = min_count
            .max(tail)
            .saturating_add(required)
            .saturating_add(usize::try_from(counted).unwrap_or(usize::MAX))
            .min(max);
        let limit =
            if facts.has_unique_items || !facts.contains.is_empty() { MAX_DISTINGUISHED } else { MAX_LENGTH };
        for length in min_count..=longest {
            if length > limit || facts.contains.len() > MAX_CONTAINS {
                alternatives.add(unknown(TOO_LARGE));
                break;
            }
            let items = (0..length).map(|at| item_constraints(facts, at)).collect();
            let draft = Draft { items, duplicates: None };
            if let Some(found) =
                alternatives.add(self.choose_duplicates(facts, sides, &draft, tail + required))
            {
                return found;
            }
        }
        alternatives.finish()
    }

    fn find_item(&self, sides: &Sides, at: usize, constraints: Vec<Constraint>) -> Outcome {
        self.find_value(Goal { constraints, sides: self.descend(sides, Child::Item(at)) })
    }

    /// Chooses two equal items, if required; items from `end` on have the same constraints.
    fn choose_duplicates(&self, facts: &Facts<'a>, sides: &Sides, draft: &Draft, end: usize) -> Outcome {
        if !facts.has_duplicate_items {
            return self.choose_indices(facts, sides, draft, 0, end);
        }
        let mut alternatives = Alternatives::default();
        for second in 1..draft.items.len().min(end) {
            for first in 0..second {
                let mut copy = draft.clone();
                let more = copy.items[second].clone();
                copy.items[first].extend(more);
                copy.duplicates = Some((first, second));
                if let Some(found) = alternatives.add(self.choose_indices(facts, sides, &copy, 0, end)) {
                    return found;
                }
            }
        }
        alternatives.finish()
    }

    /// Chooses an index for each required item.
    fn choose_indices(
        &self,
        facts: &Facts<'a>,
        sides: &Sides,
        draft: &Draft,
        next: usize,
        end: usize,
    ) -> Outcome {
        if !self.count_step() {
            return unknown(TOO_LARGE);
        }
        let Some((from, to, constraints)) = facts.some_items.get(next) else {
            return self.choose_contained(facts, sides, draft, &mut Vec::new());
        };
        let after = draft.items.len().min(end).min(to.map_or(usize::MAX, |to| to + 1));
        let mut alternatives = Alternatives::default();
        for at in *from..after {
            let mut draft = draft.clone();
            let at = match draft.duplicates {
                Some((first, second)) if second == at => first,
                _ => at,
            };
            draft.items[at].extend(constraints.iter().cloned());
            if self.find_item(sides, at, draft.items[at].clone()) == Outcome::Unsatisfiable {
                continue;
            }
            if let Some(found) = alternatives.add(self.choose_indices(facts, sides, &draft, next + 1, end)) {
                return found;
            }
        }
        alternatives.finish()
    }

    /// Chooses for each item which of the `contains` schemas it matches.
    fn choose_contained(
        &self,
        facts: &Facts<'a>,
        sides: &Sides,
        draft: &Draft,
        chosen: &mut Vec<usize>,
    ) -> Outcome {
        if !self.count_step() {
            return unknown(TOO_LARGE);
        }
        let at = chosen.len();
        let left = (draft.items.len() - at) as u64;
        for (number, (_, min, max)) in facts.contains.iter().enumerate() {
            let count = chosen.iter().filter(|bits| *bits & (1 << number) != 0).count() as u64;
            if count + left < *min || max.is_some_and(|max| count > max) {
                return Outcome::Unsatisfiable;
            }
        }
        if left == 0 {
            return self.build_array(facts, sides, draft, chosen);
        }
        let is_like_previous = at > 0
            && draft.duplicates.is_none()
            && self.constraint_keys(&draft.items[at]) == self.constraint_keys(&draft.items[at - 1]);
        let mut alternatives = Alternatives::default();
        for bits in 0..1_usize << facts.contains.len() {
            // The order of equivalent items is irrelevant.
            if is_like_previous && bits < chosen[at - 1] {
                continue;
            }
            match draft.duplicates {
                Some((first, second)) if second == at && bits != chosen[first] => continue,
                _ => {}
            }
            match self.find_item(sides, at, add_contained(facts, &draft.items[at], bits)) {
                Outcome::Unsatisfiable => continue,
                unknown @ Outcome::Unknown(_) => {
                    alternatives.add(unknown);
                    continue;
                }
                Outcome::Value(_) => {}
            }
            chosen.push(bits);
            let outcome = self.choose_contained(facts, sides, draft, chosen);
            chosen.pop();
            if let Some(found) = alternatives.add(outcome) {
                return found;
            }
        }
        alternatives.finish()
    }

    /// Builds the array once the constraints on each item are known.
    fn build_array(&self, facts: &Facts<'a>, sides: &Sides, draft: &Draft, chosen: &[usize]) -> Outcome {
        let items: Vec<_> =
            draft.items.iter().zip(chosen).map(|(item, bits)| add_contained(facts, item, *bits)).collect();
        if facts.has_unique_items {
            return self.build_distinct(sides, &items);
        }
        let mut values: Vec<Value> = Vec::with_capacity(items.len());
        for (at, constraints) in items.into_iter().enumerate() {
            if let Some((first, _)) = draft.duplicates.filter(|(_, second)| *second == at) {
                values.push(values[first].clone());
                continue;
            }
            match self.find_item(sides, at, constraints) {
                Outcome::Value(value) => values.push(value),
                other => return other,
            }
        }
        Outcome::Value(values.into())
    }

    /// Builds an array without equal items.
    fn build_distinct(&self, sides: &Sides, items: &[Vec<Constraint>]) -> Outcome {
        let mut possible: Vec<Vec<Value>> = Vec::new();
        let mut first_with_keys: HashMap<_, usize> = HashMap::new();
        let mut alternatives = Alternatives::default();
        for (at, constraints) in items.iter().enumerate() {
            if let Some(other) = first_with_keys.get(&self.constraint_keys(constraints)) {
                possible.push(possible[*other].clone());
                continue;
            }
            first_with_keys.insert(self.constraint_keys(constraints), at);
            // As many candidates as items are enough: one always remains.
            let mut values: Vec<Value> = Vec::new();
            while values.len() < items.len() {
                let mut constraints = constraints.clone();
                constraints.extend(values.iter().map(|value| Constraint::NotEqual(value.clone().into())));
                match self.find_item(sides, at, constraints) {
                    Outcome::Value(value) => values.push(value),
                    Outcome::Unsatisfiable => break,
                    unknown @ Outcome::Unknown(_) => {
                        alternatives.add(unknown);
                        break;
                    }
                }
            }
            possible.push(values);
        }
        match choose_distinct(&possible) {
            Some(values) => Outcome::Value(values.into()),
            None => alternatives.finish(),
        }
    }

    fn constraint_keys(&self, constraints: &[Constraint]) -> Vec<super::ConstraintKey> {
        let mut keys: Vec<_> = constraints.iter().map(|constraint| self.constraint_key(constraint)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

fn item_constraints(facts: &Facts<'_>, at: usize) -> Vec<Constraint> {
    let schemas = facts.items.iter().filter_map(|(prefix, rest)| prefix.get(at).copied().or(*rest));
    let from =
        facts.items_from.iter().filter(|(from, _)| at >= *from).map(|(_, constraint)| constraint.clone());
    schemas.map(|id| Constraint::Schema(id, true)).chain(from).collect()
}

fn add_contained(facts: &Facts<'_>, constraints: &[Constraint], bits: usize) -> Vec<Constraint> {
    let counted = facts.contains.iter().enumerate();
    let counted =
        counted.map(|(number, (schema, ..))| Constraint::Schema(*schema, bits & (1 << number) != 0));
    constraints.iter().cloned().chain(counted).collect()
}

/// Chooses one value of each list such that all are distinct.
fn choose_distinct(possible: &[Vec<Value>]) -> Option<Vec<Value>> {
    let keys: Vec<Vec<String>> =
        possible.iter().map(|values| values.iter().map(canonical).collect()).collect();
    // The list that each value is assigned to (Kuhn's algorithm).
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for at in 0..keys.len() {
        if !assign(&keys, at, &mut taken, &mut Vec::new()) {
            return None;
        }
    }
    let value_of = |at: usize| {
        let key = keys[at].iter().position(|key| taken.get(key.as_str()) == Some(&at))?;
        Some(possible[at][key].clone())
    };
    (0..keys.len()).map(value_of).collect()
}

fn assign<'k>(
    keys: &'k [Vec<String>],
    at: usize,
    taken: &mut HashMap<&'k str, usize>,
    tried: &mut Vec<&'k str>,
) -> bool {
    for key in &keys[at] {
        if tried.contains(&key.as_str()) {
            continue;
        }
        tried.push(key);
        let other = taken.get(key.as_str()).copied();
        if other.is_none_or(|other| assign(keys, other, taken, tried)) {
            taken.insert(key, at);
            return true;
        }
    }
    false
}
