//! Types and schemas as elicitation forms (2026-07-28, client/elicitation "Requested Schema").

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::check;
use crate::revision::Revision;
use crate::schema::{FormProblem, form, form_for, restrict};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read by schemars only")]
struct Member<T> {
    value: T,
}

/// Compares the form member of a field of type `T`.
#[track_caller]
fn check_member<T: JsonSchema>(case: &str, expected: &Value) {
    let form = form::<Member<T>>().unwrap_or_else(|problem| panic!("{case}: {problem}"));
    let is_optional = form.get("required").is_none();
    assert_eq!(is_optional, case.starts_with("optional"), "{case}");
    check(case, &form["properties"]["value"], expected);
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    One,
    Two,
}

/// Said of the enum as a whole.
#[derive(Deserialize, JsonSchema)]
enum Titled {
    /// The first
    One,
    #[schemars(title = "Number two")]
    Two,
    Three,
}

#[test]
fn values_become_members() {
    check_member::<String>("text", &json!({"type": "string"}));
    check_member::<bool>("a switch", &json!({"type": "boolean"}));
    check_member::<u8>("a small number", &json!({"type": "integer", "minimum": 0, "maximum": 255}));
    check_member::<f64>("a number", &json!({"type": "number"}));
    check_member::<Option<String>>("optional text", &json!({"type": "string"}));
    check_member::<Option<i64>>("optional number", &json!({"type": "integer"}));
    check_member::<Plain>("a choice", &json!({"type": "string", "enum": ["one", "two"]}));
    check_member::<Option<Plain>>("optional choice", &json!({"type": "string", "enum": ["one", "two"]}));
    // schemars puts variants without descriptions before the others.
    let titled = json!([
        {"const": "Three", "title": "Three"}, {"const": "One", "title": "The first"},
        {"const": "Two", "title": "Number two"},
    ]);
    check_member::<Titled>(
        "a choice with titles",
        &json!({
            "type": "string", "oneOf": titled, "description": "Said of the enum as a whole.",
        }),
    );
    check_member::<BTreeSet<Plain>>(
        "several choices",
        &json!({
            "type": "array", "items": {"type": "string", "enum": ["one", "two"]},
        }),
    );
    check_member::<Vec<Titled>>(
        "several choices with titles",
        &json!({
            "type": "array", "items": {"anyOf": titled},
        }),
    );
}

#[test]
fn unsupported_form_members_are_reported() {
    fn member<T: JsonSchema>() -> Result<Value, FormProblem> {
        form::<Member<T>>()
    }
    for refused in [
        member::<Member<String>>(),
        member::<Vec<String>>(),
        member::<(u8, u8)>(),
        member::<std::collections::BTreeMap<String, String>>(),
        member::<Value>(),
        member::<Option<Member<u8>>>(),
    ] {
        assert_eq!(refused, Err(FormProblem::Member { member: "value".to_owned() }));
    }
    for refused in [form::<String>(), form::<Vec<Plain>>()] {
        assert!(matches!(refused, Err(FormProblem::Type(_))), "{refused:?}");
    }
}

#[test]
fn a_schema_is_restricted_to_form_keywords() {
    let good = json!({
        "type": "object",
        "properties": {
            "day": {"type": "string", "format": "date", "title": "Day", "default": "2026-01-01"},
            "many": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["a"]}},
            "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
        },
        "required": ["day"],
    });
    assert_eq!(restrict(&good), Ok(good.clone()));
    let mut more = good.clone();
    more["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    more["properties"]["day"]["pattern"] = json!("^2");
    more["properties"]["day"]["format"] = json!("uuid");
    let mut less = good;
    less["properties"]["day"].as_object_mut().expect("an object").shift_remove("format");
    assert_eq!(restrict(&more), Ok(less));
    for bad in [json!({"type": "array"}), json!({"type": "object"}), json!({"properties": {}}), json!(true)] {
        assert_eq!(restrict(&bad), Err(FormProblem::NotAnObject), "{bad}");
    }
}

#[test]
fn revision_2025_06_18_has_fewer_keywords() {
    let new = json!({"type": "object", "properties": {
        "text": {"type": "string", "default": "a"},
        "on": {"type": "boolean", "default": true},
        "choice": {"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "a"},
    }});
    assert_eq!(form_for(&new, Revision::V2025_11_25), Ok(new.clone()));
    assert_eq!(
        form_for(&new, Revision::V2025_06_18),
        Ok(json!({"type": "object", "properties": {
            "text": {"type": "string"},
            "on": {"type": "boolean", "default": true},
            "choice": {"type": "string", "enum": ["a"], "enumNames": ["A"]},
        }}))
    );
    let several = form::<Member<Vec<Plain>>>().expect("a form");
    let revision = Revision::V2025_06_18;
    let problem = FormProblem::SeveralValues { member: "value".to_owned(), revision };
    assert_eq!(form_for(&several, revision), Err(problem));
}
