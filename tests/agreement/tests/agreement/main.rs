//! What a tool's schema accepts and what its reader accepts is the same, for every type of the corpus.

mod case;
mod corpus;
mod exceptions;
mod generate;
mod mutate;

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};
use toolwright_core::schema::Profile;

use crate::case::Case;
use crate::exceptions::{EXCEPTIONS, Wider};
use crate::generate::Choices;

/// How many values are tried for each type.
const VALUES: u32 = 500;

/// Numbers up to here are exact for every reader of JSON (RFC 8259, section 6); no bound beyond is shown.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn all() -> Vec<Case> {
    [
        corpus::numbers::cases,
        corpus::texts::cases,
        corpus::collections::cases,
        corpus::structs::cases,
        corpus::enums::cases,
        corpus::recursion::cases,
        corpus::attributes::cases,
    ]
    .iter()
    .flat_map(|cases| cases())
    .collect()
}

#[test]
fn names_are_unique_and_there_are_many() {
    let mut names: Vec<_> = all().into_iter().map(|case| case.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count >= 140, "{count} types");
}

#[test]
fn schemas_are_valid_2020_12() {
    for case in all() {
        for schema in [case.input(Profile::Portable), case.input(Profile::Faithful), case.output()] {
            if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
                panic!("{}: {error}\n{schema:#}", case.name);
            }
        }
        assert_eq!(case.input(Profile::Portable)["type"], "object", "{}", case.name);
        assert!(case.input(Profile::Portable)["properties"].is_object(), "{}", case.name);
    }
}

#[test]
fn numbers_agree() {
    check_all(&corpus::numbers::cases());
}

#[test]
fn texts_agree() {
    check_all(&corpus::texts::cases());
}

#[test]
fn collections_agree() {
    check_all(&corpus::collections::cases());
}

#[test]
fn structs_agree() {
    check_all(&corpus::structs::cases());
}

#[test]
fn enums_agree() {
    check_all(&corpus::enums::cases());
}

#[test]
fn recursive_types_agree() {
    check_all(&corpus::recursion::cases());
}

#[test]
fn constraints_agree() {
    check_all(&corpus::attributes::cases());
}

#[test]
fn rules_hold_for_structs_read_from_arrays() {
    let cases = all();
    let case = cases.iter().find(|case| case.name == "deep constraints").expect("the case exists");
    let reader = case.reader();
    for (small, expected) in [(1, true), (11, false)] {
        let named = json!({ "inner": [{ "small": small, "fraction": 0.0, "maybe": 3, "fives": 5 }] });
        assert_eq!(case.read(&reader, &named).is_ok(), expected, "{named}");
    }
    let by_position = json!({ "inner": [[11, 0.0, 3, 5]] });
    assert!(case.read(&reader, &by_position).is_err(), "{by_position}");
}

#[test]
fn exceptions_are_needed() {
    let cases = all();
    for exception in EXCEPTIONS {
        let case = cases.iter().find(|case| case.name == exception.case).expect("an exception names a case");
        let judges = Judges::new(case);
        let sample = serde_json::from_str(exception.sample).expect("a sample is JSON");
        let (schema, reader) = (judges.schema_accepts(&sample), judges.reader_accepts(&sample));
        let found = match (schema, reader) {
            (true, false) => Some(Wider::Schema),
            (false, true) => Some(Wider::Reader),
            _ => None,
        };
        assert_eq!(
            found,
            Some(exception.wider),
            "{}: {}: {}: {:?}",
            case.name,
            exception.reason,
            exception.sample,
            case.read(&judges.reader, &sample)
        );
    }
}

/// Both sides of the agreement, for one type.
struct Judges<'c> {
    case: &'c Case,
    reader: toolwright_core::arguments::ArgumentReader,
    schema: Value,
    /// The names of the root's properties, and of those anywhere below.
    names: [BTreeSet<String>; 2],
    validator: jsonschema::Validator,
    output: jsonschema::Validator,
}

impl<'c> Judges<'c> {
    fn new(case: &'c Case) -> Self {
        let schema = case.input(Profile::Portable);
        let compile = |schema: &Value| {
            jsonschema::options()
                .should_validate_formats(true)
                .build(schema)
                .unwrap_or_else(|error| panic!("{}: {error}", case.name))
        };
        let (validator, output) = (compile(&schema), compile(&case.output()));
        let mut names = [BTreeSet::new(), BTreeSet::new()];
        for (keyword, part) in schema.as_object().expect("a root is an object") {
            collect_names(part, &mut names[1]);
            if let ("properties", Value::Object(properties)) = (keyword.as_str(), part) {
                names[0].extend(properties.keys().cloned());
            }
        }
        Self { case, reader: case.reader(), schema, names, validator, output }
    }

    /// Whether the schema accepts the value, once members that are null are left out where that helps: for an
    /// optional member the two are the same, which the schema does not show.
    fn schema_accepts(&self, value: &Value) -> bool {
        if self.validator.is_valid(value) {
            return true;
        }
        // Absent arguments, null and {} are the same.
        if value.is_null() {
            return self.validator.is_valid(&json!({}));
        }
        let nulls = self.count_nulls(value, 0);
        (1..1_u32 << nulls.min(6)).any(|left_out| {
            let mut value = value.clone();
            self.leave_out(&mut value, 0, &mut { left_out });
            self.validator.is_valid(&value)
        })
    }

