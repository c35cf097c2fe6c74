//! Which arm serde takes a value for, where that is another one than the one that it fits.

use serde_json::Value;

use super::check::{Check, Terms};
use super::{Checker, Node, NodeId};
use crate::arguments::doc::{Doc, Json, ValueId};
use crate::arguments::problem::{Findings, ProblemKind};

impl Check<'_, '_, '_> {
    /// Whether serde takes the value for the arm at `chosen`, and not for another one whose rules it breaks or which
    /// drops some of its members: serde takes the first arm whose types fit, and knows no other rules. Where a tag tells
    /// the arms apart, several may claim another name of a variant.
    pub(super) fn is_read_by(
        &mut self,
        (id, node): (NodeId, &Node),
        arms: &[NodeId],
        chosen: usize,
        value: ValueId,
    ) -> bool {
        // Arms of other values are ranges of one type as often as variants.
        if self.terms != Terms::Meant || !matches!(self.doc.get(value), Json::Object(_)) {
            return true;
        }
        let others = if node.told { arms } else { &arms[..chosen] };
        for (at, arm) in others.iter().enumerate() {
            if at == chosen || !self.silently(*arm, value, Terms::Types) {
                continue;
            }
            let breaks_rules = !self.silently(*arm, value, Terms::Lenient);
            if breaks_rules || (!node.told && self.is_dropped(id, *arm, value)) {
                return self.run(*arm, value);
            }
        }
        true
    }

    /// Whether the arm, as serde reads it, leaves members of the value aside.
    fn is_dropped(&mut self, id: NodeId, arm: NodeId, value: ValueId) -> bool {
        let unknown = self.unknown_to(arm, value);
        if unknown.is_empty() {
            return false;
        }
        let mut text = String::new();
        self.doc.write(value, &self.edits, &mut text);
        let Ok(value) = serde_json::from_str::<Value>(&text) else { return true };
        // A null of another variant was left out.
        let mut unknown = unknown.iter().filter(|pointer| value.pointer(pointer).is_some());
        unknown.any(|pointer| self.insight.drops(id, &value, pointer))
    }

    /// Pointers to the members of the value that the arm does not know, from the value on.
    fn unknown_to(&mut self, arm: NodeId, value: ValueId) -> Vec<String> {
        let findings = self.findings.replace(Findings::default());
        let (path, edits) = (std::mem::take(&mut self.path), std::mem::take(&mut self.edits));
        let (terms, secret) = (std::mem::replace(&mut self.terms, Terms::Written), self.secret.take());
        self.run(arm, value);
        (self.path, self.edits, self.terms, self.secret) = (path, edits, terms, secret);
        let found = std::mem::replace(&mut self.findings, findings).unwrap_or_default();
        let unknown = found.problems().iter().filter(|problem| problem.kind == ProblemKind::Unknown);
        unknown.map(|problem| problem.pointer.clone()).collect()
    }
}

impl Checker {
    /// Whether serde takes `value`, which fits another arm, for this one and drops some of its members: pointers to
    /// these.
    pub(in crate::arguments) fn dropped_by(&self, arm: NodeId, value: &Value) -> Vec<String> {
        let (mut doc, whole) = Doc::of(value);
        let mut check = Check::new(self, &super::NoInsight, &mut doc, Terms::Written);
        let is_taken = check.silently(arm, whole, Terms::Types);
        if is_taken { check.unknown_to(arm, whole) } else { Vec::new() }
    }

    /// Whether serde takes `value` for the arm, whatever rules it breaks and whatever else it has.
    pub(in crate::arguments) fn takes(&self, arm: NodeId, value: &Value) -> bool {
        let (mut doc, whole) = Doc::of(value);
        Check::new(self, &super::NoInsight, &mut doc, Terms::Written).silently(arm, whole, Terms::Types)
    }
}
