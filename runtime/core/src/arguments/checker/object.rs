//! The members of an object: which names they have, which are missing, and what stands under them.

use super::check::{Check, Step, Terms};
use super::{Node, NodeId, ObjectRules, Types};
use crate::arguments::doc::{Doc, Edit, Json, ValueId};
use crate::arguments::problem::ProblemKind;

/// The state of a property of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    No,
    Yes,
    /// As `null`, which says as little as if it had not come.
    Null,
    /// The same, and its type takes no `null`.
    LeftOut,
}

/// What is said about the second of two members of one name.
pub(in crate::arguments) const REPEATED: &str = "given twice; give it once";

impl<'c> Check<'c, '_, '_> {
    pub(super) fn object(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        let object = &node.object;
        let count = count(self.doc, value);
        let mut came = vec![Came::No; object.properties.len()];
        let mut listed = Vec::with_capacity(count);
        let mut fits = true;
        for position in 0..count {
            let step = Step::Member(value, position);
            let property = self.listed(id, node, value, position);
            let is_first = property.is_none_or(|property| came[property] == Came::No);
            listed.push(property.filter(|_| is_first));
            match (property, self.member_at(value, position).map(|(_, member)| member)) {
                (Some(_), _) if !is_first => {
                    fits &= self.at(step, |check| check.say(ProblemKind::Repeated, || REPEATED.to_owned()));
                }
                (Some(property), Some(member)) => {
                    came[property] = self.as_what(node, property, member);
                }
                _ => fits &= self.known(node, value, position),
            }
            fits &= self.named(id, node, value, position);
            if !fits && self.findings.is_none() {
                return false;
            }
        }
        let has_come = |property: usize| came[property] == Came::Yes;
        for (name, property) in &object.required {
            let is_there = property.map_or_else(|| self.has(value, name), has_come);
            if !is_there {
                fits &= self.missing(property.map(|property| object.properties[property].1), name);
            }
        }
        for (position, property) in listed.into_iter().enumerate() {
            if !fits && self.findings.is_none() {
                return false;
            }
            fits &= self.member(node, &came, (value, position), property);
        }
        if !self.terms.has_rules() || (!fits && self.findings.is_none()) {
            return fits;
        }
        let length = count - came.iter().filter(|came| **came == Came::LeftOut).count();
        if object.min_properties.is_some_and(|min| (length as u64) < min)
            || object.max_properties.is_some_and(|max| length as u64 > max)
        {
            let quantity = super::describe::quantity(object.min_properties, object.max_properties, "member");
            fits &= self.say(ProblemKind::Size, || format!("expected {quantity}; got {length}"));
        }
        let is_there = |check: &Self, name: &str| match object.position(name) {
            Some(property) => has_come(property),
            None => check.has(value, name),
        };
        // Null alone asks for no other member, but where it is all that the type takes, it is what others ask for.
        let checker = self.checker;
        let is_given = |property: usize| {
            has_come(property)
                || (came[property] == Came::Null && !checker.node(object.properties[property].1).nullable)
        };
        for (name, dependents) in &object.dependent_required {
            if !is_there(self, name) {
                continue;
            }
            for dependent in dependents {
                if !object.position(dependent).map_or_else(|| self.has(value, dependent), is_given) {
                    fits &= self.missing(object.property(dependent), dependent);
                }
            }
        }
        for (property, needed) in self.insight.needs(id) {
            for other in needed.iter().filter(|other| has_come(*property) && !is_given(**other)) {
                let (name, child) = &object.properties[*other];
                fits &= self.missing(Some(*child), name);
            }
        }
        for (name, schema) in &object.dependent_schemas {
            if is_there(self, name) {
                fits &= self.run(*schema, value);
            }
        }
        fits
    }

    pub(super) fn member_at(&self, value: ValueId, position: usize) -> Option<(&str, ValueId)> {
        match self.doc.get(value) {
            Json::Object(members) => members.get(position).map(|(name, member)| (&**name, *member)),
            _ => None,
        }
    }

