//! Bounds of numbers, lengths and counts.

use std::cmp::Ordering;

use crate::attr::{AttributeValue, FieldAttributes, Number};
use crate::errors::Errors;

pub(super) fn check(attributes: &FieldAttributes, errors: &Errors) {
    let lower = [(&attributes.minimum, false), (&attributes.exclusive_minimum, true)];
    let upper = [(&attributes.maximum, false), (&attributes.exclusive_maximum, true)];
    for (low, exclusive_low) in &lower {
        for (high, exclusive_high) in &upper {
            check_order(low.as_ref(), high.as_ref(), *exclusive_low || *exclusive_high, errors);
        }
    }
    check_order(attributes.min_length.as_ref(), attributes.max_length.as_ref(), false, errors);
    check_order(attributes.min_items.as_ref(), attributes.max_items.as_ref(), false, errors);
    check_exclusive(attributes.minimum.as_ref(), attributes.exclusive_minimum.as_ref(), errors);
    check_exclusive(attributes.maximum.as_ref(), attributes.exclusive_maximum.as_ref(), errors);
    if let Some(multiple_of) = &attributes.multiple_of
        && multiple_of.value.as_f64() <= 0.0
    {
        errors.on(&multiple_of.value.source, "`multiple_of` is greater than 0");
    }
}

/// Describes what is wrong with `number` as a value of the field, if anything.
pub(super) fn describe_out_of_bounds(number: &Number, attributes: &FieldAttributes) -> Option<String> {
    let breaks = |bound: &Option<AttributeValue<Number>>, refused: &[Ordering]| {
        let bound = bound.as_ref()?;
        refused.contains(&number.compare(&bound.value)).then(|| {
            format!("the example breaks `{} = {}`; change one of the two", bound.key, bound.value.json)
        })
    };
    breaks(&attributes.minimum, &[Ordering::Less])
        .or_else(|| breaks(&attributes.maximum, &[Ordering::Greater]))
        .or_else(|| breaks(&attributes.exclusive_minimum, &[Ordering::Less, Ordering::Equal]))
        .or_else(|| breaks(&attributes.exclusive_maximum, &[Ordering::Greater, Ordering::Equal]))
}

/// Describes what is wrong with a length or count of `count`, if anything.
pub(super) fn describe_invalid_count(
    count: usize,
    minimum: Option<&AttributeValue<Number>>,
    maximum: Option<&AttributeValue<Number>>,
) -> Option<String> {
    let count = Number::from_integer(i64::try_from(count).unwrap_or(i64::MAX));
    let broken = minimum
        .filter(|minimum| count.compare(&minimum.value).is_lt())
        .or_else(|| maximum.filter(|maximum| count.compare(&maximum.value).is_gt()))?;
    Some(format!("the example breaks `{} = {}`; change one of the two", broken.key, broken.value.json))
}

fn check_order(
    low: Option<&AttributeValue<Number>>,
    high: Option<&AttributeValue<Number>>,
    exclusive: bool,
    errors: &Errors,
) {
    let (Some(low), Some(high)) = (low, high) else { return };
    let order = low.value.compare(&high.value);
    if order.is_gt() || (order.is_eq() && exclusive) {
        errors.on(
            &high.value.source,
            format!(
                "this range is empty: `{} = {}` and `{} = {}`; swap or widen them",
                low.key, low.value.json, high.key, high.value.json
            ),
        );
    }
}

fn check_exclusive(
    inclusive: Option<&AttributeValue<Number>>,
    exclusive: Option<&AttributeValue<Number>>,
    errors: &Errors,
) {
    if let (Some(inclusive), Some(exclusive)) = (inclusive, exclusive) {
        errors.on(
            &exclusive.key,
            format!("`{}` and `{}` bound the same side; keep one", inclusive.key, exclusive.key),
        );
    }
}
