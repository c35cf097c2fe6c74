//! Describes constraints other than the type: bounds, defaults, examples and all other keywords.

use serde_json::{Map, Value};

use super::view::View;
use super::{Phrase, RULE_LIMIT, Writer, list};
use crate::docs::markdown::json;
use crate::pointer::below;

/// The words before the value of each keyword, in this order.
const KEYWORD_PHRASES: [(&str, &str); 18] = [
    ("pattern", "matches "),
    ("format", "format "),
    ("minimum", "at least "),
    ("exclusiveMinimum", "more than "),
    ("maximum", "at most "),
    ("exclusiveMaximum", "less than "),
    ("multipleOf", "a multiple of "),
    ("minLength", "shortest length "),
    ("maxLength", "longest length "),
    ("minItems", "fewest items "),
    ("maxItems", "most items "),
    ("minProperties", "fewest members "),
    ("maxProperties", "most members "),
    ("contentEncoding", "encoded as "),
    ("contentMediaType", "of the media type "),
    ("default", "default "),
    ("examples", "for example "),
    ("example", "for example "),
];

/// Keywords that are described elsewhere, and those that do not constrain values.
const DESCRIBED_ELSEWHERE: [&str; 22] = [
    "type",
    "enum",
    "const",
    "properties",
    "patternProperties",
    "required",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "description",
    "title",
    "$schema",
    "$id",
    "$comment",
    "$vocabulary",
    "$anchor",
    "$dynamicAnchor",
];

impl<'a> Writer<'a> {
    pub(super) fn describe_rules(&mut self, view: &View<'a>) -> Vec<Phrase> {
        let mut rules = Vec::new();
        for (pointer, keywords) in &view.maps {
            for (keyword, words) in KEYWORD_PHRASES {
                if let Some(value) = keywords.get(keyword) {
                    rules.extend(self.describe_keyword(&below(pointer, keyword), keyword, words, value));
                }
            }
            for (keyword, value) in *keywords {
                rules.extend(self.describe_other(pointer, keywords, keyword, value));
            }
        }
        rules.extend(self.describe_additions(view));
        let missing = view.maps.iter().flat_map(|(_, keywords)| list(keywords, "required"));
        for name in missing.filter_map(Value::as_str).filter(|name| !view.has_member(name)) {
            rules.push(Phrase::words("requires ").then(Phrase::code(name)));
        }
        // A reference often repeats what its target says.
        let mut once: Vec<Phrase> = Vec::with_capacity(rules.len());
        for rule in rules {
            if !once.contains(&rule) {
                once.push(rule);
            }
        }
        once
    }

    fn describe_keyword(
        &mut self,
        pointer: &str,
        keyword: &str,
        words: &str,
        value: &Value,
    ) -> Option<Phrase> {
        let value = match (keyword, value) {
            // A regular expression or format is easier to read without JSON escapes.
            ("pattern" | "format" | "contentEncoding" | "contentMediaType", Value::String(text)) => {
                Phrase::code(self.truncate(pointer, text))
            }
            ("examples", Value::Array(list)) if list.is_empty() => return None,
            ("examples", Value::Array(list)) => {
                let list: Vec<_> =
                    list.iter().map(|value| Phrase::code(self.truncate(pointer, &json(value)))).collect();
                Phrase::join(list, ", ")
            }
            _ => Phrase::code(self.truncate(pointer, &json(value))),
        };
        Some(Phrase::words(words).then(value))
    }

    /// Describes a keyword outside of [`KEYWORD_PHRASES`].
    fn describe_other(
        &mut self,
        pointer: &str,
        keywords: &Map<String, Value>,
        keyword: &str,
        value: &Value,
    ) -> Option<Phrase> {
        let is_known = KEYWORD_PHRASES.iter().any(|(known, _)| *known == keyword)
            || DESCRIBED_ELSEWHERE.contains(&keyword);
        let has_members = keywords.contains_key("properties") || keywords.contains_key("patternProperties");
        match (keyword, value) {
            ("writeOnly", Value::Bool(true)) => return Some(Phrase::words("secret")),
            ("readOnly", Value::Bool(true)) => return Some(Phrase::words("read-only")),
            ("deprecated", Value::Bool(true)) => return Some(Phrase::words("deprecated")),
            ("uniqueItems", Value::Bool(true)) => return Some(Phrase::words("items are unique")),
            ("writeOnly" | "readOnly" | "deprecated" | "uniqueItems", Value::Bool(false))
            | ("additionalProperties", Value::Object(_)) => return None,
            ("additionalProperties" | "unevaluatedProperties", Value::Bool(false)) => {
                return (!has_members).then(|| Phrase::words("no members"));
            }
            ("additionalProperties", Value::Bool(true)) => {
                return has_members.then(|| Phrase::words("other members as well"));
            }
            ("items", Value::Bool(false)) => return Some(Phrase::words("no further items")),
            ("description", Value::String(text)) if text.trim().is_empty() => {
                self.omit(&below(pointer, keyword), "the description is empty");
                return None;
            }
            ("items", Value::Array(_)) => {}
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "required", value) if !value.is_array() => {}
            _ if is_known || keyword.starts_with("x-") => return None,
            _ => {}
        }
        let value = self.truncate(&below(pointer, keyword), &json(value));
        Some(Phrase::code(keyword).then(Phrase::words(" ")).then(Phrase::code(value)))
    }

    /// Describes what other applicable schemas add to the type shown on the line.
    fn describe_additions(&mut self, view: &View<'a>) -> Vec<Phrase> {
        let mut rules = Vec::new();
        let mut shown: Option<&Value> = None;
        for keyword in ["const", "enum", "type"] {
            for (pointer, keywords) in &view.maps {
                let Some(value) = keywords.get(keyword) else { continue };
                match shown {
                    None => shown = Some(value),
                    Some(same) if same == value => {}
                    // Beside enum values, a type adds nothing.
                    Some(_) if keyword == "type" && view.maps.iter().any(|(_, other)| has_choices(other)) => {
                    }
                    Some(_) => {
                        let value = self.truncate(&below(pointer, keyword), &json(value));
                        rules.push(Phrase::code(keyword).then(Phrase::words(" ")).then(Phrase::code(value)));
                    }
                }
            }
        }
        rules
    }

    /// Truncates text that is too long for a line.
    pub(super) fn truncate(&mut self, pointer: &str, text: &str) -> String {
        let Some((end, _)) = text.char_indices().nth(RULE_LIMIT) else { return text.to_owned() };
        self.omit(pointer, format!("only the first {RULE_LIMIT} characters are shown"));
        format!("{}…", &text[..end])
    }
}

fn has_choices(keywords: &Map<String, Value>) -> bool {
    keywords.contains_key("enum") || keywords.contains_key("const")
}
