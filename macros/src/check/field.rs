//! Rules for the keys of one field.

use super::shape::{find_serde_word, find_word};
use super::{number, pattern, text};
use crate::attr::{FieldAttributes, Json, JsonValue, keys};
use crate::errors::Errors;
use crate::model::{Field, Role};
use crate::suggest;

/// The formats of JSON Schema 2020-12 (validation, section 7.3).
const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

pub(super) fn check(field: &Field<'_>, errors: &Errors) {
    let attributes = &field.attributes;
    check_schema(field, errors);
    if !is_place_for_keys(field, errors) {
        return;
    }
    if attributes.is_credential() {
        check_credential(attributes, errors);
        return;
    }
    text::check_not_empty(attributes.title.as_ref(), errors);
    text::check_not_empty(attributes.description.as_ref(), errors);
    if let Some(given) = &attributes.pattern
        && let Some(problem) = pattern::find_problem(&given.value.value())
    {
        errors.on(&given.value, problem);
    }
    check_format(attributes, errors);
    number::check(attributes, errors);
    if let (Some(_), Some(examples)) = (&attributes.example, &attributes.examples) {
        errors.on(&examples.key, "`example` and `examples` are the same; use only `examples(…)`");
    }
    for example in attributes.all_examples() {
        if let Some(problem) = find_invalid_example(example, attributes) {
            errors.on(&example.source, problem);
        }
    }
}

/// Keys describe an argument, so the field must be one.
fn is_place_for_keys(field: &Field<'_>, errors: &Errors) -> bool {
    let reason = match field.role {
        Role::Argument => return true,
        Role::Flattened => {
            "a flattened field is not an argument itself; use `#[schemars(…)]` on the fields of its type"
        }
        Role::Skipped => "serde never reads this field, so the key has no effect; remove one of the two",
        Role::Nameless => "this field has no name in JSON; use `#[schemars(…)]` on the fields of its type",
        Role::Replaced => {
            "serde reads another type instead of this struct; use `#[schemars(…)]` on the fields of that type"
        }
    };
    for key in &field.attributes.keys {
        errors.on(key, reason);
    }
    false
}

/// What a custom function deserializes is unrelated to the type of the field, which the schema shows.
fn check_schema(field: &Field<'_>, errors: &Errors) {
    let written = &field.original.attrs;
    let says = |word| find_word(written, "schemars", word).is_some();
    let is_shown = !matches!(field.role, Role::Skipped | Role::Replaced) && !field.attributes.is_credential();
    if !field.is_read_by_function || !is_shown || ["with", "schema_with", "skip"].into_iter().any(says) {
        return;
    }
    // Without either attribute, serde has inserted a function of its own, for a `Cow` that borrows.
    let Some(span) = ["deserialize_with", "with"].into_iter().find_map(|word| find_serde_word(written, word))
    else {
        return;
    };
    errors.at(
        span,
        "a function deserializes this field, so the schema of its type may not match; add \
         `#[schemars(with = \"…\")]` with a type that is deserialized from the same JSON",
    );
}

/// A credential is bound by the server: no client sees it or sends it.
fn check_credential(attributes: &FieldAttributes, errors: &Errors) {
    for key in attributes.keys.iter().filter(|key| **key != keys::CREDENTIAL) {
        let reason = match key.to_string().as_str() {
            keys::SECRET => "a `credential` is never an argument, a `secret` always is; keep one".to_owned(),
            keys::HEADER => {
                "a `credential` is set by the server and must not be in a header; remove `header`".to_owned()
            }
            other => {
                format!("a `credential` is set by the server and invisible to clients; remove `{other}`")
            }
        };
        errors.on(key, reason);
    }
}

fn check_format(attributes: &FieldAttributes, errors: &Errors) {
    let Some(given) = &attributes.format else { return };
    let format = given.value.value();
    if FORMATS.contains(&format.as_str()) {
        return;
    }
    let near = suggest::nearest(&format, FORMATS.iter().copied());
    let near = near.map_or_else(|| ";".to_owned(), |near| format!(", did you mean `{near}`?"));
    errors.on(
        &given.value,
        format!("not a format of JSON Schema{near} use one of {}, or `pattern`", FORMATS.join(", ")),
    );
}

fn find_invalid_example(example: &Json, attributes: &FieldAttributes) -> Option<String> {
    match &example.value {
        JsonValue::Text(text) => {
            let length = text.chars().count();
            let pattern = attributes.pattern.as_ref().map(|given| given.value.value());
            pattern
                .filter(|pattern| {
                    pattern::find_problem(pattern).is_none() && !pattern::matches(pattern, text)
                })
                .map(|_| "the example does not match `pattern`; change one of the two".to_owned())
                .or_else(|| {
                    number::describe_invalid_count(
                        length,
                        attributes.min_length.as_ref(),
                        attributes.max_length.as_ref(),
                    )
                })
        }
        JsonValue::Number(number) => number::describe_out_of_bounds(number, attributes),
        JsonValue::List(count) => number::describe_invalid_count(
            *count,
            attributes.min_items.as_ref(),
            attributes.max_items.as_ref(),
        ),
        JsonValue::Boolean => None,
    }
}
