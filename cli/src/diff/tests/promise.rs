//! Changes that are not breaking do not break callers, checked with the `jsonschema` crate.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{changes, class, manifest, with_input, with_output};
use crate::diff::change::Change;
use crate::diff::compare::Author;
use crate::diff::rule::Class;
use crate::schema_inclusion::{Relation, Rng, first_seed, has_undeclared_names, pairs};
use crate::source::ServerDefinitions;

/// Number of values per pair.
const VALUES: usize = 40;

#[test]
fn compatible_changes_break_no_call_and_no_reader() {
    let mut judged = 0;
    let mut safe = [0, 0];
    for seed in first_seed()..first_seed() + pairs() * 2 / 5 {
        let mut rng = Rng(seed + (1 << 40));
        let old = object_root(rng.document());
        let mut new = rng.edit_copy(&old);
        let (true, Value::Object(members)) = (old.is_object(), &mut new) else { continue };
        members.insert("type".to_owned(), json!("object"));
        if !crate::schema_inclusion::is_well_founded(&old) || !crate::schema_inclusion::is_well_founded(&new)
        {
            continue;
        }
        let (Ok(old_validator), Ok(new_validator)) =
            (jsonschema::validator_for(&old), jsonschema::validator_for(&new))
        else {
            continue;
        };
        let breaks = |findings: Vec<Change>| class(&findings) == Some(Class::Breaking);
        let input_breaks = breaks(changes(&with_input(old.clone()), &with_input(new.clone())));
        let output_breaks = breaks(changes(&with_output(old.clone()), &with_output(new.clone())));
        safe[0] += u32::from(!input_breaks);
        safe[1] += u32::from(!output_breaks);
        let mut value = json!({});
        for _ in 0..VALUES {
            value = if rng.below(3) == 0 { rng.value(2) } else { rng.mutate(&value) };
            if !value.is_object() {
                value = json!({});
            }
            let (fits_old, fits_new) = (old_validator.is_valid(&value), new_validator.is_valid(&value));
            if !input_breaks && fits_old && !has_undeclared_names(&old, &new, &value) {
                judged += 1;
                assert!(fits_new, "a call broke\nold: {old}\nnew: {new}\nvalue: {value}");
            }
            if !output_breaks && fits_new {
                judged += 1;
                assert!(fits_old, "a reader broke\nold: {old}\nnew: {new}\nvalue: {value}");
            }
        }
    }
    println!("not breaking: {safe:?} of {}, {judged} values checked", pairs() * 2 / 5);
    assert!(safe[0] > 50 && safe[1] > 50 && judged > 500, "too few answers of a kind: {safe:?}, {judged}");
}

/// The report agrees with how a schema was generated: an equal one is documentation, a narrower one is breaking for callers,
/// with a witness, and a wider one for readers.
#[test]
fn pairs_have_their_generated_class() {
    let mut counts = [0; 3];
    for seed in first_seed()..first_seed() + pairs() / 2 {
        let mut rng = Rng(seed + (1 << 41));
        let old = object_root(rng.full_document());
        let kinds = [Relation::Equal, Relation::Narrowed, Relation::Widened];
        let at = rng.below(kinds.len());
        let new = object_root(rng.generate(kinds[at], &old));
        if !crate::schema_inclusion::is_well_founded(&old) || !crate::schema_inclusion::is_well_founded(&new)
        {
            continue;
        }
        let (Ok(old_validator), Ok(new_validator)) =
            (jsonschema::validator_for(&old), jsonschema::validator_for(&new))
        else {
            continue;
        };
        let [input, output] = [with_input, with_output].map(|of| changes(&of(old.clone()), &of(new.clone())));
        counts[at] += 1;
        let shown = format!("{:?}\nold: {old}\nnew: {new}\n{input:#?}\n{output:#?}", kinds[at]);
        match kinds[at] {
            Relation::Equal => {
                assert!(class(&input) <= Some(Class::Documentation), "{shown}");
                assert!(class(&output) <= Some(Class::Documentation), "{shown}");
            }
            // Nothing is promised to callers about what is the same or less.
            Relation::Narrowed => assert!(class(&output) <= Some(Class::Compatible), "{shown}"),
            Relation::Widened => assert!(class(&input) <= Some(Class::Compatible), "{shown}"),
        }
        assert_eq!(input.is_empty(), old == new, "{shown}");
        let is_breaking = |findings| class(findings) == Some(Class::Breaking);
        let mut value = json!({});
        for _ in 0..VALUES {
            value = if rng.below(3) == 0 { rng.value(2) } else { rng.mutate(&value) };
            if !value.is_object() {
                continue;
            }
            match (old_validator.is_valid(&value), new_validator.is_valid(&value)) {
                // Callers cannot have sent an undeclared name.
                (true, false) => assert!(
                    is_breaking(&input) || has_undeclared_names(&old, &new, &value),
                    "{value}\n{shown}"
                ),
                (false, true) => assert!(is_breaking(&output), "{value}\n{shown}"),
                _ => {}
            }
        }
    }
    println!("equal, narrowed, widened: {counts:?}");
    assert!(counts.iter().all(|count| *count > 30), "too few answers of a kind: {counts:?}");
}

/// Restricts the root of a schema to objects, as for tools.
fn object_root(mut schema: Value) -> Value {
    if let Value::Object(members) = &mut schema {
        members.insert("type".to_owned(), json!("object"));
    }
    schema
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|float| json!(float)),
        ".{0,6}".prop_map(Value::from),
        prop_oneof![Just("object"), Just("#/properties/x"), Just("number")].prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 5, |inner| {
        let key = prop_oneof![
            Just("type"),
            Just("properties"),
            Just("required"),
            Just("items"),
            Just("$ref"),
            Just("anyOf"),
            Just("annotations"),
            Just("_meta"),
            Just("x"),
            Just("additionalProperties"),
            Just("enum"),
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..5).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Any file yields an error or changes, never a panic.
    #[test]
    fn any_json_as_a_manifest_is_an_error_or_compared(one in any_json(), other in any_json()) {
        let _ = ServerDefinitions::parse(&one.to_string());
        let tool = |more: &Value| {
            let mut tool = json!({"name": "tool", "inputSchema": {"type": "object"}, "annotations": {}, "_meta": {}});
            if let (Value::Object(tool), Value::Object(more)) = (&mut tool, more) {
                tool.extend(more.clone());
            }
            if let (Value::Object(schema), Value::Object(more)) = (&mut tool["inputSchema"], more) {
                schema.extend(more.iter().filter(|(key, _)| *key != "type").map(|(key, value)| (key.clone(), value.clone())));
            }
            let mut document = manifest(json!([tool]));
            document["prompts"] = json!([{"name": "prompt", "arguments": more, "description": more}]);
            document["resources"] = json!([{"uri": "x", "name": more}]);
            document.to_string()
        };
        if let (Ok(old), Ok(new)) = (ServerDefinitions::parse(&tool(&one)), ServerDefinitions::parse(&tool(&other))) {
            crate::diff::compare::compare(&old, &new, Author::User);
            crate::diff::compare::compare(&new, &new, Author::User);
        }
    }
}
