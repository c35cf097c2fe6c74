//! Finds numbers by bounds and factors.

use serde_json::Value;

use super::facts::Facts;
use super::{Outcome, unknown};
use crate::schema_inclusion::number::Decimal;

/// Maximum number of consecutive multiples to try.
const MAX_TRIED: i128 = 5_000;

/// Finds a number that satisfies all facts.
pub(super) fn find_number(facts: &Facts<'_>) -> Outcome {
    let mut unit: Option<Decimal> = None;
    for factor in &facts.multiple_of {
        unit = match unit {
            None => Some(*factor),
            Some(unit) => match unit.common_multiple(*factor) {
                Some(common) => Some(common),
                None => return unknown("the numbers are too large to compare"),
            },
        };
    }
    match unit {
        Some(unit) => find_multiple(facts, unit),
        None => find_any(facts),
    }
}

/// Returns whether the number satisfies the facts, except `multipleOf`.
fn is_allowed(facts: &Facts<'_>, number: Decimal) -> bool {
    let is_low =
        facts.minimum.is_some_and(|low| number < low.value || (number == low.value && low.exclusive));
    let is_high =
        facts.maximum.is_some_and(|high| number > high.value || (number == high.value && high.exclusive));
    let is_excluded = || {
        let same = |value: &std::rc::Rc<Value>| Decimal::from_value(value) == Some(number);
        facts.not_equal.iter().any(same)
    };
    !is_low
        && !is_high
        && !facts.not_multiple_of.iter().any(|factor| number.is_multiple_of(*factor))
        && !is_excluded()
}

/// Finds a multiple of `unit`.
fn find_multiple(facts: &Facts<'_>, unit: Decimal) -> Outcome {
    // Every multiple of the unit is a multiple of an excluded factor.
    if facts.not_multiple_of.iter().any(|factor| unit.is_multiple_of(*factor)) {
        return Outcome::Unsatisfiable;
    }
    let first = match facts.minimum {
        Some(low) => low.value.floor_div(unit),
        None => match facts.maximum {
            Some(high) => high.value.floor_div(unit),
            None => Some(0),
        },
    };
    let Some(first) = first else { return unknown("the numbers are too large to compare") };
    let goes_up = facts.minimum.is_some() || facts.maximum.is_none();
    let mut is_unrepresentable = false;
    for count in 0..MAX_TRIED {
        let Some(number) = unit.multiply(if goes_up { first + count } else { first - count }) else { break };
        if facts.maximum.is_some_and(|high| number > high.value) && goes_up {
            return if is_unrepresentable {
                unknown("the numbers are too large to compare")
            } else {
                Outcome::Unsatisfiable
            };
        }
        if is_allowed(facts, number) {
            match number.to_value() {
                Some(value) => return Outcome::Value(value),
                None => is_unrepresentable = true,
            }
        }
    }
    unknown("it takes too long to try all numbers")
}

/// Finds a number when there is no factor.
fn find_any(facts: &Facts<'_>) -> Outcome {
    let ends = [facts.minimum, facts.maximum].map(|bound| bound.map(|bound| bound.value));
    let mut candidates: Vec<Decimal> = ends.into_iter().flatten().collect();
    if let [Some(low), Some(high)] = ends {
        if low == high {
            return match low.to_value() {
                _ if !is_allowed(facts, low) => Outcome::Unsatisfiable,
                Some(value) => Outcome::Value(value),
                None => unknown("the numbers are too large to compare"),
            };
        }
        // Tries as many points between the bounds as needed to avoid the excluded values.
        let mut above = Some(high);
        for _ in 0..MAX_BETWEEN {
            above = above.and_then(|above| low.midpoint(above));
            candidates.extend(above);
        }
        candidates.extend(low.midpoint(high).and_then(|middle| middle.midpoint(high)));
        candidates.extend((-3..=10).map(Decimal::from_integer));
    } else {
        let start = ends.into_iter().flatten().next().unwrap_or(Decimal::from_integer(0));
        for step in 0..64 + facts.not_equal.len() as i128 {
            for tenths in [10, -10, 5, -5, 1, -1, 3, -3] {
                let by = Decimal::from_tenths(tenths * (1 + step));
                candidates.extend(start.add(by));
            }
        }
    }
    let found =
        candidates.into_iter().filter(|number| is_allowed(facts, *number)).find_map(Decimal::to_value);
    // There are more numbers than excluded ones, but none that can be represented was found.
    found.map_or_else(|| unknown("no number was found between the bounds"), Outcome::Value)
}

/// Maximum number of points to try between two bounds.
const MAX_BETWEEN: usize = 24;
