//! Properties of a node that depend on the nodes it refers to.

use super::{Beyond, Checker, Location, NodeId, ROOT, Types};

/// Maximum number of consecutive `$ref`s and combinators to follow for the types of a value.
const MAX_INDIRECTION: usize = 8;

impl Checker {
    /// Marks the root property `name` as secret.
    pub(in crate::arguments) fn mark_secret(&mut self, name: &str) {
        for at in self.parts_of_root() {
            if let Some(NodeId(property)) = self.nodes[at].object.property(name) {
                self.nodes[property].secrets = Location::Here;
            }
        }
        self.propagate_marks();
    }

    /// Leaves unknown names at the root to serde, unless serde rejects them.
    pub(in crate::arguments) fn open_root(&mut self) {
        for at in self.parts_of_root() {
            let object = &self.nodes[at].object;
            let is_shut = object.additional.is_some_and(|additional| self.node(additional).never);
            let object = &mut self.nodes[at].object;
            if is_shut && !object.denies_unknown {
                object.additional = None;
            }
            object.sealed &= object.denies_unknown;
        }
    }

    /// Accepts `alias` as another name of the root property `name`.
    pub(in crate::arguments) fn add_alias(&mut self, name: &str, alias: &str) {
        for at in self.parts_of_root() {
            let object = &mut self.nodes[at].object;
            if let (Some(property), None) = (object.position(name), object.position(alias)) {
                let place = object.spellings.partition_point(|(spelling, _)| **spelling < *alias);
                object.spellings.insert(place, (alias.into(), property));
            }
        }
    }

    /// Returns the root and all nodes that may apply to the same value, as indices.
    fn parts_of_root(&self) -> Vec<usize> {
        let mut parts = vec![ROOT];
        let mut next = 0;
        while let Some(id) = parts.get(next).copied() {
            let found: Vec<NodeId> =
                self.node(id).in_place.nodes().filter(|part| !parts.contains(part)).collect();
            parts.extend(found);
            next += 1;
        }
        parts.into_iter().map(|NodeId(at)| at).collect()
    }

    /// Propagates properties of nodes to all nodes that refer to them, until nothing changes: references may be
    /// circular.
    pub(super) fn propagate_marks(&mut self) {
        for at in 0..self.nodes.len() {
            self.nodes[at].reach = self.reach(NodeId(at), MAX_INDIRECTION);
            let node = &self.nodes[at];
            // Serde selects the first matching variant by its own rules, and accepts any number as a JSON value.
            if node.is_free() || node.in_place.arms().next().is_some() {
                self.nodes[at].beyond_serde = Beyond::Everything;
            }
            let arms: Vec<NodeId> = self.nodes[at].in_place.arms().collect();
            let objects: Vec<NodeId> = arms
                .iter()
                .copied()
                .filter(|arm| self.reach(*arm, MAX_INDIRECTION).overlaps(Types::OBJECT))
                .collect();
            self.nodes[at].arms_distinct = objects.len() < 2 || self.mark_distinct_arms(&objects);
            let names: Vec<Box<str>> = objects
                .iter()
                .flat_map(|arm| &self.node(*arm).object.properties)
                .map(|(name, _)| name.clone())
                .collect();
            let names: Vec<&str> = names.iter().map(|name| &**name).collect();
            self.store_names_of_others(&objects);
            self.nodes[at].arms_partly_distinct =
                self.nodes[at].arms_distinct || self.tag_of_some(&objects, &names).is_some();
            let object = &self.nodes[at].object;
            let is_closed = object.additional.is_some_and(|additional| self.node(additional).never);
            let has_names = is_closed || object.sealed || !object.properties.is_empty();
            self.nodes[at].outlined = has_names || self.nodes[at].beyond_serde != Beyond::Nothing;
        }
        loop {
            let mut changed = false;
            for index in 0..self.nodes.len() {
                let node = &self.nodes[index];
                let (mut secrets, mut beyond_serde, mut outlined) =
                    (node.secrets, node.beyond_serde, node.outlined);
                if node.in_place.nodes().any(|part| self.node(part).is_secret()) {
                    secrets = Location::Here;
                }
                for child in node.children().map(|child| self.node(child)) {
                    if child.contains_secret() {
                        secrets = secrets.max(Location::Below);
                    }
                    beyond_serde = beyond_serde.max(child.beyond_serde);
                    outlined |= child.outlined;
                }
                let node = &mut self.nodes[index];
                changed |=
                    (node.secrets, node.beyond_serde, node.outlined) != (secrets, beyond_serde, outlined);
                (node.secrets, node.beyond_serde, node.outlined) = (secrets, beyond_serde, outlined);
            }
            if !changed {
                return;
            }
        }
    }

