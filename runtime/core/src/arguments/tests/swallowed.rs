//! Values that only the type rejects are reported, even if a flattened `Option` would be read as `None`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{problems, read};
use crate::arguments::swallowed::{MAX_REREAD, REREAD_PER_VALUE};

/// An address that only serde checks: its schema only says that it is a string.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Address(String);

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('!') { Err("an address has no exclamation mark".to_owned()) } else { Ok(Self(text)) }
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sending {
    id: u8,
    #[serde(flatten)]
    to: Option<Receiver>,
    #[serde(flatten)]
    by: Option<Carrier>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Receiver {
    #[serde(alias = "addr")]
    address: Option<Address>,
    copies: Option<Vec<Address>>,
    note: Option<Note>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Note {
    Number(u8),
    Text(String),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Carrier {
    Post(Address),
    Courier { from: Address },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Labelled {
    id: u8,
    #[serde(flatten)]
    labels: Option<BTreeMap<String, Address>>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Paid {
    id: u8,
    #[serde(flatten)]
    pay: Option<Payment>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "by", content = "with", rename_all = "lowercase")]
enum Payment {
    Cash,
    Card { owner: Address },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Shipment {
    parts: Vec<Sending>,
}

#[test]
fn rejections_by_serde_alone_are_not_swallowed() {
    let words = "an address has no exclamation mark";
    for (text, pointer) in [
        (r#"{"id":1,"address":"a!"}"#, "/address"),
        (r#"{"id":1,"addr":"a!"}"#, "/addr"),
        (r#"{"id":1,"copies":["a","b!"],"note":"x"}"#, "/copies"),
        (r#"{"note":"x","address":"a!","copies":["b"],"id":1}"#, "/address"),
        (r#"{"id":1,"post":"a!"}"#, "/post"),
        (r#"{"id":1,"courier":{"from":"a!"}}"#, "/courier"),
    ] {
        assert_eq!(problems::<Sending>(text), [format!("{pointer}: {words}")], "{text}");
        let nested = format!(r#"{{"parts":[{{"id":1,"address":"b"}},{text}]}}"#);
        assert_eq!(problems::<Shipment>(&nested), [format!("/parts/1{pointer}: {words}")], "{nested}");
    }
    // It is unknown which of two members the message is about, and it may contain a secret of the other.
    let both = problems::<Sending>(r#"{"note":"x","address":"a!","copies":["b!"],"id":1}"#);
    assert_eq!(both, ["/address: the tool does not accept this value"]);
    assert_eq!(problems::<Labelled>(r#"{"id":1,"x":"a","y":"b!"}"#), [format!("/y: {words}")]);
    for text in
        [r#"{"id":1,"by":"card","with":{"owner":"a!"}}"#, r#"{"with":{"owner":"a!"},"by":"card","id":1}"#]
    {
        assert_eq!(problems::<Paid>(text), [format!("/with: {words}")], "{text}");
    }
}

#[test]
fn a_wrong_value_of_a_flattened_map_is_reported() {
    assert_eq!(problems::<Labelled>(r#"{"id":1,"x":5}"#), ["/x: expected a string; got 5"]);
}

#[test]
fn values_next_to_a_flattened_option_are_accepted() {
    let sending: Sending =
        read(r#"{"id":1,"address":"a","copies":["b"],"note":"x","courier":{"from":"c"}}"#).expect("it fits");
    let address = |text: &str| Address(text.to_owned());
    let to = Receiver {
        address: Some(address("a")),
        copies: Some(vec![address("b")]),
        note: Some(Note::Text("x".to_owned())),
    };
    assert_eq!(sending, Sending { id: 1, to: Some(to), by: Some(Carrier::Courier { from: address("c") }) });
    let labelled: Labelled = read(r#"{"id":1,"x":"a"}"#).expect("it fits");
    assert_eq!(labelled.labels, Some(BTreeMap::from([("x".to_owned(), address("a"))])));
    for text in
        [r#"{"id":1,"by":"card","with":{"owner":"a"}}"#, r#"{"with":{"owner":"a"},"by":"card","id":1}"#]
    {
        let paid: Paid = read(text).expect(text);
        assert_eq!(paid.pay, Some(Payment::Card { owner: address("a") }), "{text}");
    }
    let many = format!(r#"{{"parts":[{}]}}"#, vec![r#"{"id":1,"note":"x","post":"a"}"#; 400].join(","));
    assert_eq!(read::<Shipment>(&many).expect("it fits").parts.len(), 400);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Moved {
    #[serde(flatten)]
    by: Option<Move>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "op", content = "of", rename_all = "lowercase")]
enum Move {
    Far { y: f64 },
    Near { y: Vec<u8>, note: Note },
}

#[test]
fn a_member_is_that_of_the_variant_whose_tag_was_sent() {
    for text in [r#"{"op":"near","of":{"y":[],"note":"x"}}"#, r#"{"op":"near","of":{"y":[1],"note":1}}"#] {
        assert!(read::<Moved>(text).expect(text).by.is_some(), "{text}");
    }
    assert_eq!(
        read::<Moved>(r#"{"op":"far","of":{"y":1}}"#).expect("it fits").by,
        Some(Move::Far { y: 1.0 })
    );
}

#[test]
fn the_search_for_swallowed_members_is_bounded() {
    // Each member of the map is tried separately, and the whole map is read each time.
    let members = |count: usize, last: &str| {
        let right: Vec<String> = (0..count).map(|number| format!(r#""m{number}":"a""#)).collect();
        format!(r#"{{"id":1,{},"last":"{last}"}}"#, right.join(","))
    };
    let words = "an address has no exclamation mark";
    assert_eq!(problems::<Labelled>(&members(50, "b!")), [format!("/last: {words}")]);
    let count = 300;
    assert!(4 * count * count > MAX_REREAD + REREAD_PER_VALUE * (count + 3));
    let unclear = "arguments: the value fits too many forms to be read; send a simpler one";
    assert_eq!(problems::<Labelled>(&members(count, "b!")), [unclear]);
    // Without an error there is nothing to search.
    assert!(read::<Labelled>(&members(10 * count, "b")).is_ok());
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Held {
    value: Tree,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Tree {
    Leaves(Vec<Tree>),
    Node { of: Vec<Tree> },
    Anything(serde_json::Value),
}

#[test]
fn what_one_variant_refuses_another_takes_as_any_json() {
    for (json, expected) in [
        (r#"{"of":[]}"#, Tree::Node { of: Vec::new() }),
        (r#"{"of":{}}"#, Tree::Anything(serde_json::json!({"of": {}}))),
        (r#"[{"of":1}]"#, Tree::Leaves(vec![Tree::Anything(serde_json::json!({"of": 1}))])),
    ] {
        assert_eq!(read::<Held>(&format!(r#"{{"value":{json}}}"#)).expect(json).value, expected, "{json}");
    }
}
