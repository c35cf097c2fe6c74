//! Finds strings with given lengths and patterns.

use serde_json::Value;

use super::facts::Facts;
use super::{A_FORMAT, Outcome, Solver, unknown};
use crate::schema_inclusion::judge::format_sample;
use crate::schema_inclusion::pattern::Found;

impl<'a> Solver<'_, 'a> {
    pub(super) fn text(&self, facts: &Facts<'a>) -> Outcome {
        let mut sets = self.sets.borrow_mut();
        let mut parts = vec![sets.length(facts.shortest, facts.longest)];
        let mut is_unread = false;
        for (pattern, matches) in &facts.matches {
            match self.nodes.pattern(*pattern) {
                Some(set) => parts.push(if *matches { set } else { sets.not(set) }),
                None => is_unread = true,
            }
        }
        for value in facts.not_values.iter().filter_map(|value| value.as_str()) {
            let text = sets.text(value);
            parts.push(sets.not(text));
        }
        let set = sets.both(parts);
        let shortest = match sets.shortest(set) {
            Found::Text(text) => text,
            Found::Nothing => return Outcome::Nothing,
            Found::Unknown => return unknown("the patterns are too large to compare"),
        };
        if is_unread {
            return unknown("a pattern cannot be compared with others");
        }
        if facts.formats.is_empty() {
            return Outcome::Value(Value::from(shortest));
        }
        let of_format = facts.formats.iter().all(|(_, has)| *has).then(|| format_sample(facts.formats[0].0));
        match of_format.flatten() {
            Some(text) if facts.formats.len() == 1 && sets.has(set, text) => {
                Outcome::Value(Value::from(text))
            }
            _ => unknown(A_FORMAT),
        }
    }
}
