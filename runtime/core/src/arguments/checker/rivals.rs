//! Finds the variant that serde would select, if it differs from the one that the value matches.

use serde_json::Value;

use super::check::{Check, Mode};
use super::{Checker, Node, NodeId};
use crate::arguments::doc::{Doc, Json, ValueId};
use crate::arguments::problem::{Findings, ProblemKind};

impl Check<'_, '_, '_> {
    /// Returns whether the value is valid for every arm that serde might select instead of the one at `chosen`,
    /// and reports the problems otherwise. Serde selects the first arm whose types match and ignores all other
    /// constraints, so a value may violate the constraints of that arm, or lose members in it. If a tag
    /// distinguishes the arms, several may have the same alias.
    pub(super) fn is_read_by(
        &mut self,
        (id, node): (NodeId, &Node),
        arms: &[NodeId],
        chosen: usize,
        value: ValueId,
    ) -> bool {
        // Arms for other types are often ranges of one type, not variants.
        if self.mode != Mode::SchemaWithText || !matches!(self.doc.get(value), Json::Object(_)) {
            return true;
        }
        let others = if node.arms_distinct { arms } else { &arms[..chosen] };
        for (at, arm) in others.iter().enumerate() {
            if at == chosen || !self.matches(*arm, value, Mode::SerdeTypes) {
                continue;
            }
            let breaks_rules = !self.matches(*arm, value, Mode::SerdeForms);
            if breaks_rules || (!node.arms_distinct && self.is_dropped(id, *arm, value)) {
                return self.run(*arm, value);
            }
        }
        true
    }

    /// Returns whether the arm, as serde reads it, drops members of the value.
    fn is_dropped(&mut self, id: NodeId, arm: NodeId, value: ValueId) -> bool {
        let unknown = self.unknown_members(arm, value);
        if unknown.is_empty() {
            return false;
        }
        let mut text = String::new();
        self.doc.write(value, &self.edits, &mut text);
        let Ok(value) = serde_json::from_str::<Value>(&text) else { return true };
        // A `null` for another variant was omitted.
        let mut unknown = unknown.iter().filter(|pointer| value.pointer(pointer).is_some());
        unknown.any(|pointer| self.type_info.drops(id, &value, pointer))
    }

    /// Returns pointers, relative to the value, to the members that the arm does not know.
    fn unknown_members(&mut self, arm: NodeId, value: ValueId) -> Vec<String> {
        let findings = self.findings.replace(Findings::default());
        let (path, edits) = (std::mem::take(&mut self.path), std::mem::take(&mut self.edits));
        let (mode, secret) = (std::mem::replace(&mut self.mode, Mode::Serde), self.secret.take());
        self.run(arm, value);
        (self.path, self.edits, self.mode, self.secret) = (path, edits, mode, secret);
        let found = std::mem::replace(&mut self.findings, findings).unwrap_or_default();
        let unknown = found.problems().iter().filter(|problem| problem.kind == ProblemKind::Unknown);
        unknown.map(|problem| problem.pointer.clone()).collect()
    }
}

impl Checker {
    /// Returns pointers to the members of `value`, which matches another arm, that serde drops if it selects
    /// this one; empty if it does not.
    pub(in crate::arguments) fn dropped_members(&self, arm: NodeId, value: &Value) -> Vec<String> {
        let (mut doc, whole) = Doc::of(value);
        let mut check = Check::new(self, &super::NoTypeInfo, &mut doc, Mode::Serde);
        let is_taken = check.matches(arm, whole, Mode::SerdeTypes);
        if is_taken { check.unknown_members(arm, whole) } else { Vec::new() }
    }

    /// Returns whether serde would select the arm for `value`, ignoring constraints and unknown members.
    pub(in crate::arguments) fn accepts(&self, arm: NodeId, value: &Value) -> bool {
        let (mut doc, whole) = Doc::of(value);
        Check::new(self, &super::NoTypeInfo, &mut doc, Mode::Serde).matches(arm, whole, Mode::SerdeTypes)
    }
}
