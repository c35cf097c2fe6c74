//! Types that the generator of `tests/agreement` found, where another name is asked for or members belong together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{problems, read};
use crate::schema::{Draft, Profile};
use crate::tool::InputShape;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Labelled {
    #[serde(flatten)]
    state: Option<State>,
    #[serde(flatten)]
    labels: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "lowercase")]
enum State {
    Open,
    #[serde(alias = "done")]
    Closed,
}

#[test]
fn another_name_of_a_tag_is_known_beside_a_map_of_texts() {
    for (text, state) in [
        (r#"{"is":"done","a":"b"}"#, Some(State::Closed)),
        (r#"{"is":"open"}"#, Some(State::Open)),
        ("{}", None),
    ] {
        assert_eq!(read::<Labelled>(text).expect(text).state, state, "{text}");
    }
    assert_eq!(problems::<Labelled>(r#"{"is":"gone"}"#).len(), 1);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Choosing {
    choice: Option<Choice>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Choice {
    Counts {
        note: Option<i32>,
        count: [u8; 3],
    },
    Place {
        #[serde(alias = "at")]
        place: Vec<i16>,
    },
}

#[test]
fn another_name_in_a_closed_untagged_enum_is_known() {
    let choosing: Choosing = read(r#"{"choice":{"at":[300]}}"#).expect("an alias");
    assert_eq!(choosing.choice, Some(Choice::Place { place: vec![300] }));
    assert_eq!(problems::<Choosing>(r#"{"choice":{"att":[300]}}"#).len(), 1);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Move {
    #[serde(alias = "walk")]
    Steps {
        page: i32,
    },
    Far {
        page: f64,
    },
}

#[test]
fn another_name_stands_for_the_variant_that_reads_its_numbers() {
    for number in ["100", "100.0", "1e2"] {
        let text = format!(r#"{{"kind":"walk","page":{number}}}"#);
        assert_eq!(read::<Move>(&text).expect(&text), Move::Steps { page: 100 });
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Paid {
    #[serde(flatten)]
    means: Option<Means>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Means {
    Card {
        #[serde(flatten)]
        limits: Option<Bounds>,
    },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Bounds {
    from: u8,
    to: u8,
}

#[test]
fn a_tag_needs_no_members_of_an_option_in_its_variant() {
    assert_eq!(read::<Paid>(r#"{"op":"card"}"#).expect("it fits").means, Some(Means::Card { limits: None }));
    let paid: Paid = read(r#"{"op":"card","from":1,"to":2}"#).expect("it fits");
    assert_eq!(paid.means, Some(Means::Card { limits: Some(Bounds { from: 1, to: 2 }) }));
    assert_eq!(
        problems::<Paid>(r#"{"op":"card","from":1}"#),
        ["/to: missing; expected an integer from 0 to 255"]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Marked {
    #[serde(flatten)]
    mark: Mark,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Mark {
    y: (),
}

#[test]
fn nothing_is_null_and_no_empty_object() {
    assert!(read::<Marked>(r#"{"y":null}"#).is_ok());
    for text in [r#"{"y":{}}"#, r#"{"y":[]}"#] {
        assert_eq!(problems::<Marked>(text).len(), 1, "{text}");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sent {
    by: Way,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Way {
    #[serde(skip)]
    #[expect(dead_code, reason = "what this is about")]
    Unknown,
    Post {
        days: u8,
    },
}

#[test]
fn variants_that_are_skipped_leave_no_empty_list() {
    let schema = Draft::input::<Sent>(InputShape::Object).finish(Profile::Portable);
    assert!(!schema.to_string().contains(r#""enum":[]"#), "{schema:#}");
    assert_eq!(read::<Sent>(r#"{"by":{"Post":{"days":1}}}"#).expect("it fits").by, Way::Post { days: 1 });
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Mixed {
    #[serde(flatten)]
    form: Form,
    #[serde(flatten)]
    more: Option<BTreeMap<String, serde_json::Value>>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Form {
    Counted { parts: i8 },
    Any {},
}

#[test]
fn what_is_wrong_for_a_variant_is_no_member_of_the_map() {
    for number in ["1", "1.0"] {
        let mixed: Mixed = read(&format!(r#"{{"parts":{number}}}"#)).expect(number);
        assert_eq!(mixed.form, Form::Counted { parts: 1 });
    }
    let mixed: Mixed = read(r#"{"other":300}"#).expect("it fits");
    assert_eq!((mixed.form, mixed.more.map(|more| more.len())), (Form::Any {}, Some(1)));
    for wrong in ["300", "\"a\""] {
        assert_eq!(problems::<Mixed>(&format!(r#"{{"parts":{wrong}}}"#)).len(), 1, "{wrong}");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Linked {
    #[serde(flatten)]
    link: Option<Link>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Link {
    Page {
        #[serde(default)]
        note: Short,
    },
}

/// A text without an exclamation mark, which no schema says.
#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Short(String);

impl TryFrom<String> for Short {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('!') { Err("no exclamation marks".to_owned()) } else { Ok(Self(text)) }
    }
}

#[test]
fn what_the_only_variant_of_an_untagged_enum_refuses_is_told() {
    let linked: Linked = read(r#"{"note":"abc"}"#).expect("it fits");
    assert_eq!(linked.link, Some(Link::Page { note: Short("abc".to_owned()) }));
    assert_eq!(problems::<Linked>(r#"{"note":"abc!"}"#), ["/note: no exclamation marks"]);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Tree {
    #[serde(flatten)]
    node: Option<Node>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Node {
    Number {
        note: u64,
    },
    Many {
        note: BTreeMap<String, Node>,
    },
    Leaf {
        #[serde(alias = "text")]
        note: Height,
    },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Height {
    #[serde(alias = "high")]
    height: Vec<u16>,
}

#[test]
fn other_names_are_known_deep_in_a_recursive_untagged_enum() {
    for text in [
        r#"{"text":{"Height":[1]}}"#,
        r#"{"note":{"a":{"text":{"high":[1]}}}}"#,
        r#"{"note":{"a":{"note":{"b":{"text":{"high":[]}}}}}}"#,
    ] {
        assert!(read::<Tree>(text).expect(text).node.is_some(), "{text}");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Counted {
    by: Counts,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Counts {
    Numbers(BTreeMap<Key, i8>),
    Named { y: u64 },
    Deeper(BTreeMap<String, Counts>),
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
enum Key {
    First,
    Second,
}

#[test]
fn keys_are_learned_where_other_variants_have_own_words() {
    let draft = Draft::read_as::<Counted, Counted>(InputShape::Object).with_fields(&[], false);
    let schema = draft.finish(Profile::Portable).to_string();
    assert!(schema.contains(r#""properties":{"First":{"type":"integer""#), "{schema}");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Paged {
    #[serde(flatten)]
    by: Option<By>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "is")]
enum By {
    Name,
    #[serde(alias = "page")]
    Page {
        #[serde(flatten)]
        bounds: Option<Bounds>,
    },
}

#[test]
fn another_name_of_a_variant_is_known_whose_members_need_others() {
    assert_eq!(read::<Paged>(r#"{"is":"page"}"#).expect("it fits").by, Some(By::Page { bounds: None }));
    let paged: Paged = read(r#"{"is":"page","from":1,"to":2}"#).expect("it fits");
    assert_eq!(paged.by, Some(By::Page { bounds: Some(Bounds { from: 1, to: 2 }) }));
}
