//! Finds numbers with given bounds and factors.

use serde_json::Value;

use super::facts::Facts;
use super::{Outcome, unknown};
use crate::schema_inclusion::number::Decimal;

/// Maximum number of consecutive multiples to try.
const MAX_TRIED: i128 = 5_000;

/// Finds a number that satisfies all facts.
pub(super) fn number(facts: &Facts<'_>) -> Outcome {
    let mut unit: Option<Decimal> = None;
    for factor in &facts.multiples {
        unit = match unit {
            None => Some(*factor),
            Some(unit) => match unit.common_multiple(*factor) {
                Some(common) => Some(common),
                None => return unknown("the numbers are too large to compare"),
            },
        };
    }
    match unit {
        Some(unit) => multiple(facts, unit),
        None => any(facts),
    }
}

/// Returns whether the number satisfies the facts, ignoring factors.
fn fits(facts: &Facts<'_>, number: Decimal) -> bool {
    let is_low = facts.low.is_some_and(|low| number < low.at || (number == low.at && low.open));
    let is_high = facts.high.is_some_and(|high| number > high.at || (number == high.at && high.open));
    let is_excluded = || {
        let same = |value: &std::rc::Rc<Value>| Decimal::of_value(value) == Some(number);
        facts.not_values.iter().any(same)
    };
    !is_low
        && !is_high
        && !facts.no_multiples.iter().any(|factor| number.is_multiple_of(*factor))
        && !is_excluded()
}

/// Finds a multiple of `unit`.
fn multiple(facts: &Facts<'_>, unit: Decimal) -> Outcome {
    // Every multiple of the unit is a multiple of such a factor.
    if facts.no_multiples.iter().any(|factor| unit.is_multiple_of(*factor)) {
        return Outcome::Nothing;
    }
    let first = match facts.low {
        Some(low) => low.at.floor_div(unit),
        None => match facts.high {
            Some(high) => high.at.floor_div(unit),
            None => Some(0),
        },
    };
    let Some(first) = first else { return unknown("the numbers are too large to compare") };
    let goes_up = facts.low.is_some() || facts.high.is_none();
    let mut is_unwritable = false;
    for count in 0..MAX_TRIED {
        let Some(number) = unit.times(if goes_up { first + count } else { first - count }) else { break };
        if facts.high.is_some_and(|high| number > high.at) && goes_up {
            return if is_unwritable {
                unknown("the numbers are too large to compare")
            } else {
                Outcome::Nothing
            };
        }
        if fits(facts, number) {
            match number.to_value() {
                Some(value) => return Outcome::Value(value),
                None => is_unwritable = true,
            }
        }
    }
    unknown("it takes too long to try all numbers")
}

/// Finds any number.
fn any(facts: &Facts<'_>) -> Outcome {
    let ends = [facts.low, facts.high].map(|bound| bound.map(|bound| bound.at));
    let mut candidates: Vec<Decimal> = ends.into_iter().flatten().collect();
    if let [Some(low), Some(high)] = ends {
        if low == high {
            return match low.to_value() {
                _ if !fits(facts, low) => Outcome::Nothing,
                Some(value) => Outcome::Value(value),
                None => unknown("the numbers are too large to compare"),
            };
        }
        // Tries as many points between the bounds as needed to avoid the excluded values.
        let mut above = Some(high);
        for _ in 0..MAX_BETWEEN {
            above = above.and_then(|above| low.between(above));
            candidates.extend(above);
        }
        candidates.extend(low.between(high).and_then(|middle| middle.between(high)));
        candidates.extend((-3..=10).map(Decimal::whole));
    } else {
        let start = ends.into_iter().flatten().next().unwrap_or(Decimal::whole(0));
        for step in 0..64 + facts.not_values.len() as i128 {
            for tenths in [10, -10, 5, -5, 1, -1, 3, -3] {
                let by = Decimal::tenths(tenths * (1 + step));
                candidates.extend(start.plus(by));
            }
        }
    }
    let found = candidates.into_iter().filter(|number| fits(facts, *number)).find_map(Decimal::to_value);
    // There are more numbers than excluded ones, but none that can be represented was found.
    found.map_or_else(|| unknown("no number was found between the bounds"), Outcome::Value)
}

/// Maximum number of points to try between two bounds.
const MAX_BETWEEN: usize = 24;
