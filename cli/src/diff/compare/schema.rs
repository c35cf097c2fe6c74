//! Changes of a schema: property by property where possible, otherwise by the sets of accepted values.
//!
//! At the end the whole schemas are compared: if no change is breaking, every value that was accepted is still accepted,
//! except for values with undeclared names.

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_core::pointer::segment;

use super::annotations;
use super::keywords::{CONSTRAIN_MEMBERS, GROUPS};
use super::renames;
use super::view::{
    MAX_DEPTH, ObjectKeywords, View, combine, differs, follow_reference, select, to_schema, with_type,
};
use crate::diff::change::{Change, Part};
use crate::diff::rule::{Class, get};
use crate::schema_inclusion::{Answer, Names, SchemaDocument, includes, is_annotation, is_known};

/// The direction of the values that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Arguments: the new schema must accept what the old one accepts.
    Input,
    /// Results: the old schema must accept what the new one accepts.
    Output,
}

/// Compares the schemas of a tool.
pub(super) fn compare(direction: Direction, name: &str, old: &Value, new: &Value, changes: &mut Vec<Change>) {
    if old == new {
        return;
    }
    let (old_document, new_document) = (SchemaDocument::new(old), SchemaDocument::new(new));
    let mut comparison = SchemaComparison {
        direction,
        name,
        old: &old_document,
        new: &new_document,
        changes: Vec::new(),
        seen: Vec::new(),
        depth: 0,
    };
    comparison.compare(direction.root(), old, new);
    let is_equivalent = comparison.is_equivalent(old, new);
    if is_equivalent {
        comparison.mark_respelled();
    } else {
        comparison.compare_whole(old, new);
    }
    // Any difference is reported, for instance another reference to an equal definition.
    let fallback = if is_equivalent {
        direction.respelled_id().to_owned()
    } else {
        comparison.id("rules", comparison.compatible_effect())
    };
    let mut found = comparison.changes;
    annotations::compare(direction, name, (&old_document, old), (&new_document, new), &mut found);
    if found.is_empty() {
        found.push(Change::new(&fallback, Part::Tool, name, direction.root()));
    }
    changes.append(&mut found);
}

impl Direction {
    /// Returns the location of the schema in the definition of a tool.
    pub(super) fn root(self) -> &'static str {
        match self {
            Self::Input => "/inputSchema",
            Self::Output => "/outputSchema",
        }
    }

    fn respelled_id(self) -> &'static str {
        match self {
            Self::Input => "input-respelled",
            Self::Output => "output-respelled",
        }
    }
}

struct SchemaComparison<'w, 'a> {
    direction: Direction,
    name: &'w str,
    old: &'w SchemaDocument<'a>,
    new: &'w SchemaDocument<'a>,
    changes: Vec<Change>,
    /// The pairs that were compared, by address, since schemas may be recursive.
    seen: Vec<(*const Value, *const Value)>,
    depth: usize,
}

