//! Groups equivalent schemas into classes: references are followed, annotations ignored.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::node::{Id, Nodes, Rule};
use super::number::canonical;
use serde_json::Value;

/// Maximum number of refinement rounds. Beyond that, every schema gets a class of its own.
const MAX_ROUNDS: usize = 256;
/// Maximum number of comparisons in all rounds.
const MAX_WORK: usize = 2_000_000;

impl Nodes<'_> {
    /// Computes the classes of all schemas: starts with a single class, and refines it by the rules until
    /// nothing changes.
    pub(super) fn classify(&mut self) {
        self.flatten();
        let count = self.count();
        self.classes = vec![0; count];
        let mut found = 1;
        for round in 0..MAX_ROUNDS {
            if round * count > MAX_WORK {
                break;
            }
            let mut numbers = HashMap::new();
            let mut classes = Vec::with_capacity(count);
            for id in 0..count {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                classes.push(*numbers.entry(self.key(id)).or_insert(next));
            }
            self.classes = classes;
            if numbers.len() == found {
                return;
            }
            found = numbers.len();
        }
        self.classes = (0..count).map(|id| u32::try_from(id).unwrap_or(u32::MAX)).collect();
    }

    fn key(&self, id: Id) -> String {
        let mut rules: Vec<String> = self.rules(id).iter().map(|rule| self.rule_key(rule)).collect();
        rules.sort_unstable();
        rules.dedup();
        format!("{} {}", self.classes[id], rules.join(" "))
    }

    fn rule_key(&self, rule: &Rule<'_>) -> String {
        let of = |id: &Id| self.classes[*id];
        let all = |ids: &[Id]| ids.iter().map(of).collect::<Vec<_>>();
        let unordered = |ids: &[Id], repeats: bool| {
            let mut classes = all(ids);
            classes.sort_unstable();
            if !repeats {
                classes.dedup();
            }
            classes
        };
        let optional = |id: &Option<Id>| id.as_ref().map(of);
        match rule {
            Rule::Also(id) => format!("also {}", of(id)),
            Rule::Any(ids) => format!("any {:?}", unordered(ids, false)),
            Rule::One(ids) => format!("one {:?}", unordered(ids, true)),
            Rule::Not(id) => format!("not {}", of(id)),
            Rule::Cases { when, then, other } => {
                format!("cases {} {:?} {:?}", of(when), optional(then), optional(other))
            }
            Rule::Values(values) => {
                let mut values: Vec<_> = values.iter().map(|value| canonical(value)).collect();
                values.sort_unstable();
                values.dedup();
                format!("values {values:?}")
            }
            Rule::Items { prefix, rest } => format!("items {:?} {:?}", all(prefix), optional(rest)),
            Rule::Contains { what, least, most } => format!("contains {} {least} {most:?}", of(what)),
            Rule::UnevaluatedItems(id) => format!("unevaluated items {}", of(id)),
            Rule::Members(members) => {
                let mut named: Vec<_> = members.named.iter().map(|(name, id)| (*name, of(id))).collect();
                named.sort_unstable();
                let mut matching: Vec<_> = members.matching.iter().map(|(at, id)| (*at, of(id))).collect();
                matching.sort_unstable();
                let mut key = format!("members {named:?} {matching:?} ");
                // Writing to a string cannot fail.
                _ = write!(key, "{:?}", optional(&members.others));
                key
            }
            Rule::Required(names) => {
                let mut names = names.clone();
                names.sort_unstable();
                names.dedup();
                format!("required {names:?}")
            }
            Rule::Names(id) => format!("names {}", of(id)),
            Rule::Needs(name, needed) => {
                let mut needed = needed.clone();
                needed.sort_unstable();
                format!("needs {} {needed:?}", Value::from(*name))
            }
            Rule::Entails(name, id) => format!("entails {} {}", Value::from(*name), of(id)),
            Rule::UnevaluatedMembers(id) => format!("unevaluated members {}", of(id)),
            simple => format!("{simple:?}"),
        }
    }
}
