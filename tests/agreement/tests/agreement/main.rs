//! What a tool's schema accepts and what its reader accepts is the same, for every type of the corpus.

mod corpus;
mod exceptions;

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;
use test_agreement::case::Case;
use test_agreement::choices::Choices;
use test_agreement::judge::{Fault, FaultKind, Judge};
use test_agreement::{generate, lint, mutate};
use toolwright_core::schema::Profile;

use crate::exceptions::{EXCEPTIONS, Wider};

/// How many values are tried for each type.
const VALUES: u32 = 500;

fn all() -> Vec<Case> {
    [
        corpus::numbers::cases,
        corpus::texts::cases,
        corpus::collections::cases,
        corpus::structs::cases,
        corpus::enums::cases,
        corpus::recursion::cases,
        corpus::attributes::cases,
        corpus::kept::cases,
        corpus::seeds::cases,
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
fn kept_types_agree() {
    let cases: Vec<Case> = corpus::kept::cases().into_iter().chain(corpus::seeds::cases()).collect();
    check_all(&cases);
    for (name, sample) in corpus::kept::SAMPLES.iter().chain(corpus::seeds::SAMPLES) {
        let case = cases.iter().find(|case| case.name == *name).expect("a sample names a case");
        let sample = serde_json::from_str(sample).expect("a sample is JSON");
        if let Err(fault) = judge(case).check(&sample, false) {
            panic!("{name}: {}: {}", fault.kind, fault.text);
        }
    }
}

#[test]
fn rules_hold_for_structs_read_from_arrays() {
    let cases = all();
    let case = cases.iter().find(|case| case.name == "deep constraints").expect("the case exists");
    let judge = judge(case);
    for (small, expected) in [(1, true), (11, false)] {
        let named = json!({ "inner": [{ "small": small, "fraction": 0.0, "maybe": 3, "fives": 5 }] });
        assert_eq!(judge.read(&named).is_ok(), expected, "{named}");
    }
    let by_position = json!({ "inner": [[11, 0.0, 3, 5]] });
    assert!(judge.read(&by_position).is_err(), "{by_position}");
}

#[test]
fn no_client_refuses_what_the_derive_writes() {
    let cases = all();
    // One asks for `uniqueItems` on a list by itself.
    let cases = cases.iter().filter(|case| case.name != "field attributes");
    let definitions = cases.enumerate().map(|(number, case)| {
        let mut definition = case.definition();
        // What a case is called here could not be called.
        definition.name = format!(
            "case_{number}_{}",
            case.name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
        );
        definition.name.truncate(40);
        definition
    });
    let folder = tempfile::tempdir().expect("a folder");
    let faults = lint::faults(folder.path(), definitions.collect());
    let lines: Vec<String> = faults.iter().map(|(tool, fault)| format!("{tool}: {}", fault.text)).collect();
    assert!(lines.is_empty(), "{} findings\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn exceptions_are_needed() {
    let cases = all();
    for exception in EXCEPTIONS {
        let case = cases.iter().find(|case| case.name == exception.case).expect("an exception names a case");
        let judge = judge(case);
        let sample = serde_json::from_str(exception.sample).expect("a sample is JSON");
        let found = match (judge.schema_accepts(&sample), judge.read(&sample)) {
            (true, Err(_)) => Some(Wider::Schema),
            (false, Ok(_)) => Some(Wider::Reader),
            _ => None,
        };
        assert_eq!(found, Some(exception.wider), "{}: {}: {}", case.name, exception.reason, exception.sample);
    }
}

/// Whether a difference is one that is known.
fn is_excepted(case: &Case, fault: &Fault) -> bool {
    let wider = match fault.kind {
        FaultKind::SchemaWider => Wider::Schema,
        FaultKind::ReaderWider => Wider::Reader,
        _ => return false,
    };
    EXCEPTIONS.iter().any(|known| known.case == case.name && known.wider == wider)
}

fn check_all(cases: &[Case]) {
    let mut failures = Vec::new();
    for case in cases {
        let judge = judge(case);
        // The same values on each run: a failure is never luck.
        let config = Config { cases: VALUES, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(
            config.clone(),
            proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm),
        );
        let outcome = runner.run(&(0_usize..3, vec(any::<u16>(), 0..48)), |(mutations, stream)| {
            let mut choices = Choices::new(&stream);
            let mut value = generate::value(&judge.schema, &judge.schema, &mut choices);
            for _ in 0..mutations {
                mutate::mutate(&mut value, &mut choices);
            }
            match judge.check(&value, false) {
                Err(fault) if !is_excepted(case, &fault) => {
                    Err(TestCaseError::fail(format!("{}: {}", fault.kind, fault.text)))
                }
                _ => Ok(()),
            }
        });
        if let Err(error) = outcome {
            failures.push(format!("{}: {error}\n{}", case.name, judge.schema));
        }
    }
    assert!(failures.is_empty(), "{} of {} types\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn judge(case: &Case) -> Judge<'_> {
    Judge::new(case).unwrap_or_else(|fault| panic!("{}: {}", case.name, fault.text))
}