impl<'a> SchemaComparison<'_, 'a> {
    fn compare(&mut self, at: &str, old: &'a Value, new: &'a Value) {
        let (old_target, new_target) = (follow_reference(self.old, old), follow_reference(self.new, new));
        let pair = (std::ptr::from_ref(old_target), std::ptr::from_ref(new_target));
        let is_reference = !std::ptr::eq(old, old_target) || !std::ptr::eq(new, new_target);
        if is_reference {
            if self.seen.contains(&pair) {
                return;
            }
            self.seen.push(pair);
        }
        if self.depth >= MAX_DEPTH {
            return self.compare_values(at, old, new);
        }
        self.depth += 1;
        match (combine(old, old_target), combine(new, new_target)) {
            (Some(before), Some(after)) => self.compare_keywords(at, before, after),
            _ if old == new => {}
            _ => self.compare_values(at, old, new),
        }
        self.depth -= 1;
    }

    fn compare_keywords(&mut self, at: &str, mut old: View<'a>, mut new: View<'a>) {
        // Annotations are reported by `annotations`.
        for view in [&mut old, &mut new] {
            view.retain(|key, _| is_known(key) && !is_annotation(key));
        }
        let is_plain = |view: &View<'_>| !CONSTRAIN_MEMBERS.iter().any(|key| view.contains_key(key));
        if is_plain(&old) && is_plain(&new) {
            let has = |view: &View<'_>, name: &str| match view.get("type") {
                None => true,
                Some(Value::Array(names)) => names.iter().any(|one| one == name),
                Some(one) => one.as_str() == Some(name),
            };
            let either =
                |keys: &[&str]| keys.iter().any(|key| old.contains_key(key) || new.contains_key(key));
            let both = |name: &str| has(&old, name) && has(&new, name);
            let has_properties =
                both("object") && either(&["properties", "required", "additionalProperties"]);
            let has_items = both("array") && !either(&["prefixItems"]);
            if has_properties {
                self.compare_properties(at, &mut old, &mut new);
            }
            if has_items {
                self.compare_items(at, &mut old, &mut new);
            }
        }
        if old != new {
            self.compare_values(at, &to_schema(&old), &to_schema(&new));
        }
    }

    fn compare_properties(&mut self, at: &str, old: &mut View<'a>, new: &mut View<'a>) {
        let [before, after] = [&*old, &*new].map(ObjectKeywords::from_view);
        let names: BTreeSet<&str> = before.names().chain(after.names()).collect();
        let [was_open, is_open] = [&before, &after].map(|properties| properties.is_open);
        let renames = match self.direction {
            Direction::Input => renames::find(&before, &after),
            Direction::Output => Vec::new(),
        };
        for (old_name, new_name) in &renames {
            self.compare_renamed(at, (old_name, &before), (new_name, &after));
        }
        let is_renamed = |name: &str| renames.iter().any(|(old, new)| *old == name || *new == name);
        for name in names.into_iter().filter(|name| !is_renamed(name)) {
            let pointer = format!("{at}/properties/{}", segment(name));
            let now_required = after.required.contains(name);
            let change = match (before.has(name), after.has(name), self.direction) {
                (true, true, _) => {
                    let requirement = match (before.required.contains(name), now_required, self.direction) {
                        (false, true, Direction::Input) => Some("input-property-required"),
                        (true, false, Direction::Input) => Some("input-property-optional"),
                        (false, true, Direction::Output) => Some("output-property-required"),
                        (true, false, Direction::Output) => Some("output-property-optional"),
                        _ => None,
                    };
                    self.push(requirement, &pointer);
                    if let (Some(old), Some(new)) = (before.schema(name), after.schema(name)) {
                        self.compare(&pointer, old, new);
                    }
                    None
                }
                (false, _, Direction::Input) if now_required => Some("input-property-added-required"),
                (false, _, Direction::Input) => Some("input-property-added"),
                (true, _, Direction::Input) if is_open == Some(false) => Some("input-property-removed"),
                (true, _, Direction::Input) => Some("input-property-ignored"),
                (false, _, Direction::Output) if was_open == Some(false) => {
                    Some("output-property-added-closed")
                }
                (false, _, Direction::Output) => Some("output-property-added"),
                (true, _, Direction::Output) => Some("output-property-removed"),
            };
            self.push(change, &pointer);
        }
        let pointer = format!("{at}/additionalProperties");
        let effect = match (was_open, is_open) {
            (Some(was), Some(is)) if was == is => None,
            (Some(_), Some(false)) => Some("narrowed"),
            (Some(_), Some(true)) => Some("widened"),
            _ => {
                // The schemas of unlisted members are compared like others.
                let rules = [&*old, &*new].map(|view| view.get("additionalProperties").copied());
                if let [Some(old @ Value::Object(_)), Some(new @ Value::Object(_))] = rules {
                    self.compare(&pointer, old, new);
                }
                None
            }
        };
        if let Some(effect) = effect {
            let [before, after] = [&*old, &*new].map(|view| view.get("additionalProperties").copied());
            let change = self.new_change(&self.id("names", effect), &pointer).with_values(before, after);
            self.changes.push(change);
        }
        let is_reported = match [&*old, &*new].map(|view| view.get("additionalProperties").copied()) {
            [Some(Value::Object(_)), Some(Value::Object(_))] => true,
            _ => was_open.is_some() && is_open.is_some(),
        };
        for view in [old, new] {
            view.remove("properties");
            view.remove("required");
            if is_reported {
                view.remove("additionalProperties");
            }
        }
    }

    /// Reports a renamed argument, and what else changed about it.
    fn compare_renamed(
        &mut self,
        at: &str,
        (old_name, before): (&str, &ObjectKeywords<'a>),
        (new_name, after): (&str, &ObjectKeywords<'a>),
    ) {
        let [old, new] = [old_name, new_name].map(Value::from);
        let pointer = format!("{at}/properties/{}", segment(old_name));
        let mut change =
            self.new_change("input-property-renamed", &pointer).with_values(Some(&old), Some(&new));
        change.advice =
            Some(format!("accept both names: put `#[serde(alias = {old})]` on the field `{new_name}`"));
        self.changes.push(change);
        let pointer = format!("{at}/properties/{}", segment(new_name));
        if after.required.contains(new_name) && !before.required.contains(old_name) {
            self.push(Some("input-property-required"), &pointer);
        }
        if let (Some(old), Some(new)) = (before.schema(old_name), after.schema(new_name)) {
            self.compare(&pointer, old, new);
        }
    }

    fn compare_items(&mut self, at: &str, old: &mut View<'a>, new: &mut View<'a>) {
        if let (Some(Value::Object(_)), Some(Value::Object(_))) = (old.get("items"), new.get("items"))
            && let (Some(before), Some(after)) = (old.remove("items"), new.remove("items"))
        {
            self.compare(&format!("{at}/items"), before, after);
        }
    }

    /// Compares two schemas as sets of values, and reports the changes by group of keywords.
    fn compare_values(&mut self, at: &str, old: &Value, new: &Value) {
        let answer = self.is_compatible(old, new, self.considered_names());
        if answer == Answer::Yes {
            let id = if self.is_equivalent(old, new) {
                Some(self.direction.respelled_id())
            } else if self.is_compatible(old, new, Names::Any) == Answer::Yes {
                None
            } else {
                // All values that are no longer accepted have an undeclared name.
                Some("input-property-added")
            };
            for group in GROUPS.iter().filter(|group| differs(group, old, new)) {
                let id = id.map_or_else(|| self.id(group.name, self.compatible_effect()), str::to_owned);
                let change = self.new_change(&id, at).with_keywords(&select(group, old), &select(group, new));
                self.changes.push(change);
            }
            return;
        }
        let (witness, mut undecided) = match answer {
            Answer::No { witness, .. } => (Some(witness), None),
            Answer::Unknown { why } => (None, Some(why)),
            Answer::Yes => (None, None),
        };
        let mut is_reported = false;
        for group in GROUPS.iter().filter(|group| differs(group, old, new)) {
            let [before, after] = [old, new].map(|schema| select(group, schema));
            let is_compatible = self.is_compatible(
                &with_type(&before, old),
                &with_type(&after, new),
                self.considered_names(),
            ) == Answer::Yes;
            let effect = if is_compatible { self.compatible_effect() } else { self.breaking_effect() };
            let mut change = self.new_change(&self.id(group.name, effect), at).with_keywords(&before, &after);
            if !is_compatible {
                is_reported = true;
                change.witness.clone_from(&witness);
                change.undecided.clone_from(&undecided);
            }
            self.changes.push(change);
        }
        if !is_reported {
            let mut change = self
                .new_change(&self.id("rules", self.breaking_effect()), at)
                .with_values(Some(old), Some(new));
            change.witness = witness;
            change.undecided = undecided.take();
            self.changes.push(change);
        }
    }

    /// Reports an incompatibility of the whole schemas that no single change shows.
    fn compare_whole(&mut self, old: &Value, new: &Value) {
        if self.changes.iter().any(|change| change.rule.class == Class::Breaking) {
            return;
        }
        let (path, witness, undecided) = match self.is_compatible(old, new, self.considered_names()) {
            Answer::Yes => return,
            Answer::No { path, witness } => (path, Some(witness), None),
            Answer::Unknown { why } => (String::new(), None, Some(why)),
        };
        let mut change = self.new_change(&self.id("rules", self.breaking_effect()), self.direction.root());
        if !path.is_empty() {
            change.new = Some(Value::from(format!("differs at {path} of the value")));
        }
        change.witness = witness;
        change.undecided = undecided;
        self.changes.push(change);
    }

    /// Both schemas accept the same values, so the reported changes are only a different notation, except for properties that
    /// were added or removed, which callers see.
    fn mark_respelled(&mut self) {
        const KEPT: [&str; 7] = [
            "input-property-added",
            "input-property-ignored",
            "input-property-removed",
            "input-property-renamed",
            "output-property-added",
            "output-property-removed",
            "input-respelled",
        ];
        let respelled = get(self.direction.respelled_id());
        for change in &mut self.changes {
            if !KEPT.contains(&change.rule.id()) {
                change.rule = respelled;
                change.witness = None;
                change.undecided = None;
            }
        }
    }

    /// Arguments with undeclared names may be rejected; for results all names count.
    fn considered_names(&self) -> Names {
        match self.direction {
            Direction::Input => Names::Declared,
            Direction::Output => Names::Any,
        }
    }

    fn is_equivalent(&self, old: &Value, new: &Value) -> bool {
        let [old, new] = [(self.old, old), (self.new, new)];
        includes(old, new, Names::Any) == Answer::Yes && includes(new, old, Names::Any) == Answer::Yes
    }

    /// Returns whether the change is compatible for callers.
    fn is_compatible(&self, old: &Value, new: &Value, names: Names) -> Answer {
        match self.direction {
            Direction::Input => includes((self.old, old), (self.new, new), names),
            Direction::Output => includes((self.new, new), (self.old, old), names),
        }
    }

    fn id(&self, group: &str, effect: &str) -> String {
        format!("{}-{group}-{effect}", self.prefix())
    }

    fn prefix(&self) -> &'static str {
        match self.direction {
            Direction::Input => "input",
            Direction::Output => "output",
        }
    }

    fn breaking_effect(&self) -> &'static str {
        match self.direction {
            Direction::Input => "narrowed",
            Direction::Output => "widened",
        }
    }

    fn compatible_effect(&self) -> &'static str {
        match self.direction {
            Direction::Input => "widened",
            Direction::Output => "narrowed",
        }
    }

    fn new_change(&self, id: &str, pointer: &str) -> Change {
        Change::new(id, Part::Tool, self.name, pointer)
    }

    fn push(&mut self, id: Option<&str>, pointer: &str) {
        let change = id.map(|id| self.new_change(id, pointer));
        self.changes.extend(change);
    }
}
