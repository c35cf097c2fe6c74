//! Determines by trial which keys of a map serde accepts, as a schema of names.

use serde_json::{Value, json};

/// A key that only strings accept.
const NONSENSE: &str = "no such key";

/// Sample keys of one kind, with their schema and the corresponding schemars formats.
const FORMATS: &[(&str, &str)] = &[
    ("uuid", "67e55044-10b1-426f-9247-bb680e5fe0c8"),
    ("date", "2026-07-28"),
    ("date-time", "2026-07-28T12:30:00Z"),
    ("partial-date-time", "2026-07-28T12:30:00"),
    ("partial-time", "12:30:00"),
    ("ipv4", "127.0.0.1"),
    ("ipv6", "::1"),
    ("uri", "https://example.com/"),
];

/// The pattern that schemars writes for integer keys.
const INTEGER_PATTERNS: [&str; 2] = [r"^\d+$", r"^-?\d+$"];

/// The maximum of each Rust integer type, with its successor.
const MAXIMA: &[(&str, &str)] = &[
    ("127", "128"),
    ("255", "256"),
    ("32767", "32768"),
    ("65535", "65536"),
    ("2147483647", "2147483648"),
    ("4294967295", "4294967296"),
    ("9223372036854775807", "9223372036854775808"),
    ("18446744073709551615", "18446744073709551616"),
];

/// Returns whether the pattern is the one that schemars writes for integers.
pub(super) fn is_integer_pattern(pattern: &str) -> bool {
    INTEGER_PATTERNS.contains(&pattern)
}

/// Returns the schema of the keys of a map, unless it accepts any; `accepts` queries serde.
pub(super) fn key_schema(accepts: &dyn Fn(&str) -> Result<(), String>) -> Option<Value> {
    let refusal = accepts(NONSENSE).err()?;
    let is_taken = |key: &str| accepts(key).is_ok();
    let mut lists = variants(&refusal);
    if let Some(names) = lists.find(|names| names.iter().all(|name| is_taken(name))) {
        return Some(json!({ "type": "string", "enum": names }));
    }
    if is_taken("a") && is_taken("1") && !is_taken("ab") && !is_taken("") {
        return Some(json!({ "type": "string", "minLength": 1, "maxLength": 1 }));
    }
    if is_taken("true") && is_taken("false") {
        return Some(json!({ "type": "string", "enum": ["true", "false"] }));
    }
    let formats: Vec<Value> = FORMATS
        .iter()
        .filter(|(_, sample)| is_taken(sample))
        .map(|(format, _)| json!({ "type": "string", "format": format }))
        .collect();
    match formats.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(json!({ "anyOf": many })),
    }
}

/// Returns whether serde rejected a key, and nothing else.
pub(super) fn is_about_key(refusal: &str) -> bool {
    variants(refusal).next().is_some()
}

/// Returns the names that serde lists when it rejects one: "expected `a` or `b`", or "expected one of `a`, `b`,
/// `c`". There are several lists if another variant of an untagged enum is an enum itself.
fn variants(refusal: &str) -> impl Iterator<Item = Vec<&str>> {
    let lists = refusal.split("; ").filter_map(|words| {
        let (_, listed) = words.split_once(&format!("unknown variant `{NONSENSE}`, expected "))?;
        Some(listed.split('`').skip(1).step_by(2).collect::<Vec<_>>())
    });
    lists.filter(|names| !names.is_empty())
}

/// Returns the pattern of the integers that a map accepts as keys; `accepts` queries serde.
pub(super) fn integer_pattern(accepts: &dyn Fn(&str) -> bool) -> Option<String> {
    let (highest, _) = MAXIMA.iter().find(|(highest, next)| accepts(highest) && !accepts(next))?;
    let zero = if accepts("0") { "0|" } else { "" };
    let negative = |(_, lowest): &&(&str, &str)| {
        // The successor of the maximum is the minimum without its sign.
        accepts(&format!("-{lowest}"))
    };
    let below_zero = MAXIMA.iter().find(|pair| pair.0 == *highest).filter(negative);
    let below_zero = below_zero.map_or(String::new(), |(_, lowest)| format!("|-({})", pattern_up_to(lowest)));
    Some(format!("^({zero}{}{below_zero})$", pattern_up_to(highest)))
}

/// Returns a pattern of the numbers from 1 to `most`.
fn pattern_up_to(most: &str) -> String {
    let digits = |count: usize| match count {
        0 => String::new(),
        1 => "[0-9]".to_owned(),
        _ => format!("[0-9]{{{count}}}"),
    };
    let mut parts = Vec::new();
    match most.len() {
        1 => {}
        2 => parts.push("[1-9]".to_owned()),
        length => parts.push(format!("[1-9][0-9]{{0,{}}}", length - 2)),
    }
    for (at, digit) in most.char_indices() {
        let least = if at == 0 { '1' } else { '0' };
        let rest = digits(most.len() - at - 1);
        let before = char::from_u32(u32::from(digit) - 1).filter(|before| *before >= least);
        match before {
            Some(before) if before == least => parts.push(format!("{}{least}{rest}", &most[..at])),
            Some(before) => parts.push(format!("{}[{least}-{before}]{rest}", &most[..at])),
            None => {}
        }
    }
    parts.push(most.to_owned());
    parts.join("|")
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;

    use super::{MAXIMA, pattern_up_to};

    #[test]
    fn patterns_of_integers_are_exact() {
        for most in ["1", "9", "10", "99", "100", "127", "128", "255", "1000", "32768", "65535"] {
            let regex = Regex::new(&format!("^({})$", pattern_up_to(most))).expect("a pattern");
            let last: u32 = most.parse().expect("a number");
            for number in 0..last + 1_200 {
                assert_eq!(
                    regex.is_match(&number.to_string()),
                    (1..=last).contains(&number),
                    "{number}: {most}"
                );
            }
            assert!(!regex.is_match("01") && !regex.is_match(""), "{most}");
        }
        for (highest, next) in MAXIMA {
            let regex = Regex::new(&format!("^({})$", pattern_up_to(highest))).expect("a pattern");
            assert!(regex.is_match(highest) && !regex.is_match(next), "{highest}");
        }
    }
}
