//! Every kind of problem, with its location and message.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{field, lines, raw, read_by, reader_of, reader_with};
use crate::arguments::{ArgumentReader, ProblemKind, SchemaError};
use crate::protocol::ToolResult;
use crate::tool::{FieldMetadata, InputShape};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Order {
    id: String,
    #[schemars(range(min = 1, max = 5))]
    quantity: u8,
    #[serde(default)]
    tags: Vec<String>,
}

const ORDER: &[FieldMetadata] =
    &[FieldMetadata { schema: r##"{"pattern":"^#W\\d{7}$","examples":["#W0000001"]}"##, ..field("id") }];

#[test]
fn all_problems_come_in_one_readable_text() {
    let reader = reader_with::<Order>(ORDER);
    read_by::<Order>(&reader, r##"{"id":"#W1234567","quantity":5}"##).unwrap();
    let errors =
        read_by::<Order>(&reader, r#"{"id":"W12","quantity":9,"tags":["a",2],"quantty":1}"#).unwrap_err();
    let text = concat!(
        "invalid arguments; the call had no effect:\n",
        "- /quantty: unknown name; did you mean \"quantity\"?\n",
        "- /id: expected a string matching ^#W\\d{7}$; got \"W12\"\n",
        "- /quantity: expected an integer from 1 to 5; got 9\n",
        "- /tags/1: expected a string; got 2\n",
        "example of valid arguments: {\"id\":\"#W0000001\",\"quantity\":1}",
    );
    assert_eq!(errors.to_string(), text);
    let result: ToolResult = errors.clone().into();
    assert_eq!(errors.into_tool_result(), result);
    assert!(result.is_error && result.structured_content.is_none());
    assert_eq!(result.as_text(), text);
}

/// A constraint that only the checker enforces also applies to the fast path.
#[test]
fn rules_that_serde_does_not_know_are_enforced_alone() {
    let reader = reader_with::<Order>(ORDER);
    for (text, line) in [
        (r#"{"id":"x","quantity":1}"#, "/id: expected a string matching ^#W\\d{7}$; got \"x\""),
        (r##"{"id":"#W1234567","quantity":0}"##, "/quantity: expected an integer from 1 to 5; got 0"),
    ] {
        assert_eq!(lines(&read_by::<Order>(&reader, text).unwrap_err()), [line]);
    }
}

#[test]
fn allow_unknown_takes_other_names() {
    let reader = reader_of::<Order>(ORDER, InputShape::Object, true);
    read_by::<Order>(&reader, r##"{"id":"#W1234567","quantity":1,"more":[{}]}"##).unwrap();
}

#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
struct Fetch {
    url: String,
    api_key: String,
}

const FETCH: &[FieldMetadata] =
    &[FieldMetadata { credential: true, aliases: &["apiKey"], ..field("api_key") }];

fn bound(value: &str) -> [(String, Box<RawValue>); 2] {
    [("api_key".to_owned(), raw(value)), ("other".to_owned(), raw("1"))]
}

/// Values that the server sets are never accepted from a caller.
#[test]
fn credentials_are_bound_and_rejected_from_callers() {
    let expected = Fetch { url: "u".to_owned(), api_key: "k".to_owned() };
    for allow_unknown in [false, true] {
        let reader = reader_of::<Fetch>(FETCH, InputShape::Object, allow_unknown);
        let fetch: Fetch = reader.read(Some(&raw(r#"{"url":"u"}"#)), &bound("\"k\"")).unwrap();
        assert_eq!(fetch, expected);
        for name in ["api_key", "apiKey", "api\\u005fkey"] {
            let text = format!(r#"{{"url":"u","{name}":"mine"}}"#);
            let errors = reader.read::<Fetch>(Some(&raw(&text)), &bound("\"k\"")).unwrap_err();
            let pointer = if name == "apiKey" { "apiKey" } else { "api_key" };
            assert_eq!(lines(&errors), [format!("/{pointer}: the server sets this value; leave it out")]);
            assert_eq!(errors.problems()[0].kind, ProblemKind::Credential);
            assert_eq!(errors.example(), Some(&json!({"url": "text"})));
        }
    }
}

#[test]
fn a_credential_that_the_server_lacks_is_the_servers_fault() {
    let reader = reader_with::<Fetch>(FETCH);
    for bound in [&[][..], &bound("5")] {
        let errors = reader.read::<Fetch>(Some(&raw(r#"{"url":"u"}"#)), bound).unwrap_err();
        assert_eq!(errors.problems()[0].kind, ProblemKind::Server);
        assert_eq!(
            lines(&errors),
            ["/api_key: the server has to set this value and has none that fits; no arguments can help"]
        );
    }
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Custom {
    #[serde(deserialize_with = "even")]
    #[expect(dead_code, reason = "read and dropped")]
    number: u32,
}

fn even<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = u32::deserialize(deserializer)?;
    if number % 2 == 0 { Ok(number) } else { Err(serde::de::Error::custom("an even number is needed")) }
}

#[test]
fn errors_of_the_type_have_a_location_and_a_message() {
    let reader = reader_with::<Custom>(&[]);
    let errors = read_by::<Custom>(&reader, r#"{"number":3}"#).unwrap_err();
    assert_eq!(lines(&errors), ["/number: an even number is needed"]);
    assert_eq!(errors.problems()[0].kind, ProblemKind::Rejected);
    assert_eq!(errors.example(), None, "the schema does not know what fits");
}

#[test]
fn rust_names_are_never_shown() {
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Outer {
        // The schema accepts more than the type.
        #[schemars(with = "Value")]
        inner: Inner,
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Inner {
        small: u8,
        kind: Kind,
    }
    #[derive(Debug, Deserialize)]
    enum Kind {
        One,
    }
    let reader = reader_with::<Outer>(&[]);
    for (inner, line) in [
        (
            json!({"small": 300, "kind": "One"}),
            "/inner/small: expected an integer from 0 to 255; got integer `300`",
        ),
        (json!(5), "/inner: expected an object; got integer `5`"),
        (json!({"small": 3}), "/inner/kind: missing"),
        (json!({"small": 3, "kind": "Two"}), r#"/inner/kind: expected "One"; got `Two`"#),
    ] {
        let errors = read_by::<Outer>(&reader, &json!({"inner": inner}).to_string()).unwrap_err();
        assert_eq!(lines(&errors), [line]);
    }
}

#[test]
fn a_schema_that_cannot_be_enforced_is_reported_with_the_tool() {
    let schema = json!({"type": "object", "properties": {"a": {"pattern": "(?<!x)y"}}});
    let error = ArgumentReader::from_schema(&schema, &[], InputShape::Object, false).unwrap_err();
    let error = SchemaError { tool: Some("find"), ..error };
    assert!(
        error.to_string().starts_with(
            "the input schema of the tool `find` cannot be enforced: at `/properties/a`: unsupported pattern `(?<!x)y`"
        ),
        "{error}"
    );
}
