//! Finds what distinguishes the arms of a choice: a member with a constant, or the name of their only member.

use serde_json::Value;

use super::{Checker, NodeId, Types};

impl Checker {
    /// Returns the member that every arm requires with constant values, and all of its values.
    pub(in crate::arguments) fn tag(&self, arms: &[NodeId]) -> Option<(Box<str>, Vec<Value>)> {
        let (first, others) = arms.split_first().filter(|(_, others)| !others.is_empty())?;
        let candidates =
            self.unconditional_nodes(*first).into_iter().flat_map(|id| &self.node(id).object.required);
        for (name, _) in candidates {
            let mut values = self.tag_values(*first, name).to_vec();
            let is_tag = |arm: &NodeId| {
                (!self.tag_values(*arm, name).is_empty() || self.accepts_other(*arm, name))
                    && self.requires(*arm, name)
            };
            if values.is_empty() || !others.iter().all(is_tag) {
                continue;
            }
            for value in others.iter().flat_map(|arm| self.tag_values(*arm, name)) {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
            return Some((name.clone(), values));
        }
        None
    }

    /// Returns the values that the arm accepts for its member `name`; none if it accepts any value.
    pub(in crate::arguments) fn tag_values(&self, arm: NodeId, name: &str) -> &[Value] {
        self.unconditional_nodes(arm)
            .into_iter()
            .filter_map(|id| self.node(id).object.property(name))
            .find_map(|property| self.constants(property))
            .unwrap_or_default()
    }

    /// Returns the schemas of the member that distinguishes the arm from others.
    pub(super) fn tag_nodes(&self, arm: NodeId, name: &str) -> impl Iterator<Item = NodeId> {
        self.unconditional_nodes(arm).into_iter().filter_map(|id| self.node(id).object.property(name))
    }

    /// Returns the values that the node accepts, if they are listed.
    pub(in crate::arguments) fn constants(&self, id: NodeId) -> Option<&[Value]> {
        self.unconditional_nodes(id).into_iter().find_map(|id| self.node(id).allowed.as_deref())
    }

    /// Returns the name of the only member of each arm, if each arm is an object with one member that no other
    /// arm has.
    pub(in crate::arguments) fn keys(&self, arms: &[NodeId]) -> Option<Vec<(Box<str>, NodeId)>> {
        let key = |arm: &NodeId| {
            let node = self.node(*arm);
            match (&node.object.properties[..], &node.object.required[..]) {
                ([(name, _)], [(required, _)]) if name == required && node.types == Some(Types::OBJECT) => {
                    Some((name.clone(), *arm))
                }
                _ => None,
            }
        };
        let keys = arms.iter().map(key).collect::<Option<Vec<_>>>()?;
        let are_different =
            keys.iter().enumerate().all(|(at, (name, _))| keys[..at].iter().all(|(other, _)| other != name));
        (are_different && !keys.is_empty()).then_some(keys)
    }

    /// Returns whether the arm is the catch-all variant for the tag.
    pub(super) fn accepts_other(&self, arm: NodeId, name: &str) -> bool {
        self.tag_nodes(arm, name).any(|node| self.excludes_texts(node))
    }

    /// Returns whether the node accepts any string that it does not list.
    pub(in crate::arguments) fn excludes_texts(&self, id: NodeId) -> bool {
        let not = self.node(id).in_place.not.map(|not| self.node(not));
        not.is_some_and(|not| not.allowed.is_some() && not.types == Some(Types::STRING))
    }

    /// Returns the member that distinguishes some of the arms, and its values in these arms. Others may lack it:
    /// a flattened `Option` of an enum has an arm without it.
    pub(super) fn tag_of_some(&self, arms: &[NodeId], given: &[&str]) -> Option<(Box<str>, Vec<Value>)> {
        let has_tag = |arm: &NodeId, name: &str| {
            (!self.tag_values(*arm, name).is_empty() || self.accepts_other(*arm, name))
                && self.requires(*arm, name)
        };
        let knows = |arm: &NodeId, name: &str| self.tag_nodes(*arm, name).next().is_some();
        let name = given.iter().copied().find(|name| {
            arms.iter().any(|arm| has_tag(arm, name))
                && arms.iter().all(|arm| has_tag(arm, name) || !knows(arm, name))
        })?;
        let mut values: Vec<Value> = Vec::new();
        for value in arms.iter().flat_map(|arm| self.tag_values(*arm, name)) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        Some((name.into(), values))
    }

    /// Returns whether no two arms share a value of the tag.
    pub(super) fn has_different_tags(&self, arms: &[NodeId], tag: &str) -> bool {
        let mut seen: Vec<&Value> = Vec::new();
        arms.iter().flat_map(|arm| self.tag_values(*arm, tag)).all(|value| {
            let is_new = !seen.contains(&value);
            seen.push(value);
            is_new
        })
    }

    /// Returns whether nothing distinguishes the node from another arm that requires a member with this name.
    pub(in crate::arguments) fn is_needed_beside(&self, id: NodeId, name: &str) -> bool {
        self.nodes.iter().filter(|node| !node.arms_distinct).any(|node| {
            let is_own = |arm: &NodeId| self.unconditional_nodes(*arm).contains(&id);
            let mut arms = node.in_place.arms();
            node.in_place.arms().any(|arm| is_own(&arm))
                && arms.any(|arm| !is_own(&arm) && self.requires(arm, name))
        })
    }

    pub(super) fn requires(&self, arm: NodeId, name: &str) -> bool {
        self.unconditional_nodes(arm).into_iter().any(|id| self.node(id).object.requires(name))
    }
}
