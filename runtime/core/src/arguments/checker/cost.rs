//! Computes in advance the cost of serde's handling of untagged enums.
//!
//! Serde tries the variants of an untagged enum one after the other, each on a copy of the value, and once more
//! for each nested untagged enum. If several variants have a member with the same name that holds the enum
//! itself, the work doubles with each level. Such a value is rejected before serde sees it.

use std::collections::HashMap;

use super::{Checker, Node, NodeId, ROOT};
use crate::arguments::doc::{Doc, Edit, Json, ValueId};

/// Maximum number of values that serde may copy, in addition to [`COST_PER_VALUE`] for each value of the text.
const MAX_COST: u64 = 50_000;
/// What each value of the text adds to [`MAX_COST`].
const COST_PER_VALUE: u64 = 500;
/// Maximum depth of nested schemas.
const MAX_DEPTH: usize = 512;

/// Returns whether serde reads the value in time that is proportional to its size.
pub(in crate::arguments) fn is_affordable(
    checker: &Checker,
    doc: &Doc<'_>,
    value: ValueId,
    edits: &HashMap<ValueId, Edit>,
) -> bool {
    let limit = MAX_COST + COST_PER_VALUE * doc.len() as u64;
    let mut count = Count { checker, doc, edits, known: HashMap::new(), sizes: HashMap::new(), depth: 0 };
    count.cost(ROOT, value) <= limit
}

struct Count<'c> {
    checker: &'c Checker,
    doc: &'c Doc<'c>,
    edits: &'c HashMap<ValueId, Edit>,
    known: HashMap<(NodeId, ValueId), u64>,
    sizes: HashMap<ValueId, u64>,
    depth: usize,
}

impl Count<'_> {
    fn cost(&mut self, id: NodeId, value: ValueId) -> u64 {
        if let Some(Edit::Replace(other)) = self.edits.get(&value) {
            return self.cost(id, *other);
        }
        if let Some(known) = self.known.get(&(id, value)) {
            return *known;
        }
        if self.depth == MAX_DEPTH {
            return u64::MAX;
        }
        self.depth += 1;
        let cost = self.of(id, value);
        self.depth -= 1;
        if self.checker.node(id).shared {
            self.known.insert((id, value), cost);
        }
        cost
    }

    fn of(&mut self, id: NodeId, value: ValueId) -> u64 {
        let node = self.checker.node(id);
        let mut cost = 1_u64;
        match self.doc.get(value) {
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(child) = node.array.prefix.get(index).copied().or(node.array.items) {
                        cost = cost.saturating_add(self.cost(child, *item));
                    }
                }
            }
            Json::Object(members) => {
                for (name, member) in members {
                    if let Some(child) = node.object.property(name).or(node.object.additional) {
                        cost = cost.saturating_add(self.cost(child, *member));
                    }
                }
            }
            _ => {}
        }
        let parts = &node.in_place;
        for part in parts.reference.iter().chain(&parts.all_of) {
            cost = cost.saturating_add(self.cost(*part, value));
        }
        let tried = !node.arms_distinct;
        for arms in [&parts.any_of, &parts.one_of] {
            let own = arms.first().map_or(0, |arm| self.read_once(node, *arm, value));
            let each: Vec<u64> = arms.iter().map(|arm| self.cost(*arm, value)).collect();
            let arms = if tried && !node.arms_partly_distinct {
                each.into_iter().map(|cost| cost.saturating_sub(own)).fold(own, u64::saturating_add)
            } else {
                each.into_iter().max().unwrap_or(0)
            };
            cost = cost.saturating_add(arms);
        }
        if tried { cost.saturating_add(self.size(value)) } else { cost }
    }

    /// Returns the cost of the members that serde reads once, whichever arm it selects.
    fn read_once(&mut self, node: &Node, arm: NodeId, value: ValueId) -> u64 {
        let Json::Object(members) = self.doc.get(value) else { return 0 };
        let object = &self.checker.node(arm).object;
        let own = members.iter().filter(|(name, _)| node.read_once.iter().any(|own| **own == **name));
        let own = own.filter_map(|(name, member)| Some((object.property(name)?, *member)));
        own.fold(0, |cost, (child, member)| cost.saturating_add(self.cost(child, member)))
    }

    /// Returns the number of values in a value, including itself.
    fn size(&mut self, value: ValueId) -> u64 {
        if let Some(known) = self.sizes.get(&value) {
            return *known;
        }
        let size = match self.doc.get(value) {
            Json::Array(items) => 1 + items.iter().map(|item| self.size(*item)).sum::<u64>(),
            Json::Object(members) => 1 + members.iter().map(|(_, member)| self.size(*member)).sum::<u64>(),
            _ => 1,
        };
        self.sizes.insert(value, size);
        size
    }
}
