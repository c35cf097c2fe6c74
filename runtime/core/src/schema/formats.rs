//! Replaces formats that only Rust and schemars use by standard keywords.

use serde_json::{Map, Value, json};

use super::{merge, walk};

/// The schemars pattern for integer keys, and what serde accepts: no leading zeros, no negative zero.
const INTEGER_KEYS: &[(&str, &str)] = &[(r"^\d+$", "^(0|[1-9][0-9]*)$"), (r"^-?\d+$", "^(0|-?[1-9][0-9]*)$")];

/// A time of day, with a leap second and any fraction.
macro_rules! time {
    () => {
        r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"
    };
}

/// A calendar date: months of 31 days, of 30, February, and February 29 in leap years.
macro_rules! date {
    () => {
        concat!(
            r"([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)",
            r"|02-(0[1-9]|1[0-9]|2[0-8]))",
            r"|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)"
        )
    };
}

/// Four numbers up to 255, as the standard library parses an IPv4 address.
macro_rules! ipv4 {
    () => {
        r"((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])){3})"
    };
}

/// An IPv6 address in hexadecimal, with at most one gap (RFC 4291, section 2.2), or with an IPv4 address at the
/// end.
macro_rules! ipv6 {
    () => {
        concat!(
            r"(([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|([0-9A-Fa-f]{1,4}:){1,7}:",
            r"|([0-9A-Fa-f]{1,4}:){1,6}:[0-9A-Fa-f]{1,4}|([0-9A-Fa-f]{1,4}:){1,5}(:[0-9A-Fa-f]{1,4}){2}",
            r"|([0-9A-Fa-f]{1,4}:){1,4}(:[0-9A-Fa-f]{1,4}){3}|([0-9A-Fa-f]{1,4}:){1,3}(:[0-9A-Fa-f]{1,4}){4}",
            r"|([0-9A-Fa-f]{1,4}:){1,2}(:[0-9A-Fa-f]{1,4}){5}|[0-9A-Fa-f]{1,4}:(:[0-9A-Fa-f]{1,4}){6}",
            r"|::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,6})?|::([Ff]{4}:)?",
            ipv4!(),
            ")"
        )
    };
}

/// A number up to 65535.
macro_rules! port {
    () => {
        r"(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)"
    };
}

/// A nonstandard format, and its published replacement.
struct NonstandardFormat {
    format: &'static str,
    pattern: &'static str,
    description: &'static str,
    sample: &'static str,
}

/// Formats of date and time without an offset, as chrono and jiff parse them, of jiff with a time zone, and of
/// socket addresses, which are internal names (see `learn`).
const NONSTANDARD: &[NonstandardFormat] = &[
    NonstandardFormat {
        format: "partial-time",
        pattern: concat!("^", time!(), "$"),
        description: "A time without an offset, such as 12:30:00.",
        sample: "12:30:00",
    },
    NonstandardFormat {
        format: "partial-date-time",
        pattern: concat!("^", date!(), "T", time!(), "$"),
        description: "A date and time without an offset, such as 2026-07-28T12:30:00.",
        sample: "2026-07-28T12:30:00",
    },
    NonstandardFormat {
        format: "zoned-date-time",
        pattern: concat!("^", date!(), "T", time!(), r"(Z|[+-][0-9]{2}:[0-9]{2})\[[A-Za-z0-9/_+:-]+\]$"),
        description: "A date and time with its offset and time zone, such as \
                      2026-07-28T12:30:00+02:00[Europe/Berlin].",
        sample: "2026-07-28T12:30:00+02:00[+02:00]",
    },
    NonstandardFormat {
        format: SOCKET_V4,
        pattern: concat!("^", ipv4!(), ":", port!(), "$"),
        description: "An IPv4 address and a port, such as 192.0.2.1:80.",
        sample: "192.0.2.1:80",
    },
    NonstandardFormat {
        format: SOCKET_V6,
        pattern: concat!(r"^\[", ipv6!(), r"\]:", port!(), "$"),
        description: "An IPv6 address in brackets and a port, such as [2001:db8::1]:80.",
        sample: "[2001:db8::1]:80",
    },
    NonstandardFormat {
        format: SOCKET,
        pattern: concat!("^(", ipv4!(), r"|\[", ipv6!(), r"\]):", port!(), "$"),
        description: "An IP address and a port, such as 192.0.2.1:80 or [2001:db8::1]:80.",
        sample: "192.0.2.1:80",
    },
];

/// Internal formats of socket addresses, until they become patterns.
pub(super) const SOCKET: &str = "socket-address";
pub(super) const SOCKET_V4: &str = "socket-address-v4";
pub(super) const SOCKET_V6: &str = "socket-address-v6";

/// Returns an example for a format that became this pattern.
pub(crate) fn sample_of(pattern: &str) -> Option<&'static str> {
    NONSTANDARD.iter().find(|unnamed| unnamed.pattern == pattern).map(|unnamed| unnamed.sample)
}

