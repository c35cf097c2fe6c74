//! Changes of a schema, member by member as far as that goes, and by sets of values below that.
//!
//! At the end the whole schemas are compared: if nothing is breaking, every value that was accepted must be accepted now.
//! Only values with undeclared names are left out of that promise.

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_core::pointer::segment;

use super::annotations;
use super::keywords::{GROUPS, SPEAK_OF_MEMBERS};
use super::view::{MAX_DEPTH, Members, View, differs, follow_reference, object, part, view, with_type};
use crate::diff::change::{Change, Part};
use crate::diff::rule::{Class, get};
use crate::schema_inclusion::{Answer, Names, SchemaDocument, includes, is_annotation, is_known};

/// What a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Arguments: what was accepted must be accepted.
    Input,
    /// Results: what is returned must have been promised.
    Output,
}

/// Compares the schemas of a tool.
pub(super) fn compare(way: Way, name: &str, old: &Value, new: &Value, changes: &mut Vec<Change>) {
    if old == new {
        return;
    }
    let (old_document, new_document) = (SchemaDocument::new(old), SchemaDocument::new(new));
    let mut walk = Walk {
        way,
        name,
        old: &old_document,
        new: &new_document,
        changes: Vec::new(),
        seen: Vec::new(),
        depth: 0,
    };
    walk.pair(way.root(), old, new);
    let is_same = walk.is_same(old, new);
    if is_same {
        walk.mark_respelled();
    } else {
        walk.whole(old, new);
    }
    // What differs shows in the report, whatever it is: references that lead elsewhere to the same, say.
    let untold = if is_same { way.respelled().to_owned() } else { walk.id("rules", walk.harmless()) };
    let mut found = walk.changes;
    annotations::compare(way, name, (&old_document, old), (&new_document, new), &mut found);
    if found.is_empty() {
        found.push(Change::new(&untold, Part::Tool, name, way.root()));
    }
    changes.append(&mut found);
}

impl Way {
    /// Where schemas of this kind are in the definition of a tool.
    pub(super) fn root(self) -> &'static str {
        match self {
            Self::Input => "/inputSchema",
            Self::Output => "/outputSchema",
        }
    }

    fn respelled(self) -> &'static str {
        match self {
            Self::Input => "input-respelled",
            Self::Output => "output-respelled",
        }
    }
}

struct Walk<'w, 'a> {
    way: Way,
    name: &'w str,
    old: &'w SchemaDocument<'a>,
    new: &'w SchemaDocument<'a>,
    changes: Vec<Change>,
    /// Pairs that were compared, by their addresses: schemas may contain themselves.
    seen: Vec<(*const Value, *const Value)>,
    depth: usize,
}

