//! Finds lists with given lengths and items.

use std::collections::HashMap;

use serde_json::Value;

use super::declared::{Declared, Inside};
use super::facts::Facts;
use super::{Alternatives, Demand, Outcome, Place, Solver, TOO_LARGE, unknown};
use crate::schema_inclusion::number::canonical;

/// Maximum length of a list.
const MAX_LENGTH: usize = 1_000;
/// Maximum length of a list whose items are distinguished, to count some or to make them unique.
const MAX_TOLD_APART: usize = 24;
/// Maximum number of rules that count items.
const MAX_COUNTED: usize = 4;

/// A list under construction.
#[derive(Debug, Clone)]
struct List {
    /// The demands on each item.
    items: Vec<Vec<Demand>>,
    /// Two equal items, the second of which is a copy.
    twins: Option<(usize, usize)>,
}

impl<'a> Solver<'_, 'a> {
    pub(super) fn list(&self, facts: &Facts<'a>, declared: &Declared) -> Outcome {
        let ends = facts.rows.iter().map(|(prefix, _)| prefix.len());
        let starts = facts.from.iter().map(|(from, _)| *from);
        let places = facts.somewhere.iter().map(|(from, to, _)| to.map_or(*from, |to| to + 1));
        // From here on, all items have the same demands unless one is required.
        let tail = ends.chain(starts).chain(places).max().unwrap_or(0);
        let mut alternatives = Alternatives::default();
        let mut most = facts.most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        for at in 0..=tail.min(MAX_LENGTH) {
            match self.item(declared, at, base(facts, at)) {
                Outcome::Nothing => {
                    most = most.min(at);
                    break;
                }
                Outcome::Unknown(why) => drop(alternatives.add(Outcome::Unknown(why))),
                Outcome::Value(_) => {}
            }
        }
        let fewest = usize::try_from(facts.fewest).unwrap_or(usize::MAX);
        if fewest > most {
            return Outcome::Nothing;
        }
        // A list that is longer than its demands can be shortened, so longer ones need not be tried.
        let counted: u64 = facts.contains.iter().map(|(_, least, _)| *least).fold(0, u64::saturating_add);
        let asked = facts.somewhere.len() + 2 * usize::from(facts.repeats);
        let longest = fewest
            .max(tail)
            .saturating_add(asked)
            .saturating_add(usize::try_from(counted).unwrap_or(usize::MAX))
            .min(most);
        let limit = if facts.unique || !facts.contains.is_empty() { MAX_TOLD_APART } else { MAX_LENGTH };
        for length in fewest..=longest {
            if length > limit || facts.contains.len() > MAX_COUNTED {
                alternatives.add(unknown(TOO_LARGE));
                break;
            }
            let items = (0..length).map(|at| base(facts, at)).collect();
            let list = List { items, twins: None };
            if let Some(found) = alternatives.add(self.with_twins(facts, declared, &list, tail + asked)) {
                return found;
            }
        }
        alternatives.none()
    }

    fn item(&self, declared: &Declared, at: usize, demands: Vec<Demand>) -> Outcome {
        self.value(Place { demands, declared: self.declared_inside(declared, Inside::Item(at)) })
    }

    /// Chooses two equal items, if demanded; items from `end` on have the same demands.
    fn with_twins(&self, facts: &Facts<'a>, declared: &Declared, list: &List, end: usize) -> Outcome {
        if !facts.repeats {
            return self.with_somewhere(facts, declared, list, 0, end);
        }
        let mut alternatives = Alternatives::default();
        for second in 1..list.items.len().min(end) {
            for first in 0..second {
                let mut twins = list.clone();
                let more = twins.items[second].clone();
                twins.items[first].extend(more);
                twins.twins = Some((first, second));
                if let Some(found) = alternatives.add(self.with_somewhere(facts, declared, &twins, 0, end)) {
                    return found;
                }
            }
        }
        alternatives.none()
    }

    /// Chooses an index for each demanded item.
    fn with_somewhere(
        &self,
        facts: &Facts<'a>,
        declared: &Declared,
        list: &List,
        next: usize,
        end: usize,
    ) -> Outcome {
        if !self.step() {
            return unknown(TOO_LARGE);
        }
        let Some((from, to, demands)) = facts.somewhere.get(next) else {
            return self.with_counts(facts, declared, list, &mut Vec::new());
        };
        let after = list.items.len().min(end).min(to.map_or(usize::MAX, |to| to + 1));
        let mut alternatives = Alternatives::default();
        for at in *from..after {
            let mut list = list.clone();
            let at = match list.twins {
                Some((first, second)) if second == at => first,
                _ => at,
            };
            list.items[at].extend(demands.iter().cloned());
            if self.item(declared, at, list.items[at].clone()) == Outcome::Nothing {
                continue;
            }
            if let Some(found) = alternatives.add(self.with_somewhere(facts, declared, &list, next + 1, end))
            {
                return found;
            }
        }
        alternatives.none()
    }

    /// Chooses for each item which of the counted schemas it matches.
    fn with_counts(
        &self,
        facts: &Facts<'a>,
        declared: &Declared,
        list: &List,
        chosen: &mut Vec<usize>,
    ) -> Outcome {
        if !self.step() {
            return unknown(TOO_LARGE);
        }
        let at = chosen.len();
        let left = (list.items.len() - at) as u64;
        for (number, (_, least, most)) in facts.contains.iter().enumerate() {
            let count = chosen.iter().filter(|bits| *bits & (1 << number) != 0).count() as u64;
            if count + left < *least || most.is_some_and(|most| count > most) {
                return Outcome::Nothing;
            }
        }
        if left == 0 {
            return self.build(facts, declared, list, chosen);
        }
        let is_like_the_last =
            at > 0 && list.twins.is_none() && self.keys(&list.items[at]) == self.keys(&list.items[at - 1]);
        let mut alternatives = Alternatives::default();
        for bits in 0..1_usize << facts.contains.len() {
            // The order of equivalent items is irrelevant.
            if is_like_the_last && bits < chosen[at - 1] {
                continue;
            }
            match list.twins {
                Some((first, second)) if second == at && bits != chosen[first] => continue,
                _ => {}
            }
            match self.item(declared, at, with_bits(facts, &list.items[at], bits)) {
                Outcome::Nothing => continue,
                unknown @ Outcome::Unknown(_) => {
                    alternatives.add(unknown);
                    continue;
                }
                Outcome::Value(_) => {}
            }
            chosen.push(bits);
            let outcome = self.with_counts(facts, declared, list, chosen);
            chosen.pop();
            if let Some(found) = alternatives.add(outcome) {
                return found;
            }
        }
        alternatives.none()
    }

    /// Builds the list once the demands on each item are known.
    fn build(&self, facts: &Facts<'a>, declared: &Declared, list: &List, chosen: &[usize]) -> Outcome {
        let items: Vec<_> =
            list.items.iter().zip(chosen).map(|(item, bits)| with_bits(facts, item, *bits)).collect();
        if facts.unique {
            return self.distinct(declared, &items);
        }
        let mut values: Vec<Value> = Vec::with_capacity(items.len());
        for (at, demands) in items.into_iter().enumerate() {
            if let Some((first, _)) = list.twins.filter(|(_, second)| *second == at) {
                values.push(values[first].clone());
                continue;
            }
            match self.item(declared, at, demands) {
                Outcome::Value(value) => values.push(value),
                other => return other,
            }
        }
        Outcome::Value(values.into())
    }

    /// Builds a list without equal items.
    fn distinct(&self, declared: &Declared, items: &[Vec<Demand>]) -> Outcome {
        let mut possible: Vec<Vec<Value>> = Vec::new();
        let mut alike: HashMap<_, usize> = HashMap::new();
        let mut alternatives = Alternatives::default();
        for (at, demands) in items.iter().enumerate() {
            if let Some(other) = alike.get(&self.keys(demands)) {
                possible.push(possible[*other].clone());
                continue;
            }
            alike.insert(self.keys(demands), at);
            // As many candidates as items are enough: one always remains.
            let mut values: Vec<Value> = Vec::new();
            while values.len() < items.len() {
                let mut demands = demands.clone();
                demands.extend(values.iter().map(|value| Demand::Not(value.clone().into())));
                match self.item(declared, at, demands) {
                    Outcome::Value(value) => values.push(value),
                    Outcome::Nothing => break,
                    unknown @ Outcome::Unknown(_) => {
                        alternatives.add(unknown);
                        break;
                    }
                }
            }
            possible.push(values);
        }
        match matching(&possible) {
            Some(values) => Outcome::Value(values.into()),
            None => alternatives.none(),
        }
    }

    fn keys(&self, demands: &[Demand]) -> Vec<super::Key> {
        let mut keys: Vec<_> = demands.iter().map(|demand| self.key(demand)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

fn base(facts: &Facts<'_>, at: usize) -> Vec<Demand> {
    let in_rows = facts.rows.iter().filter_map(|(prefix, rest)| prefix.get(at).copied().or(*rest));
    let from = facts.from.iter().filter(|(from, _)| at >= *from).map(|(_, demand)| demand.clone());
    in_rows.map(|id| Demand::Fits(id, true)).chain(from).collect()
}

fn with_bits(facts: &Facts<'_>, demands: &[Demand], bits: usize) -> Vec<Demand> {
    let counted = facts.contains.iter().enumerate();
    let counted = counted.map(|(number, (what, ..))| Demand::Fits(*what, bits & (1 << number) != 0));
    demands.iter().cloned().chain(counted).collect()
}

/// Chooses one value of each list such that all are distinct.
fn matching(possible: &[Vec<Value>]) -> Option<Vec<Value>> {
    let keys: Vec<Vec<String>> =
        possible.iter().map(|values| values.iter().map(canonical).collect()).collect();
    // The list that each value is assigned to (Kuhn's algorithm).
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for at in 0..keys.len() {
        if !take(&keys, at, &mut taken, &mut Vec::new()) {
            return None;
        }
    }
    let value_of = |at: usize| {
        let key = keys[at].iter().position(|key| taken.get(key.as_str()) == Some(&at))?;
        Some(possible[at][key].clone())
    };
    (0..keys.len()).map(value_of).collect()
}

fn take<'k>(
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
        if other.is_none_or(|other| take(keys, other, taken, tried)) {
            taken.insert(key, at);
            return true;
        }
    }
    false
}
