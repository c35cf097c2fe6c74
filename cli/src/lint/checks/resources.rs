//! Resources and resource templates, and checks shared by all lists.

use serde_json::Value;
use toolwright_core::manifest::{Entry, Kind};
use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::subject::{Problems, Subject};
use super::prompts::is_described;

pub(super) fn resource_uri(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for resource in subject.of_kind(Kind::Resources) {
        if let Some(wrong) = uri_error(resource.name) {
            problems.at_feature(resource, "/uri", format!("{:?} is not a URI: {wrong}", resource.name));
        }
    }
}

/// Returns why a string is not a URI (RFC 3986, section 4.3).
fn uri_error(uri: &str) -> Option<String> {
    let is_scheme = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '+' | '-' | '.'))
    };
    if !uri.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return Some("it has no scheme".to_owned());
    }
    literal_error(uri)
}

/// Finds a character that is invalid in URIs, or a `%` without digits (RFC 3986, section 2).
fn literal_error(text: &str) -> Option<String> {
    const PUNCTUATION: &str = "-._~:/?#[]@!$&'()*+,;=%";
    let is_allowed = |one: char| one.is_ascii_alphanumeric() || PUNCTUATION.contains(one);
    if let Some(character) = text.chars().find(|one| !is_allowed(*one)) {
        return Some(format!("it has {character:?}"));
    }
    let is_escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    text.split('%')
        .skip(1)
        .any(|rest| !is_escape(rest))
        .then(|| "a `%` has no two digits behind it".to_owned())
}

pub(super) fn uri_template(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for template in subject.of_kind(Kind::ResourceTemplates) {
        if let Some(wrong) = template_error(template.name) {
            let message = format!("{:?} is not a URI template: {wrong}", template.name);
            problems.at_feature(template, "/uriTemplate", message);
        }
    }
}

/// Returns why a string is not a URI template (RFC 6570, section 2).
fn template_error(template: &str) -> Option<String> {
    let mut rest = template;
    let mut literals = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        literals.push_str(before);
        // An expression cannot be part of a percent-encoded triplet.
        literals.push('/');
        let Some((expression, after)) = after.split_once('}') else {
            return Some("a `{` is not closed".to_owned());
        };
        if let Some(wrong) = expression_error(expression) {
            return Some(wrong);
        }
        rest = after;
    }
    literals.push_str(rest);
    if literals.contains('}') {
        return Some("a `}` is not opened".to_owned());
    }
    literal_error(&literals)
}

fn expression_error(expression: &str) -> Option<String> {
    let variables = expression.strip_prefix(['+', '#', '.', '/', ';', '?', '&']).unwrap_or(expression);
    let is_name = |name: &str| {
        let part = |part: &str| {
            !part.is_empty()
                && part.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '_' | '%'))
        };
        name.split('.').all(part)
    };
    let is_variable = |variable: &str| match variable.split_once(':') {
        Some((name, length)) => is_name(name) && length.parse::<u16>().is_ok_and(|length| length < 10_000),
        None => is_name(variable.strip_suffix('*').unwrap_or(variable)),
    };
    let wrong = variables.split(',').find(|variable| !is_variable(variable))?;
    Some(format!("{wrong:?} is not a variable"))
}

pub(super) fn media_type(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for feature in &subject.features {
        let media = feature.entry.get("mimeType").and_then(Value::as_str);
        if let Some(media) = media.filter(|media| !is_media_type(media)) {
            problems.at_feature(feature, "/mimeType", format!("{media:?} is not a media type"));
        }
    }
}

