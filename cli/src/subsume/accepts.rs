//! Whether one value fits a schema, with a third answer where that cannot be said.

use std::cell::Cell;

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::document::{Document, rule_for_others};
use super::number::{Exact, same, size};

/// How deep references and values may lie in one another.
const MAX_DEPTH: usize = 96;
/// How many schemas may be applied: alternatives of alternatives multiply.
const MAX_STEPS: u32 = 20_000;

/// Whether `value` fits every one of these schemas; `None` if that is not known.
pub(super) fn accept_all(document: &Document<'_>, schemas: &[&Value], value: &Value) -> Option<bool> {
    all(schemas.iter().map(|schema| accepts(document, schema, value)))
}

/// Whether `value` fits `schema`; `None` if that is not known: because of a format, a pattern of another dialect, a
/// reference out of the document, or a rule that cannot be read.
pub(super) fn accepts(document: &Document<'_>, schema: &Value, value: &Value) -> Option<bool> {
    if document.odd().is_some() {
        return None;
    }
    Judge { document, depth: 0, steps: &Cell::new(MAX_STEPS) }.fits(schema, value)
}

/// True if all are, false if one is, else unknown.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for answer in answers {
        match answer {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = None,
        }
    }
    known
}

/// How many are true, at least and at most.
fn count(answers: impl Iterator<Item = Option<bool>>) -> (u64, u64) {
    answers.fold((0, 0), |(least, most), answer| {
        (least + u64::from(answer == Some(true)), most + u64::from(answer != Some(false)))
    })
}

/// Whether a number between these is within the bounds.
fn within((least, most): (u64, u64), low: u64, high: u64) -> Option<bool> {
    if most < low || least > high {
        Some(false)
    } else if least >= low && most <= high {
        Some(true)
    } else {
        None
    }
}

struct Judge<'d, 'a> {
    document: &'d Document<'a>,
    depth: usize,
    /// How many are left.
    steps: &'d Cell<u32>,
}

impl Judge<'_, '_> {
    fn fits(&self, schema: &Value, value: &Value) -> Option<bool> {
        let deeper = Self { depth: self.depth + 1, ..*self };
        self.steps.set(self.steps.get().checked_sub(1)?);
        match schema {
            Value::Bool(all) => Some(*all),
            _ if deeper.depth > MAX_DEPTH => None,
            Value::Object(schema) => {
                all(schema.iter().map(|(key, rule)| deeper.keyword(schema, key, rule, value)))
            }
            _ => None,
        }
    }

    fn keyword(&self, schema: &Map<String, Value>, key: &str, rule: &Value, value: &Value) -> Option<bool> {
        let schemas = || rule.as_array().map(|list| list.iter().map(|part| self.fits(part, value)));
        match key {
            "$ref" => self.fits(self.document.resolve(rule.as_str()?)?, value),
            "type" => is_of_type(rule, value),
            "const" => Some(same(rule, value)),
            "enum" => Some(rule.as_array()?.iter().any(|one| same(one, value))),
            "allOf" => all(schemas()?),
            "anyOf" => within(count(schemas()?), 1, u64::MAX),
            "oneOf" => within(count(schemas()?), 1, 1),
            "not" => self.fits(rule, value).map(|fits| !fits),
            "if" => {
                let then = || schema.get("then").map_or(Some(true), |then| self.fits(then, value));
                let otherwise = || schema.get("else").map_or(Some(true), |other| self.fits(other, value));
                match self.fits(rule, value) {
                    Some(true) => then(),
                    Some(false) => otherwise(),
                    None => (then() == Some(true) && otherwise() == Some(true)).then_some(true),
                }
            }
            _ => match value {
                Value::Number(number) => number_fits(key, rule, Exact::of(number)),
                Value::String(text) => text_fits(key, rule, text),
                Value::Array(items) => self.items_fit(schema, key, rule, items),
                Value::Object(members) => self.members_fit(schema, key, rule, members),
                Value::Null | Value::Bool(_) => Some(true),
            },
        }
    }

    fn items_fit(
        &self,
        schema: &Map<String, Value>,
        key: &str,
        rule: &Value,
        items: &[Value],
    ) -> Option<bool> {
        let length = items.len() as u64;
        let prefix = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        match key {
            "minItems" => Some(length >= size(rule)?),
            "maxItems" => Some(length <= size(rule)?),
            "uniqueItems" => {
                let repeats = |at: usize| items[..at].iter().any(|other| same(other, &items[at]));
                Some(!(rule.as_bool()? && (0..items.len()).any(repeats)))
            }
            "prefixItems" => {
                all(rule.as_array()?.iter().zip(items).map(|(part, item)| self.fits(part, item)))
            }
            "items" => all(items.iter().skip(prefix).map(|item| self.fits(rule, item))),
            "contains" => {
                let low = schema.get("minContains").map_or(Some(1), size)?;
                let high = schema.get("maxContains").map_or(Some(u64::MAX), size)?;
                within(count(items.iter().map(|item| self.fits(rule, item))), low, high)
            }
            "unevaluatedItems" => None,
            _ => Some(true),
        }
    }

