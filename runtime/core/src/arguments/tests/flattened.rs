//! Flattened values: their members are read completely, or rejected with their problems.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use serde_json::json;

use super::{field, problems, read};
use crate::metadata::{FieldMetadata, InputShape};
use crate::schema::{Draft, Profile};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Listing {
    name: String,
    #[serde(flatten)]
    paging: Option<Paging>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Paging {
    #[serde(alias = "p")]
    page: u8,
    size: Option<u8>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sampling {
    path: String,
    #[serde(flatten)]
    how: Option<How>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum How {
    Sampled { every: u8 },
    Whole(bool),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Page {
    lists: Vec<Listing>,
    by_name: Option<BTreeMap<String, Sampling>>,
}

#[test]
fn a_flattened_option_is_complete_or_rejected() {
    let listing = |page: Option<(u8, Option<u8>)>| Listing {
        name: "a".to_owned(),
        paging: page.map(|(page, size)| Paging { page, size }),
    };
    for (text, paging) in [
        (r#"{"name":"a"}"#, None),
        (r#"{"name":"a","page":1}"#, Some((1, None))),
        (r#"{"name":"a","page":1.0}"#, Some((1, None))),
        (r#"{"name":"a","p":1}"#, Some((1, None))),
        (r#"{"name":"a","p":2.0,"size":3.0}"#, Some((2, Some(3)))),
        (r#"{"name":"a","page":1,"size":null}"#, Some((1, None))),
        (r#"{"name":"a","page":null}"#, None),
        (r#"{"name":"a","size":null}"#, None),
    ] {
        assert_eq!(read::<Listing>(text).expect(text), listing(paging), "{text}");
    }
    let page = "expected an integer from 0 to 255";
    for (text, expected) in [
        (r#"{"name":"a","page":300}"#, vec![format!("/page: {page}; got 300")]),
        (r#"{"name":"a","page":"1"}"#, vec![format!("/page: {page}; got \"1\"")]),
        (r#"{"name":"a","p":"1"}"#, vec![format!("/p: {page}; got \"1\"")]),
        (r#"{"name":"a","size":5}"#, vec![format!("/page: missing; {page}")]),
        (r#"{"name":"a","pages":5}"#, vec!["/pages: unknown name; did you mean \"page\"?".to_owned()]),
    ] {
        assert_eq!(problems::<Listing>(text), expected, "{text}");
    }
}

#[test]
fn dependent_members_are_shown_next_to_credentials() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Signed {
        token: String,
        #[serde(flatten)]
        paging: Option<Span>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Span {
        from: u8,
        to: u8,
    }
    const TOKEN: &[FieldMetadata] = &[FieldMetadata { credential: true, ..field("token") }];
    let draft = Draft::input::<Signed>(InputShape::Object).with_fields(TOKEN, false);
    let schema = draft.with_type::<Signed>(InputShape::Object).finish(Profile::Portable);
    assert_eq!(schema["dependentRequired"], json!({"from": ["to"], "to": ["from"]}), "{schema:#}");
    assert!(!schema.to_string().contains("token"), "{schema:#}");
}

#[test]
fn dependent_members_of_one_variant_are_not_shown_for_all() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "is")]
    #[expect(dead_code, reason = "only its schema matters")]
    enum Shut {
        Sized {
            #[serde(flatten)]
            span: Option<Span>,
        },
        Other {
            text: String,
        },
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "is")]
    #[expect(dead_code, reason = "only its schema matters")]
    enum Open {
        Sized {
            #[serde(flatten)]
            span: Option<Span>,
        },
        Any {
            #[serde(flatten)]
            rest: Option<BTreeMap<String, serde_json::Value>>,
        },
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "is")]
    #[expect(dead_code, reason = "only its schema matters")]
    enum Listed {
        Sized {
            #[serde(flatten)]
            span: Option<Span>,
        },
        Last {
            to: u8,
        },
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Span {
        from: u8,
        to: Option<u8>,
    }
    fn needs<T: serde::de::DeserializeOwned + JsonSchema>() -> serde_json::Value {
        let draft = Draft::input::<T>(InputShape::Object).with_fields(&[], false);
        let schema = draft.with_type::<T>(InputShape::Object).finish(Profile::Portable);
        schema.get("dependentRequired").cloned().unwrap_or_default()
    }
    assert_eq!(needs::<Shut>(), json!({"to": ["from"]}));
    assert_eq!(needs::<Open>(), json!(null));
    assert_eq!(needs::<Listed>(), json!(null));
}

#[test]
fn a_flattened_option_of_an_enum_is_complete_or_rejected() {
    let sampling = |how| Sampling { path: "a".to_owned(), how };
    for (text, how) in [
        (r#"{"path":"a"}"#, None),
        (r#"{"path":"a","sampled":{"every":2.0}}"#, Some(How::Sampled { every: 2 })),
        (r#"{"path":"a","whole":true}"#, Some(How::Whole(true))),
    ] {
        assert_eq!(read::<Sampling>(text).expect(text), sampling(how), "{text}");
    }
    for (text, expected) in [
        (
            r#"{"path":"a","sampled":{"every":"x"}}"#,
            r#"/sampled/every: expected an integer from 0 to 255; got "x""#,
        ),
        (r#"{"path":"a","whole":1}"#, "/whole: expected a boolean; got 1"),
        (r#"{"path":"a","smapled":{"every":1}}"#, r#"/smapled: unknown name; did you mean "sampled"?"#),
        (r#"{"path":"a","sampled":{}}"#, "/sampled/every: missing; expected an integer from 0 to 255"),
    ] {
        assert_eq!(problems::<Sampling>(text), [expected], "{text}");
    }
}

#[test]
fn nested_flattened_options_are_complete_or_rejected() {
    let page: Page =
        read(r#"{"lists":[{"name":"a","page":1.0}],"by_name":{"x":{"path":"p","whole":false}}}"#)
            .expect("it fits");
    assert_eq!(page.lists[0].paging, Some(Paging { page: 1, size: None }));
    assert_eq!(page.by_name.expect("a map")["x"].how, Some(How::Whole(false)));
    assert_eq!(
        problems::<Page>(
            r#"{"lists":[{"name":"a"},{"name":"a","size":1}],"by_name":{"x":{"path":"p","whole":0}}}"#
        ),
        [
            "/lists/1/page: missing; expected an integer from 0 to 255",
            "/by_name/x/whole: expected a boolean; got 0"
        ]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Both {
    #[serde(flatten)]
    window: Option<Window>,
    #[serde(flatten)]
    paging: Option<Paging>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Window {
    from: u8,
    to: u8,
    step: Option<u8>,
}

#[test]
fn each_of_two_flattened_options_needs_its_own_members() {
    let both: Both = read(r#"{"from":1,"to":2,"page":3}"#).expect("it fits");
    assert_eq!(both.window, Some(Window { from: 1, to: 2, step: None }));
    assert_eq!(both.paging, Some(Paging { page: 3, size: None }));
    assert_eq!(read::<Both>("{}").expect("nothing is needed"), Both { window: None, paging: None });
    for (text, missing) in [
        (r#"{"to":2}"#, vec!["/from"]),
        (r#"{"from":2}"#, vec!["/to"]),
        (r#"{"step":2}"#, vec!["/from", "/to"]),
        (r#"{"from":1,"to":2,"size":1}"#, vec!["/page"]),
    ] {
        let problems = problems::<Both>(text);
        assert_eq!(problems.len(), missing.len(), "{text}: {problems:?}");
        for pointer in missing {
            assert!(
                problems.iter().any(|line| line.starts_with(&format!("{pointer}: missing"))),
                "{problems:?}"
            );
        }
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Order {
    id: u8,
    #[serde(flatten)]
    pay: Pay,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "lowercase")]
enum Pay {
    Cash,
    Card { number: String },
}

#[test]
fn members_of_a_flattened_enum_belong_to_its_variant() {
    let order: Order = read(r#"{"id":1,"by":"card","number":"4"}"#).expect("it fits");
    assert_eq!(order, Order { id: 1, pay: Pay::Card { number: "4".to_owned() } });
    assert_eq!(problems::<Order>(r#"{"id":1,"by":"card"}"#), ["/number: missing; expected a string"]);
    assert_eq!(
        problems::<Order>(r#"{"id":1,"by":"cash","number":"4"}"#),
        [r#"/number: unknown name; known are "id", "by""#]
    );
    assert_eq!(
        problems::<Order>(r#"{"id":1,"by":"crad"}"#),
        [r#"/by: expected one of "cash", "card"; got "crad"; did you mean "card"?"#]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sale {
    id: u8,
    #[serde(flatten)]
    pay: Option<Pay>,
    #[serde(flatten)]
    paging: Option<Paging>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sales {
    sales: Vec<Sale>,
}

#[test]
fn problems_stand_where_several_things_are_flattened() {
    let page = "/page: expected an integer from 0 to 255; got 300";
    assert_eq!(problems::<Both>(r#"{"from":1,"to":2,"page":300}"#), [page]);
    let tags = r#"expected one of "cash", "card""#;
    for (text, expected) in [
        (r#"{"id":1,"page":300}"#, page.to_owned()),
        (r#"{"id":1,"by":"crad"}"#, format!(r#"/by: {tags}; got "crad"; did you mean "card"?"#)),
        (r#"{"id":1,"by":7}"#, format!("/by: {tags}; got 7")),
        (r#"{"id":1,"by":"card"}"#, "/number: missing; expected a string".to_owned()),
        (r#"{"id":1,"number":"4"}"#, r#"/by: missing; expected "card""#.to_owned()),
    ] {
        assert_eq!(problems::<Sale>(text), [expected.as_str()], "{text}");
        let nested = format!(r#"{{"sales":[{{"id":2}},{text}]}}"#);
        assert_eq!(problems::<Sales>(&nested), [format!("/sales/1{expected}")], "{nested}");
    }
}