/// `type/subtype`, with parameters behind `;` (RFC 9110, section 8.3.1).
fn is_media_type(text: &str) -> bool {
    const PUNCTUATION: &str = "!#$%&'*+-.^_`|~";
    let is_token = |part: &str| {
        !part.is_empty() && part.chars().all(|one| one.is_ascii_alphanumeric() || PUNCTUATION.contains(one))
    };
    let essence = text.split(';').next().unwrap_or_default().trim();
    essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

pub(super) fn undescribed_resource(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for feature in subject.features.iter().filter(|feature| feature.kind != Kind::Prompts) {
        if !is_described(feature.entry.get("description")) {
            let message = format!("the {} `{}` has no description", feature.kind.one(), feature.name);
            problems.at_feature(feature, "", message);
        }
    }
}

pub(super) fn resource_annotations(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for feature in &subject.features {
        let Some(annotations) = feature.entry.get("annotations") else { continue };
        let mut report = |member: &str, message: String| {
            problems.at_feature(feature, below("/annotations", member), message);
        };
        if let Some(priority) = annotations.get("priority")
            && !priority.as_f64().is_some_and(|priority| (0.0..=1.0).contains(&priority))
        {
            report("priority", format!("the priority {priority} is not between 0 and 1"));
        }
        if let Some(audience) = annotations.get("audience") {
            let is_role = |role: &Value| matches!(role.as_str(), Some("user" | "assistant"));
            if !audience.as_array().is_some_and(|roles| roles.iter().all(is_role)) {
                let message = format!("the audience {audience} is not a list of `user` and `assistant`");
                report("audience", message);
            }
        }
    }
}

/// The types of members that several kinds of definitions share (2026-07-28, schemas `Prompt`, `Resource`,
/// `ResourceTemplate`).
const MEMBERS: [(&str, Type); 8] = [
    ("title", Type::Text),
    ("description", Type::Text),
    ("mimeType", Type::Text),
    ("size", Type::Whole),
    ("icons", Type::List),
    ("arguments", Type::List),
    ("annotations", Type::Object),
    ("_meta", Type::Object),
];

#[derive(Clone, Copy)]
enum Type {
    Text,
    Whole,
    Truth,
    List,
    Object,
}

impl Type {
    fn matches(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Whole => value.as_u64().is_some(),
            Self::Truth => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Whole => "a whole number",
            Self::Truth => "`true` or `false`",
            Self::List => "an array",
            Self::Object => "an object",
        }
    }
}

pub(super) fn invalid_list_member(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for feature in &subject.features {
        let mut report = |pointer: String, message: String| problems.at_feature(feature, pointer, message);
        if !feature.entry.get("name").is_some_and(Value::is_string) {
            report("/name".to_owned(), format!("the {} has no `name` that is a string", feature.kind.one()));
        }
        check_members(feature.entry, "", &MEMBERS, &mut report);
        for (index, argument) in feature.arguments() {
            let pointer = format!("/arguments/{index}");
            let Some(members) = argument.as_object() else {
                report(pointer, "the argument is not an object".to_owned());
                continue;
            };
            if !members.get("name").is_some_and(Value::is_string) {
                report(below(&pointer, "name"), "the argument has no `name` that is a string".to_owned());
            }
            let known = [("title", Type::Text), ("description", Type::Text), ("required", Type::Truth)];
            check_members(members, &pointer, &known, &mut report);
        }
    }
}

fn check_members(
    members: &Entry,
    pointer: &str,
    types: &[(&str, Type)],
    report: &mut impl FnMut(String, String),
) {
    for (name, kind) in types {
        if let Some(value) = members.get(*name).filter(|value| !kind.matches(value)) {
            report(below(pointer, name), format!("`{name}` is {value}, which is not {}", kind.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_distinguished_from_other_strings() {
        for uri in [
            "shop://orders/7",
            "file:///a/b.md",
            "urn:isbn:0451450523",
            "https://[::1]:80/?a=b#c",
            "a:%20",
            "a:",
        ] {
            assert_eq!(uri_error(uri), None, "{uri}");
        }
        for uri in [
            "",
            "orders/7",
            "./a",
            "1a:b",
            "shop://a b",
            "shop://é",
            "shop://{id}",
            "a:%2",
            "a:%zz",
            ":a",
            "a:\n",
        ] {
            assert!(uri_error(uri).is_some(), "{uri:?}");
        }
    }

    /// RFC 6570, sections 2.1 to 2.4.
    #[test]
    fn uri_templates_are_distinguished_from_other_strings() {
        for template in [
            "shop://orders/{id}",
            "shop://{+path}/here",
            "{scheme}:{/list*}",
            "a:{?q,lang}{&x:30}",
            "a:{#frag}",
            "a:{var.sub}",
            "a:b",
            "a:%20{x}",
        ] {
            assert_eq!(template_error(template), None, "{template}");
        }
        for template in [
            "a:{",
            "a:}",
            "a:{}",
            "a:{a b}",
            "a:{a,}",
            "a:{a:99999}",
            "a:{{b}}",
            "a: {b}",
            "a:{a-b}",
            "a:%{x}",
        ] {
            assert!(template_error(template).is_some(), "{template}");
        }
    }

    #[test]
    fn media_types_have_two_parts() {
        for (text, expected) in [
            ("text/plain", true),
            ("text/plain; charset=utf-8", true),
            ("application/vnd.api+json", true),
            ("markdown", false),
            ("text/", false),
            ("text/a/b", false),
            ("text /plain", false),
            ("", false),
        ] {
            assert_eq!(is_media_type(text), expected, "{text:?}");
        }
    }
}
