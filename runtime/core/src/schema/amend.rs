//! Additions to a schema that only its type reveals.

use serde_json::{Map, Value, json};

use super::{unlike, walk};

/// An addition to a schema.
#[derive(Debug, Clone)]
pub(crate) struct Amendment {
    /// JSON Pointer into the schema that arguments are validated against.
    pub(crate) pointer: String,
    pub(crate) change: Change,
}

/// The kind of addition.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// `dependentRequired`.
    Needs(Map<String, Value>),
    /// Any string is accepted in addition to those listed, except the last one.
    AnyOther,
    /// The same for a tag, with the values of the other variants.
    AnyOtherTag(Vec<Value>),
}

/// Applies the amendments to the schema that arguments are validated against.
pub(crate) fn apply(exact: &mut Value, amendments: &[Amendment]) {
    for Amendment { pointer, change } in amendments {
        if let Some(Value::Object(place)) = exact.pointer_mut(pointer) {
            apply_change(change, place, Side::Exact);
        }
    }
}

/// Applies them to the published schema, at the locations that correspond to those in `exact`.
pub(super) fn apply_to_published(shown: &mut Value, exact: &Value, amendments: &[Amendment]) {
    for Amendment { pointer, change } in amendments {
        let found = exact.pointer(pointer).and_then(|place| find_published(exact, shown, pointer, place));
        if let Some(found) = found
            && let Some(Value::Object(place)) = shown.pointer_mut(&found.pointer)
        {
            let of_all_variants;
            let change = match change {
                Change::Needs(needs) if found.pointer.is_empty() => {
                    let mut needs = needs.clone();
                    needs.retain(|name, others| {
                        !is_optional_elsewhere(exact, pointer, amendments, (name, &*others))
                    });
                    of_all_variants = Change::Needs(needs);
                    &of_all_variants
                }
                change => change,
            };
            apply_change(change, place, Side::Shown { is_merged: found.is_merged });
        }
    }
}

/// Maximum number of consecutive references and choices to follow.
const MAX_DEPTH: usize = 16;

/// Returns whether, since all variants are published as one object, another variant than the one at `pointer`
/// may have the member without those that it requires there.
fn is_optional_elsewhere(
    exact: &Value,
    pointer: &str,
    amendments: &[Amendment],
    needs: (&str, &Value),
) -> bool {
    let mut here = pointer;
    while let Some((choice, position)) = here.rsplit_once('/') {
        let arms = exact.pointer(choice).and_then(Value::as_array).map_or(0, Vec::len);
        let mut beside = (0..arms).filter(|at| at.to_string() != position);
        if beside.any(|at| has_without(exact, &format!("{choice}/{at}"), amendments, needs, MAX_DEPTH)) {
            return true;
        }
        here = choice.rsplit_once('/').map_or("", |(before, _)| before);
    }
    false
}

/// Returns whether the object at `pointer`, in any of its forms, may have the member alone.
fn has_without(
    exact: &Value,
    pointer: &str,
    amendments: &[Amendment],
    (name, others): (&str, &Value),
    depth: usize,
) -> bool {
    let (Some(depth), Some(Value::Object(object))) = (depth.checked_sub(1), exact.pointer(pointer)) else {
        return true;
    };
    let needs_too = amendments.iter().any(|other| {
        matches!(&other.change, Change::Needs(needs) if other.pointer == pointer && needs.get(name) == Some(others))
    });
    if needs_too {
        return false;
    }
    let takes_more = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|keyword| object.get(*keyword).is_some_and(|rest| *rest != Value::Bool(false)));
    let lists = object.get("properties").is_some_and(|listed| listed.get(name).is_some());
    let parts = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| {
        let count = object.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).map(move |at| format!("{pointer}/{keyword}/{at}"))
    });
    let far =
        walk::referenced_definition(object).map(|far| format!("/$defs{}", crate::pointer::below("", &far)));
    takes_more
        || lists
        || parts.chain(far).any(|part| has_without(exact, &part, amendments, (name, others), depth))
}

/// The schema to change.
#[derive(Debug, Clone, Copy)]
enum Side {
    Exact,
    Shown {
        /// Whether the location is a member of several variants in one object.
        is_merged: bool,
    },
}

/// A location in the published schema.
struct PublishedLocation {
    pointer: String,
    is_merged: bool,
}

/// Returns the location in the published schema of `place`, which is at `pointer` in `exact`: without `null` for
/// optional members, and without the choice at the root.
fn find_published(exact: &Value, shown: &Value, pointer: &str, place: &Value) -> Option<PublishedLocation> {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    let mut here = Walk { exact, shown, pointer: String::new() };
    let mut steps = &steps[..];
    let mut is_merged = false;
    while let [choice @ ("anyOf" | "oneOf"), position, rest @ ..] = steps
        && here.pointer.is_empty()
        && shown.get(*choice).is_none()
    {
        here.exact = here.exact.get(choice)?.get(position.parse::<usize>().ok()?)?;
        (steps, is_merged) = (rest, true);
    }
    if let (true, ["properties", name, rest @ ..]) = (is_merged, steps) {
        here.step_into("properties")?;
        here.step_into(name)?;
        let arms = here.shown.get("anyOf").and_then(Value::as_array).map_or(0, Vec::len);
        let is_one = rest.is_empty();
        let candidates = std::iter::once(None).chain((0..arms).map(Some)).filter_map(|arm| {
            let mut here = here.clone();
            if let Some(arm) = arm {
                here.shown = here.shown.get("anyOf")?.get(arm)?;
                here.pointer = format!("{}/anyOf/{arm}", here.pointer);
            }
            here.follow(rest)
        });
        let candidates: Vec<Walk<'_>> = candidates.collect();
        let lists_same = |found: &&Walk<'_>| found.shown.get("enum") == place.get("enum");
        // The strings of all variants may be in one list.
        let lists_more = |found: &&Walk<'_>| is_one && found.shown.get("enum").is_some();
        let found = candidates.iter().find(lists_same).or_else(|| candidates.iter().find(lists_more))?;
        return Some(PublishedLocation { pointer: found.pointer.clone(), is_merged: is_one });
    }
    let found = here.follow(steps)?;
    Some(PublishedLocation { pointer: found.pointer, is_merged: false })
}

