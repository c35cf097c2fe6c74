//! Schemas that apply to the same value, and the choice among the arms of `anyOf` and `oneOf`.

use std::fmt::Write as _;

use serde_json::Value;

use super::check::{Check, Mode, Step};
use super::{Node, NodeId};
use crate::arguments::doc::{Json, ValueId};
use crate::arguments::problem::{Findings, ProblemKind};

/// The arm that an invalid value was probably meant for.
#[derive(Debug)]
enum Intent {
    Arm(NodeId),
    /// Several, distinguished by a tag: its name and its values.
    Tag(Box<str>, Vec<Value>),
    /// One of these names must be the only member of the value.
    Key(Vec<Box<str>>),
    Unclear,
}

impl<'c> Check<'c, '_, '_> {
    pub(super) fn check_in_place(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        let parts = &node.in_place;
        let mut fits = true;
        for part in parts.reference.iter().chain(&parts.all_of) {
            fits &= self.run(*part, value);
            if !fits && self.findings.is_none() {
                return false;
            }
        }
        for (arms, only_one) in [(&parts.any_of, false), (&parts.one_of, true)] {
            if !arms.is_empty() {
                fits &= self.check_arms((id, node), arms, only_one, value);
            }
        }
        if !fits && self.findings.is_none() {
            return false;
        }
        // Serde enforces which names a catch-all variant excludes.
        let knows_not = self.mode.has_constraints() || self.checker.excludes_texts(id);
        if let Some(not) = parts.not.filter(|_| knows_not)
            && self.matches(not, value, self.mode)
        {
            fits &= self.report_value(ProblemKind::Forms, node, value, |checker| {
                format!("anything but {}", checker.describe(not))
            });
        }
        if let Some((test, then, otherwise)) = parts.condition.filter(|_| self.mode.has_constraints()) {
            let branch = if self.matches(test, value, self.mode) { then } else { otherwise };
            fits &= branch.is_none_or(|branch| self.run(branch, value));
        }
        fits & self.check_unevaluated(id, node, value)
    }

