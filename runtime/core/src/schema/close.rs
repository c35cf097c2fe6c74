//! Closes objects at every depth: only listed names are accepted.
//!
//! Serde ignores unknown names, so a misspelt one would be lost. Objects that list their members are closed
//! here, including the root; objects that define further members (a map, a hand-written schema) are left
//! unchanged.
//!
//! An object with its own members next to a choice (a flattened enum) becomes a choice between complete objects,
//! because a closed arm must list all members of the object.

use std::cell::Cell;

use serde_json::{Map, Value, json};

use super::{defaults, members, merge, unlike, walk};

/// Marks an object that was closed here, not by `deny_unknown_fields`. Never part of a published schema.
pub(crate) const CLOSED_BY_US: &str = "x-toolwright-closed";

/// The names of members that are part of all forms of an object because serde reads them independently. Never
/// part of a published schema.
pub(crate) const READ_ONCE: &str = "x-toolwright-read-once";

/// The names of all variants of a flattened enum, until the objects are complete.
const VARIANTS: &str = "x-toolwright-variants";

/// Maximum number of complete objects per choice; larger choices are closed by `unevaluatedProperties`.
const MAX_ALTERNATIVES: usize = 64;
/// Maximum number of consecutive references and choices to follow.
const MAX_DEPTH: usize = 8;

/// Keywords that define further members, or reject them.
const OPEN_OR_CLOSE: &[&str] =
    &["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "not", "if"];
/// Keywords with schemas for the same value.
const CHOICES: &[&str] = &["$ref", "allOf", "anyOf", "oneOf"];

/// Closes the objects of `root`, with the keyword [`CLOSED_BY_US`] if `marked`. Members that callers may not
/// send are removed from defaults.
pub(super) fn close(root: &mut Value, marked: bool) {
    let definitions = root.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let has_defaults = Cell::new(false);
    let closer = Closer { definitions: &definitions, marked, is_written: false, has_defaults: &has_defaults };
    closer.close_value(root);
    if let Some(Value::Object(definitions)) = root.get_mut("$defs") {
        definitions.values_mut().for_each(|definition| closer.close_value(definition));
    }
    if has_defaults.get() {
        defaults::drop_unread(root);
    }
}

/// Converts objects with a flattened map next to other members to choices between complete objects, so that the
/// map's constraints on further members do not apply to the others.
pub(super) fn separate_maps(root: &mut Value) {
    let definitions = root.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let has_defaults = Cell::new(false);
    let closer =
        Closer { definitions: &definitions, marked: false, is_written: true, has_defaults: &has_defaults };
    closer.separate_maps(root);
}

/// Returns whether a part of the object defines further members.
fn has_map(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    let is_map = object.get("additionalProperties").is_some_and(Value::is_object);
    let parts = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| object.get(*keyword)?.as_array());
    is_map || parts.flatten().any(has_map)
}

struct Closer<'a> {
    definitions: &'a Map<String, Value>,
    marked: bool,
    /// Whether the schema describes serialized values.
    is_written: bool,
    /// Whether there was a default with members or items.
    has_defaults: &'a Cell<bool>,
}

