//! Exact fractions: money must not pass through binary floating point.

/// A fraction in lowest terms with a positive denominator. Operations return `None` if the result needs more
/// than 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl Ratio {
    /// The number with these digits before and after the point.
    pub(super) fn from_decimal(whole: &str, fraction: &str) -> Option<Self> {
        let mut numerator = 0_i128;
        for digit in whole.bytes().chain(fraction.bytes()) {
            numerator = numerator.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        }
        let denominator = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        Self::reduce(numerator, denominator)
    }

    pub(super) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(super) fn negate(self) -> Option<Self> {
        Some(Self { numerator: self.numerator.checked_neg()?, ..self })
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::reduce(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub(super) fn subtract(self, other: Self) -> Option<Self> {
        self.add(other.negate()?)
    }

    pub(super) fn multiply(self, other: Self) -> Option<Self> {
        Self::reduce(
            self.numerator.checked_mul(other.numerator)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    /// `other` must not be zero.
    pub(super) fn divide(self, other: Self) -> Option<Self> {
        self.multiply(Self::reduce(other.denominator, other.numerator)?)
    }

    /// The value with two decimals, rounded half away from zero.
    pub(super) fn to_two_decimals(self) -> Option<String> {
        let hundredths = self.numerator.checked_mul(100)?;
        let (whole, rest) = (hundredths / self.denominator, hundredths % self.denominator);
        let away_from_zero = rest.unsigned_abs() >= self.denominator.unsigned_abs().div_ceil(2);
        let rounded = if away_from_zero { whole.checked_add(rest.signum())? } else { whole };

        let sign = if rounded < 0 { "-" } else { "" };
        let digits = rounded.unsigned_abs();
        Some(format!("{sign}{}.{:02}", digits / 100, digits % 100))
    }

    fn reduce(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor =
            i128::try_from(greatest_common_divisor(numerator.unsigned_abs(), denominator.unsigned_abs()))
                .ok()?;
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        if denominator > 0 {
            return Some(Self { numerator, denominator });
        }
        Some(Self { numerator: numerator.checked_neg()?, denominator: denominator.checked_neg()? })
    }
}

/// Not zero as long as one of the two is not.
fn greatest_common_divisor(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    #[test]
    fn halves_round_away_from_zero_whatever_the_denominator() {
        let text = |numerator, denominator| Ratio::reduce(numerator, denominator)?.to_two_decimals();
        assert_eq!(text(1, 200).as_deref(), Some("0.01"));
        assert_eq!(text(-1, 200).as_deref(), Some("-0.01"));
        assert_eq!(text(1, 300).as_deref(), Some("0.00"));
        // 50/101 of a hundredth is below a half, 2/3 is above.
        assert_eq!(text(1, 202).as_deref(), Some("0.00"));
        assert_eq!(text(2, 300).as_deref(), Some("0.01"));
    }

    #[test]
    fn fractions_are_kept_in_lowest_terms() {
        assert_eq!(Ratio::from_decimal("0", "50"), Ratio::reduce(1, 2));
        assert_eq!(Ratio::reduce(3, -6), Ratio::reduce(-1, 2));
    }
}
