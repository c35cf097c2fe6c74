//! What tells the arms of a choice apart: a member with a constant, or the only member there is.

use serde_json::Value;

use super::{Checker, NodeId, Types};

impl Checker {
    /// The member that every arm requires and gives certain values, with all values of all arms.
    pub(in crate::arguments) fn tag(&self, arms: &[NodeId]) -> Option<(Box<str>, Vec<Value>)> {
        let (first, others) = arms.split_first().filter(|(_, others)| !others.is_empty())?;
        let candidates = self.always(*first).into_iter().flat_map(|id| &self.node(id).object.required);
        for (name, _) in candidates {
            let mut values = self.tag_values(*first, name).to_vec();
            let is_tag = |arm: &NodeId| {
                (!self.tag_values(*arm, name).is_empty() || self.takes_other(*arm, name))
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

    /// The values that the arm gives to its member `name`; none if it gives it any value.
    pub(in crate::arguments) fn tag_values(&self, arm: NodeId, name: &str) -> &[Value] {
        self.always(arm)
            .into_iter()
            .filter_map(|id| self.node(id).object.property(name))
            .find_map(|property| self.constants(property))
            .unwrap_or_default()
    }

    /// The schemas of the member that tells the arm from others.
    pub(super) fn tag_nodes(&self, arm: NodeId, name: &str) -> impl Iterator<Item = NodeId> {
        self.always(arm).into_iter().filter_map(|id| self.node(id).object.property(name))
    }

    /// The values that fit the node, where they are listed.
    pub(in crate::arguments) fn constants(&self, id: NodeId) -> Option<&[Value]> {
        self.always(id).into_iter().find_map(|id| self.node(id).allowed.as_deref())
    }

    /// The name of the only member of each arm, where every arm is an object with one member that no other arm has.
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

    /// Whether the arm is the variant for all values of the tag that no other has.
    pub(super) fn takes_other(&self, arm: NodeId, name: &str) -> bool {
        self.tag_nodes(arm, name).any(|node| self.excludes_texts(node))
    }

    /// Whether the node takes any text but those that are listed.
    pub(in crate::arguments) fn excludes_texts(&self, id: NodeId) -> bool {
        let not = self.node(id).in_place.not.map(|not| self.node(not));
        not.is_some_and(|not| not.allowed.is_some() && not.types == Some(Types::STRING))
    }

    /// The member that tells some of the arms from each other, where others know nothing of it: a flattened `Option` of
    /// an enum has an arm without. With the values of all that have it.
    pub(super) fn tag_of_some(&self, arms: &[NodeId], given: &[&str]) -> Option<(Box<str>, Vec<Value>)> {
        let has_tag = |arm: &NodeId, name: &str| {
            (!self.tag_values(*arm, name).is_empty() || self.takes_other(*arm, name))
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

    /// Whether no value of the tag is that of two arms.
    pub(super) fn has_different_tags(&self, arms: &[NodeId], tag: &str) -> bool {
        let mut seen: Vec<&Value> = Vec::new();
        arms.iter().flat_map(|arm| self.tag_values(*arm, tag)).all(|value| {
            let is_new = !seen.contains(&value);
            seen.push(value);
            is_new
        })
    }

    /// Whether the node is a form that nothing tells from another one which needs a member of this name.
    pub(in crate::arguments) fn is_needed_beside(&self, id: NodeId, name: &str) -> bool {
        self.nodes.iter().filter(|node| !node.told).any(|node| {
            let is_own = |arm: &NodeId| self.always(*arm).contains(&id);
            let mut arms = node.in_place.arms();
            node.in_place.arms().any(|arm| is_own(&arm))
                && arms.any(|arm| !is_own(&arm) && self.requires(arm, name))
        })
    }

    pub(super) fn requires(&self, arm: NodeId, name: &str) -> bool {
        self.always(arm).into_iter().any(|id| self.node(id).object.requires(name))
    }
}