/// Returns an example for a format that is published as a pattern.
pub(super) fn sample_of_format(format: &str) -> Option<&'static str> {
    NONSTANDARD.iter().find(|unnamed| unnamed.format == format).map(|unnamed| unnamed.sample)
}

/// What to do with Rust's formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RustFormats {
    /// Replaces them by bounds.
    Replace,
    /// Keeps them, and adds the bounds.
    Keep,
}

/// Finishes a draft: Rust's formats become bounds.
pub(super) fn finish(schema: &mut Value, rust: RustFormats) {
    let Some(object) = schema.as_object_mut() else { return };
    walk::subschemas_mut(object, |_, subschema| finish(subschema, rust));
    replace_number_format(object, rust);
    tighten_keys(object);
    replace_address_format(object);
}

/// Replaces formats by patterns in the draft if serde accepts more than the pattern.
pub(super) fn replace_nonstandard(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    walk::subschemas_mut(object, |_, subschema| replace_nonstandard(subschema));
    let Some(format) = object.get("format").and_then(Value::as_str) else { return };
    if let Some(unnamed) = NONSTANDARD.iter().find(|unnamed| unnamed.format == format) {
        object.shift_remove("format");
        object.entry("pattern").or_insert_with(|| json!(unnamed.pattern));
        object.entry("description").or_insert_with(|| json!(unnamed.description));
    }
}

/// Closes std types whose serde implementation rejects unknown members, which schemars does not express.
pub(super) fn close_std_types(root: &mut Value) {
    let Some(Value::Object(definitions)) = root.get_mut("$defs") else { return };
    for (name, definition) in definitions {
        let expected: &[&[&str]] = match name.trim_end_matches(|last: char| last.is_ascii_digit()) {
            "Duration" => &[&["secs", "nanos"]],
            "SystemTime" => &[&["secs_since_epoch", "nanos_since_epoch"]],
            name if name.starts_with("Range_of_") => &[&["start", "end"]],
            _ if name.starts_with("Result_of_") => &[&["Ok"], &["Err"]],
            _ if name.starts_with("Bound_of_") => &[&["Included"], &["Excluded"]],
            _ => continue,
        };
        let Some(definition) = definition.as_object_mut() else { continue };
        close_if(definition, expected);
        if let Some(Value::Array(arms)) = definition.get_mut("oneOf") {
            arms.iter_mut().filter_map(Value::as_object_mut).for_each(|arm| close_if(arm, expected));
        }
    }
}

fn close_if(object: &mut Map<String, Value>, expected: &[&[&str]]) {
    let Some(Value::Object(properties)) = object.get("properties") else { return };
    let is_expected = |names: &&[&str]| {
        names.len() == properties.len() && names.iter().all(|name| properties.contains_key(*name))
    };
    if expected.iter().any(is_expected) {
        object.entry("additionalProperties").or_insert(Value::Bool(false));
    }
}

fn replace_number_format(object: &mut Map<String, Value>, rust: RustFormats) {
    let Some((minimum, maximum)) = object.get("format").and_then(Value::as_str).and_then(range) else {
        return;
    };
    if rust == RustFormats::Replace {
        object.shift_remove("format");
    }
    for (keyword, bound) in [("minimum", minimum), ("maximum", maximum)] {
        if let Some(bound) = bound {
            let bound = json!(bound);
            let tightest = object
                .get(keyword)
                .and_then(|known| merge::stricter(keyword, known, &bound))
                .unwrap_or(bound);
            object.insert(keyword.to_owned(), tightest);
        }
    }
}

/// Returns the bounds of a Rust number, if every JSON parser represents them exactly (up to 2^53).
fn range(format: &str) -> Option<(Option<i64>, Option<i64>)> {
    let signed = |minimum: i64, maximum: i64| (Some(minimum), Some(maximum));
    Some(match format {
        "int8" => signed(i8::MIN.into(), i8::MAX.into()),
        "int16" => signed(i16::MIN.into(), i16::MAX.into()),
        "int32" => signed(i32::MIN.into(), i32::MAX.into()),
        "uint8" => signed(0, u8::MAX.into()),
        "uint16" => signed(0, u16::MAX.into()),
        "uint32" => signed(0, u32::MAX.into()),
        "uint" | "uint64" | "uint128" => (Some(0), None),
        "int" | "int64" | "int128" | "float" | "double" => (None, None),
        _ => return None,
    })
}

fn tighten_keys(object: &mut Map<String, Value>) {
    let Some(Value::Object(patterns)) = object.get_mut("patternProperties") else { return };
    for (loose, exact) in INTEGER_KEYS {
        if let Some(schema) = patterns.shift_remove(*loose) {
            patterns.insert((*exact).to_owned(), schema);
        }
    }
}

/// Replaces schemars' `ip` by the two standard formats.
fn replace_address_format(object: &mut Map<String, Value>) {
    if object.get("format") == Some(&json!("ip")) && !object.contains_key("anyOf") {
        object.shift_remove("format");
        object.insert("anyOf".to_owned(), json!([{ "format": "ipv4" }, { "format": "ipv6" }]));
    }
}