impl Closer<'_> {
    /// Closes a schema that describes a complete value.
    fn close_value(&self, schema: &mut Value) {
        let Some(object) = schema.as_object_mut() else { return };
        let definitions = object.shift_remove("$defs");
        if is_mixed(object)
            && let Some(whole) = self.complete(object)
        {
            *object = whole;
        }
        if object.get("default").is_some_and(|default| default.is_object() || default.is_array()) {
            self.has_defaults.set(true);
        }
        let is_sealed = self.close_object(object);
        walk::subschemas_mut(object, |keyword, subschema| match keyword {
            "properties" | "patternProperties" | "items" | "prefixItems" | "additionalProperties" => {
                self.close_value(subschema);
            }
            "allOf" | "anyOf" | "oneOf" if is_sealed => self.close_part(subschema),
            "allOf" | "anyOf" | "oneOf" => self.close_value(subschema),
            _ => {}
        });
        if let Some(definitions) = definitions {
            object.insert("$defs".to_owned(), definitions);
        }
    }

    fn separate_maps(&self, schema: &mut Value) {
        let is_mixture = schema.as_object().is_some_and(is_mixed) && has_map(schema);
        let Some(object) = schema.as_object_mut() else { return };
        if is_mixture && let Some(whole) = self.complete(object) {
            let definitions = object.shift_remove("$defs");
            *object = whole;
            object.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
        }
        walk::subschemas_mut(object, |_, subschema| self.separate_maps(subschema));
    }

    /// Closes the schemas inside one that describes a part of an object.
    fn close_part(&self, schema: &mut Value) {
        let Some(object) = schema.as_object_mut() else { return };
        walk::subschemas_mut(object, |keyword, subschema| match keyword {
            "properties" | "patternProperties" | "items" | "prefixItems" | "additionalProperties" => {
                self.close_value(subschema);
            }
            "allOf" | "anyOf" | "oneOf" => self.close_part(subschema),
            _ => {}
        });
    }

    /// Closes an object that lists its members; returns whether its parts must stay open for that.
    fn close_object(&self, object: &mut Map<String, Value>) -> bool {
        let has_choice = CHOICES.iter().any(|choice| object.contains_key(*choice));
        if object.get("unevaluatedProperties") == Some(&Value::Bool(false)) {
            if has_choice {
                return true;
            }
            object.shift_remove("unevaluatedProperties");
            object.entry("additionalProperties").or_insert(Value::Bool(false));
            return false;
        }
        let lists_members = object.contains_key("properties") && is_object(object);
        if !lists_members || OPEN_OR_CLOSE.iter().any(|keyword| object.contains_key(*keyword)) {
            return false;
        }
        let keyword = if has_choice { "unevaluatedProperties" } else { "additionalProperties" };
        object.insert(keyword.to_owned(), Value::Bool(false));
        if self.marked {
            object.insert(CLOSED_BY_US.to_owned(), Value::Bool(true));
        }
        has_choice
    }

    /// Converts the object so that its choices are between complete objects.
    fn complete(&self, object: &Map<String, Value>) -> Option<Map<String, Value>> {
        let (about, constraints): (Map<_, _>, Map<_, _>) =
            object.clone().into_iter().partition(|(keyword, _)| merge::is_annotation(keyword));
        let mut alternatives = self.alternatives(&constraints, MAX_DEPTH)?;
        if alternatives.is_empty() || !alternatives.iter().any(|one| one.contains_key("properties")) {
            return None;
        }
        for alternative in &mut alternatives {
            alternative.shift_remove("$defs");
            // It has no parts any more, so the two keywords are equivalent.
            if let Some(rest) = alternative.shift_remove("unevaluatedProperties") {
                alternative.entry("additionalProperties").or_insert(rest);
            }
            self.exclude_other_variants(alternative);
            if !OPEN_OR_CLOSE.iter().any(|keyword| alternative.contains_key(*keyword)) {
                alternative.entry("properties").or_insert_with(|| json!({}));
            }
            if !alternative.contains_key("type") {
                alternative.shift_insert(0, "type".to_owned(), json!("object"));
            }
        }
        if let [only] = &mut alternatives[..] {
            return Some(merge::merge(std::mem::take(only), about));
        }
        let mut whole = about;
        if let (true, Some(own)) = (self.marked, members_of(object)) {
            whole.insert(READ_ONCE.to_owned(), own.keys().cloned().collect());
        }
        whole.insert("anyOf".to_owned(), alternatives.into_iter().map(Value::Object).collect());
        Some(whole)
    }

    /// Next to a flattened map, the name of another variant is not a further member: serde selects the variant
    /// that comes first.
    fn exclude_other_variants(&self, alternative: &mut Map<String, Value>) {
        let Some(variants) = alternative.shift_remove(VARIANTS) else { return };
        let takes_more =
            alternative.get("additionalProperties").is_some_and(|rest| *rest != Value::Bool(false));
        if self.is_written || !takes_more || alternative.contains_key("propertyNames") {
            return;
        }
        let is_listed = |name: &str| members_of(alternative).is_some_and(|listed| listed.contains_key(name));
        let names = variants.as_array().into_iter().flatten().filter_map(Value::as_str);
        let others: Vec<&str> = names.filter(|name| !is_listed(name)).collect();
        if let (false, Some(pattern)) = (others.is_empty(), unlike::negated_pattern(others.into_iter())) {
            alternative.insert("propertyNames".to_owned(), json!({ "type": "string", "pattern": pattern }));
        }
    }

    /// Returns all forms of an object, each without choices; `None` if it is not an object or has too many
    /// forms.
    fn alternatives(&self, schema: &Map<String, Value>, depth: usize) -> Option<Vec<Map<String, Value>>> {
        let depth = depth.checked_sub(1)?;
        if !is_object(schema) || schema.contains_key("if") || schema.contains_key("not") {
            return None;
        }
        let mut base = schema.clone();
        let mut found = Vec::new();
        let reference = walk::referenced_definition(schema).map(std::borrow::Cow::into_owned);
        for choice in CHOICES {
            base.shift_remove(*choice);
        }
        found.push(base);
        if let Some(name) = reference {
            let far = self.alternatives(members(self.definitions.get(&name)?)?, depth)?;
            found = combine(&found, &far)?;
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            found = combine(&found, &self.alternatives(&object_of(part)?, depth)?)?;
        }
        for choice in ["anyOf", "oneOf"] {
            let Some(arms) = schema.get(choice).and_then(Value::as_array) else { continue };
            let mut of_arms = Vec::new();
            for arm in arms {
                of_arms.extend(self.alternatives(&object_of(arm)?, depth)?);
            }
            store_variants(&mut of_arms);
            found = combine(&found, &of_arms)?;
        }
        Some(found)
    }
}

