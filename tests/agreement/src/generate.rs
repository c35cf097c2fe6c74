//! Values made from a schema: mostly such that fit, with a taste for bounds and for what lies just beside them.

use serde_json::{Map, Number, Value, json};

use crate::choices::Choices;

/// How deep values go where a schema is recursive.
const MAX_DEPTH: usize = 6;

const TEXTS: &[&str] =
    &["", "a", "b", "Z", "ab", "0", "7", "-1", " ", "é", "𝄞", "null", "true", "a/b", "~0", "abc def"];

/// Texts of each format, then some that are nearly such texts.
const FORMATS: &[(&str, &[&str])] = &[
    (
        "date-time",
        &[
            "2026-07-28T12:30:00Z",
            "2024-02-29T23:59:59.5+02:00",
            "1999-12-31T00:00:00.123456789-11:30",
            "2016-12-31T23:59:60Z",
            "2026-07-28t12:30:00z",
            "2026-02-29T12:30:00Z",
            "2026-07-28",
            "2026-07-28T12:30:00",
            "2026-07-28 12:30:00Z",
            "",
        ],
    ),
    (
        "date",
        &["2026-07-28", "2024-02-29", "0001-01-01", "2026-02-29", "2026-7-1", "26-07-28", "+2026-07-28", ""],
    ),
    (
        "uuid",
        &[
            "00000000-0000-4000-8000-000000000000",
            "67e55044-10b1-426f-9247-BB680E5FE0C8",
            "67e5504410b1426f9247bb680e5fe0c8",
            "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
            "67e55044",
            "",
        ],
    ),
    (
        "uri",
        &[
            "https://example.com/",
            "http://user@host:8080/a?b=c#d",
            "mailto:a@b.example",
            "data:,x",
            "nothing",
            "",
        ],
    ),
    ("ipv4", &["127.0.0.1", "255.255.255.255", "1.2.3", "256.0.0.1", "1.2.3.04", "::1", ""]),
    ("ipv6", &["::1", "2001:db8::ff00:42:8329", "::ffff:1.2.3.4", "127.0.0.1", "1::2::3", ""]),
];

/// Texts that fit the patterns in the corpus, then some that do not.
const PATTERNS: &[(&str, &[&str])] = &[
    (r"^#W\d{7}$", &["#W0000001", "#W1234567", "#W12345678", "W1234567", "#W123456x"]),
    ("^[a-z]+$", &["a", "abc", "zz", "", "Abc", "a1"]),
    ("^[a-z]{2,4}$", &["ab", "abcd", "a", "abcde", "AB"]),
    ("^(0|[1-9][0-9]*)$", &["0", "7", "42", "007", "-1", "-0", "", "1.0", "x", "1e2", " 1", "+1"]),
    ("^(0|-?[1-9][0-9]*)$", &["0", "7", "-42", "007", "-0", "-", "", "1.0", "x", "--1", "+1"]),
    (
        r"^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?$",
        &["12:30:00", "23:59:59.999", "00:00:60", "24:00:00", "12:30", "1:2:3", "12:30:00Z", "12:60:00", ""],
    ),
];

/// Texts for patterns that are not in the table: some of them match.
const OTHERS: &[&str] = &[
    "2026-07-28T12:30:00",
    "2024-02-29T23:59:59.5",
    "2026-02-29T12:30:00",
    "2026-04-31T12:30:00",
    "2026-13-01T00:00:00",
    "2026-07-28",
    "2026-07-28T12:30",
    "2026-07-28T12:30:00+02:00[+02:00]",
    "2026-07-28T12:30:00+02:00",
    "1.2.3",
    "1.0.0-rc.1",
    "01.2.3",
    "1.25",
    "-3",
    "1e5",
    "0.1",
    "red",
    "green",
    "blue",
    "255",
    "256",
    "300",
    "65536",
    "-129",
    "4294967296",
    "18446744073709551616",
    "67e55044-10b1-426f-9247-bb680e5fe0c8",
    "",
    "x",
    "é",
];