    /// The member of this name.
    pub(super) fn find(&self, value: ValueId, name: &str) -> Option<(usize, ValueId)> {
        match self.doc.get(value) {
            Json::Object(members) => members
                .iter()
                .enumerate()
                .find(|(_, (known, _))| *known == name)
                .map(|(position, (_, member))| (position, *member)),
            _ => None,
        }
    }

    fn has(&self, value: ValueId, name: &str) -> bool {
        self.find(value, name).is_some()
    }

    /// The property that the member at `position` is, by its name or another name of it.
    fn listed(&self, id: NodeId, node: &Node, value: ValueId, position: usize) -> Option<usize> {
        let object = &node.object;
        let (name, _) = self.member_at(value, position)?;
        if let Some(property) = object.position(name) {
            return Some(property);
        }
        let may_be_asked =
            !object.properties.is_empty() && (self.is_closed(node) || !self.checker.knows(name));
        let is_free = object.patterns.iter().any(|(pattern, _)| pattern.is_match(name));
        let is_of_another_arm = node.beside.iter().any(|other| **other == *name);
        if !may_be_asked || is_free || is_of_another_arm {
            return None;
        }
        self.insight.alias(id, name)
    }

    pub(super) fn is_closed(&self, node: &Node) -> bool {
        node.object.sealed
            || node.object.additional.is_some_and(|additional| self.checker.node(additional).never)
    }

    /// What a member comes as. `null` for one that need not be there is nothing: its type reads it as that, or never
    /// sees it.
    fn as_what(&mut self, node: &Node, property: usize, member: ValueId) -> Came {
        let (name, child) = &node.object.properties[property];
        let child = self.checker.node(*child);
        if !matches!(self.doc.get(member), Json::Null) || node.object.requires(name) {
            return Came::Yes;
        }
        if child.nullable || child.reach == Types::NULL {
            return Came::Null;
        }
        if !self.terms.is_generous() || child.takes_null() {
            return Came::Yes;
        }
        if self.findings.is_some() {
            self.edits.insert(member, Edit::LeaveOut);
        }
        Came::LeftOut
    }

    /// `propertyNames`.
    fn named(&mut self, id: NodeId, node: &Node, value: ValueId, position: usize) -> bool {
        let Some(names) = node.object.names else { return true };
        let Some((name, _)) = self.member_at(value, position) else { return true };
        let name = name.to_owned();
        let text = self.doc.add_text(name.clone());
        let terms = if self.terms.has_rules() { self.terms } else { Terms::Open };
        if self.silently(names, text, terms) {
            return true;
        }
        if !self.terms.has_rules() {
            // A rule may be that of the type: keys that are addresses are no other texts.
            return self.insight.reads_name(id, &name);
        }
        let expected = self.checker.describe(names);
        self.at(Step::Member(value, position), |check| {
            check.say(ProblemKind::Unknown, || format!("the name of this member must be {expected}"))
        })
    }

    /// Whether an object takes a member that it does not list.
    fn known(&mut self, node: &'c Node, value: ValueId, position: usize) -> bool {
        let object = &node.object;
        let is_shut = object.additional.is_some_and(|additional| self.checker.node(additional).never);
        let Some((name, _)) = self.member_at(value, position) else { return true };
        let is_named = object.patterns.iter().any(|(pattern, _)| pattern.is_match(name));
        if !is_shut || is_named || (self.terms.ignores_unknown() && !object.denies) {
            return true;
        }
        if self.is_nothing(value, position) {
            return true;
        }
        self.unknown(&[node], Step::Member(value, position))
    }