    fn members_fit(
        &self,
        schema: &Map<String, Value>,
        key: &str,
        rule: &Value,
        members: &Map<String, Value>,
    ) -> Option<bool> {
        let map = |key: &str| schema.get(key).and_then(Value::as_object);
        let count = members.len() as u64;
        match key {
            "minProperties" => Some(count >= size(rule)?),
            "maxProperties" => Some(count <= size(rule)?),
            "required" => all(rule.as_array()?.iter().map(|name| Some(members.contains_key(name.as_str()?)))),
            "properties" => all(rule
                .as_object()?
                .iter()
                .filter_map(|(name, part)| members.get(name).map(|member| self.fits(part, member)))),
            "patternProperties" => all(rule.as_object()?.iter().flat_map(|(pattern, part)| {
                members.iter().map(move |(name, member)| match matches(pattern, name) {
                    Some(false) => Some(true),
                    Some(true) => self.fits(part, member),
                    None => (self.fits(part, member) == Some(true)).then_some(true),
                })
            })),
            // All members are evaluated by then.
            "unevaluatedProperties" if schema.contains_key("additionalProperties") => Some(true),
            "unevaluatedProperties" if rule_for_others(schema).is_none() => None,
            "additionalProperties" | "unevaluatedProperties" => all(members.iter().map(|(name, member)| {
                if map("properties").is_some_and(|properties| properties.contains_key(name)) {
                    return Some(true);
                }
                let patterns = map("patternProperties").into_iter().flat_map(Map::keys);
                let mut matched = Some(false);
                for pattern in patterns {
                    match matches(pattern, name) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => matched = None,
                    }
                }
                let fits = self.fits(rule, member);
                if matched.is_none() && fits != Some(true) { None } else { fits }
            })),
            "propertyNames" => all(members.keys().map(|name| self.fits(rule, &Value::from(name.as_str())))),
            "dependentRequired" => all(rule.as_object()?.iter().map(|(name, needed)| {
                let has_all = |needed: &Value| {
                    Some(
                        needed
                            .as_array()?
                            .iter()
                            .all(|name| name.as_str().is_some_and(|name| members.contains_key(name))),
                    )
                };
                if members.contains_key(name) { has_all(needed) } else { Some(true) }
            })),
            "dependentSchemas" => {
                let whole = Value::Object(members.clone());
                all(rule.as_object()?.iter().map(|(name, part)| {
                    if members.contains_key(name) { self.fits(part, &whole) } else { Some(true) }
                }))
            }
            _ => Some(true),
        }
    }
}

fn is_of_type(rule: &Value, value: &Value) -> Option<bool> {
    let names = match rule {
        Value::String(_) => std::slice::from_ref(rule),
        Value::Array(names) => names,
        _ => return None,
    };
    let mut is = false;
    for name in names {
        is |= match name.as_str()? {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => Exact::of_value(value).is_some_and(Exact::is_whole),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => return None,
        };
    }
    Some(is)
}

fn number_fits(key: &str, rule: &Value, number: Exact) -> Option<bool> {
    Some(match key {
        "minimum" => number >= Exact::of_value(rule)?,
        "maximum" => number <= Exact::of_value(rule)?,
        "exclusiveMinimum" => number > Exact::of_value(rule)?,
        "exclusiveMaximum" => number < Exact::of_value(rule)?,
        "multipleOf" => return number.is_multiple_of(Exact::of_value(rule)?),
        _ => true,
    })
}

fn text_fits(key: &str, rule: &Value, text: &str) -> Option<bool> {
    match key {
        "minLength" => Some(text.chars().count() as u64 >= size(rule)?),
        "maxLength" => Some(text.chars().count() as u64 <= size(rule)?),
        "pattern" => matches(rule.as_str()?, text),
        // Some validators enforce formats and some do not; a sample of the format fits in both cases.
        "format" => (format_sample(rule.as_str()?)? == text).then_some(true),
        _ => Some(true),
    }
}

/// Whether the pattern is found in the text, where ECMA-262's regular expressions (which JSON Schema means) and
/// regex-lite's surely agree: on ASCII text, and without what one of them reads in its own way.
pub(super) fn matches(pattern: &str, text: &str) -> Option<bool> {
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match (character, next) {
            ('\\', Some(next)) if next.is_ascii_punctuation() || "dDwWsSnrt".contains(next) => {
                characters.next();
            }
            // Named and other special groups, and classes inside of classes.
            ('\\', _) | ('[' | '&' | '~', Some('[' | '&' | '~')) | ('-', Some('-')) => return None,
            ('(', Some('?')) => {
                characters.next();
                if characters.next() != Some(':') {
                    return None;
                }
            }
            _ => {}
        }
    }
    let regex =
        Regex::new(pattern).ok().filter(|_| pattern.is_ascii() && text.is_ascii() && !text.contains('\r'))?;
    Some(regex.is_match(text))
}

/// A text of this format.
pub(super) fn format_sample(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2024-01-31",
        "date-time" => "2024-01-31T12:00:00Z",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" => "a@example.com",
        "hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "uri-reference" => "https://example.com/",
        "uuid" => "00000000-0000-4000-8000-000000000000",
        _ => return None,
    })
}