    fn knows(&self, name: &str, depth: usize) -> bool {
        self.names[depth].contains(name)
    }

    /// How many known members of objects are null.
    fn count_nulls(&self, value: &Value, depth: usize) -> u32 {
        match value {
            Value::Object(object) => {
                let count = |(name, member): (&String, &Value)| {
                    u32::from(member.is_null() && self.knows(name, depth)) + self.count_nulls(member, 1)
                };
                object.iter().map(count).sum()
            }
            Value::Array(items) => items.iter().map(|item| self.count_nulls(item, 1)).sum(),
            _ => 0,
        }
    }

    /// Leaves out those null members whose bit is set in `which`, the first in the lowest bit.
    fn leave_out(&self, value: &mut Value, depth: usize, which: &mut u32) {
        match value {
            Value::Object(object) => object.retain(|name, member| {
                if !member.is_null() || !self.knows(name, depth) {
                    self.leave_out(member, 1, which);
                    return true;
                }
                let is_left_out = *which & 1 == 1;
                *which >>= 1;
                !is_left_out
            }),
            Value::Array(items) => {
                for item in items {
                    self.leave_out(item, 1, which);
                }
            }
            _ => {}
        }
    }

    fn reader_accepts(&self, value: &Value) -> bool {
        self.case.read(&self.reader, value).is_ok()
    }

    fn check(&self, value: &Value) -> Result<(), TestCaseError> {
        let expected = self.schema_accepts(value);
        let read = self.case.read(&self.reader, value);
        let wider = match (expected, &read) {
            (true, Err(_)) => Wider::Schema,
            (false, Ok(_)) => Wider::Reader,
            (_, Ok(written)) => return self.check_output(written),
            (false, Err(_)) => return Ok(()),
        };
        let is_excepted = EXCEPTIONS.iter().any(|known| known.case == self.case.name && known.wider == wider);
        if is_excepted || is_excepted_everywhere(value, read.as_ref().ok()) {
            return Ok(());
        }
        Err(TestCaseError::fail(match read {
            Ok(written) => format!("the schema refuses {value}, which is read as {written}"),
            Err(refusal) => format!("the schema accepts {value}, which is refused: {refusal}"),
        }))
    }

    fn check_output(&self, written: &Value) -> Result<(), TestCaseError> {
        self.output
            .validate(written)
            .map_err(|error| TestCaseError::fail(format!("the output schema refuses {written}: {error}")))
    }
}

fn check_all(cases: &[Case]) {
    let mut failures = Vec::new();
    for case in cases {
        let judges = Judges::new(case);
        // The same values on each run: a failure is never luck.
        let config = Config { cases: VALUES, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(
            config.clone(),
            proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm),
        );
        let outcome = runner.run(&(0_usize..3, vec(any::<u16>(), 0..48)), |(mutations, stream)| {
            let mut choices = Choices::new(&stream);
            let mut value = generate::value(&judges.schema, &judges.schema, &mut choices);
            for _ in 0..mutations {
                mutate::mutate(&mut value, &mut choices);
            }
            judges.check(&value)
        });
        if let Err(error) = outcome {
            failures.push(format!("{}: {error}\n{}", case.name, judges.schema));
        }
    }
    assert!(failures.is_empty(), "{} of {} types\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// What holds for all types:
///
/// - A number beyond what every reader of JSON holds exactly may be out of the range of an `i64` or `u64`, for which
///   the schema shows no bound.
/// - serde's derive also reads a struct from an array of its members in order. Nothing shows that, and no rule of
///   the schema is evaded by it: see `rules_hold_for_structs_read_from_arrays`.
fn is_excepted_everywhere(value: &Value, written: Option<&Value>) -> bool {
    match written {
        None => has_inexact_number(value),
        Some(written) => is_read_by_position(value, written),
    }
}

/// Whether an array somewhere in `value` was read as an object.
fn is_read_by_position(value: &Value, written: &Value) -> bool {
    match (value, written) {
        (Value::Array(_), Value::Object(_)) => true,
        (Value::Array(items), Value::Array(others)) => {
            items.iter().zip(others).any(|(item, other)| is_read_by_position(item, other))
        }
        (Value::Object(members), Value::Object(others)) => members
            .iter()
            .filter_map(|(name, member)| Some((member, others.get(name)?)))
            .any(|(member, other)| is_read_by_position(member, other)),
        _ => false,
    }
}

/// Whether a number somewhere in `value` is larger than what every reader of JSON holds exactly.
fn has_inexact_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() > EXACT),
        Value::Object(object) => object.values().any(has_inexact_number),
        Value::Array(items) => items.iter().any(has_inexact_number),
        _ => false,
    }
}

fn collect_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                names.extend(properties.keys().cloned());
            }
            for member in object.values() {
                collect_names(member, names);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_names(item, names);
            }
        }
        _ => {}
    }
}
