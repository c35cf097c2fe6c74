//! Finds strings by length, patterns and formats.

use serde_json::Value;

use super::facts::Facts;
use super::{Outcome, Solver, UNENFORCED_FORMAT, unknown};
use crate::schema_inclusion::pattern::Search;
use crate::schema_inclusion::validator::sample_of_format;

impl<'a> Solver<'_, 'a> {
    pub(super) fn find_string(&self, facts: &Facts<'a>) -> Outcome {
        let mut sets = self.sets.borrow_mut();
        let mut parts = vec![sets.strings_of_length(facts.min_length, facts.max_length)];
        let mut has_unsupported_pattern = false;
        for (pattern, matches) in &facts.patterns {
            match self.nodes.pattern(*pattern) {
                Some(set) => parts.push(if *matches { set } else { sets.complement(set) }),
                None => has_unsupported_pattern = true,
            }
        }
        for value in facts.not_equal.iter().filter_map(|value| value.as_str()) {
            let text = sets.literal(value);
            parts.push(sets.complement(text));
        }
        let set = sets.intersect(parts);
        let shortest = match sets.find_shortest(set) {
            Search::Found(text) => text,
            Search::NotFound => return Outcome::Unsatisfiable,
            Search::LimitReached => return unknown("the patterns are too large to compare"),
        };
        if has_unsupported_pattern {
            return unknown("a pattern cannot be compared with others");
        }
        if facts.formats.is_empty() {
            return Outcome::Value(Value::from(shortest));
        }
        let sample = facts.formats.iter().all(|(_, has)| *has).then(|| sample_of_format(facts.formats[0].0));
        match sample.flatten() {
            Some(text) if facts.formats.len() == 1 && sets.contains(set, text) => {
                Outcome::Value(Value::from(text))
            }
            _ => unknown(UNENFORCED_FORMAT),
        }
    }
}
