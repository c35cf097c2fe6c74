//! The members that callers know, since the first schema declares them.

use std::rc::Rc;

use super::Solver;
use crate::schema_inclusion::node::{Id, Nodes, PatternId, Rule};
use crate::schema_inclusion::validator::Validator;

/// The schemas of both sides for the value at one location, in any alternative; if empty, all members are allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Sides {
    /// The schemas of the first side.
    old: Rc<[Id]>,
    /// The schemas of the second side.
    new: Rc<[Id]>,
}

/// A property or an item of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Child<'n> {
    Property(&'n str),
    Item(usize),
}

impl Sides {
    pub(super) fn root(old: Id, new: Id) -> Self {
        Self { old: [old].into(), new: [new].into() }
    }
}

impl<'a> Solver<'_, 'a> {
    /// Returns the names that only the second side lists in `properties`: callers cannot know them, so values with
    /// such members are excluded.
    pub(super) fn undeclared_names(&self, sides: &Sides) -> Vec<&'a str> {
        let mut names = Vec::new();
        if sides.new.is_empty() {
            return names;
        }
        for id in self.with_in_place_subschemas(&sides.new) {
            for rule in self.nodes.rules(id) {
                if let Rule::Properties(properties) = rule {
                    names.extend(properties.named.iter().map(|(name, _)| *name));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        let old = self.with_in_place_subschemas(&sides.old);
        names.retain(|name| !old.iter().any(|id| self.declares(*id, name)));
        names
    }

    /// Returns the names and patterns for which the first side declares members, in any alternative. The schema of such a
    /// member may declare other names inside it, so each must be tried, even without constraints.
    pub(super) fn collect_names(&self, sides: &Sides) -> (Vec<&'a str>, Vec<PatternId>) {
        let (mut names, mut patterns) = (Vec::new(), Vec::new());
        if sides.new.is_empty() {
            return (names, patterns);
        }
        for id in self.with_in_place_subschemas(&sides.old) {
            for rule in self.nodes.rules(id) {
                if let Rule::Properties(properties) = rule {
                    names.extend(properties.named.iter().map(|(name, _)| *name));
                    patterns.extend(properties.patterns.iter().map(|(pattern, _)| *pattern));
                }
            }
        }
        (names, patterns)
    }

    /// Returns the schemas of both sides for a member or an item.
    pub(super) fn descend(&self, sides: &Sides, child: Child<'_>) -> Sides {
        if sides.new.is_empty() {
            return Sides::default();
        }
        let descend = |ids: &[Id]| -> Rc<[Id]> {
            let mut found: Vec<Id> = self
                .with_in_place_subschemas(ids)
                .into_iter()
                .flat_map(|id| self.child_schemas(id, child))
                .collect();
            found.sort_unstable();
            found.dedup();
            found.into()
        };
        let new = descend(&sides.new);
        if new.is_empty() { Sides::default() } else { Sides { old: descend(&sides.old), new } }
    }

    /// Returns these schemas and all that apply to the same value.
    pub(super) fn with_in_place_subschemas(&self, ids: &[Id]) -> Vec<Id> {
        let mut found = ids.to_vec();
        let mut at = 0;
        while let Some(id) = found.get(at).copied() {
            at += 1;
            for rule in self.nodes.rules(id) {
                for id in Nodes::in_place_subschemas(rule) {
                    if !found.contains(&id) {
                        found.push(id);
                    }
                }
            }
        }
        found
    }

    fn child_schemas(&self, id: Id, child: Child<'_>) -> Vec<Id> {
        let validator = Validator::new(self.nodes, self.sets);
        let mut found = Vec::new();
        for rule in self.nodes.rules(id) {
            match (child, rule) {
                (Child::Property(name), Rule::Properties(properties)) => {
                    found.extend(properties.named.iter().filter(|(own, _)| *own == name).map(|(_, id)| *id));
                    let matches = |pattern| validator.is_match(pattern, name) != Some(false);
                    found.extend(
                        properties
                            .patterns
                            .iter()
                            .filter(|(pattern, _)| matches(*pattern))
                            .map(|(_, id)| *id),
                    );
                    found.extend(properties.additional);
                }
                (Child::Property(_), Rule::UnevaluatedProperties(rest))
                | (Child::Item(_), Rule::UnevaluatedItems(rest)) => {
                    found.push(*rest);
                }
                (Child::Item(at), Rule::Items { prefix, rest }) => {
                    found.extend(prefix.get(at).copied().or(*rest));
                }
                (Child::Item(_), Rule::Contains { schema, .. }) => found.push(*schema),
                _ => {}
            }
        }
        found
    }

    fn declares(&self, id: Id, name: &str) -> bool {
        let validator = Validator::new(self.nodes, self.sets);
        let constrains = |id: &Id| !self.nodes.rules(*id).is_empty();
        self.nodes.rules(id).iter().any(|rule| match rule {
            Rule::Opaque { .. } => true,
            Rule::Properties(properties) => {
                properties.named.iter().any(|(own, _)| *own == name)
                    || properties
                        .patterns
                        .iter()
                        .any(|(pattern, _)| validator.is_match(*pattern, name) != Some(false))
                    || properties.additional.as_ref().is_some_and(constrains)
            }
            Rule::UnevaluatedProperties(rest) => constrains(rest),
            Rule::PropertyNames(names) => constrains(names),
            Rule::Required(names) => names.contains(&name),
            Rule::DependentRequired(own, needed) => *own == name || needed.contains(&name),
            Rule::DependentSchema(own, _) => *own == name,
            Rule::Enum(values) => values.iter().any(|value| value.is_object()),
            _ => false,
        })
    }
}
