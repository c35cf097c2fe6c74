//! Compares descriptions and other annotations in schemas, including those behind references, in branches of combinators and
//! in unknown keywords.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value};
use toolwright_core::pointer::{self, segment};

use super::keywords::{HEADER, TEXT_ANNOTATIONS};
use super::schema::Direction;
use super::strings;
use super::view::{MAX_DEPTH, View, combine, follow_reference};
use crate::diff::change::{Change, Part};
use crate::schema_inclusion::{SchemaDocument, ValueKind, is_annotation, is_known, value_kind};

/// Maximum number of old branches among which an unchanged branch is searched.
const MAX_BRANCHES: usize = 64;

/// Maximum number of subschemas that are searched for annotations of the same value.
const MAX_SUBSCHEMAS: usize = 64;

/// Reports every annotation that differs, at the location of the value that it describes.
pub(super) fn compare(
    direction: Direction,
    name: &str,
    (old_document, old): (&SchemaDocument<'_>, &Value),
    (new_document, new): (&SchemaDocument<'_>, &Value),
    changes: &mut Vec<Change>,
) {
    let mut annotations = Annotations {
        direction,
        name,
        old: old_document,
        new: new_document,
        changes,
        seen: HashSet::new(),
        depth: 0,
        defaults: Vec::new(),
        conditions: 0,
    };
    annotations.compare(direction.root(), old, new, false);
    annotations.report_remaining(old, new);
}

struct Annotations<'w, 'a> {
    direction: Direction,
    name: &'w str,
    old: &'w SchemaDocument<'a>,
    new: &'w SchemaDocument<'a>,
    changes: &'w mut Vec<Change>,
    /// The pairs that were compared, by address, since schemas may be recursive.
    seen: HashSet<(*const Value, *const Value)>,
    depth: usize,
    /// The defaults on both sides, for the current value and the values that contain it.
    defaults: Vec<[Vec<Value>; 2]>,
    /// The number of enclosing `if` and `not`, where a default has no effect.
    conditions: usize,
}

impl<'a> Annotations<'_, 'a> {
    /// Compares two schemas; `in_place` says that they are subschemas for the same value as their parents.
    fn compare<'s>(&mut self, at: &str, old: &'s Value, new: &'s Value, in_place: bool)
    where
        'a: 's,
    {
        let (old_target, new_target) = (follow_reference(self.old, old), follow_reference(self.new, new));
        // The target of several references is compared once, unless the references have siblings.
        let alone = |schema: &'s Value, target| if has_only_a_reference(schema) { target } else { schema };
        let pair = (std::ptr::from_ref(alone(old, old_target)), std::ptr::from_ref(alone(new, new_target)));
        if !self.seen.insert(pair) || self.depth >= MAX_DEPTH {
            return;
        }
        if let (Some(old), Some(new)) = (combine(old, old_target), combine(new, new_target)) {
            self.depth += 1;
            if !in_place {
                let defaults_of = |document: &SchemaDocument<'s>, view: &View<'s>| {
                    in_place_values(document, view, "default", MAX_SUBSCHEMAS).into_iter().cloned().collect()
                };
                self.defaults.push([defaults_of(self.old, &old), defaults_of(self.new, &new)]);
            }
            self.compare_keywords(at, &old, &new);
            if !in_place {
                self.defaults.pop();
            }
            self.depth -= 1;
        }
    }

    fn compare_keywords<'s>(&mut self, at: &str, old: &View<'s>, new: &View<'s>)
    where
        'a: 's,
    {
        let keys: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        for key in keys {
            let (before, after) = (old.get(key).copied(), new.get(key).copied());
            if key == "default" && before != after && self.report_default(at, before, after) {
                continue;
            }
            if is_annotation(key) || !is_known(key) {
                self.report_annotation(at, key, before, after);
                continue;
            }
            let (Some(before), Some(after)) = (before, after) else { continue };
            let at = format!("{at}/{key}");
            match (value_kind(key), before, after) {
                (ValueKind::Schema, ..) => {
                    let is_condition = usize::from(matches!(key, "not" | "if"));
                    self.conditions += is_condition;
                    self.compare(&at, before, after, matches!(key, "not" | "if" | "then" | "else"));
                    self.conditions -= is_condition;
                }
                (ValueKind::Object, Value::Object(before), Value::Object(after)) => {
                    for (name, before) in before {
                        if let Some(after) = after.get(name) {
                            self.compare(
                                &format!("{at}/{}", segment(name)),
                                before,
                                after,
                                key == "dependentSchemas",
                            );
                        }
                    }
                }
                (ValueKind::Array, Value::Array(before), Value::Array(after)) => {
                    self.compare_branches(&at, before, after, key != "prefixItems");
                }
                _ if key == "$ref" => {
                    let target = |document: &SchemaDocument<'a>, to: &Value| document.resolve(to.as_str()?);
                    if let (Some(before), Some(after)) = (target(self.old, before), target(self.new, after)) {
                        self.compare(&at, before, after, true);
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports a default that another subschema for the same value still states, or stated before; returns false if none does.
    fn report_default(&mut self, at: &str, old: Option<&Value>, new: Option<&Value>) -> bool {
        let Some([before, after]) = self.defaults.last() else { return false };
        let is_in =
            |value: Option<&Value>, defaults: &[Value]| value.is_some_and(|value| defaults.contains(value));
        let is_still_stated = old.is_none() || is_in(old, after);
        let was_stated = new.is_none() || is_in(new, before);
        let id = match self.direction {
            _ if (is_still_stated && was_stated) || self.conditions > 0 => "schema-note-changed",
            Direction::Input if is_still_stated => "input-default-added",
            Direction::Input if was_stated => "input-default-removed",
            _ => return false,
        };
        let pointer = format!("{at}/default");
        strings::compare(id, Part::Tool, self.name, &pointer, old, new, self.changes);
        true
    }

    /// Compares the branches of a combinator: unchanged ones with each other, the remaining ones in order.
    fn compare_branches<'s>(&mut self, at: &str, old: &'s [Value], new: &'s [Value], in_place: bool)
    where
        'a: 's,
    {
        let mut former: Vec<Option<&Value>> = old.iter().map(Some).collect();
        let mut left = Vec::new();
        for (place, arm) in new.iter().enumerate() {
            let same = former.iter().take(MAX_BRANCHES).position(|former| *former == Some(arm));
            match same {
                Some(same) => {
                    if let Some(before) = former[same].take() {
                        self.compare(&format!("{at}/{place}"), before, arm, in_place);
                    }
                }
                None => left.push((place, arm)),
            }
        }
        for (before, (place, arm)) in former.into_iter().flatten().zip(left) {
            self.compare(&format!("{at}/{place}"), before, arm, in_place);
        }
    }

    fn report_annotation(&mut self, at: &str, key: &str, old: Option<&Value>, new: Option<&Value>) {
        if key == "$defs" || key == "definitions" {
            return;
        }
        let id = match (key, self.direction) {
            (key, _) if TEXT_ANNOTATIONS.contains(&key) => "schema-text-changed",
            ("default", Direction::Input) => match (old, new) {
                (Some(_), Some(_)) => "input-default-changed",
                (None, _) => "input-default-added",
                _ => "input-default-removed",
            },
            (HEADER, Direction::Input) => match (old, new) {
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

    /// Reports added and removed strings that no change shows: those in unused definitions, and where the structure differs.
    fn report_remaining(&mut self, old: &Value, new: &Value) {
        let [old_texts, new_texts] = [old, new].map(|schema| locate_strings(schema, self.direction.root()));
        let [shown_before, shown_after] =
            [collect_shown_strings(self.changes, Side::Old), collect_shown_strings(self.changes, Side::New)];
        let removed = find_missing(&old_texts, &new_texts, &shown_before);
        let added = find_missing(&new_texts, &old_texts, &shown_after);
        let locations: BTreeSet<&String> = removed.keys().chain(added.keys()).collect();
        let is_shown = |changes: &[Change], place: &str| {
            changes.iter().any(|change| {
                let rest = place.strip_prefix(&change.pointer);
                change.pointer != self.direction.root()
                    && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let mut more = Vec::new();
        for place in locations.into_iter().filter(|place| !is_shown(self.changes, place)) {
            let change = Change::new("schema-text-changed", Part::Tool, self.name, place);
            more.push(change.with_values(removed.get(place), added.get(place)));
        }
        self.changes.append(&mut more);
    }
}

/// Returns the values of a keyword in a schema and in up to `limit` subschemas for the same value.
fn in_place_values<'s>(
    document: &SchemaDocument<'s>,
    view: &View<'s>,
    key: &str,
    limit: usize,
) -> Vec<&'s Value> {
    let mut found: Vec<&Value> = view.get(key).copied().into_iter().collect();
    let mut pending = in_place_subschemas(document, view);
    for at in 0..limit {
        let Some(Value::Object(members)) = pending.get(at).copied() else {
            if at >= pending.len() {
                break;
            }
            continue;
        };
        found.extend(members.get(key));
        let view = members.iter().map(|(key, value)| (key.as_str(), value)).collect();
        pending.extend(in_place_subschemas(document, &view));
    }
    found
}

fn in_place_subschemas<'s>(document: &SchemaDocument<'s>, view: &View<'s>) -> Vec<&'s Value> {
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

/// Returns the strings of a schema with their locations, except names and values of structural keywords.
fn locate_strings<'v>(schema: &'v Value, root: &str) -> Vec<(String, &'v str)> {
    const STRUCTURE: [&str; 7] =
        ["$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$id", "$schema", "$recursiveRef"];
    let mut found = Vec::new();
    strings::visit(schema, root, &mut |pointer, text| {
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

/// Returns the strings that the changes show, and the names in their locations.
fn collect_shown_strings(changes: &[Change], side: Side) -> HashSet<String> {
    let mut texts = HashSet::new();
    for change in changes {
        texts.extend(change.pointer.split('/').map(pointer::name));
        let value = match side {
            Side::Old => &change.old,
            Side::New => &change.new,
        };
        if let Some(value) = value {
            strings::visit(value, "", &mut |_, text| {
                texts.insert(text.to_owned());
            });
        }
    }
    texts
}

/// Returns the strings that the other side contains less often and that no change shows, by location. Those of a definition
/// that the other side lacks become one entry.
fn find_missing(
    texts: &[(String, &str)],
    others: &[(String, &str)],
    shown: &HashSet<String>,
) -> BTreeMap<String, Value> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, text) in others {
        *counts.entry(text).or_default() += 1;
    }
    let locations: HashSet<&str> = others.iter().map(|(place, _)| place.as_str()).collect();
    // Strings at unchanged locations are matched first.
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
        let definition = enclosing_definition(&place).filter(|definition| {
            !locations.iter().any(|place| *place == *definition || is_inside(definition, place))
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

/// Returns the definition that contains a location: `/inputSchema/$defs/point` for `/inputSchema/$defs/point/title`.
fn enclosing_definition(place: &str) -> Option<&str> {
    let start = ["/$defs/", "/definitions/"].iter().find_map(|key| Some(place.find(key)? + key.len()))?;
    let end = place[start..].find('/')? + start;
    Some(&place[..end])
}