/// Returns whether an object has its own members, or several parts, next to a choice.
fn is_mixed(object: &Map<String, Value>) -> bool {
    let choices = CHOICES.iter().filter(|choice| object.contains_key(**choice)).count();
    let has_own = ["properties", "unevaluatedProperties"].iter().any(|keyword| object.contains_key(*keyword));
    let has_parts = object.get("allOf").and_then(Value::as_array).is_some_and(|parts| parts.len() > 1);
    // Only a flattened `Option`: the arm without keywords has no members.
    let is_nothing = |arm: &Value| *arm == Value::Bool(true) || members(arm).is_some_and(Map::is_empty);
    let is_optional = ["anyOf", "oneOf"].iter().any(|choice| {
        object.get(*choice).and_then(Value::as_array).is_some_and(|arms| arms.iter().any(is_nothing))
    });
    let is_optional = is_optional && object.get("type").is_some_and(|name| name == "object");
    choices > 0 && (has_own || choices > 1 || has_parts || is_optional)
}

/// Stores the names of variants if each arm has one required member; an arm without members is that of a
/// flattened `Option`.
fn store_variants(arms: &mut [Map<String, Value>]) {
    let mut names: Vec<Value> = Vec::new();
    for arm in arms.iter() {
        let listed = members_of(arm).map_or_else(Vec::new, |listed| listed.keys().collect());
        let needed = arm.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        match (&listed[..], needed) {
            ([], []) => {}
            ([name], [needed]) if needed == *name => names.push(needed.clone()),
            _ => return,
        }
    }
    if names.len() > 1 || arms.len() > names.len() {
        for arm in arms {
            arm.insert(VARIANTS.to_owned(), names.clone().into());
        }
    }
}

fn members_of(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.get("properties").and_then(Value::as_object)
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_none_or(|name| name == "object")
}

fn object_of(schema: &Value) -> Option<Map<String, Value>> {
    match schema {
        Value::Bool(true) => Some(Map::new()),
        _ => members(schema).cloned(),
    }
}

/// Combines each of `first` with each of `second`.
fn combine(first: &[Map<String, Value>], second: &[Map<String, Value>]) -> Option<Vec<Map<String, Value>>> {
    if first.len() * second.len() > MAX_ALTERNATIVES {
        return None;
    }
    let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
    Some(pairs.map(|(one, other)| merge(one, other)).collect())
}

/// Merges two objects. If one is closed, the names of the other are still known to it.
fn merge(one: &Map<String, Value>, other: &Map<String, Value>) -> Map<String, Value> {
    let mut parts = [one.clone(), other.clone()];
    let mut closed = false;
    for part in &mut parts {
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            if part.get(keyword) == Some(&Value::Bool(false)) {
                part.shift_remove(keyword);
                closed = true;
            }
        }
    }
    let [one, other] = parts;
    let mut joined = merge::merge(one, other);
    if closed && !joined.contains_key("additionalProperties") {
        joined.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    joined
}