    /// Stores in each arm that accepts further members the names that only other arms list.
    fn store_names_of_others(&mut self, arms: &[NodeId]) {
        let listed = |checker: &Self, arm: NodeId| -> Vec<Box<str>> {
            let parts = checker.unconditional_nodes(arm).into_iter();
            parts.flat_map(|id| &checker.node(id).object.properties).map(|(name, _)| name.clone()).collect()
        };
        for arm in arms {
            let own = listed(self, *arm);
            let others = arms.iter().filter(|other| *other != arm).flat_map(|other| listed(self, *other));
            let others: Vec<Box<str>> = others.filter(|name| !own.contains(name)).collect();
            for NodeId(part) in self.unconditional_nodes(*arm) {
                let object = &mut self.nodes[part].object;
                if object.additional.is_some() {
                    object.other_variants.clone_from(&others);
                }
            }
        }
    }

    /// Returns whether something distinguishes the arms, and stores in each arm what distinguishes the others.
    fn mark_distinct_arms(&mut self, arms: &[NodeId]) -> bool {
        if let Some((tag, values)) = self.tag(arms) {
            let values: Vec<Box<str>> =
                values.iter().filter_map(|value| value.as_str().map(Into::into)).collect();
            let nodes = arms.iter().flat_map(|arm| self.unconditional_nodes(*arm));
            let tags: Vec<NodeId> = nodes.filter_map(|id| self.node(id).object.property(&tag)).collect();
            for NodeId(node) in tags {
                self.nodes[node].siblings.clone_from(&values);
            }
            return self.has_different_tags(arms, &tag);
        }
        let Some(keys) = self.keys(arms) else {
            self.mark_partly_distinct_arms(arms);
            return false;
        };
        let names: Vec<Box<str>> = keys.iter().map(|(name, _)| name.clone()).collect();
        for (_, NodeId(arm)) in keys {
            self.nodes[arm].siblings.clone_from(&names);
        }
        true
    }

    /// The same for tags that only some of the arms have, such as those of a flattened `Option`.
    fn mark_partly_distinct_arms(&mut self, arms: &[NodeId]) {
        let mut tags: Vec<(Box<str>, Vec<Box<str>>)> = Vec::new();
        for arm in arms {
            let required =
                self.unconditional_nodes(*arm).into_iter().flat_map(|id| &self.node(id).object.required);
            for (name, _) in required {
                let values =
                    self.tag_values(*arm, name).iter().filter_map(|value| value.as_str().map(Into::into));
                match tags.iter_mut().find(|(known, _)| known == name) {
                    Some((_, known)) => known.extend(values),
                    None => tags.push((name.clone(), values.collect())),
                }
            }
        }
        for (name, values) in tags {
            let nodes: Vec<NodeId> = arms.iter().flat_map(|arm| self.tag_nodes(*arm, &name)).collect();
            for NodeId(tag) in nodes {
                self.nodes[tag].siblings.clone_from(&values);
            }
        }
    }

    fn reach(&self, id: NodeId, indirection: usize) -> Types {
        let node = self.node(id);
        let mut types = node.types.unwrap_or(Types::ANY);
        if node.never {
            return Types::NONE;
        }
        if let Some(allowed) = &node.allowed {
            types = types.and(allowed.iter().map(Types::of).fold(Types::NONE, Types::or));
        }
        let Some(indirection) = indirection.checked_sub(1) else { return types };
        for part in node.in_place.reference.iter().chain(&node.in_place.all_of) {
            types = types.and(self.reach(*part, indirection));
        }
        for arms in [&node.in_place.any_of, &node.in_place.one_of] {
            if !arms.is_empty() {
                let any = arms.iter().map(|arm| self.reach(*arm, indirection));
                types = types.and(any.fold(Types::NONE, Types::or));
            }
        }
        types
    }
}
