//! Converts numeric bounds to a format that has only `minimum` and `maximum`.

use serde_json::{Map, Value};
use toolwright_core::pointer::below;

use super::loss::InTool;

/// Adds the bounds of a number. For an integer, "above 0" becomes "1 or more". Other numbers cannot express an
/// exclusive bound, so it becomes an inclusive one and is reported as a loss.
pub(super) fn set_bounds(
    losses: &mut InTool<'_>,
    pointer: &str,
    keywords: &Map<String, Value>,
    converted: &mut Map<String, Value>,
) {
    let is_integer = converted.get("type").is_some_and(|name| name == "INTEGER");
    for (inclusive, exclusive, step) in
        [("minimum", "exclusiveMinimum", 1_i64), ("maximum", "exclusiveMaximum", -1)]
    {
        let is_tighter = |left: f64, right: f64| if step > 0 { left > right } else { left < right };
        let mut bound = keywords.get(inclusive).cloned();
        if is_integer && let Some(whole) = bound.as_ref().and_then(|bound| whole_bound(bound, step, false)) {
            bound = Some(whole.into());
        }
        if let Some(limit) = keywords.get(exclusive) {
            let whole = if is_integer { whole_bound(limit, step, true).map(Value::from) } else { None };
            let is_exact = whole.is_some();
            let limit = whole.unwrap_or_else(|| limit.clone());
            // A tighter inclusive bound implies the exclusive one.
            let says_more = match (limit.as_f64(), bound.as_ref().map(Value::as_f64)) {
                (Some(limit), Some(Some(bound))) => !is_tighter(bound, limit),
                (Some(_), None | Some(None)) => true,
                (None, _) => {
                    losses.add(below(pointer, exclusive), format!("`{exclusive}` is removed"));
                    false
                }
            };
            if says_more {
                if !is_exact {
                    let what = format!("`{exclusive}` becomes `{inclusive}`");
                    losses.add(below(pointer, exclusive), what);
                }
                bound = Some(limit);
            }
        }
        if let Some(bound) = bound {
            tighten(converted, inclusive, bound, is_tighter);
        }
    }
}

/// The integer at a bound or, if that is excluded, next to it; `None` if it does not fit in 64 bits.
fn whole_bound(bound: &Value, step: i64, is_excluded: bool) -> Option<i64> {
    if let Some(whole) = bound.as_i64() {
        return if is_excluded { whole.checked_add(step) } else { Some(whole) };
    }
    let bound = bound.as_f64().filter(|bound| bound.abs() < 9e15)?;
    let whole = if step > 0 { bound.ceil() } else { bound.floor() };
    #[expect(clippy::cast_possible_truncation, reason = "the value is an integer below 2^53")]
    let nearest = whole as i64;
    #[expect(clippy::float_cmp, reason = "checks whether the bound is an integer")]
    let is_whole = whole == bound;
    Some(if is_whole && is_excluded { nearest + step } else { nearest })
}

/// Adds a bound, unless a tighter one is present.
fn tighten(
    converted: &mut Map<String, Value>,
    keyword: &str,
    bound: Value,
    is_tighter: impl Fn(f64, f64) -> bool,
) {
    let known = converted.get(keyword).and_then(Value::as_f64);
    let is_better = known.zip(bound.as_f64()).is_none_or(|(known, bound)| is_tighter(bound, known));
    if is_better {
        converted.insert(keyword.to_owned(), bound);
    }
}