    /// Checks `anyOf`, or `oneOf` if `only_one`.
    fn check_arms(
        &mut self,
        (id, node): (NodeId, &'c Node),
        arms: &'c [NodeId],
        only_one: bool,
        value: ValueId,
    ) -> bool {
        let mode = self.mode;
        // An arm that matches the value as written takes precedence.
        let exact = if mode == Mode::SchemaWithText { Mode::Serde } else { mode };
        let mut chosen = None;
        for (at, arm) in arms.iter().enumerate() {
            if !self.matches(*arm, value, exact) {
                continue;
            }
            if chosen.is_some() && node.arms_distinct {
                // Several arms may have the same alias of a variant.
                continue;
            }
            if chosen.replace(at).is_some() && only_one {
                let forms = self.checker.describe_arms(arms);
                return self.report(ProblemKind::Forms, || {
                    format!("fits more than one of the forms, of which it may fit one: {forms}")
                });
            }
            if !only_one {
                break;
            }
        }
        if chosen.is_none() && exact != mode {
            chosen = arms.iter().position(|arm| self.matches(*arm, value, mode));
        }
        if self.findings.is_none() {
            return chosen.is_some();
        }
        match chosen {
            Some(at) => self.run(arms[at], value) && self.is_read_by((id, node), arms, at, value),
            None => self.report_no_match(node, arms, value),
        }
    }

    /// Returns the nodes that apply to the value: through references, `allOf`, and the arms that it matches or
    /// was meant for.
    pub(super) fn applicable_nodes(&mut self, id: NodeId, value: ValueId) -> Vec<NodeId> {
        let mut applicable = vec![id];
        let mut next = 0;
        while let Some(id) = applicable.get(next).copied() {
            next += 1;
            let parts = &self.checker.node(id).in_place;
            let mut found: Vec<NodeId> = parts.reference.iter().chain(&parts.all_of).copied().collect();
            for arms in [&parts.any_of, &parts.one_of] {
                if arms.is_empty() {
                    continue;
                }
                let fitting: Vec<NodeId> =
                    arms.iter().copied().filter(|arm| self.matches(*arm, value, self.mode)).collect();
                match self.find_intent(arms, value) {
                    _ if !fitting.is_empty() => found.extend(fitting),
                    Intent::Arm(arm) => found.push(arm),
                    // It is unknown which names are valid.
                    Intent::Tag(..) | Intent::Key(_) | Intent::Unclear => found.extend(arms),
                }
            }
            if let Some((test, then, otherwise)) = parts.condition {
                let holds = self.matches(test, value, self.mode);
                found
                    .extend(if holds { [Some(test), then] } else { [otherwise, None] }.into_iter().flatten());
            }
            found.retain(|part| !applicable.contains(part));
            applicable.extend(found);
        }
        applicable
    }

    fn report_no_match(&mut self, node: &Node, arms: &'c [NodeId], value: ValueId) -> bool {
        match self.find_intent(arms, value) {
            Intent::Arm(arm) => {
                let before = self.findings.as_ref().map_or(0, Findings::count);
                let fits = self.run(arm, value);
                // An arm may reject a value without reporting a problem.
                if fits || self.findings.as_ref().is_some_and(|findings| findings.count() == before) {
                    return self
                        .report_value(ProblemKind::Forms, node, value, |checker| checker.describe(arm));
                }
                false
            }
            Intent::Tag(name, allowed) => {
                let Some((position, member)) = self.find(value, &name) else {
                    let expected = super::describe::format_choices(&allowed);
                    return self.report_member(Some(&name), ProblemKind::Missing, || {
                        format!("missing; expected {expected}")
                    });
                };
                self.with_step(Step::Member(value, position), |check| {
                    check.report_choice(node, &allowed, member)
                })
            }
            Intent::Key(names) => {
                let names: Vec<&str> = names.iter().map(|name| &**name).collect();
                let Some((name, _)) = self.member_at(value, 0) else {
                    return self.report_value(ProblemKind::Forms, node, value, |checker| {
                        checker.describe_arms(arms)
                    });
                };
                let mut message = super::describe::describe_unknown(name, &names);
                let alone = arms.iter().filter_map(|arm| self.checker.constants(*arm)).flatten().cloned();
                let alone: Vec<Value> = alone.collect();
                if !alone.is_empty() {
                    let _ = write!(message, ", and as a string {}", super::describe::format_choices(&alone));
                }
                self.with_step(Step::Member(value, 0), |check| check.report(ProblemKind::Unknown, || message))
            }
            Intent::Unclear if self.report_unknown_to_all(arms, value) => false,
            Intent::Unclear => {
                let near = self.suggest_constant(arms, value);
                self.report_with(
                    ProblemKind::Forms,
                    node,
                    value,
                    |checker| checker.describe_arms(arms),
                    &near,
                )
            }
        }
    }

    /// Reports members that no arm knows; returns whether there are any.
    fn report_unknown_to_all(&mut self, arms: &[NodeId], value: ValueId) -> bool {
        let nodes: Vec<&Node> = arms
            .iter()
            .flat_map(|arm| self.checker.unconditional_nodes(*arm))
            .map(|id| self.checker.node(id))
            .collect();
        if !nodes.iter().all(|node| self.is_closed(node)) {
            return false;
        }
        let mut found = false;
        for position in 0..super::object::count(self.doc, value) {
            let Some((name, _)) = self.member_at(value, position) else { break };
            if !arms.iter().any(|arm| self.knows(*arm, name)) {
                found = true;
                self.report_unknown(&nodes, Step::Member(value, position));
            }
        }
        found
    }

    /// Returns `; did you mean …?` for the constants of the arms.
    fn suggest_constant(&self, arms: &[NodeId], value: ValueId) -> String {
        let constants: Vec<Value> =
            arms.iter().filter_map(|arm| self.checker.constants(*arm)).flatten().cloned().collect();
        self.suggest(&constants, value)
    }

    fn find_intent(&self, arms: &[NodeId], value: ValueId) -> Intent {
        let types = self.types_of(value);
        let mut left: Vec<NodeId> =
            arms.iter().copied().filter(|arm| self.checker.node(*arm).reach.has(types)).collect();
        let Json::Object(members) = self.doc.get(value) else {
            return if let [only] = left[..] { Intent::Arm(only) } else { Intent::Unclear };
        };
        let given: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
        let tag = self.checker.tag(&left);
        if tag.is_none()
            && let Some(keys) = self.checker.keys(&left)
        {
            let named = |name: &str| {
                let listed = keys.iter().find(|(key, _)| **key == *name);
                let by_another = || keys.iter().find(|(_, arm)| self.type_info.alias(*arm, name).is_some());
                listed.or_else(by_another).map(|(_, arm)| *arm)
            };
            if let Some(arm) = given.iter().find_map(|name| named(name)) {
                return Intent::Arm(arm);
            }
            return Intent::Key(keys.into_iter().map(|(key, _)| key).collect());
        }
        if let Some((tag, allowed)) = tag.or_else(|| self.checker.tag_of_some(&left, &given)) {
            let meant = self.arms_with_tag(&left, &tag, value);
            if meant.is_empty() {
                return Intent::Tag(tag, allowed);
            }
            left = meant;
        }
        self.nearest_arm(&left, &given)
    }

    /// Returns the arms with the tag of the value.
    fn arms_with_tag(&self, arms: &[NodeId], tag: &str, value: ValueId) -> Vec<NodeId> {
        let Some((_, given)) = self.find(value, tag) else { return Vec::new() };
        let is_meant = |arm: &NodeId| {
            let constants = self.checker.tag_values(*arm, tag);
            constants.iter().any(|one| super::number::equals(one, self.doc, given))
                || self.checker.tag_nodes(*arm, tag).any(|node| self.is_unlisted(node, given))
        };
        let meant: Vec<NodeId> = arms.iter().copied().filter(is_meant).collect();
        if !meant.is_empty() || !matches!(self.doc.get(given), Json::Text(_)) {
            return meant;
        }
        arms.iter().copied().filter(|arm| self.checker.accepts_other(*arm, tag)).collect()
    }

    /// Returns the arm that knows the most members; of several, the one that lacks the fewest.
    fn nearest_arm(&self, arms: &[NodeId], given: &[&str]) -> Intent {
        if let [only] = arms {
            return Intent::Arm(*only);
        }
        let known = |arm: NodeId| given.iter().filter(|name| self.knows(arm, name)).count();
        let lacking = |arm: NodeId| {
            let nodes = self.checker.unconditional_nodes(arm);
            let required = nodes.iter().flat_map(|id| &self.checker.node(*id).object.required);
            required.filter(|(name, _)| !given.contains(&&**name)).count()
        };
        let ranked: Vec<(usize, NodeId)> = arms.iter().map(|arm| (known(*arm), *arm)).collect();
        let Some(most) = ranked.iter().map(|(known, _)| *known).max().filter(|most| *most > 0) else {
            return Intent::Unclear;
        };
        let best: Vec<NodeId> =
            ranked.iter().filter(|(known, _)| *known == most).map(|(_, arm)| *arm).collect();
        if let [only] = best[..] {
            return Intent::Arm(only);
        }
        if let Some((tag, allowed)) = self.checker.tag(&best).filter(|(tag, _)| !given.contains(&&**tag)) {
            // Only the missing tag would distinguish them.
            return Intent::Tag(tag, allowed);
        }
        if given.iter().any(|name| !arms.iter().any(|arm| self.knows(*arm, name))) {
            return Intent::Unclear;
        }
        let least = best.iter().map(|arm| lacking(*arm)).min();
        let mut nearest = best.iter().filter(|arm| Some(lacking(**arm)) == least);
        match (nearest.next(), nearest.next()) {
            (Some(arm), None) => Intent::Arm(*arm),
            _ => Intent::Unclear,
        }
    }

    /// Returns whether the arm has a member with this name or alias.
    fn knows(&self, arm: NodeId, name: &str) -> bool {
        let nodes = self.checker.unconditional_nodes(arm);
        let is_listed = |id: &NodeId| self.checker.node(*id).object.position(name).is_some();
        nodes.iter().any(is_listed)
            || (!self.checker.knows(name) && nodes.iter().any(|id| self.type_info.alias(*id, name).is_some()))
    }
}
