use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{JsonFault, MAX_DEPTH, MAX_VALUE_DEPTH, append, tidy};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("what `serde_json` takes for JSON")
}

fn written(value: &impl Serialize) -> Result<String, JsonFault> {
    let mut out = b"before".to_vec();
    let result = append(&mut out, value, 0);
    let text = String::from_utf8(out).expect("text");
    let text = text.strip_prefix("before").expect("what was there stays").to_owned();
    if result.is_err() {
        assert_eq!(text, "", "nothing is left of what cannot be written");
    }
    result.map(|()| text)
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn line_ends_go_and_texts_and_numbers_stay() {
    for (text, expected) in [
        ("{\n  \"a\" : [ 1 ,\r\n 2 ]\r}", r#"{"a":[1,2]}"#),
        ("[1,\n\"a b\\n\\\" c\\\\\", \"\\\\\" , 2]", r#"[1,"a b\n\" c\\","\\",2]"#),
        ("[\n12345678901234567890123, 1.10, -0.0, 1e2]", "[12345678901234567890123,1.10,-0.0,1e2]"),
        ("[\n\"\u{2028}ä\u{1F600}\"]", "[\"\u{2028}ä\u{1F600}\"]"),
        ("{\"a\": 1}", "{\"a\": 1}"),
        ("null", "null"),
    ] {
        assert_eq!(written(&raw(text)).as_deref(), Ok(expected), "{text:?}");
        // At any depth in other values.
        let inside = written(&vec![Some(raw(text))]).expect("JSON");
        assert_eq!(inside, format!("[{expected}]"));
        assert_eq!(
            serde_json::from_str::<Value>(&inside).expect("JSON")[0],
            serde_json::from_str::<Value>(text).expect("JSON")
        );
    }
}

#[test]
fn ambiguous_json_is_a_fault() {
    let repeated = |name: &str| JsonFault::DuplicateName(name.to_owned());
    for (text, fault) in [
        (r#"{"a":1,"b":{},"a":1}"#, repeated("a")),
        (r#"[{"x":{"a":1,"\u0061":2}}]"#, repeated("a")),
        (r#"{"":1,"":2}"#, repeated("")),
    ] {
        assert_eq!(written(&raw(text)), Err(fault), "{text}");
    }
    for text in ["1e400", "[-1e999]", r#""\ud800""#, r#"{"\udc00":1}"#, r#"["\ud83d\ud83d"]"#] {
        assert!(matches!(written(&raw(text)), Err(JsonFault::Unreadable(_))), "{text}");
        assert!(serde_json::from_str::<Value>(text).is_err(), "a peer with `serde_json` cannot read {text}");
    }
    let long = format!("{{\"{0}\":1,\"{0}\":2}}", "x".repeat(100_000));
    assert!(written(&raw(&long)).expect_err("repeated").to_string().len() < 200);
    // The same name in two objects is not a duplicate.
    for text in [r#"[{"a":1},{"a":2}]"#, r#"{"a":{"a":{"a":[]}}}"#] {
        assert_eq!(written(&raw(text)).as_deref(), Ok(text));
    }
}

#[test]
fn levels_are_counted_through_raw_and_other_values() {
    assert!(written(&raw(&nested(MAX_DEPTH))).is_ok());
    assert_eq!(written(&raw(&nested(MAX_DEPTH + 1))), Err(JsonFault::TooDeep(MAX_DEPTH)));
    assert!(written(&[raw(&nested(MAX_DEPTH - 1))]).is_ok());
    assert!(written(&[raw(&nested(MAX_DEPTH))]).is_err());
    assert!(written(&raw(&nested(1_000_000))).is_err(), "without a stack that overflows");

    let mut value = json!(1);
    for _ in 0..MAX_DEPTH {
        value = json!([value]);
    }
    assert!(written(&value).is_ok());
    assert_eq!(written(&json!([value])), Err(JsonFault::TooDeep(MAX_DEPTH)));
    let mut out = Vec::new();
    assert!(append(&mut out, &json!({}), MAX_DEPTH).is_err());
    assert!(append(&mut out, &json!({}), MAX_DEPTH - 1).is_ok());
    assert!(tidy(&nested(MAX_VALUE_DEPTH), MAX_VALUE_DEPTH).is_ok());
    assert!(tidy(&nested(MAX_VALUE_DEPTH + 1), MAX_VALUE_DEPTH).is_err());
}

#[test]
fn unserializable_values_are_a_fault() {
    let by_list = std::collections::BTreeMap::from([(vec![1], 2)]);
    assert!(matches!(written(&by_list), Err(JsonFault::Unwritable(_))));
    assert!(matches!(tidy("{", 1), Err(JsonFault::Unreadable(_))));
    assert!(matches!(tidy("1 2", 1), Err(JsonFault::Unreadable(_))));
}
