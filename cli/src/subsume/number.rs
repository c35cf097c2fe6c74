//! Numbers and values as JSON Schema compares them: by value, so that `1` and `1.0` are the same.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// A number, exact where it is whole.
#[derive(Debug, Clone, Copy)]
pub(super) enum Exact {
    /// A whole number.
    Whole(i128),
    /// Any other, or one too large to be exact.
    Float(f64),
}

/// Whole numbers beyond this are left as they are: they fit an `i128`, but arithmetic on them might not.
const LARGEST_WHOLE: f64 = 1e30;

impl Exact {
    pub(super) fn of(number: &Number) -> Self {
        match number.as_i128() {
            Some(whole) => Self::Whole(whole),
            None => Self::of_float(number.as_f64().unwrap_or(f64::INFINITY)),
        }
    }

    /// The number that a keyword has as its value.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        value.as_number().map(Self::of)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the float is whole and far within the range")]
    fn of_float(float: f64) -> Self {
        if float.fract() == 0.0 && float.abs() <= LARGEST_WHOLE {
            Self::Whole(float as i128)
        } else {
            Self::Float(float)
        }
    }

    /// The least whole number that is not below (`strictly`: that is above) this one.
    pub(super) fn up(self, strictly: bool) -> Self {
        match self {
            Self::Whole(whole) if strictly => Self::Whole(whole.saturating_add(1)),
            Self::Whole(_) => self,
            Self::Float(float) => Self::of_float(float.ceil()),
        }
    }

    /// The greatest whole number that is not above (`strictly`: that is below) this one.
    pub(super) fn down(self, strictly: bool) -> Self {
        match self {
            Self::Whole(whole) if strictly => Self::Whole(whole.saturating_sub(1)),
            Self::Whole(_) => self,
            Self::Float(float) => Self::of_float(float.floor()),
        }
    }

    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Whole(_))
    }

    /// Whether this is a multiple of `factor`; `None` where rounding could decide.
    pub(super) fn is_multiple_of(self, factor: Self) -> Option<bool> {
        match (self, factor) {
            (Self::Whole(whole), Self::Whole(factor)) if factor > 0 => Some(whole % factor == 0),
            (Self::Whole(0), Self::Float(_)) => Some(true),
            (Self::Float(float), Self::Whole(factor)) if factor > 0 && float.abs() <= LARGEST_WHOLE => {
                Some(false)
            }
            _ => None,
        }
    }

    /// The number as JSON.
    pub(super) fn to_value(self) -> Option<Value> {
        match self {
            Self::Whole(whole) => Number::from_i128(whole).map(Value::Number),
            Self::Float(float) => Number::from_f64(float).map(Value::Number),
        }
    }

    /// This number and `by`.
    pub(super) fn plus(self, by: i128) -> Self {
        match self {
            Self::Whole(whole) => Self::Whole(whole.saturating_add(by)),
            #[expect(clippy::cast_precision_loss, reason = "`by` is small")]
            Self::Float(float) => Self::of_float(float + by as f64),
        }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Exact {
    #[expect(clippy::cast_possible_truncation, reason = "a float is compared whole only within the range")]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(left), Self::Whole(right)) => Some(left.cmp(right)),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(right),
            (Self::Whole(left), Self::Float(right)) => {
                if right.abs() > LARGEST_WHOLE {
                    return 0.0.partial_cmp(right);
                }
                // A float that is not whole is between two whole numbers.
                let below = right.floor() as i128;
                Some(if *left <= below { Ordering::Less } else { Ordering::Greater })
            }
            (Self::Float(_), Self::Whole(_)) => other.partial_cmp(self).map(Ordering::reverse),
        }
    }
}

/// Whether two values are the same to JSON Schema.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Exact::of(left) == Exact::of(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

/// The size that a keyword such as `minLength` has as its value.
pub(super) fn size(value: &Value) -> Option<u64> {
    match Exact::of_value(value)? {
        Exact::Whole(whole) => u64::try_from(whole).ok(),
        Exact::Float(_) => None,
    }
}
