//! Validates the members of an object: unknown names, missing members and their values.

use super::check::{Check, Mode, Step};
use super::{Node, NodeId, ObjectRules, Types};
use crate::arguments::doc::{Doc, Edit, Json, ValueId};
use crate::arguments::problem::ProblemKind;

/// The state of a property of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberState {
    No,
    Yes,
    /// It is `null`, which is equivalent to being absent.
    Null,
    /// The same, and its type does not accept `null`.
    IgnoredNull,
}

/// The message for a duplicate member.
pub(in crate::arguments) const DUPLICATE_MESSAGE: &str = "given twice; give it once";

impl<'c> Check<'c, '_, '_> {
    pub(super) fn check_object(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        let object = &node.object;
        let count = count(self.doc, value);
        let mut came = vec![MemberState::No; object.properties.len()];
        let mut listed = Vec::with_capacity(count);
        let mut fits = true;
        for position in 0..count {
            let step = Step::Member(value, position);
            let property = self.property_of(id, node, value, position);
            let is_first = property.is_none_or(|property| came[property] == MemberState::No);
            listed.push(property.filter(|_| is_first));
            match (property, self.member_at(value, position).map(|(_, member)| member)) {
                (Some(_), _) if !is_first => {
                    fits &= self.with_step(step, |check| {
                        check.report(ProblemKind::Duplicate, || DUPLICATE_MESSAGE.to_owned())
                    });
                }
                (Some(property), Some(member)) => {
                    came[property] = self.state_of(node, property, member);
                }
                _ => fits &= self.accepts_unlisted(node, value, position),
            }
            fits &= self.check_name(id, node, value, position);
            if !fits && self.findings.is_none() {
                return false;
            }
        }
        let has_come = |property: usize| came[property] == MemberState::Yes;
        for (name, property) in &object.required {
            let is_there = property.map_or_else(|| self.has(value, name), has_come);
            if !is_there {
                fits &= self.report_missing(property.map(|property| object.properties[property].1), name);
            }
        }
        for (position, property) in listed.into_iter().enumerate() {
            if !fits && self.findings.is_none() {
                return false;
            }
            fits &= self.check_member(node, &came, (value, position), property);
        }
        if !self.mode.has_constraints() || (!fits && self.findings.is_none()) {
            return fits;
        }
        let length = count - came.iter().filter(|came| **came == MemberState::IgnoredNull).count();
        if object.min_properties.is_some_and(|min| (length as u64) < min)
            || object.max_properties.is_some_and(|max| length as u64 > max)
        {
            let quantity =
                super::describe::format_quantity(object.min_properties, object.max_properties, "member");
            fits &= self.report(ProblemKind::Size, || format!("expected {quantity}; got {length}"));
        }
        let is_there = |check: &Self, name: &str| match object.position(name) {
            Some(property) => has_come(property),
            None => check.has(value, name),
        };
        // A `null` requires no other member, unless the type accepts nothing else.
        let checker = self.checker;
        let is_given = |property: usize| {
            has_come(property)
                || (came[property] == MemberState::Null
                    && !checker.node(object.properties[property].1).nullable)
        };
        for (name, dependents) in &object.dependent_required {
            if !is_there(self, name) {
                continue;
            }
            for dependent in dependents {
                if !object.position(dependent).map_or_else(|| self.has(value, dependent), is_given) {
                    fits &= self.report_missing(object.property(dependent), dependent);
                }
            }
        }
        for (property, needed) in self.type_info.needs(id) {
            for other in needed.iter().filter(|other| has_come(*property) && !is_given(**other)) {
                let (name, child) = &object.properties[*other];
                fits &= self.report_missing(Some(*child), name);
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

    /// Returns the member with this name.
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

    /// Returns the property of the member at `position`, by name or alias.
    fn property_of(&self, id: NodeId, node: &Node, value: ValueId, position: usize) -> Option<usize> {
        let object = &node.object;
        let (name, _) = self.member_at(value, position)?;
        if let Some(property) = object.position(name) {
            return Some(property);
        }
        let may_be_asked =
            !object.properties.is_empty() && (self.is_closed(node) || !self.checker.knows(name));
        let is_free = object.patterns.iter().any(|(pattern, _)| pattern.is_match(name));
        let is_of_another_arm = node.siblings.iter().any(|other| **other == *name);
        if !may_be_asked || is_free || is_of_another_arm {
            return None;
        }
        self.type_info.alias(id, name)
    }

    pub(super) fn is_closed(&self, node: &Node) -> bool {
        node.object.sealed
            || node.object.additional.is_some_and(|additional| self.checker.node(additional).never)
    }

    /// Returns the state of a member. `null` for an optional member counts as absent: its type reads it so, or
    /// never sees it.
    fn state_of(&mut self, node: &Node, property: usize, member: ValueId) -> MemberState {
        let (name, child) = &node.object.properties[property];
        let child = self.checker.node(*child);
        if !matches!(self.doc.get(member), Json::Null) || node.object.requires(name) {
            return MemberState::Yes;
        }
        if child.nullable || child.reach == Types::NULL {
            return MemberState::Null;
        }
        if !self.mode.is_schema() || child.accepts_null() {
            return MemberState::Yes;
        }
        if self.findings.is_some() {
            self.edits.insert(member, Edit::Omit);
        }
        MemberState::IgnoredNull
    }

    /// Checks `propertyNames`.
    fn check_name(&mut self, id: NodeId, node: &Node, value: ValueId, position: usize) -> bool {
        let Some(names) = node.object.names else { return true };
        let Some((name, _)) = self.member_at(value, position) else { return true };
        let name = name.to_owned();
        let text = self.doc.add_text(name.clone());
        let mode = if self.mode.has_constraints() { self.mode } else { Mode::SerdeOpen };
        if self.matches(names, text, mode) {
            return true;
        }
        if !self.mode.has_constraints() {
            // The constraint may come from a type, such as keys that are addresses.
            return self.type_info.reads_name(id, &name);
        }
        let expected = self.checker.describe(names);
        self.with_step(Step::Member(value, position), |check| {
            check.report(ProblemKind::Unknown, || format!("the name of this member must be {expected}"))
        })
    }

    /// Returns whether an object accepts a member that it does not list.
    fn accepts_unlisted(&mut self, node: &'c Node, value: ValueId, position: usize) -> bool {
        let object = &node.object;
        let is_shut = object.additional.is_some_and(|additional| self.checker.node(additional).never);
        let Some((name, _)) = self.member_at(value, position) else { return true };
        let is_named = object.patterns.iter().any(|(pattern, _)| pattern.is_match(name));
        if !is_shut || is_named || (self.mode.ignores_unknown() && !object.denies_unknown) {
            return true;
        }
        if self.is_ignored_null(value, position) {
            return true;
        }
        self.report_unknown(&[node], Step::Member(value, position))
    }

    /// Checks the value of a member by its property, else by `patternProperties`, else by
    /// `additionalProperties`.
    fn check_member(
        &mut self,
        node: &'c Node,
        came: &[MemberState],
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
            .filter(|property| came[*property] == MemberState::Yes)
            .map(|property| object.properties[property].1);
        let is_free = property.is_none() && by_pattern.is_empty() && !is_repeated;
        let additional = object
            .additional
            .or(self.of_any(node).filter(|_| object.properties.is_empty()))
            .filter(|additional| is_free && !self.checker.node(*additional).never);
        if let Some(additional) = additional
            && self.is_ignored_null_of_map(object, additional, (value, position))
        {
            return true;
        }
        let mut fits = true;
        for child in listed.into_iter().chain(by_pattern).chain(additional) {
            fits &= self.with_step(step, |check| check.run(child, member));
        }
        fits
    }

    /// Checks `unevaluatedProperties: false`: every member must be known to a part of the schema that applies.
    pub(super) fn check_unevaluated(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        if !node.object.sealed || (self.mode.ignores_unknown() && !node.object.denies_unknown) {
            return true;
        }
        if !matches!(self.doc.get(value), Json::Object(_)) {
            return true;
        }
        let applicable = self.applicable_nodes(id, value);
        let mut fits = true;
        for position in 0..count(self.doc, value) {
            let Some((name, _)) = self.member_at(value, position) else { break };
            let is_known = applicable.iter().any(|id| {
                let object = &self.checker.node(*id).object;
                object.position(name).is_some()
                    || object.additional.is_some()
                    || object.patterns.iter().any(|(pattern, _)| pattern.is_match(name))
                    || (!self.checker.knows(name) && self.type_info.alias(*id, name).is_some())
            });
            if !is_known && !self.is_ignored_null(value, position) {
                let nodes: Vec<&Node> = applicable.iter().map(|id| self.checker.node(*id)).collect();
                fits &= self.report_unknown(&nodes, Step::Member(value, position));
            }
        }
        fits
    }

    /// Returns whether the member is `null` and belongs to another variant: some clients send `null` for all
    /// optional members.
    fn is_ignored_null(&mut self, value: ValueId, position: usize) -> bool {
        let Some((name, member)) = self.member_at(value, position) else { return false };
        let is_ignored_null = self.mode == Mode::SchemaWithText
            && matches!(self.doc.get(member), Json::Null)
            && self.checker.knows(name);
        if is_ignored_null && self.findings.is_some() {
            self.edits.insert(member, Edit::Omit);
        }
        is_ignored_null
    }

    /// The same for an object that accepts further members, none of which is `null`.
    fn is_ignored_null_of_map(
        &mut self,
        object: &ObjectRules,
        additional: NodeId,
        (value, position): (ValueId, usize),
    ) -> bool {
        let Some((name, _)) = self.member_at(value, position) else { return false };
        let is_elsewhere = object.other_variants.iter().any(|other| **other == *name);
        is_elsewhere && !self.checker.node(additional).accepts_null() && self.is_ignored_null(value, position)
    }

    pub(super) fn report_unknown(&mut self, nodes: &[&Node], step: Step) -> bool {
        if self.findings.is_none() {
            return false;
        }
        let Step::Member(value, position) = step else { return false };
        let Some((name, _)) = self.member_at(value, position) else { return false };
        let message = super::describe::describe_unknown_member(nodes, name);
        self.with_step(step, |check| check.report(ProblemKind::Unknown, || message))
    }

    fn report_missing(&mut self, property: Option<NodeId>, name: &str) -> bool {
        if self.findings.is_none() {
            return false;
        }
        // The name comes from the schema, so it is no secret.
        let message = self.checker.describe_missing(property);
        self.report_member(Some(name), ProblemKind::Missing, || message)
    }
}

/// Returns the number of members.
pub(super) fn count(doc: &Doc<'_>, value: ValueId) -> usize {
    match doc.get(value) {
        Json::Object(members) => members.len(),
        _ => 0,
    }
}
