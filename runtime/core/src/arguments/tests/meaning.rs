//! The value of an argument only depends on that argument.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{problems, read};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Draw {
    shape: Shape,
    other: u8,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Shape {
    Point { x: u8, y: u8 },
    Named { x: u8, name: Option<String> },
}

#[test]
fn a_variant_does_not_depend_on_how_a_neighbour_is_written() {
    for other in ["1", "1.0", "1e0"] {
        for (shape, expected) in [
            (r#"{"x":1,"y":2.0}"#, Shape::Point { x: 1, y: 2 }),
            (r#"{"x":1,"y":2}"#, Shape::Point { x: 1, y: 2 }),
            (r#"{"x":1.0}"#, Shape::Named { x: 1, name: None }),
            (r#"{"x":1,"name":"a"}"#, Shape::Named { x: 1, name: Some("a".to_owned()) }),
        ] {
            let draw: Draw = read(&format!(r#"{{"shape":{shape},"other":{other}}}"#)).expect(shape);
            assert_eq!(draw, Draw { shape: expected, other: 1 }, "{shape} {other}");
        }
    }
    // A member that no variant combines with the others is never dropped.
    assert_eq!(problems::<Draw>(r#"{"shape":{"x":1,"y":2,"name":"a"},"other":1}"#).len(), 1);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[expect(clippy::option_option, reason = "absent, null and a value are three things here")]
struct SetDue {
    id: u32,
    #[serde(default, deserialize_with = "double")]
    due: Option<Option<u8>>,
    #[serde(default = "ten")]
    limit: Option<u8>,
    #[serde(default = "five")]
    count: u8,
    any: Option<Value>,
}

#[expect(clippy::option_option, reason = "absent, null and a value are three things here")]
fn double<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u8>>, D::Error> {
    Option::<u8>::deserialize(deserializer).map(Some)
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the type of the field")]
fn ten() -> Option<u8> {
    Some(10)
}

fn five() -> u8 {
    5
}

#[test]
fn null_is_up_to_the_type_or_else_ignored() {
    for id in ["1", "1.0"] {
        let set = |more: &str| read::<SetDue>(&format!(r#"{{"id":{id}{more}}}"#)).expect(more);
        let absent = SetDue { id: 1, due: None, limit: Some(10), count: 5, any: None };
        assert_eq!(set(""), absent);
        assert_eq!(set(r#","due":null"#).due, Some(None));
        assert_eq!(set(r#","limit":null"#).limit, None);
        assert_eq!(set(r#","count":null"#).count, 5);
        assert_eq!(set(r#","due":null,"count":null"#).due, Some(None), "a neighbour that is left out");
        assert_eq!(set(r#","due":3.0,"limit":null"#).due, Some(Some(3)));
        assert_eq!(set(r#","any":{"a":null}"#).any, Some(json!({"a": null})));
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Query {
    filter: Option<Filter>,
    #[serde(default)]
    all: Vec<Filter>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Filter {
    #[serde(alias = "st")]
    state: Option<String>,
    #[serde(alias = "amt")]
    #[schemars(range(max = 10))]
    amount: Option<u16>,
    inner: Option<Box<Filter>>,
}

#[test]
fn unknown_nested_names_are_rejected() {
    for (text, expected) in [
        (r#"{"filter":{"sttae":"closed"}}"#, r#"/filter/sttae: unknown name; did you mean "state"?"#),
        (
            r#"{"all":[{},{"inner":{"statee":"x"}}]}"#,
            r#"/all/1/inner/statee: unknown name; did you mean "state"?"#,
        ),
        (r#"{"filter":"{\"sttae\":\"closed\"}"}"#, r#"/filter/sttae: unknown name; did you mean "state"?"#),
    ] {
        assert_eq!(problems::<Query>(text), [expected], "{text}");
    }
}

#[test]
fn nested_aliases_are_accepted_and_validated() {
    for text in [
        r#"{"filter":{"st":"open","amt":5.0}}"#,
        r#"{"filter":"{\"st\":\"open\",\"amt\":5}"}"#,
        r#"{"filter":{"st":"open","amt":5,"inner":null}}"#,
    ] {
        let query: Query = read(text).expect(text);
        let filter = query.filter.expect("a filter");
        assert_eq!((filter.state.as_deref(), filter.amount), (Some("open"), Some(5)), "{text}");
    }
    for (text, expected) in [
        (r#"{"filter":{"amt":5000}}"#, "/filter/amt: expected an integer from 0 to 10; got 5000"),
        (r#"{"all":[{"amt":11}]}"#, "/all/0/amt: expected an integer from 0 to 10; got 11"),
        (
            r#"{"filter":{"inner":{"amt":"x"}}}"#,
            r#"/filter/inner/amt: expected an integer from 0 to 10; got "x""#,
        ),
        (r#"{"filter":{"amt":1,"amount":2}}"#, "/filter/amount: given twice; give it once"),
    ] {
        assert_eq!(problems::<Query>(text), [expected], "{text}");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Outer {
    #[serde(flatten)]
    flat: Flat,
    newtype: Option<New>,
    from: Option<From>,
    arm: Option<Arm>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Flat {
    #[serde(alias = "p")]
    page: u32,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct New(Flat);

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(from = "Flat")]
struct From(u32);

impl std::convert::From<Flat> for From {
    fn from(flat: Flat) -> Self {
        Self(flat.page)
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "k")]
enum Arm {
    A(Flat),
    B { b: u8 },
}

#[test]
fn aliases_are_accepted_wherever_the_field_is() {
    let outer: Outer = read(r#"{"p":1.0,"newtype":{"p":2},"from":{"p":3},"arm":{"k":"A","p":4}}"#)
        .expect("serde knows the names");
    assert_eq!(outer.flat.page, 1);
    assert_eq!(outer.newtype, Some(New(Flat { page: 2 })));
    assert_eq!(outer.from, Some(From(3)));
    assert_eq!(outer.arm, Some(Arm::A(Flat { page: 4 })));
    assert_eq!(
        problems::<Outer>(r#"{"p":"x"}"#),
        [r#"/p: expected an integer from 0 to 4294967295; got "x""#]
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Graph {
    entities: Vec<Filter>,
    note: Option<String>,
}

#[test]
fn invalid_json_in_a_string_is_explained() {
    let got = |text: &str| {
        let lines = problems::<Graph>(&json!({"entities": text}).to_string());
        assert_eq!(lines.len(), 1, "{lines:?}");
        let rest = lines[0].strip_prefix("/entities: expected an array; got ").expect(&lines[0]);
        rest.to_owned()
    };
    let broken = "a string that is not valid JSON: ";
    assert_eq!(got(r#"[{"name":"a""#), format!("{broken}it ends too early, after 12 characters"));
    assert_eq!(got("```json\n[]\n```"), format!("{broken}it is in a code fence; send the value itself"));
    assert_eq!(got("[] done"), format!("{broken}line 1, column 4: the value is over, and more text follows"));
    assert!(got("[{name: 1}]").starts_with(&format!("{broken}line 1, column 3: ")));
    assert_eq!(got("none"), r#""none""#);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Numbers {
    wide: Option<u128>,
    signed: Option<i128>,
    long: Option<i64>,
    #[schemars(extend("multipleOf" = 0.01))]
    price: Option<f64>,
    any: Option<Value>,
}

#[test]
fn numbers_are_read_digit_for_digit() {
    let read = |text: &str| read::<Numbers>(text).expect(text);
    assert_eq!(read(r#"{"wide":1e20}"#).wide, Some(100_000_000_000_000_000_000));
    assert_eq!(read(r#"{"wide":340282366920938463463374607431768211455}"#).wide, Some(u128::MAX));
    assert_eq!(read(r#"{"signed":-1e20}"#).signed, Some(-100_000_000_000_000_000_000));
    assert_eq!(read(r#"{"long":9007199254740991.0}"#).long, Some(9_007_199_254_740_991));
    assert_eq!(read(r#"{"long":-0}"#).long, Some(0));
    assert_eq!(read(r#"{"price":1e308}"#).price, Some(1e308));
    assert_eq!(read(r#"{"any":18446744073709551615}"#).any, Some(json!(u64::MAX)));
    for (text, pointer) in [
        (r#"{"price":5000000.005}"#, "/price"),
        (r#"{"price":1e400}"#, "/price"),
        (r#"{"any":18446744073709551616}"#, "/any"),
        (r#"{"any":[{"a":-9223372036854775809}]}"#, "/any"),
        (r#"{"long":9223372036854775808}"#, "/long"),
        (r#"{"long":1.5}"#, "/long"),
    ] {
        let lines = problems::<Numbers>(text);
        assert!(lines.len() == 1 && lines[0].starts_with(pointer), "{text}: {lines:?}");
    }
}
