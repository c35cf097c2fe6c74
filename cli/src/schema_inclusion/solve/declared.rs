//! Members that callers know: those that the first schema declares.

use std::rc::Rc;

use super::Solver;
use crate::schema_inclusion::judge::Judge;
use crate::schema_inclusion::node::{Id, Nodes, PatternId, Rule};

/// The schemas of both sides at one location, in any alternative; if empty, all values count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Declared {
    /// The schemas of the first side.
    old: Rc<[Id]>,
    /// The schemas of the second side.
    new: Rc<[Id]>,
}

/// A step from a value to one inside it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inside<'n> {
    Member(&'n str),
    Item(usize),
}

impl Declared {
    pub(super) fn root(old: Id, new: Id) -> Self {
        Self { old: [old].into(), new: [new].into() }
    }
}

impl<'a> Solver<'_, 'a> {
    /// Returns the names of members that only the second side lists in `properties`: callers cannot know what
    /// they mean, so values with these members do not count.
    pub(super) fn undeclared(&self, declared: &Declared) -> Vec<&'a str> {
        let mut names = Vec::new();
        if declared.new.is_empty() {
            return names;
        }
        for id in self.in_place(&declared.new) {
            for rule in self.nodes.rules(id) {
                if let Rule::Members(members) = rule {
                    names.extend(members.named.iter().map(|(name, _)| *name));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        let old = self.in_place(&declared.old);
        names.retain(|name| !old.iter().any(|id| self.speaks_of(*id, name)));
        names
    }

    /// Returns the names and patterns by which the first side declares members, in any alternative. Such a
    /// member may declare other members than one with another name, so each must be tried, even without demands.
    pub(super) fn collect_names(&self, declared: &Declared) -> (Vec<&'a str>, Vec<PatternId>) {
        let (mut names, mut patterns) = (Vec::new(), Vec::new());
        if declared.new.is_empty() {
            return (names, patterns);
        }
        for id in self.in_place(&declared.old) {
            for rule in self.nodes.rules(id) {
                if let Rule::Members(members) = rule {
                    names.extend(members.named.iter().map(|(name, _)| *name));
                    patterns.extend(members.matching.iter().map(|(pattern, _)| *pattern));
                }
            }
        }
        (names, patterns)
    }

    /// Returns the schemas of both sides for a member or an item.
    pub(super) fn declared_inside(&self, declared: &Declared, step: Inside<'_>) -> Declared {
        if declared.new.is_empty() {
            return Declared::default();
        }
        let inside = |ids: &[Id]| -> Rc<[Id]> {
            let mut found: Vec<Id> =
                self.in_place(ids).into_iter().flat_map(|id| self.schemas_inside(id, step)).collect();
            found.sort_unstable();
            found.dedup();
            found.into()
        };
        let new = inside(&declared.new);
        if new.is_empty() { Declared::default() } else { Declared { old: inside(&declared.old), new } }
    }

    /// Returns these schemas and all that apply to the same value.
    pub(super) fn in_place(&self, ids: &[Id]) -> Vec<Id> {
        let mut found = ids.to_vec();
        let mut at = 0;
        while let Some(id) = found.get(at).copied() {
            at += 1;
            for rule in self.nodes.rules(id) {
                for id in Nodes::in_place(rule) {
                    if !found.contains(&id) {
                        found.push(id);
                    }
                }
            }
        }
        found
    }

    fn schemas_inside(&self, id: Id, step: Inside<'_>) -> Vec<Id> {
        let judge = Judge::new(self.nodes, self.sets);
        let mut found = Vec::new();
        for rule in self.nodes.rules(id) {
            match (step, rule) {
                (Inside::Member(name), Rule::Members(members)) => {
                    found.extend(members.named.iter().filter(|(own, _)| *own == name).map(|(_, id)| *id));
                    let matches = |pattern| judge.matches(pattern, name) != Some(false);
                    found.extend(
                        members.matching.iter().filter(|(pattern, _)| matches(*pattern)).map(|(_, id)| *id),
                    );
                    found.extend(members.others);
                }
                (Inside::Member(_), Rule::UnevaluatedMembers(rest))
                | (Inside::Item(_), Rule::UnevaluatedItems(rest)) => {
                    found.push(*rest);
                }
                (Inside::Item(at), Rule::Items { prefix, rest }) => {
                    found.extend(prefix.get(at).copied().or(*rest));
                }
                (Inside::Item(_), Rule::Contains { what, .. }) => found.push(*what),
                _ => {}
            }
        }
        found
    }

    fn speaks_of(&self, id: Id, name: &str) -> bool {
        let judge = Judge::new(self.nodes, self.sets);
        let is_rule = |id: &Id| !self.nodes.rules(*id).is_empty();
        self.nodes.rules(id).iter().any(|rule| match rule {
            Rule::Opaque { .. } => true,
            Rule::Members(members) => {
                members.named.iter().any(|(own, _)| *own == name)
                    || members
                        .matching
                        .iter()
                        .any(|(pattern, _)| judge.matches(*pattern, name) != Some(false))
                    || members.others.as_ref().is_some_and(is_rule)
            }
            Rule::UnevaluatedMembers(rest) => is_rule(rest),
            Rule::Names(names) => is_rule(names),
            Rule::Required(names) => names.contains(&name),
            Rule::Needs(own, needed) => *own == name || needed.contains(&name),
            Rule::Entails(own, _) => *own == name,
            Rule::Values(values) => values.iter().any(|value| value.is_object()),
            _ => false,
        })
    }
}