impl<'a> Walk<'_, 'a> {
    fn pair(&mut self, at: &str, old: &'a Value, new: &'a Value) {
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
            return self.values(at, old, new);
        }
        self.depth += 1;
        match (view(old, old_target), view(new, new_target)) {
            (Some(before), Some(after)) => self.views(at, before, after),
            _ if old == new => {}
            _ => self.values(at, old, new),
        }
        self.depth -= 1;
    }

    fn views(&mut self, at: &str, mut old: View<'a>, mut new: View<'a>) {
        // What says nothing about values is told by `annotations`.
        for view in [&mut old, &mut new] {
            view.retain(|key, _| is_known(key) && !is_annotation(key));
        }
        let is_plain = |view: &View<'_>| !SPEAK_OF_MEMBERS.iter().any(|key| view.contains_key(key));
        if is_plain(&old) && is_plain(&new) {
            let has = |view: &View<'_>, name: &str| match view.get("type") {
                None => true,
                Some(Value::Array(names)) => names.iter().any(|one| one == name),
                Some(one) => one.as_str() == Some(name),
            };
            let either =
                |keys: &[&str]| keys.iter().any(|key| old.contains_key(key) || new.contains_key(key));
            let both = |name: &str| has(&old, name) && has(&new, name);
            let has_members = both("object") && either(&["properties", "required", "additionalProperties"]);
            let has_items = both("array") && !either(&["prefixItems"]);
            if has_members {
                self.members(at, &mut old, &mut new);
            }
            if has_items {
                self.items(at, &mut old, &mut new);
            }
        }
        if old != new {
            self.values(at, &object(&old), &object(&new));
        }
    }

    fn members(&mut self, at: &str, old: &mut View<'a>, new: &mut View<'a>) {
        let [before, after] = [&*old, &*new].map(Members::of);
        let names: BTreeSet<&str> = before.names().chain(after.names()).collect();
        let [was_open, is_open] = [&before, &after].map(|members| members.is_open);
        for name in names {
            let pointer = format!("{at}/properties/{}", segment(name));
            let now_required = after.required.contains(name);
            let change = match (before.has(name), after.has(name), self.way) {
                (true, true, _) => {
                    let requirement = match (before.required.contains(name), now_required, self.way) {
                        (false, true, Way::Input) => Some("input-property-required"),
                        (true, false, Way::Input) => Some("input-property-optional"),
                        (false, true, Way::Output) => Some("output-property-required"),
                        (true, false, Way::Output) => Some("output-property-optional"),
                        _ => None,
                    };
                    self.push(requirement, &pointer);
                    if let (Some(old), Some(new)) = (before.schema(name), after.schema(name)) {
                        self.pair(&pointer, old, new);
                    }
                    None
                }
                (false, _, Way::Input) if now_required => Some("input-property-added-required"),
                (false, _, Way::Input) => Some("input-property-added"),
                (true, _, Way::Input) if is_open == Some(false) => Some("input-property-removed"),
                (true, _, Way::Input) => Some("input-property-ignored"),
                (false, _, Way::Output) if was_open == Some(false) => Some("output-property-added-closed"),
                (false, _, Way::Output) => Some("output-property-added"),
                (true, _, Way::Output) => Some("output-property-removed"),
            };
            self.push(change, &pointer);
        }
        let pointer = format!("{at}/additionalProperties");
        let effect = match (was_open, is_open) {
            (Some(was), Some(is)) if was == is => None,
            (Some(_), Some(false)) => Some("narrowed"),
            (Some(_), Some(true)) => Some("widened"),
            _ => {
                // Rules for other members, which may be compared by themselves.
                let rules = [&*old, &*new].map(|view| view.get("additionalProperties").copied());
                if let [Some(old @ Value::Object(_)), Some(new @ Value::Object(_))] = rules {
                    self.pair(&pointer, old, new);
                }
                None
            }
        };
        if let Some(effect) = effect {
            let [before, after] = [&*old, &*new].map(|view| view.get("additionalProperties").copied());
            let change = self.change(&self.id("names", effect), &pointer).values(before, after);
            self.changes.push(change);
        }
        let is_told = match [&*old, &*new].map(|view| view.get("additionalProperties").copied()) {
            [Some(Value::Object(_)), Some(Value::Object(_))] => true,
            _ => was_open.is_some() && is_open.is_some(),
        };
        for view in [old, new] {
            view.remove("properties");
            view.remove("required");
            if is_told {
                view.remove("additionalProperties");
            }
        }
    }

    fn items(&mut self, at: &str, old: &mut View<'a>, new: &mut View<'a>) {
        if let (Some(Value::Object(_)), Some(Value::Object(_))) = (old.get("items"), new.get("items"))
            && let (Some(before), Some(after)) = (old.remove("items"), new.remove("items"))
        {
            self.pair(&format!("{at}/items"), before, after);
        }
    }

    /// Compares two schemas as sets of values, and reports by keyword what changed.
    fn values(&mut self, at: &str, old: &Value, new: &Value) {
        let harm = self.harm(old, new, self.names());
        if harm == Answer::Yes {
            let id = if self.is_same(old, new) {
                Some(self.way.respelled())
            } else if self.harm(old, new, Names::Any) == Answer::Yes {
                None
            } else {
                // What is refused now has a name that nobody was told of.
                Some("input-property-added")
            };
            for group in GROUPS.iter().filter(|group| differs(group, old, new)) {
                let id = id.map_or_else(|| self.id(group.name, self.harmless()), str::to_owned);
                let change = self.change(&id, at).rules(&part(group, old), &part(group, new));
                self.changes.push(change);
            }
            return;
        }
        let (witness, mut undecided) = match harm {
            Answer::No { witness, .. } => (Some(witness), None),
            Answer::Unknown { why } => (None, Some(why)),
            Answer::Yes => (None, None),
        };
        let mut is_told = false;
        for group in GROUPS.iter().filter(|group| differs(group, old, new)) {
            let [before, after] = [old, new].map(|schema| part(group, schema));
            let is_harmless =
                self.harm(&with_type(&before, old), &with_type(&after, new), self.names()) == Answer::Yes;
            let effect = if is_harmless { self.harmless() } else { self.harmful() };
            let mut change = self.change(&self.id(group.name, effect), at).rules(&before, &after);
            if !is_harmless {
                is_told = true;
                change.witness.clone_from(&witness);
                change.undecided.clone_from(&undecided);
            }
            self.changes.push(change);
        }
        if !is_told {
            let mut change = self.change(&self.id("rules", self.harmful()), at).values(Some(old), Some(new));
            change.witness = witness;
            change.undecided = undecided.take();
            self.changes.push(change);
        }
    }

    /// The promise of this comparison: if nothing broke, the whole schema did not either.
    fn whole(&mut self, old: &Value, new: &Value) {
        if self.changes.iter().any(|change| change.rule.class == Class::Breaking) {
            return;
        }
        let (path, witness, undecided) = match self.harm(old, new, self.names()) {
            Answer::Yes => return,
            Answer::No { path, witness } => (path, Some(witness), None),
            Answer::Unknown { why } => (String::new(), None, Some(why)),
        };
        let mut change = self.change(&self.id("rules", self.harmful()), self.way.root());
        if !path.is_empty() {
            change.new = Some(Value::from(format!("differs at {path} of the value")));
        }
        change.witness = witness;
        change.undecided = undecided;
        self.changes.push(change);
    }

    /// Both schemas accept the same values. What was reported member by member is then another spelling, except for arguments
    /// that were added or removed: callers learn of them, whatever they accept.
    fn mark_respelled(&mut self) {
        const OF_MEMBERS: [&str; 6] = [
            "input-property-added",
            "input-property-ignored",
            "input-property-removed",
            "output-property-added",
            "output-property-removed",
            "input-respelled",
        ];
        let respelled = get(self.way.respelled());
        for change in &mut self.changes {
            if !OF_MEMBERS.contains(&change.rule.id()) {
                change.rule = respelled;
                change.witness = None;
                change.undecided = None;
            }
        }
    }

    /// Arguments with undeclared names may be rejected, but a result promises what it does not name as well.
    fn names(&self) -> Names {
        match self.way {
            Way::Input => Names::Declared,
            Way::Output => Names::Any,
        }
    }

    fn is_same(&self, old: &Value, new: &Value) -> bool {
        let [old, new] = [(self.old, old), (self.new, new)];
        includes(old, new, Names::Any) == Answer::Yes && includes(new, old, Names::Any) == Answer::Yes
    }

    /// Whether the change is safe for callers or readers.
    fn harm(&self, old: &Value, new: &Value, names: Names) -> Answer {
        match self.way {
            Way::Input => includes((self.old, old), (self.new, new), names),
            Way::Output => includes((self.new, new), (self.old, old), names),
        }
    }

    fn id(&self, group: &str, effect: &str) -> String {
        format!("{}-{group}-{effect}", self.word())
    }

    fn word(&self) -> &'static str {
        match self.way {
            Way::Input => "input",
            Way::Output => "output",
        }
    }

    fn harmful(&self) -> &'static str {
        match self.way {
            Way::Input => "narrowed",
            Way::Output => "widened",
        }
    }

    fn harmless(&self) -> &'static str {
        match self.way {
            Way::Input => "widened",
            Way::Output => "narrowed",
        }
    }

    fn change(&self, id: &str, pointer: &str) -> Change {
        Change::new(id, Part::Tool, self.name, pointer)
    }

    fn push(&mut self, id: Option<&str>, pointer: &str) {
        let change = id.map(|id| self.change(id, pointer));
        self.changes.extend(change);
    }
}