/// A location in both schemas.
#[derive(Clone)]
struct Walk<'s> {
    exact: &'s Value,
    shown: &'s Value,
    pointer: String,
}

impl Walk<'_> {
    fn follow(mut self, mut steps: &[&str]) -> Option<Self> {
        loop {
            match steps {
                [] => return Some(self),
                [choice @ ("anyOf" | "oneOf"), position, rest @ ..] => {
                    self.choose(choice, position.parse().ok()?)?;
                    steps = rest;
                }
                [step, rest @ ..] => {
                    self.step_into(step)?;
                    steps = rest;
                }
            }
        }
    }

    fn step_into(&mut self, step: &str) -> Option<()> {
        let name = step.replace("~1", "/").replace("~0", "~");
        let of = |value: &'_ Value| -> Option<usize> { value.is_array().then(|| name.parse().ok())? };
        self.exact = match of(self.exact) {
            Some(position) => self.exact.get(position)?,
            None => self.exact.get(&name)?,
        };
        self.shown = match of(self.shown) {
            Some(position) => self.shown.get(position)?,
            None => self.shown.get(&name)?,
        };
        self.pointer = format!("{}/{step}", self.pointer);
        Some(())
    }

    /// Steps into an arm, which is inlined if its only sibling is `null`.
    fn choose(&mut self, choice: &str, position: usize) -> Option<()> {
        let arms = self.exact.get(choice)?.as_array()?;
        let is_null = |arm: &&Value| arm.get("type").is_some_and(|name| name == "null");
        let others = arms.iter().filter(|arm| !is_null(arm)).count();
        let before = arms[..position].iter().filter(is_null).count();
        self.exact = arms.get(position)?;
        let shown = self.shown.get(choice).and_then(Value::as_array);
        let shows_null = shown.is_some_and(|shown| shown.iter().any(|arm| is_null(&arm)));
        if others == 1 && arms.len() > 1 && !shows_null {
            return Some(());
        }
        let position = if shows_null { position } else { position.checked_sub(before)? };
        self.shown = shown?.get(position)?;
        self.pointer = format!("{}/{choice}/{position}", self.pointer);
        Some(())
    }
}

fn apply_change(change: &Change, place: &mut Map<String, Value>, side: Side) {
    match (change, side) {
        (Change::Needs(needs), _) => {
            let lists_all = |names: &Value| place_lists(place, names);
            if !needs.is_empty()
                && needs.iter().all(|(name, others)| lists_all(&json!([name])) && lists_all(others))
            {
                place.insert("dependentRequired".to_owned(), Value::Object(needs.clone()));
            }
        }
        (Change::AnyOther, _) | (Change::AnyOtherTag(_), Side::Shown { is_merged: true }) => {
            accept_any_string(place);
        }
        (Change::AnyOtherTag(others), _) => {
            place.shift_remove("enum");
            place.shift_remove("const");
            place.insert("type".to_owned(), json!("string"));
            let pattern = unlike::negated_pattern(others.iter().filter_map(Value::as_str));
            match (side, pattern) {
                // Some clients do not support `not`.
                (Side::Shown { .. }, Some(pattern)) => {
                    place.insert("pattern".to_owned(), pattern.into());
                    let names: Vec<String> =
                        others.iter().map(|name| format!("`{name}`").replace('"', "")).collect();
                    let about = format!("Any string but {}.", names.join(", "));
                    place.entry("description").or_insert_with(|| about.into());
                }
                _ => {
                    place.insert("not".to_owned(), json!({ "type": "string", "enum": others }));
                }
            }
        }
    }
}

fn place_lists(place: &Map<String, Value>, names: &Value) -> bool {
    let properties = place.get("properties").and_then(Value::as_object);
    let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
    properties.is_some_and(|properties| names.into_iter().all(|name| properties.contains_key(name)))
}

/// Replaces a list of strings by any string, with the list in the description. The last one is the catch-all
/// variant and not listed.
fn accept_any_string(place: &mut Map<String, Value>) {
    let Some(Value::Array(mut values)) = place.shift_remove("enum") else { return };
    let other = values.pop();
    let other = other.as_ref().and_then(Value::as_str).unwrap_or_default();
    let about = place.shift_remove("description");
    let about = about.as_ref().and_then(Value::as_str).unwrap_or_default();
    let of_other = format!("`{other}`: ");
    let mut lines: Vec<String> =
        about.lines().filter(|line| !line.starts_with(&of_other)).map(str::to_owned).collect();
    let names: Vec<String> =
        values.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
    lines.push(if names.is_empty() {
        "Any string.".to_owned()
    } else {
        format!("Known: {}. Any other string is taken as well.", names.join(", "))
    });
    place.insert("description".to_owned(), lines.join("\n").into());
}
