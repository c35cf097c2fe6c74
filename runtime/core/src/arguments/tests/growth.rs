//! Work grows with the size of the arguments, for recursive types of every kind: counted, not timed.

use std::cell::Cell;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{raw, read_by, reader_with};
use crate::arguments::checker::{Check, Mode, NoTypeInfo, ROOT};
use crate::arguments::doc::Doc;
use crate::arguments::problem::Findings;
use crate::arguments::{ArgumentReader, ProblemKind};

thread_local! {
    static LEAVES_READ: Cell<u64> = const { Cell::new(0) };
}

/// A leaf that counts how often serde reads one.
#[derive(Debug, JsonSchema)]
#[schemars(with = "u8")]
struct Leaf;

impl<'de> Deserialize<'de> for Leaf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LEAVES_READ.with(|read| read.set(read.get() + 1));
        u8::deserialize(deserializer).map(|_| Self)
    }
}

/// A filter in each representation, of which the variants share the names of their members.
macro_rules! filters {
    ($($name:ident $root:ident ($($attribute:meta),*) { $($variants:tt)* })*) => {$(
        #[derive(Debug, Deserialize, JsonSchema)]
        $(#[$attribute])*
        #[expect(dead_code, reason = "read and dropped")]
        enum $name { $($variants)* }

        #[derive(Debug, Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "read and dropped")]
        struct $root {
            filter: $name,
        }
    )*};
}

filters! {
    Untagged UntaggedRoot (serde(untagged)) {
        And { and: Vec<Untagged> },
        Or { or: Vec<Untagged> },
        Not { not: Box<Untagged> },
        Is { field: String, is: Leaf },
    }
    Shared SharedRoot (serde(untagged)) {
        And { e: Box<Shared>, a: Leaf },
        Or { e: Box<Shared>, b: Leaf },
        Is { is: Leaf },
    }
    Internal InternalRoot (serde(tag = "op")) {
        And { of: Vec<Internal> },
        Or { of: Vec<Internal> },
        Not { of: Box<Internal> },
        Is { is: Leaf },
    }
    Adjacent AdjacentRoot (serde(tag = "op", content = "of")) {
        And(Vec<Adjacent>),
        Not(Box<Adjacent>),
        Is(Leaf),
    }
    External ExternalRoot () {
        And(Vec<External>),
        Not(Box<External>),
        Is(Leaf),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct FlatRoot {
    filter: Flat,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Flat {
    name: Option<String>,
    #[serde(flatten)]
    rest: FlatArm,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read and dropped")]
enum FlatArm {
    And { of: Vec<Flat> },
    Not { not: Box<Flat> },
    Is { is: Leaf },
}

/// How a kind adds a level of nesting, and the innermost value.
struct Kind {
    name: &'static str,
    read: fn(&str) -> (bool, usize),
    deeper: fn(Value) -> Value,
    leaf: fn(Value) -> Value,
}

fn measure<T: serde::de::DeserializeOwned + JsonSchema + std::fmt::Debug>(text: &str) -> (bool, usize) {
    let reader: ArgumentReader = reader_with::<T>(&[]);
    let read = read_by::<T>(&reader, text);
    if let Err(errors) = &read {
        assert!(!errors.problems().is_empty(), "{text}");
    }
    let text = raw(text);
    let (mut doc, whole) = Doc::parse(text.get()).expect("JSON");
    let mut check = Check::new(&reader.checker, &NoTypeInfo, &mut doc, Mode::SchemaWithText);
    check.find_problems(ROOT, whole, Findings::default());
    (read.is_ok(), check.steps_taken())
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind {
            name: "untagged",
            read: measure::<UntaggedRoot>,
            deeper: |inner| json!({"and": [inner]}),
            leaf: |value| json!({"field": "a", "is": value}),
        },
        Kind {
            name: "untagged, by turns",
            read: measure::<UntaggedRoot>,
            deeper: |inner| json!({"not": {"or": [inner]}}),
            leaf: |value| json!({"field": "a", "is": value}),
        },
        Kind {
            name: "internally tagged",
            read: measure::<InternalRoot>,
            deeper: |inner| json!({"op": "Or", "of": [inner]}),
            leaf: |value| json!({"op": "Is", "is": value}),
        },
        Kind {
            name: "adjacently tagged",
            read: measure::<AdjacentRoot>,
            deeper: |inner| json!({"op": "And", "of": [inner]}),
            leaf: |value| json!({"op": "Is", "of": value}),
        },
        Kind {
            name: "externally tagged",
            read: measure::<ExternalRoot>,
            deeper: |inner| json!({"Not": {"And": [inner]}}),
            leaf: |value| json!({"Is": value}),
        },
        Kind {
            name: "flattened",
            read: measure::<FlatRoot>,
            deeper: |inner| json!({"name": "a", "of": [inner]}),
            leaf: |value| json!({"is": value}),
        },
        Kind {
            name: "variants that share a member",
            read: measure::<SharedRoot>,
            deeper: |inner| json!({"e": inner, "b": 1}),
            leaf: |value| json!({"is": value}),
        },
    ]
}

fn nested(kind: &Kind, depth: usize, leaf: Value) -> String {
    let value = (0..depth).fold((kind.leaf)(leaf), |inner, _| (kind.deeper)(inner));
    json!({ "filter": value }).to_string()
}

#[test]
fn one_wrong_leaf_costs_no_more_than_the_size_of_the_text() {
    for kind in kinds() {
        let steps = |depth: usize, leaf: Value| (kind.read)(&nested(&kind, depth, leaf)).1;
        for leaf in [json!("wrong"), json!(1), json!(1.0)] {
            let (short, long) = (steps(12, leaf.clone()), steps(24, leaf.clone()));
            assert!(long <= short * 5 / 2, "{}: {leaf}: {short} steps, then {long}", kind.name);
        }
    }
}

#[test]
fn many_members_cost_in_proportion() {
    for kind in kinds() {
        let wide = |count: usize| {
            let leaves: Vec<Value> = (0..count).map(|_| (kind.leaf)(json!(1.0))).collect();
            let text = (kind.deeper)(json!("here")).to_string();
            let text = text.replace("[\"here\"]", &Value::from(leaves).to_string());
            (kind.read)(&format!(r#"{{"filter":{text}}}"#)).1
        };
        let (short, long) = (wide(100), wide(400));
        assert!(long <= short * 5, "{}: {short} steps, then {long}", kind.name);
    }
}

#[test]
fn serde_reads_no_leaf_over_and_over() {
    for kind in kinds() {
        let leaves = |depth: usize, leaf: Value| {
            // The type is queried once, whatever is sent.
            LEAVES_READ.with(|read| read.set(0));
            (kind.read)(r#"{"filter":0}"#);
            let before = LEAVES_READ.with(|read| read.replace(0));
            (kind.read)(&nested(&kind, depth, leaf));
            LEAVES_READ.with(Cell::get).saturating_sub(before)
        };
        for leaf in [json!("wrong"), json!(1)] {
            let read = leaves(40, leaf.clone());
            assert!(read < 100_000, "{}: {leaf}: {read} leaves were read", kind.name);
        }
    }
}

#[test]
fn values_that_serde_would_copy_too_often_are_rejected() {
    let reader = reader_with::<SharedRoot>(&[]);
    let shared = kinds().pop().expect("the last one");
    read_by::<SharedRoot>(&reader, &nested(&shared, 4, json!(1))).expect("a few levels are read");
    let errors = read_by::<SharedRoot>(&reader, &nested(&shared, 60, json!(1))).expect_err("too many levels");
    assert_eq!(errors.problems()[0].kind, ProblemKind::TooComplex, "{errors}");
}
