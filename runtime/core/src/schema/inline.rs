//! Inlines definitions.
//!
//! Some clients remove `$defs` before they show a schema to a model, which leaves references dangling.
//! Definitions are only kept for recursive types and, in large schemas, for types that are used several times.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{merge, walk};

/// Maximum number of subschemas with all definitions inlined. A larger schema keeps the definitions that it uses
/// more than once; 1,000 subschemas are about 50 kB, which is too long for the schema of one tool.
const INLINE_BUDGET: usize = 1_000;

/// Definitions of at most this many subschemas are always inlined, since a `$ref` would hardly be shorter.
const ALWAYS_INLINE: usize = 4;

/// Replaces each `$ref` of `root` by its target, unless it is recursive or makes the schema too large.
pub(super) fn inline_definitions(root: &mut Value) {
    let Some(object) = root.as_object_mut() else { return };
    let definitions = match object.shift_remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let kept = Definitions::new(&definitions).find_kept(object);
    let expander = Expander { definitions: &definitions, kept: &kept };
    expander.expand(root);
    let mut remaining = BTreeMap::new();
    let mut wanted = references(root);
    while let Some(name) = wanted.pop_first() {
        if let (false, Some(definition)) = (remaining.contains_key(&name), definitions.get(&name)) {
            let mut definition = definition.clone();
            expander.expand_members(&mut definition);
            wanted.extend(references(&definition));
            remaining.insert(name, definition);
        }
    }
    if !remaining.is_empty() {
        walk::as_object(root).insert("$defs".to_owned(), Value::Object(remaining.into_iter().collect()));
        simplify_names(root);
    }
}

/// Renames definitions such that no reference needs an escape, which some clients do not decode.
fn simplify_names(root: &mut Value) {
    let Some(Value::Object(definitions)) = root.get_mut("$defs") else { return };
    let mut names = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut renamed = Map::new();
    for (name, definition) in std::mem::take(definitions) {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let base = name.replace(|letter| !is_plain(letter), "_");
        let mut plain = base.clone();
        let mut number = 2;
        while !taken.insert(plain.clone()) {
            plain = format!("{base}{number}");
            number += 1;
        }
        renamed.insert(plain.clone(), definition);
        names.insert(name, plain);
    }
    *definitions = renamed;
    rename_references(root, &names);
}

fn rename_references(schema: &mut Value, names: &BTreeMap<String, String>) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(plain) = walk::referenced_definition(object).and_then(|name| names.get(name.as_ref())) {
        object.insert("$ref".to_owned(), format!("#/$defs/{plain}").into());
    }
    walk::subschemas_mut(object, |_, subschema| rename_references(subschema, names));
}

struct Expander<'a> {
    definitions: &'a Map<String, Value>,
    kept: &'a BTreeSet<String>,
}

impl Expander<'_> {
    fn expand(&self, schema: &mut Value) {
        let Some(object) = schema.as_object_mut() else { return };
        if let Some(name) =
            walk::referenced_definition(object).filter(|name| !self.kept.contains(name.as_ref()))
        {
            // Only hand-written schemas have references without a target; they constrain nothing.
            let mut far = self.definitions.get(name.as_ref()).cloned().unwrap_or(Value::Bool(true));
            object.shift_remove("$ref");
            let near = std::mem::take(object);
            self.expand(&mut far);
            let mut near = Value::Object(near);
            self.expand_members(&mut near);
            *object = merge::merge(
                std::mem::take(walk::as_object(&mut far)),
                std::mem::take(walk::as_object(&mut near)),
            );
            return;
        }
        self.expand_members(schema);
    }

    fn expand_members(&self, schema: &mut Value) {
        if let Some(object) = schema.as_object_mut() {
            walk::subschemas_mut(object, |_, subschema| self.expand(subschema));
        }
    }
}

/// Returns the names of all definitions that `schema` refers to, except from within its `$defs`.
fn references(schema: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    count(schema, &mut |name| {
        names.insert(name.to_owned());
    });
    names
}

/// Counts the subschemas of `schema` and calls `found` for each reference.
fn count(schema: &Value, found: &mut dyn FnMut(&str)) -> usize {
    schema.as_object().map_or(1, |object| count_in(object, found))
}

fn count_in(object: &Map<String, Value>, found: &mut dyn FnMut(&str)) -> usize {
    if let Some(name) = walk::referenced_definition(object) {
        found(&name);
    }
    let mut size = 1;
    walk::subschemas(object, |subschema| size += count(subschema, found));
    size
}

/// The references between definitions.
struct Definitions {
    /// For each definition, its number of subschemas, and how often it refers to other definitions.
    known: BTreeMap<String, (usize, BTreeMap<String, usize>)>,
}

impl Definitions {
    fn new(definitions: &Map<String, Value>) -> Self {
        let known = definitions
            .iter()
            .map(|(name, schema)| (name.clone(), measure(|found| count(schema, found))))
            .collect();
        Self { known }
    }

    /// Returns the definitions that must be kept.
    fn find_kept(&self, root: &Map<String, Value>) -> BTreeSet<String> {
        let mut kept: BTreeSet<String> =
            self.known.keys().filter(|name| self.is_recursive(name)).cloned().collect();
        let (own, mut uses) = measure(|found| count_in(root, found));
        let mut sizes = BTreeMap::new();
        let total = self.expanded_size(own, &uses, &kept, &mut sizes);
        if total > INLINE_BUDGET {
            for (_, inner) in self.known.values() {
                for (name, times) in inner {
                    *uses.entry(name.clone()).or_default() += times;
                }
            }
            let large = |name: &String| sizes.get(name).is_some_and(|size| *size > ALWAYS_INLINE);
            kept.extend(
                uses.into_iter().filter(|(name, times)| *times > 1 && large(name)).map(|(name, _)| name),
            );
        }
        kept
    }

    fn is_recursive(&self, name: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![name];
        while let Some(current) = next.pop() {
            for used in self.known.get(current).into_iter().flat_map(|(_, used)| used.keys()) {
                if used == name {
                    return true;
                }
                if seen.insert(used.as_str()) {
                    next.push(used);
                }
            }
        }
        false
    }

    /// Returns the number of subschemas with all definitions inlined that are not kept; cached in `sizes`.
    fn expanded_size(
        &self,
        own: usize,
        used: &BTreeMap<String, usize>,
        kept: &BTreeSet<String>,
        sizes: &mut BTreeMap<String, usize>,
    ) -> usize {
        let mut total = own;
        for (name, times) in used {
            if kept.contains(name) {
                continue;
            }
            let size = match (sizes.get(name), self.known.get(name)) {
                (Some(size), _) => *size,
                (None, None) => 1,
                (None, Some((own, used))) => {
                    let size = self.expanded_size(*own, used, kept, sizes);
                    sizes.insert(name.clone(), size);
                    size
                }
            };
            total = total.saturating_add(size.saturating_mul(*times));
        }
        total
    }
}

/// Returns the number of subschemas, and how often each reference occurs.
fn measure(count: impl FnOnce(&mut dyn FnMut(&str)) -> usize) -> (usize, BTreeMap<String, usize>) {
    let mut used = BTreeMap::new();
    let size = count(&mut |name| *used.entry(name.to_owned()).or_default() += 1);
    (size, used)
}
