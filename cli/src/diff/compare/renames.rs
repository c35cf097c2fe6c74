//! Arguments that were renamed: one is gone, and another one is like it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view::ObjectKeywords;
use crate::schema_inclusion::is_annotation;

/// Returns the old and new names of renamed arguments. An argument is renamed if exactly one new argument is like it, and
/// it is like no other removed argument.
pub(super) fn find<'a>(before: &ObjectKeywords<'a>, after: &ObjectKeywords<'a>) -> Vec<(&'a str, &'a str)> {
    let removed: BTreeSet<_> = before.names().filter(|name| !after.has(name)).collect();
    let added: BTreeSet<_> = after.names().filter(|name| !before.has(name)).collect();
    let is_like = |old: &str, new: &str| {
        before.schema(old).zip(after.schema(new)).is_some_and(|(old, new)| are_alike(old, new))
    };
    let pair = |old: &&'a str| {
        let mut candidates = added.iter().filter(|new| is_like(old, new));
        let (new, other) = (candidates.next()?, candidates.next());
        let rivals = removed.iter().filter(|rival| is_like(rival, new)).count();
        (other.is_none() && rivals == 1).then_some((*old, *new))
    };
    removed.iter().filter_map(pair).collect()
}

/// Returns whether two arguments have the same description, or none and the same other keywords.
fn are_alike(old: &Value, new: &Value) -> bool {
    let [was, is] = [old, new].map(|schema| schema.get("description").and_then(Value::as_str));
    match (was, is) {
        (Some(was), Some(is)) => !was.trim().is_empty() && was == is,
        (None, None) => {
            constraints(old).is_some_and(|constraints_of_old| Some(constraints_of_old) == constraints(new))
        }
        _ => false,
    }
}

/// Returns the keywords that decide which values are accepted; `None` if there are none.
fn constraints(schema: &Value) -> Option<Vec<(&String, &Value)>> {
    let keywords: Vec<_> = schema.as_object()?.iter().filter(|(key, _)| !is_annotation(key)).collect();
    (!keywords.is_empty()).then_some(keywords)
}
