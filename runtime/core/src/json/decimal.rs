//! Decimal numbers compared by exact value: a double is too imprecise above 2^53.

/// A JSON number. Two numbers are equal if their values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    is_negative: bool,
    /// The digits, without leading and trailing zeros; empty for zero.
    digits: Vec<u8>,
    /// The exponent of the last digit.
    exponent: i64,
}

impl Decimal {
    /// Parses a number by the grammar of JSON (RFC 8259 §6); `None` if `text` is not a number.
    pub fn parse(text: &str) -> Option<Self> {
        let (is_negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let has_whole = whole == "0" || (!whole.is_empty() && !whole.starts_with('0'));
        if !has_whole || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let mut digits = [whole, fraction].concat().into_bytes();
        let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        digits.truncate(digits.len() - zeros);
        digits.drain(..digits.iter().take_while(|digit| **digit == b'0').count());
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, exponent: 0 });
        }
        let exponent = exponent
            .checked_sub(i64::try_from(fraction.len()).ok()?)?
            .checked_add(i64::try_from(zeros).ok()?)?;
        Some(Self { is_negative, digits, exponent })
    }

    /// Returns the integer without an exponent, if the number is an integer of at most 20 digits.
    pub fn integer(&self) -> Option<String> {
        const MOST_DIGITS: usize = 20;
        let zeros = usize::try_from(self.exponent).ok().filter(|zeros| *zeros <= MOST_DIGITS)?;
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        if self.digits.len() + zeros > MOST_DIGITS {
            return None;
        }
        let sign = if self.is_negative { "-" } else { "" };
        Some(format!("{sign}{}{}", String::from_utf8_lossy(&self.digits), "0".repeat(zeros)))
    }
}

fn exponent_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn numbers_are_equal_by_value_and_to_the_last_digit() {
        let same = |a: &str, b: &str| Decimal::parse(a).expect(a) == Decimal::parse(b).expect(b);
        for (a, b) in [
            ("42", "42.0"),
            ("42", "4.2e1"),
            ("100", "1E+2"),
            ("0.5", "5e-1"),
            ("0", "-0.0"),
            ("0e9", "0"),
            ("-7", "-7.00"),
            ("1e400", "10e399"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("9007199254740992", "9007199254740993"),
            ("18446744073709551616", "18446744073709551617"),
            ("1e400", "1e401"),
            ("0.1", "0.10000000000000000001"),
            ("7", "-7"),
            ("1", "10"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn invalid_numbers_are_rejected() {
        for text in [
            "",
            "-",
            "+1",
            "01",
            "-01",
            ".5",
            "1.",
            "1.e2",
            "1e",
            "1e+",
            "1e 2",
            " 1",
            "1 ",
            "0x1",
            "1_0",
            "NaN",
            "Infinity",
            "١",
            "1e99999999999999999999",
            "--1",
            "1.2.3",
            "1e2e3",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn integers_are_written_without_exponent() {
        for (text, plain) in [
            ("1", Some("1")),
            ("1.0", Some("1")),
            ("1e3", Some("1000")),
            ("-0", Some("0")),
            ("-12e1", Some("-120")),
            ("18446744073709551615", Some("18446744073709551615")),
            ("1.5", None),
            ("1e-1", None),
            ("1e21", None),
            ("1e9223372036854775807", None),
        ] {
            assert_eq!(Decimal::parse(text).expect(text).integer().as_deref(), plain, "{text}");
        }
    }
}
