//! The JSON Canonicalization Scheme (RFC 8785).

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// Returns the canonical JSON of a value (RFC 8785). Numbers are written as the nearest double (RFC 8785
/// §3.2.2.3), so integers beyond 2^53 may be written like their neighbours.
pub fn to_canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

fn write(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(is) => text.push_str(if *is { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&number_text(number)),
        // serde_json escapes the same characters as ECMAScript (§3.2.2.2).
        Value::String(_) => _ = write!(text, "{value}"),
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write(text, item);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            // Sorts by UTF-16 code units (§3.2.3), which differs from the order of characters.
            members.sort_by(|left, right| left.0.encode_utf16().cmp(right.0.encode_utf16()));
            text.push('{');
            for (at, (name, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                _ = write!(text, "{}:", Value::from(name.as_str()));
                write(text, member);
            }
            text.push('}');
        }
    }
}

/// Formats the nearest double like ECMAScript's `Number::toString`.
fn number_text(number: &Number) -> String {
    let float = number.as_f64().unwrap_or_default();
    if float == 0.0 {
        return "0".to_owned();
    }
    // The shortest digits that round-trip, as ECMAScript requires.
    let scientific = format!("{:e}", float.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let sign = if float < 0.0 { "-" } else { "" };
    let text = match point {
        _ if (count..=21).contains(&point) => format!("{digits}{}", zeros(point - count)),
        1..=21 => {
            let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or_default());
            format!("{whole}.{rest}")
        }
        -5..=0 => format!("0.{}{digits}", zeros(-point)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{first}{dot}{rest}e{:+}", point - 1)
        }
    };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// RFC 8785 §3.2.2 and §3.2.3.
    #[test]
    fn the_samples_of_the_rfc_are_reproduced() {
        let sample = r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#;
        let sample: Value = serde_json::from_str(sample).unwrap();
        let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(to_canonical_json(&sample), expected);

        let sorted =
            json!({"\u{20ac}": 5, "\r": 1, "\u{fb33}": 7, "1": 2, "\u{1f600}": 6, "\u{80}": 3, "\u{f6}": 4});
        let order: Vec<char> =
            to_canonical_json(&sorted).chars().filter(|character| ('2'..='7').contains(character)).collect();
        assert_eq!(order, ['2', '3', '4', '5', '6', '7'], "{}", to_canonical_json(&sorted));
    }

    /// RFC 8785 appendix B.
    #[test]
    fn the_numbers_of_the_rfc_are_reproduced() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
        ] {
            let number = Number::from_f64(f64::from_bits(bits)).unwrap();
            assert_eq!(number_text(&number), expected, "{bits:x}");
        }
        assert_eq!(
            to_canonical_json(&json!([1, -1, 10, 1.0, 1.5, u64::MAX])),
            "[1,-1,10,1,1.5,18446744073709552000]"
        );
    }
}
