//! Groups equivalent schemas into classes: references are followed, annotations ignored.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::node::{Id, Nodes, Rule};
use super::number::canonical;
use serde_json::Value;

/// Maximum number of refinement rounds. Beyond that, every schema gets a class of its own.
const MAX_ROUNDS: usize = 256;
/// Maximum number of comparisons in all rounds.
const MAX_COMPARISONS: usize = 2_000_000;

impl Nodes<'_> {
    /// Computes the classes of all schemas: starts with a single class, and refines it by the rules until
    /// nothing changes.
    pub(super) fn classify(&mut self) {
        self.flatten();
        let count = self.count();
        self.classes = vec![0; count];
        let mut class_count = 1;
        for round in 0..MAX_ROUNDS {
            if round * count > MAX_COMPARISONS {
                break;
            }
            let mut ids = HashMap::new();
            let mut classes = Vec::with_capacity(count);
            for id in 0..count {
                let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
                classes.push(*ids.entry(self.schema_key(id)).or_insert(next));
            }
            self.classes = classes;
            if ids.len() == class_count {
                return;
            }
            class_count = ids.len();
        }
        self.classes = (0..count).map(|id| u32::try_from(id).unwrap_or(u32::MAX)).collect();
    }

    fn schema_key(&self, id: Id) -> String {
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
            Rule::Include(id) => format!("also {}", of(id)),
            Rule::AnyOf(ids) => format!("any {:?}", unordered(ids, false)),
            Rule::OneOf(ids) => format!("one {:?}", unordered(ids, true)),
            Rule::Not(id) => format!("not {}", of(id)),
            Rule::Conditional { condition, then, otherwise } => {
                format!("cases {} {:?} {:?}", of(condition), optional(then), optional(otherwise))
            }
            Rule::Enum(values) => {
                let mut values: Vec<_> = values.iter().map(|value| canonical(value)).collect();
                values.sort_unstable();
                values.dedup();
                format!("values {values:?}")
            }
            Rule::Items { prefix, rest } => format!("items {:?} {:?}", all(prefix), optional(rest)),
            Rule::Contains { schema, min, max } => format!("contains {} {min} {max:?}", of(schema)),
            Rule::UnevaluatedItems(id) => format!("unevaluated items {}", of(id)),
            Rule::Properties(properties) => {
                let mut named: Vec<_> = properties.named.iter().map(|(name, id)| (*name, of(id))).collect();
                named.sort_unstable();
                let mut matching: Vec<_> = properties.patterns.iter().map(|(at, id)| (*at, of(id))).collect();
                matching.sort_unstable();
                let mut key = format!("members {named:?} {matching:?} ");
                // Writing to a string cannot fail.
                _ = write!(key, "{:?}", optional(&properties.additional));
                key
            }
            Rule::Required(names) => {
                let mut names = names.clone();
                names.sort_unstable();
                names.dedup();
                format!("required {names:?}")
            }
            Rule::PropertyNames(id) => format!("names {}", of(id)),
            Rule::DependentRequired(name, needed) => {
                let mut needed = needed.clone();
                needed.sort_unstable();
                format!("needs {} {needed:?}", Value::from(*name))
            }
            Rule::DependentSchema(name, id) => format!("entails {} {}", Value::from(*name), of(id)),
            Rule::UnevaluatedProperties(id) => format!("unevaluated members {}", of(id)),
            simple => format!("{simple:?}"),
        }
    }
}