    /// Checks the value of a member: by the property, else by `patternProperties`, else of
    /// `additionalProperties`.
    fn member(
        &mut self,
        node: &'c Node,
        came: &[Came],
        (value, position): (ValueId, usize),
        property: Option<usize>,
    ) -> bool {
        let object = &node.object;
        let Some((name, member)) = self.member_at(value, position) else { return true };
        let step = Step::Member(value, position);
        let patterns = object.patterns.iter().filter(|(pattern, _)| pattern.is_match(name));
        let by_pattern: Vec<NodeId> = patterns.map(|(_, child)| *child).collect();
        let is_repeated = property.is_none() && object.position(name).is_some();
        let listed = property
            .filter(|property| came[*property] == Came::Yes)
            .map(|property| object.properties[property].1);
        let is_free = property.is_none() && by_pattern.is_empty() && !is_repeated;
        let additional = object
            .additional
            .or(self.of_any(node).filter(|_| object.properties.is_empty()))
            .filter(|additional| is_free && !self.checker.node(*additional).never);
        if let Some(additional) = additional
            && self.is_nothing_of_map(object, additional, (value, position))
        {
            return true;
        }
        let mut fits = true;
        for child in listed.into_iter().chain(by_pattern).chain(additional) {
            fits &= self.at(step, |check| check.run(child, member));
        }
        fits
    }

    /// `unevaluatedProperties: false`: every member is known to a part of the schema that holds.
    pub(super) fn seal(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        if !node.object.sealed || (self.terms.ignores_unknown() && !node.object.denies) {
            return true;
        }
        if !matches!(self.doc.get(value), Json::Object(_)) {
            return true;
        }
        let holding = self.holding(id, value);
        let mut fits = true;
        for position in 0..count(self.doc, value) {
            let Some((name, _)) = self.member_at(value, position) else { break };
            let is_known = holding.iter().any(|id| {
                let object = &self.checker.node(*id).object;
                object.position(name).is_some()
                    || object.additional.is_some()
                    || object.patterns.iter().any(|(pattern, _)| pattern.is_match(name))
                    || (!self.checker.knows(name) && self.insight.alias(*id, name).is_some())
            });
            if !is_known && !self.is_nothing(value, position) {
                let nodes: Vec<&Node> = holding.iter().map(|id| self.checker.node(*id)).collect();
                fits &= self.unknown(&nodes, Step::Member(value, position));
            }
        }
        fits
    }

    /// Whether the member is a `null` for a member of another variant, as some clients send for all that may be left out.
    fn is_nothing(&mut self, value: ValueId, position: usize) -> bool {
        let Some((name, member)) = self.member_at(value, position) else { return false };
        let is_nothing = self.terms == Terms::Meant
            && matches!(self.doc.get(member), Json::Null)
            && self.checker.knows(name);
        if is_nothing && self.findings.is_some() {
            self.edits.insert(member, Edit::LeaveOut);
        }
        is_nothing
    }

    /// The same where further members are taken, of which none is `null`.
    fn is_nothing_of_map(
        &mut self,
        object: &ObjectRules,
        additional: NodeId,
        (value, position): (ValueId, usize),
    ) -> bool {
        let Some((name, _)) = self.member_at(value, position) else { return false };
        let is_elsewhere = object.elsewhere.iter().any(|other| **other == *name);
        is_elsewhere && !self.checker.node(additional).takes_null() && self.is_nothing(value, position)
    }

    pub(super) fn unknown(&mut self, nodes: &[&Node], step: Step) -> bool {
        if self.findings.is_none() {
            return false;
        }
        let Step::Member(value, position) = step else { return false };
        let Some((name, _)) = self.member_at(value, position) else { return false };
        let message = super::describe::unknown_name(nodes, name);
        self.at(step, |check| check.say(ProblemKind::Unknown, || message))
    }

    fn missing(&mut self, property: Option<NodeId>, name: &str) -> bool {
        if self.findings.is_none() {
            return false;
        }
        // The name comes from the schema: it may be shown even inside a secret.
        let message = self.checker.missing(property);
        self.say_of(Some(name), ProblemKind::Missing, || message)
    }
}

/// How many members the value has.
pub(super) fn count(doc: &Doc<'_>, value: ValueId) -> usize {
    match doc.get(value) {
        Json::Object(members) => members.len(),
        _ => 0,
    }
}
