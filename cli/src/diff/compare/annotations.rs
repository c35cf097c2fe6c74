//! Descriptions and other annotations in schemas, wherever they are: behind references, in the branches of combinators, in
//! keywords that JSON Schema does not know.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value};
use toolwright_core::pointer::{self, segment};

use super::keywords::{HEADER, TEXTS};
use super::schema::Way;
use super::strings;
use super::view::{MAX_DEPTH, View, follow_reference, view};
use crate::diff::change::{Change, Part};
use crate::schema_inclusion::{SchemaDocument, ValueKind, is_annotation, is_known, value_kind};

/// How many branches of a combinator are searched for among the former ones; beyond that each is compared with the one in
/// its place.
const MAX_SEARCHED: usize = 64;

/// How many parts of a schema are searched for annotations of the same value.
const MAX_PLACES: usize = 64;

/// Reports every annotation that differs, at the place of the value that it describes.
pub(super) fn compare(
    way: Way,
    name: &str,
    (old_document, old): (&SchemaDocument<'_>, &Value),
    (new_document, new): (&SchemaDocument<'_>, &Value),
    changes: &mut Vec<Change>,
) {
    let mut annotations = Annotations {
        way,
        name,
        old: old_document,
        new: new_document,
        changes,
        seen: HashSet::new(),
        depth: 0,
        defaults: Vec::new(),
        conditions: 0,
    };
    annotations.pair(way.root(), old, new, false);
    annotations.rest(old, new);
}

struct Annotations<'w, 'a> {
    way: Way,
    name: &'w str,
    old: &'w SchemaDocument<'a>,
    new: &'w SchemaDocument<'a>,
    changes: &'w mut Vec<Change>,
    /// Pairs that were compared, by their addresses: schemas may contain themselves.
    seen: HashSet<(*const Value, *const Value)>,
    depth: usize,
    /// The defaults that both sides have for the value that is looked at, and for those around it.
    defaults: Vec<[Vec<Value>; 2]>,
    /// How many `if` and `not` are around: in a condition, a default has no effect.
    conditions: usize,
}

impl<'a> Annotations<'_, 'a> {
    /// `in_place` says that the schemas are parts of others for the same value.
    fn pair<'s>(&mut self, at: &str, old: &'s Value, new: &'s Value, in_place: bool)
    where
        'a: 's,
    {
        let (old_target, new_target) = (follow_reference(self.old, old), follow_reference(self.new, new));
        // What many references lead to is told once, but for what is beside them.
        let alone = |schema: &'s Value, target| if has_only_a_reference(schema) { target } else { schema };
        let pair = (std::ptr::from_ref(alone(old, old_target)), std::ptr::from_ref(alone(new, new_target)));
        if !self.seen.insert(pair) || self.depth >= MAX_DEPTH {
            return;
        }
        if let (Some(old), Some(new)) = (view(old, old_target), view(new, new_target)) {
            self.depth += 1;
            if !in_place {
                let said = |document: &SchemaDocument<'s>, view: &View<'s>| {
                    values_in_place(document, view, "default", MAX_PLACES).into_iter().cloned().collect()
                };
                self.defaults.push([said(self.old, &old), said(self.new, &new)]);
            }
            self.views(at, &old, &new);
            if !in_place {
                self.defaults.pop();
            }
            self.depth -= 1;
        }
    }

    fn views<'s>(&mut self, at: &str, old: &View<'s>, new: &View<'s>)
    where
        'a: 's,
    {
        let keys: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        for key in keys {
            let (before, after) = (old.get(key).copied(), new.get(key).copied());
            if key == "default" && before != after && self.default(at, before, after) {
                continue;
            }
            if is_annotation(key) || !is_known(key) {
                self.annotation(at, key, before, after);
                continue;
            }
            let (Some(before), Some(after)) = (before, after) else { continue };
            let at = format!("{at}/{key}");
            match (value_kind(key), before, after) {
                (ValueKind::Schema, ..) => {
                    let is_condition = usize::from(matches!(key, "not" | "if"));
                    self.conditions += is_condition;
                    self.pair(&at, before, after, matches!(key, "not" | "if" | "then" | "else"));
                    self.conditions -= is_condition;
                }
                (ValueKind::Object, Value::Object(before), Value::Object(after)) => {
                    for (name, before) in before {
                        if let Some(after) = after.get(name) {
                            self.pair(
                                &format!("{at}/{}", segment(name)),
                                before,
                                after,
                                key == "dependentSchemas",
                            );
                        }
                    }
                }
                (ValueKind::Array, Value::Array(before), Value::Array(after)) => {
                    self.arms(&at, before, after, key != "prefixItems");
                }
                _ if key == "$ref" => {
                    let target = |document: &SchemaDocument<'a>, to: &Value| document.resolve(to.as_str()?);
                    if let (Some(before), Some(after)) = (target(self.old, before), target(self.new, after)) {
                        self.pair(&at, before, after, true);
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports a default that is still, or was already, stated for the same values in another part of the schema; false if
    /// it is neither.
    fn default(&mut self, at: &str, old: Option<&Value>, new: Option<&Value>) -> bool {
        let Some([before, after]) = self.defaults.last() else { return false };
        let is_in = |value: Option<&Value>, said: &[Value]| value.is_some_and(|value| said.contains(value));
        let is_kept = old.is_none() || is_in(old, after);
        let was_said = new.is_none() || is_in(new, before);
        let id = match self.way {
            _ if (is_kept && was_said) || self.conditions > 0 => "schema-note-changed",
            Way::Input if is_kept => "input-default-added",
            Way::Input if was_said => "input-default-removed",
            _ => return false,
        };
        let pointer = format!("{at}/default");
        strings::compare(id, Part::Tool, self.name, &pointer, old, new, self.changes);
        true
    }

    /// Pairs branches that did not change; of the others, the first with the first.
    fn arms<'s>(&mut self, at: &str, old: &'s [Value], new: &'s [Value], in_place: bool)
    where
        'a: 's,
    {
        let mut former: Vec<Option<&Value>> = old.iter().map(Some).collect();
        let mut left = Vec::new();
        for (place, arm) in new.iter().enumerate() {
            let same = former.iter().take(MAX_SEARCHED).position(|former| *former == Some(arm));
            match same {
                Some(same) => {
                    if let Some(before) = former[same].take() {
                        self.pair(&format!("{at}/{place}"), before, arm, in_place);
                    }
                }
                None => left.push((place, arm)),
            }
        }
        for (before, (place, arm)) in former.into_iter().flatten().zip(left) {
            self.pair(&format!("{at}/{place}"), before, arm, in_place);
        }
    }

    fn annotation(&mut self, at: &str, key: &str, old: Option<&Value>, new: Option<&Value>) {
        if key == "$defs" || key == "definitions" {
            return;
        }
        let id = match (key, self.way) {
            (key, _) if TEXTS.contains(&key) => "schema-text-changed",
            ("default", Way::Input) => match (old, new) {
                (Some(_), Some(_)) => "input-default-changed",
                (None, _) => "input-default-added",
                _ => "input-default-removed",
            },
            (HEADER, Way::Input) => match (old, new) {
                (None, _) => "header-added",
                (_, None) => "header-removed",
                _ => "header-renamed",
            },
            (key, _) if !is_known(key) => "schema-keyword-unknown",
            _ => "schema-note-changed",
        };
        let pointer = format!("{at}/{}", segment(key));
        strings::compare(id, Part::Tool, self.name, &pointer, old, new, self.changes);
    }

    /// Reports strings that were added or removed and that no change shows: in definitions that nothing refers to, and where
    /// the surroundings are written in another way.
    fn rest(&mut self, old: &Value, new: &Value) {
        let [old_texts, new_texts] = [old, new].map(|schema| string_places(schema, self.way.root()));
        let [shown_before, shown_after] =
            [shown_strings(self.changes, Side::Old), shown_strings(self.changes, Side::New)];
        let gone = find_missing(&old_texts, &new_texts, &shown_before);
        let come = find_missing(&new_texts, &old_texts, &shown_after);
        let places: BTreeSet<&String> = gone.keys().chain(come.keys()).collect();
        let is_shown = |changes: &[Change], place: &str| {
            changes.iter().any(|change| {
                let rest = place.strip_prefix(&change.pointer);
                change.pointer != self.way.root()
                    && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let mut more = Vec::new();
        for place in places.into_iter().filter(|place| !is_shown(self.changes, place)) {
            let change = Change::new("schema-text-changed", Part::Tool, self.name, place);
            more.push(change.values(gone.get(place), come.get(place)));
        }
        self.changes.append(&mut more);
    }
}

/// The values of a keyword in a schema and in up to `places` parts for the same value.
fn values_in_place<'s>(
    document: &SchemaDocument<'s>,
    view: &View<'s>,
    key: &str,
    places: usize,
) -> Vec<&'s Value> {
    let mut found: Vec<&Value> = view.get(key).copied().into_iter().collect();
    let mut waiting = parts_in_place(document, view);
    for at in 0..places {
        let Some(Value::Object(members)) = waiting.get(at).copied() else {
            if at >= waiting.len() {
                break;
            }
            continue;
        };
        found.extend(members.get(key));
        let view = members.iter().map(|(key, value)| (key.as_str(), value)).collect();
        waiting.extend(parts_in_place(document, &view));
    }
    found
}

fn parts_in_place<'s>(document: &SchemaDocument<'s>, view: &View<'s>) -> Vec<&'s Value> {
    let mut parts = Vec::new();
    for (key, value) in view {
        match (*key, value) {
            ("allOf" | "anyOf" | "oneOf", Value::Array(arms)) => parts.extend(arms),
            ("not" | "if" | "then" | "else", part) => parts.push(part),
            ("$ref", Value::String(to)) => parts.extend(document.resolve(to)),
            _ => {}
        }
    }
    parts
}

fn has_only_a_reference(schema: &Value) -> bool {
    schema.as_object().is_some_and(|members| members.len() == 1 && members.contains_key("$ref"))
}

/// The strings of a schema with their places, except those that only give it structure.
fn string_places<'v>(schema: &'v Value, root: &str) -> Vec<(String, &'v str)> {
    const STRUCTURE: [&str; 7] =
        ["$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$id", "$schema", "$recursiveRef"];
    let mut found = Vec::new();
    strings::each(schema, root, &mut |pointer, text| {
        let mut segments = pointer.rsplit('/');
        let (last, above) = (segments.next().unwrap_or_default(), segments.next().unwrap_or_default());
        // A name in `$defs`, a keyword, or the value of a keyword.
        let is_definition = matches!(above, "$defs" | "definitions") && segment(text) == last;
        let is_type = last == "type" || above == "type";
        if !STRUCTURE.contains(&last) && !is_definition && !is_type && !is_known(text) {
            found.push((pointer.to_owned(), text));
        }
    });
    found
}

#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

/// The strings that the changes show, and the names in their places.
fn shown_strings(changes: &[Change], side: Side) -> HashSet<String> {
    let mut texts = HashSet::new();
    for change in changes {
        texts.extend(change.pointer.split('/').map(pointer::name));
        let value = match side {
            Side::Old => &change.old,
            Side::New => &change.new,
        };
        if let Some(value) = value {
            strings::each(value, "", &mut |_, text| {
                texts.insert(text.to_owned());
            });
        }
    }
    texts
}

/// The strings that the other side has less often and that no change shows, by place. Those of a definition that the other
/// side does not have are one entry.
fn find_missing(
    texts: &[(String, &str)],
    others: &[(String, &str)],
    shown: &HashSet<String>,
) -> BTreeMap<String, Value> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, text) in others {
        *counts.entry(text).or_default() += 1;
    }
    let places: HashSet<&str> = others.iter().map(|(place, _)| place.as_str()).collect();
    // A string in its former place is matched first.
    let mut left = Vec::new();
    let in_place: HashSet<(&str, &str)> =
        others.iter().map(|(place, text)| (place.as_str(), *text)).collect();
    for (place, text) in texts {
        if in_place.contains(&(place.as_str(), *text)) {
            if let Some(count) = counts.get_mut(text) {
                *count = count.saturating_sub(1);
            }
        } else {
            left.push((place, *text));
        }
    }
    let mut found = BTreeMap::new();
    for (place, text) in left {
        match counts.get_mut(text) {
            Some(count) if *count > 0 => *count -= 1,
            _ if shown.contains(text) => {}
            _ => drop(found.insert(place.clone(), Value::from(text))),
        }
    }
    let is_inside =
        |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    let mut grouped: BTreeMap<String, Value> = BTreeMap::new();
    for (place, text) in found {
        let definition = definition_of(&place).filter(|definition| {
            !places.iter().any(|place| *place == *definition || is_inside(definition, place))
        });
        match definition {
            Some(definition) => {
                let member = place[definition.len()..].to_owned();
                if let Value::Object(texts) =
                    grouped.entry(definition.to_owned()).or_insert_with(|| Map::new().into())
                {
                    texts.insert(member, text);
                }
            }
            None => drop(grouped.insert(place, text)),
        }
    }
    grouped
}

/// The definition that a place is in: `/inputSchema/$defs/point` of `/inputSchema/$defs/point/title`.
fn definition_of(place: &str) -> Option<&str> {
    let start = ["/$defs/", "/definitions/"].iter().find_map(|key| Some(place.find(key)? + key.len()))?;
    let end = place[start..].find('/')? + start;
    Some(&place[..end])
}