/// Usually a text that matches `pattern`.
fn matching(pattern: &str, choices: &mut Choices<'_>) -> &'static str {
    if let Some(samples) = samples(PATTERNS, pattern) {
        return near(samples, choices);
    }
    let regex = regex_lite::Regex::new(pattern).expect("a pattern that the server enforces");
    let fitting: Vec<&'static str> = OTHERS.iter().copied().filter(|text| regex.is_match(text)).collect();
    if fitting.is_empty() || choices.once_in(4) {
        choices.pick::<&str>(OTHERS)
    } else {
        choices.pick::<&str>(&fitting)
    }
}

/// A value for `schema`, a part of `root`.
pub fn value(schema: &Value, root: &Value, choices: &mut Choices<'_>) -> Value {
    Generator { root }.value(schema, choices, 0)
}

/// Any JSON value.
pub fn anything(choices: &mut Choices<'_>, depth: usize) -> Value {
    match choices.below(if depth < 2 { 8 } else { 6 }) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(*choices.pick(&[0_i64, 1, -1, 2, 255, 256, -129, 65_536, 4_294_967_296])),
        3 => json!(*choices.pick(TEXTS)),
        4 => json!(*choices.pick(&[0.5, -1.5, 1.0, 1e10])),
        5 => json!(false),
        6 => (0..choices.below(3)).map(|_| anything(choices, depth + 1)).collect(),
        _ => {
            let names = 0..choices.below(3);
            names
                .map(|_| ((*choices.pick(TEXTS)).to_owned(), anything(choices, depth + 1)))
                .collect::<Map<_, _>>()
                .into()
        }
    }
}

struct Generator<'a> {
    root: &'a Value,
}

impl Generator<'_> {
    fn value(&self, schema: &Value, choices: &mut Choices<'_>, depth: usize) -> Value {
        let Some(keywords) = schema.as_object() else { return anything(choices, depth) };
        let mut parts = Vec::new();
        if let Some(pointer) = keywords.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(pointer.trim_start_matches('#')).expect("references resolve");
            parts.push(self.value(target, choices, depth));
        }
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            parts.push(self.value(part, choices, depth));
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(arms) = keywords.get(choice).and_then(Value::as_array) {
                let arm = if depth > MAX_DEPTH { shallowest(arms) } else { choices.pick(arms) };
                parts.push(self.value(arm, choices, depth));
            }
        }
        let own = self.own(keywords, choices, depth);
        match own {
            Some(Value::Object(mut object)) => {
                for part in parts {
                    if let Value::Object(part) = part {
                        object.extend(part);
                    }
                }
                Value::Object(object)
            }
            Some(own) if parts.is_empty() => own,
            None if parts.is_empty() => anything(choices, depth),
            _ => parts.swap_remove(0),
        }
    }

    /// What the keywords of the schema itself ask for, if they ask for anything.
    fn own(&self, keywords: &Map<String, Value>, choices: &mut Choices<'_>, depth: usize) -> Option<Value> {
        if let Some(only) = keywords.get("const") {
            return Some(only.clone());
        }
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            return Some(choices.pick(values).clone());
        }
        let kind = match keywords.get("type") {
            Some(Value::String(one)) => one.as_str(),
            Some(Value::Array(many)) => choices.pick(many).as_str()?,
            _ if keywords.contains_key("properties") => "object",
            _ => return None,
        };
        Some(match kind {
            "integer" => integer(keywords, choices),
            "number" => number(keywords, choices),
            "string" => text(keywords, choices),
            "boolean" => json!(choices.once_in(2)),
            "array" => self.array(keywords, choices, depth),
            "object" => self.object(keywords, choices, depth),
            _ => Value::Null,
        })
    }

    fn array(&self, keywords: &Map<String, Value>, choices: &mut Choices<'_>, depth: usize) -> Value {
        let first = keywords.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let bound = |keyword| {
            keywords.get(keyword).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok())
        };
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems").unwrap_or(least + 3);
        let length = match choices.below(4) {
            _ if depth > MAX_DEPTH => least,
            0 => least,
            1 => most,
            _ => least + choices.below(most - least + 1),
        };
        let any = Value::Bool(true);
        let rest = keywords.get("items").unwrap_or(&any);
        let mut items: Vec<Value> =
            (0..length).map(|at| self.value(first.get(at).unwrap_or(rest), choices, depth + 1)).collect();
        if keywords.get("uniqueItems") == Some(&json!(true)) && !choices.once_in(6) {
            let mut seen = Vec::new();
            items.retain(|item| {
                let is_new = !seen.contains(item);
                seen.push(item.clone());
                is_new
            });
        }
        Value::Array(items)
    }

    fn object(&self, keywords: &Map<String, Value>, choices: &mut Choices<'_>, depth: usize) -> Value {
        let mut object = Map::new();
        let required = keywords.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (name, property) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_required = required.iter().any(|other| other == name);
            if is_required || (depth <= MAX_DEPTH && choices.once_in(2)) {
                object.insert(name.clone(), self.value(property, choices, depth + 1));
            }
        }
        if depth > MAX_DEPTH {
            return Value::Object(object);
        }
        for (pattern, schema) in
            keywords.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
        {
            for _ in 0..choices.below(3) {
                let name = matching(pattern, choices);
                object.insert(name.to_owned(), self.value(schema, choices, depth + 1));
            }
        }
        match keywords.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(schema) => {
                for _ in 0..choices.below(3) {
                    let name = match keywords.get("propertyNames").filter(|_| !choices.once_in(8)) {
                        Some(names) => {
                            self.value(names, choices, depth + 1).as_str().unwrap_or("x").to_owned()
                        }
                        None => format!("x{}", choices.pick(TEXTS)),
                    };
                    object.insert(name, self.value(schema, choices, depth + 1));
                }
            }
            None if choices.once_in(8) => {
                object.insert("unheard-of".to_owned(), anything(choices, depth + 1));
            }
            None => {}
        }
        Value::Object(object)
    }
}

