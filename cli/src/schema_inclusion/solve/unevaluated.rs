//! Handles `unevaluatedItems` and `unevaluatedProperties`.

use std::rc::Rc;

use super::branch::Branch;
use super::facts::{Contradiction, Fact, Name, SomeProperty, Tracker};
use super::{Constraint, Solver};
use crate::schema_inclusion::node::{JsonType, PatternId, Rule};

impl<'a> Solver<'_, 'a> {
    /// Adds the fact of a rule about unevaluated items or members, once all other rules are applied.
    pub(super) fn apply_unevaluated(
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
        let mut all_evaluated = false;
        for source in sources {
            for rule in self.nodes.rules(source) {
                match (branch.json_type, rule) {
                    (JsonType::Object, Rule::Properties(properties)) => {
                        named.extend(properties.named.iter().map(|(name, _)| Name::from(*name)));
                        patterns.extend(properties.patterns.iter().map(|(pattern, _)| *pattern));
                        all_evaluated |= properties.additional.is_some();
                    }
                    (JsonType::Array, Rule::Items { prefix, rest }) => {
                        first = first.max(prefix.len());
                        all_evaluated |= rest.is_some();
                    }
                    (JsonType::Array, Rule::Contains { schema, .. }) => contained.push(*schema),
                    (JsonType::Object, Rule::UnevaluatedProperties(_))
                    | (JsonType::Array, Rule::UnevaluatedItems(_)) => {
                        all_evaluated |= source != tracker.owner;
                    }
                    _ => {}
                }
            }
        }
        let rest = Constraint::Schema(tracker.rest, tracker.matches);
        let fact = match (all_evaluated, tracker.matches, branch.json_type) {
            (true, true, _) => return Ok(()),
            (true, false, _) => return Err(Contradiction),
            (_, true, JsonType::Array) => {
                let contained = contained.into_iter().map(|schema| vec![Constraint::Schema(schema, true)]);
                let any_of: Rc<[_]> = [vec![rest]].into_iter().chain(contained).collect();
                Fact::ItemsFrom(first, Constraint::AnyOf(any_of))
            }
            (_, false, JsonType::Array) => {
                let not_contained = contained.into_iter().map(|schema| Constraint::Schema(schema, false));
                Fact::SomeItem {
                    from: first,
                    to: None,
                    constraints: [rest].into_iter().chain(not_contained).collect(),
                }
            }
            (_, true, _) => Fact::OtherProperties { except: named, patterns, schema: tracker.rest },
            (_, false, _) => Fact::SomeProperty(SomeProperty {
                except: named,
                patterns: patterns.into_iter().map(|pattern| (pattern, false)).collect(),
                value: vec![rest],
                ..SomeProperty::default()
            }),
        };
        branch.facts.add(fact)
    }
}
