//! Exact decimal numbers: digits and a power of ten, without the rounding of floats.

/// `mantissa` × 10^`exponent`; the mantissa has no trailing zeros, unless it is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::arguments) struct Decimal {
    negative: bool,
    mantissa: u128,
    exponent: i64,
}

impl Decimal {
    /// Parses a JSON number; `None` for more than 38 digits, which only floats support.
    pub(in crate::arguments) fn of(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut mantissa = 0_u128;
        let mut zeros = 0_u32;
        let mut exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let digit = u128::from(digit.wrapping_sub(b'0'));
            if digit > 9 {
                return None;
            }
            if digit == 0 {
                // Trailing zeros belong to the exponent.
                zeros += u32::from(mantissa > 0);
                continue;
            }
            mantissa = mantissa.checked_mul(10_u128.checked_pow(zeros + 1)?)?.checked_add(digit)?;
            zeros = 0;
        }
        exponent = exponent.checked_add(i64::from(zeros))?;
        if mantissa == 0 {
            exponent = 0;
        }
        Some(Self { negative: negative && mantissa > 0, mantissa, exponent })
    }

    /// Returns the integer, if it fits `i128`.
    pub(in crate::arguments) fn to_whole(self) -> Option<i128> {
        let power = u32::try_from(self.exponent).ok()?;
        let whole = i128::try_from(self.mantissa.checked_mul(10_u128.checked_pow(power)?)?).ok()?;
        Some(if self.negative { -whole } else { whole })
    }

    /// Returns the digits of the integer, if any Rust integer type can hold it.
    pub(in crate::arguments) fn to_digits(self) -> Option<String> {
        let power = u32::try_from(self.exponent).ok()?;
        let whole = self.mantissa.checked_mul(10_u128.checked_pow(power)?)?;
        Some(format!("{}{whole}", if self.negative { "-" } else { "" }))
    }

    /// Returns whether the number is a multiple of `step`.
    pub(in crate::arguments) fn is_multiple_of(self, step: Self) -> bool {
        if self.mantissa == 0 {
            return step.mantissa != 0;
        }
        // Both are a mantissa times a power of ten. With a smaller exponent than the step, the number ends in a
        // digit that the step cannot produce.
        let Ok(tens) = u64::try_from(self.exponent.saturating_sub(step.exponent)) else { return false };
        if step.mantissa == 0 {
            return false;
        }
        // The power of ten may contain factors of the step; the mantissa must contain the remaining ones.
        let mut left = step.mantissa / common_divisor(step.mantissa, self.mantissa);
        for factor in [2, 5] {
            let mut tens = tens;
            while tens > 0 && left.is_multiple_of(factor) {
                left /= factor;
                tens -= 1;
            }
        }
        left == 1
    }
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn decimal(text: &str) -> Decimal {
        Decimal::of(text).expect(text)
    }

    #[test]
    fn multiples_are_exact() {
        for (number, step, expected) in [
            ("9", "3", true),
            ("10", "3", false),
            ("0", "3", true),
            ("1", "0", false),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("5000000.005", "0.01", false),
            ("5000000.05", "0.01", true),
            ("1e308", "0.01", true),
            ("1e308", "3", false),
            ("3e308", "3", true),
            ("1e20", "1024", true),
            ("1e2", "1024", false),
            ("7e-1", "0.7", true),
            ("-7.5", "2.5", true),
            ("20", "1e2", false),
            ("200", "1e2", true),
            ("1.0", "0.25", true),
        ] {
            assert_eq!(decimal(number).is_multiple_of(decimal(step)), expected, "{number} {step}");
        }
    }

    #[test]
    fn whole_numbers_are_written_out() {
        for (text, digits) in [
            ("1e20", Some("100000000000000000000")),
            ("-2.50e1", Some("-25")),
            ("-0", Some("0")),
            ("340282366920938463463374607431768211455", Some("340282366920938463463374607431768211455")),
            ("1e39", None),
            ("1.5", None),
        ] {
            assert_eq!(decimal(text).to_digits().as_deref(), digits, "{text}");
        }
        assert_eq!(Decimal::of("1e99999999999999999999"), None);
        assert_eq!(Decimal::of("340282366920938463463374607431768211456"), None);
    }
}
