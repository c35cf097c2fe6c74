//! Types that the generator of `tests/agreement` found, with aliases or dependent members.

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
fn an_alias_selects_the_variant_that_reads_its_numbers() {
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
fn a_unit_is_null_and_not_an_empty_object() {
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
fn an_invalid_variant_member_does_not_belong_to_the_map() {
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

/// A string without an exclamation mark, which the schema does not express.
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
fn errors_of_a_single_untagged_variant_are_reported() {
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
fn keys_are_learned_next_to_variants_with_own_errors() {
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

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Folder {
    #[serde(flatten)]
    owner: Option<Owner>,
    inner: Option<Box<Folder>>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Owner {
    name: String,
    mail: Option<String>,
}

#[test]
fn members_belong_together_at_every_level_of_a_recursive_type() {
    let expected = "missing; expected a string";
    for (text, place) in [
        (r#"{"mail":"a@b.example"}"#, "/name"),
        (r#"{"inner":{"mail":"a@b.example"}}"#, "/inner/name"),
        (r#"{"name":"a","inner":{"inner":{"mail":"a@b.example"}}}"#, "/inner/inner/name"),
    ] {
        assert_eq!(problems::<Folder>(text), [format!("{place}: {expected}")], "{text}");
    }
    let folder: Folder = read(r#"{"inner":{"name":"a","mail":"b"}}"#).expect("it fits");
    let owner = Some(Owner { name: "a".to_owned(), mail: Some("b".to_owned()) });
    assert_eq!(folder.inner.expect("an inner one").owner, owner);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Change {
    Rename {
        name: String,
    },
    Resize {
        #[serde(flatten)]
        to: Size,
    },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, untagged)]
enum Size {
    Usual {},
    Wide { width: Option<u8> },
}

#[test]
fn null_for_another_variant_keeps_later_forms_in_reach() {
    for text in [
        r#"{"op":"Resize","width":1}"#,
        r#"{"op":"Resize","name":null,"width":1}"#,
        r#"{"op":"Resize","width":1,"name":null}"#,
    ] {
        let expected = Change::Resize { to: Size::Wide { width: Some(1) } };
        assert_eq!(read::<Change>(text).expect(text), expected, "{text}");
    }
    assert_eq!(problems::<Change>(r#"{"op":"Resize","name":"a","width":1}"#).len(), 1);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Network {
    route: Route,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Route {
    ByAddress { hop: BTreeMap<std::net::Ipv6Addr, Vec<String>> },
    Names { hop: Option<Vec<String>> },
    Next { hop: Option<Box<Route>> },
}

#[test]
fn keys_tell_the_variants_of_an_untagged_enum_apart() {
    let network: Network = read(r#"{"route":{"hop":{"hop":[]}}}"#).expect("the last variant fits");
    let inner = Route::Names { hop: Some(Vec::new()) };
    assert_eq!(network.route, Route::Next { hop: Some(Box::new(inner)) });
    let network: Network = read(r#"{"route":{"hop":{"::1":[]}}}"#).expect("the first variant fits");
    assert!(matches!(network.route, Route::ByAddress { .. }), "{network:?}");
    assert_eq!(problems::<Network>(r#"{"route":{"hop":{"hop":1}}}"#).len(), 1);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Anywhere {
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
    mode: Option<Mode>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Mode {
    Slow,
    #[serde(alias = "quick")]
    Fast,
}

#[test]
fn another_name_of_a_variant_is_known_beside_a_map_of_anything() {
    assert_eq!(read::<Anywhere>(r#"{"mode":"quick","a":1}"#).expect("an alias").mode, Some(Mode::Fast));
    assert_eq!(problems::<Anywhere>(r#"{"mode":"quicker","a":1}"#).len(), 1);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Fetch {
    #[serde(flatten)]
    from: Source,
    size: u8,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Source {
    Remote { address: Address },
    Local { path: Option<String> },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Address(String);

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains("://") { Ok(Self(text)) } else { Err(format!("no scheme in {text}")) }
    }
}

#[test]
fn what_only_the_type_refuses_is_not_lost_in_another_variant() {
    let expected = ["/address: no scheme in a".to_owned()];
    assert_eq!(problems::<Fetch>(r#"{"size":1,"address":"a"}"#), expected);
    let fetch: Fetch = read(r#"{"size":1,"address":"a://b"}"#).expect("it fits");
    assert_eq!(fetch.from, Source::Remote { address: Address("a://b".to_owned()) });
    for text in [r#"{"size":1,"path":"a"}"#, r#"{"size":1}"#] {
        assert!(matches!(read::<Fetch>(text).expect(text).from, Source::Local { .. }), "{text}");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Dated {
    when: When,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum When {
    Day { on: Day },
    Text { on: String },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("format" = "date"))]
struct Day(String);

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('+').unwrap_or(&text);
        if digits.starts_with("20") { Ok(Self(digits.to_owned())) } else { Err(format!("no date: {text}")) }
    }
}

#[test]
fn a_form_that_the_type_reads_keeps_no_later_variant_away() {
    let day = |text: &str| When::Day { on: Day(text.to_owned()) };
    for (text, expected) in [
        ("2026-07-28", day("2026-07-28")),
        // Serde selects the first variant, the schema the second one.
        ("+2026-07-28", day("2026-07-28")),
        ("soon", When::Text { on: "soon".to_owned() }),
    ] {
        let dated: Dated = read(&format!(r#"{{"when":{{"on":"{text}"}}}}"#)).expect(text);
        assert_eq!(dated.when, expected, "{text}");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Stored {
    by: Stock,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Stock {
    All(Shelf),
    Counted(BTreeMap<Key, i8>),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Shelf {
    Upper,
    Lower,
}

#[test]
fn keys_are_learned_where_another_variant_is_an_enum() {
    let draft = Draft::read_as::<Stored, Stored>(InputShape::Object).with_fields(&[], false);
    let schema = draft.finish(Profile::Portable).to_string();
    assert!(schema.contains(r#""properties":{"First":{"type":"integer""#), "{schema}");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Nest {
    inner: Option<Box<Nest>>,
    #[serde(flatten)]
    bird: Bird,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Bird {
    Crow { eggs: u8 },
    Owl(u8),
    Tit(String),
    Wren(Vec<u8>),
}

#[test]
fn a_flattened_enum_costs_no_more_at_every_level() {
    let text = (0..30).fold(r#"{"Owl":1}"#.to_owned(), |inner, level| match level % 2 {
        0 => format!(r#"{{"Crow":{{"eggs":1}},"inner":{inner}}}"#),
        _ => format!(r#"{{"inner":{inner},"Wren":[1,2]}}"#),
    });
    let mut nest: Nest = read(&text).expect("it fits");
    let mut levels = 0;
    while let Some(inner) = nest.inner {
        (nest, levels) = (*inner, levels + 1);
    }
    assert_eq!((levels, nest.bird), (30, Bird::Owl(1)));
}