/// The arm that leads least deep: one without a reference or list, if there is one.
fn shallowest(arms: &[Value]) -> &Value {
    arms.iter().min_by_key(|arm| arm.to_string().matches("$ref").count()).expect("a choice has arms")
}

/// Usually one of the first two samples, which fit.
fn near<'t>(samples: &[&'t str], choices: &mut Choices<'_>) -> &'t str {
    let among = if choices.once_in(4) { samples.len() } else { 2 };
    samples[choices.below(among)]
}

fn samples(table: &[(&str, &'static [&'static str])], name: &str) -> Option<&'static [&'static str]> {
    table.iter().find(|(known, _)| *known == name).map(|(_, samples)| *samples)
}

fn text(keywords: &Map<String, Value>, choices: &mut Choices<'_>) -> Value {
    let format =
        keywords.get("format").or_else(|| choices.pick(keywords.get("anyOf")?.as_array()?).get("format"));
    if let Some(samples) = format.and_then(Value::as_str).and_then(|format| samples(FORMATS, format)) {
        return json!(near(samples, choices));
    }
    if let Some(pattern) = keywords.get("pattern").and_then(Value::as_str) {
        return json!(matching(pattern, choices));
    }
    let bound =
        |keyword| keywords.get(keyword).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
    match (bound("minLength"), bound("maxLength")) {
        (None, None) => json!(*choices.pick(TEXTS)),
        (least, most) => {
            let least = least.unwrap_or(0);
            let most = most.unwrap_or(least + 3);
            let letter = *choices.pick(&["a", "é", "𝄞", "0"]);
            let length = *choices.pick(&[least, most, most + 1, least.saturating_sub(1)]);
            json!(letter.repeat(length))
        }
    }
}

fn integer(keywords: &Map<String, Value>, choices: &mut Choices<'_>) -> Value {
    let bound = |keyword: &str| keywords.get(keyword).and_then(Value::as_i64);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum")).unwrap_or(i64::MIN);
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum")).unwrap_or(i64::MAX);
    let step = bound("multipleOf").unwrap_or(1);
    let plain = [0, 1, 2, 7, -1, -2, 100];
    json!(match choices.below(12) {
        0 => least.max(0).min(most),
        1 => least,
        2 => most,
        3 => least.saturating_sub(1),
        4 => most.saturating_add(1),
        5 => least.saturating_add(1),
        6 => most.saturating_sub(1),
        7 => return json!(1.0),
        _ => (choices.pick(&plain) * step).clamp(least, most),
    })
}

fn number(keywords: &Map<String, Value>, choices: &mut Choices<'_>) -> Value {
    let bound = |keyword: &str| keywords.get(keyword).and_then(Value::as_f64);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum")).unwrap_or(-1e9);
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum")).unwrap_or(1e9);
    let float = match choices.below(6) {
        0 => 0.0_f64.clamp(least, most),
        1 => least,
        2 => most,
        3 => most + 0.25,
        4 => return json!(choices.below(5)),
        _ => (*choices.pick(&[0.5_f64, 1.5, -2.25, 100.0])).clamp(least, most),
    };
    Number::from_f64(float).map_or(Value::Null, Value::Number)
}
