//! The formats that are enforced; see the table in [`crate::arguments`].

use std::net::{Ipv4Addr, Ipv6Addr};

/// A `format` whose check is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::arguments) enum Format {
    Date,
    Time,
    DateTime,
    Uuid,
    Ipv4,
    Ipv6,
}

impl Format {
    /// All enforced formats.
    pub(in crate::arguments) const ALL: [Self; 6] =
        [Self::Date, Self::Time, Self::DateTime, Self::Uuid, Self::Ipv4, Self::Ipv6];

    /// Returns the enforced format with this name; `None` for those that are annotations.
    pub(in crate::arguments) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the name in JSON Schema.
    pub(in crate::arguments) fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Time => "time",
            Self::DateTime => "date-time",
            Self::Uuid => "uuid",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
        }
    }

    /// Returns a description for messages.
    pub(in crate::arguments) fn describe(self) -> &'static str {
        match self {
            Self::Date => "a date such as 2026-07-28",
            Self::Time => "a time with an offset such as 12:30:00Z",
            Self::DateTime => "a date and time with an offset such as 2026-07-28T12:30:00Z",
            Self::Uuid => "a UUID such as 00000000-0000-4000-8000-000000000000",
            Self::Ipv4 => "an IPv4 address such as 192.0.2.1",
            Self::Ipv6 => "an IPv6 address such as 2001:db8::1",
        }
    }

    /// Returns an example: the one in [`Format::describe`].
    pub(in crate::arguments) fn sample(self) -> &'static str {
        self.describe().rsplit(' ').next().unwrap_or_default()
    }

    /// Returns whether `text` has this format.
    pub(in crate::arguments) fn fits(self, text: &str) -> bool {
        match self {
            Self::Date => is_date(text.as_bytes()),
            Self::Time => is_time(text.as_bytes()),
            Self::DateTime => {
                let bytes = text.as_bytes();
                bytes.get(10).is_some_and(|separator| separator.eq_ignore_ascii_case(&b'T'))
                    && is_date(&bytes[..10])
                    && is_time(&bytes[11..])
            }
            Self::Uuid => is_uuid(text.as_bytes()),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        }
    }
}

/// Parses `digits`, which must be decimal digits only.
fn number(digits: &[u8]) -> Option<u32> {
    digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

/// `full-date` of RFC 3339.
fn is_date(text: &[u8]) -> bool {
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(&text[..4]), number(&text[5..7]), number(&text[8..]))
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// `full-time` of RFC 3339; second 60 is only valid for a possible leap second, at the end of a day in UTC.
fn is_time(text: &[u8]) -> bool {
    if text.len() < 9 || text[2] != b':' || text[5] != b':' {
        return false;
    }
    let (Some(hour), Some(minute), Some(second)) =
        (number(&text[..2]), number(&text[3..5]), number(&text[6..8]))
    else {
        return false;
    };
    let mut rest = &text[8..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = &fraction[digits..];
    }
    let Some(offset) = offset_minutes(rest) else {
        return false;
    };
    if hour > 23 || minute > 59 {
        return false;
    }
    let utc = (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60);
    second < 60 || (second == 60 && utc == 23 * 60 + 59)
}

/// `time-offset` of RFC 3339, in minutes.
fn offset_minutes(text: &[u8]) -> Option<i64> {
    match text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
            let offset = i64::from(hours * 60 + minutes);
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

/// Eight, four, four, four and twelve hexadecimal digits (RFC 9562, section 4).
fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(position, byte)| match position {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Format;

    #[test]
    fn judges_as_a_full_validator_does() {
        let texts = [
            "",
            "x",
            "2026-07-28",
            "2026-7-28",
            "2024-02-29",
            "2023-02-29",
            "1900-02-29",
            "2000-02-29",
            "2026-13-01",
            "2026-04-31",
            "2026-00-10",
            "12:30:00Z",
            "12:30:00",
            "12:30:00.5Z",
            "12:30:00.Z",
            "12:30:00+02:00",
            "12:30:00+24:00",
            "24:00:00Z",
            "23:59:60Z",
            "22:59:60Z",
            "01:29:60+01:30",
            "12:60:00Z",
            "12:30:61Z",
            "2026-07-28T12:30:00Z",
            "2026-07-28t12:30:00z",
            "2026-07-28 12:30:00Z",
            "2026-07-28T12:30Z",
            "00000000-0000-4000-8000-000000000000",
            "00000000-0000-4000-8000-00000000000",
            "00000000000040008000000000000000",
            "0000000g-0000-4000-8000-000000000000",
            "192.0.2.1",
            "192.0.2.256",
            "192.0.2",
            "192.0.02.1",
            "2001:db8::1",
            "::",
            "2001:db8::1::2",
            "::ffff:192.0.2.1",
            "é",
        ];
        for format in Format::ALL {
            let referee = jsonschema::options()
                .should_validate_formats(true)
                .build(&json!({"format": format.name()}))
                .expect("a schema");
            for text in texts {
                assert_eq!(
                    format.fits(text),
                    referee.is_valid(&json!(text)),
                    "{} of {text:?}",
                    format.name()
                );
            }
            assert!(format.fits(format.sample()), "{}", format.name());
        }
    }
}
