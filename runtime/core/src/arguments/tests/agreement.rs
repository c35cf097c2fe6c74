//! Former differences between schema, call and serde, each with the smallest type that shows it.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::read_by;
use crate::arguments::ArgumentReader;
use crate::schema::{Draft, Profile};
use crate::tool::InputShape;

/// Returns the draft and the reader of `T` as for a tool.
fn tool<T: DeserializeOwned + JsonSchema>() -> (Value, ArgumentReader) {
    let shape = InputShape::Object;
    let draft = Draft::read_as::<T, T>(shape).with_fields(&[], false).with_type::<T>(shape);
    let reader = ArgumentReader::new(&draft, &[], shape, false).expect("a schema that can be enforced");
    let reader = reader.check_type::<T>(&draft).expect("a type that serde reads");
    (draft.finish(Profile::Portable), reader)
}

/// Returns whether the call accepts the arguments, and the error otherwise.
fn takes<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<(), String> {
    let (_, reader) = tool::<T>();
    read_by::<T>(&reader, text).map(drop).map_err(|errors| errors.to_string())
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Payment {
    id: u8,
    #[serde(flatten)]
    by: Means,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
enum Means {
    Card(Option<[u8; 3]>),
    Cash { amount: u8 },
}

#[test]
fn null_of_a_variant_that_holds_an_option_is_shown() {
    takes::<Payment>(r#"{"id":1,"Card":null}"#).expect("serde reads it");
    let (schema, _) = tool::<Payment>();
    let card = &schema["properties"]["Card"];
    assert!(jsonschema::is_valid(card, &Value::Null), "{card}");
    assert!(!schema.to_string().contains("x-toolwright"), "{schema}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "is")]
#[expect(dead_code, reason = "read and dropped")]
enum Event {
    Counted {
        #[serde(flatten)]
        counts: BTreeMap<String, u8>,
    },
    Named {
        page: Option<String>,
    },
}

#[test]
fn null_of_another_variant_is_ignored_next_to_a_map() {
    takes::<Event>(r#"{"is":"Counted","a":1,"page":null}"#).expect("it says nothing");
    let refusal = takes::<Event>(r#"{"is":"Counted","a":null}"#).expect_err("no member of any variant");
    assert!(refusal.contains("/a: "), "{refusal}");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Host {
    at: At,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum At {
    Port {
        to: SocketAddr,
    },
    Small {
        to: u8,
    },
    Large {
        to: u16,
    },
    Ruled {
        #[schemars(range(max = 70_000))]
        to: u32,
    },
    Machine {
        to: IpAddr,
    },
}

#[test]
fn values_rejected_by_a_type_go_to_the_next_variant() {
    let (_, reader) = tool::<Host>();
    let read = |to: Value| read_by::<Host>(&reader, &json!({"at": {"to": to}}).to_string());
    let at = |to: Value| read(to.clone()).unwrap_or_else(|errors| panic!("{to}: {errors}")).at;
    assert!(matches!(at(json!("127.0.0.1:80")), At::Port { .. }));
    assert!(matches!(at(json!("127.0.0.1")), At::Machine { .. }));
    assert_eq!(at(json!(255)), At::Small { to: 255 });
    assert_eq!(at(json!(256)), At::Large { to: 256 });
    assert_eq!(at(json!(70_000)), At::Ruled { to: 70_000 });
    assert!(read(json!(70_001)).is_err());
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Outer {
    #[serde(flatten)]
    inner: Option<Inner>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Inner {
    #[serde(with = "digits")]
    #[schemars(with = "String", regex(pattern = "^[0-9]+$"))]
    number: u64,
    kinds: Option<Vec<Holder<std::time::Duration>>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Holder<T> {
    note: Kind,
    parts: Option<Vec<Vec<Kind>>>,
    held: Option<T>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Many,
    ByName,
}

mod digits {
    use serde::de::{Deserialize, Deserializer, Error};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
        String::deserialize(reader)?.parse().map_err(D::Error::custom)
    }
}

#[test]
fn an_enum_deep_in_a_flattened_option_takes_its_variants_alone() {
    takes::<Outer>(r#"{"number":"1","kinds":[{"note":"many","parts":[["byName"]]}]}"#).expect("it fits");
    let (schema, _) = tool::<Outer>();
    for parts in [json!([["7"]]), json!([["many", " "]])] {
        let value = json!({"number": "1", "kinds": [{"note": "many", "parts": parts}]});
        assert!(!jsonschema::is_valid(&schema, &value), "{schema}");
        takes::<Outer>(&value.to_string()).expect_err("no such variants");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op")]
#[expect(dead_code, reason = "read and dropped")]
enum Wide {
    Plain { name: Option<Value> },
    Held(WideHolder),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct WideHolder {
    #[serde(flatten)]
    held: WideHeld,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read and dropped")]
enum WideHeld {
    Noted {
        note: Option<BTreeMap<char, BTreeMap<std::net::Ipv4Addr, u128>>>,
        #[serde(flatten)]
        count: BTreeMap<String, bool>,
    },
    Nothing {},
}

#[test]
fn wide_integers_below_untagged_enums_are_rejected_early() {
    let shape = InputShape::Object;
    let draft = Draft::read_as::<Wide, Wide>(shape).with_fields(&[], false).with_type::<Wide>(shape);
    let reader = ArgumentReader::new(&draft, &[], shape, false).expect("a schema that can be enforced");
    let error = reader.check_type::<Wide>(&draft).expect_err("serde reads no u128 there");
    assert!(error.to_string().contains("128-bit"), "{error}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Both {
    #[serde(flatten)]
    by: Means,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Boths {
    both: Both,
}

#[test]
fn two_variants_next_to_a_flattened_map_are_rejected() {
    takes::<Boths>(r#"{"both":{"Card":[1,2,3],"x":1}}"#).expect("one of them");
    let (schema, _) = tool::<Boths>();
    for both in [json!({"Card": [1, 2, 3], "Cash": {"amount": 1}}), json!({"Cash": {"amount": 1}, "Card": 7})]
    {
        takes::<Both>(&both.to_string()).expect_err("which of them serde reads is a matter of order");
        let value = json!({ "both": both });
        takes::<Boths>(&value.to_string()).expect_err("the same below the root");
        assert!(!jsonschema::is_valid(&schema, &value), "{schema}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Searched {
    name: u8,
    #[serde(flatten)]
    by: Option<Search>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read and dropped")]
enum Search {
    Text {
        query: String,
        words: (u8, String),
    },
    Number {
        query: Option<u8>,
        #[serde(default)]
        words: i32,
    },
}

#[test]
fn required_members_are_specific_to_their_variant() {
    takes::<Searched>(r#"{"name":1,"query":0}"#).expect("the second variant needs no words");
    takes::<Searched>(r#"{"name":1,"query":"a"}"#).expect_err("the first one does");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "is")]
#[expect(dead_code, reason = "read and dropped")]
enum Counted {
    Cash {
        #[serde(flatten)]
        counts: Option<BTreeMap<String, bool>>,
    },
    #[serde(other)]
    Unknown,
}

#[test]
fn a_catch_all_tag_is_not_a_member_of_the_map() {
    takes::<Counted>(r#"{"is":"Cash","a":true}"#).expect("the map takes it");
    takes::<Counted>(r#"{"is":"Coin"}"#).expect("any other tag");
    takes::<Counted>(r#"{"is":"Coin","a":true}"#).expect_err("serde would drop it");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "read and dropped")]
enum Mixed {
    One { name: Word },
    Many { name: Option<Vec<u8>> },
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Word {
    Yes,
    No,
    #[serde(other)]
    Other,
}

#[test]
fn a_catch_all_variant_is_shown_at_a_merged_root() {
    let (schema, _) = tool::<Mixed>();
    for name in ["Yes", "anything"] {
        let value = json!({"kind": "One", "name": name});
        takes::<Mixed>(&value.to_string()).expect(name);
        assert!(jsonschema::is_valid(&schema, &value), "{schema}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Linked {
    #[serde(flatten)]
    link: Option<Link>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op", content = "with")]
#[expect(dead_code, reason = "read and dropped")]
enum Link {
    To {
        address: Picky,
    },
    #[serde(other)]
    Unknown,
}

/// A string that only its own code checks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Picky;

impl TryFrom<String> for Picky {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.starts_with("picky") || text == "text" { Ok(Self) } else { Err("not picky".to_owned()) }
    }
}

#[test]
fn nothing_is_swallowed_next_to_a_catch_all_variant() {
    takes::<Linked>(r#"{"op":"To","with":{"address":"picky 1"}}"#).expect("it fits");
    let refusal = takes::<Linked>(r#"{"op":"To","with":{"address":"0"}}"#).expect_err("it would be None");
    assert!(refusal.contains("/with: not picky"), "{refusal}");
}

/// Returns why the type cannot be a tool.
fn fault_of<T: DeserializeOwned + JsonSchema>() -> String {
    let shape = InputShape::Object;
    let draft = Draft::read_as::<T, T>(shape).with_fields(&[], false).with_type::<T>(shape);
    let reader = ArgumentReader::new(&draft, &[], shape, false).expect("a schema that can be enforced");
    reader.check_type::<T>(&draft).expect_err("arguments would be lost").to_string()
}

#[test]
fn variants_that_drop_members_of_others_are_rejected() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum MapLast {
        Noted { note: Option<String> },
        Counted(BTreeMap<String, bool>),
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Holder {
        held: MapLast,
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Loose {
        Noted { note: Option<String> },
        Pair { pair: (u8, u8) },
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Tagged {
        Flat {
            #[serde(flatten)]
            loose: Option<Loose>,
        },
        Plain,
    }
    for fault in [fault_of::<Holder>(), fault_of::<Tagged>()] {
        assert!(fault.contains("arguments would be lost"), "{fault}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Noted {
    #[serde(flatten)]
    note: Option<Note>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Note {
    text: String,
    mark: (),
}

#[test]
fn null_of_a_unit_asks_for_no_other_member() {
    takes::<Noted>(r#"{"mark":null}"#).expect("it says nothing");
    takes::<Noted>(r#"{"mark":null,"text":"a"}"#).expect("all is there");
    takes::<Noted>(r#"{"text":"a"}"#).expect_err("a unit is null, not absent");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op")]
#[expect(dead_code, reason = "read and dropped")]
enum Command {
    Stop,
    #[serde(alias = "go")]
    Start {
        #[serde(flatten)]
        how: Option<Manner>,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
enum Manner {
    Fast(u8),
    Slow { by: u8 },
}

#[test]
fn aliases_of_variants_with_a_flattened_enum_are_accepted() {
    for text in [r#"{"op":"go"}"#, r#"{"op":"go","Fast":1}"#, r#"{"op":"go","Slow":{"by":1}}"#] {
        takes::<Command>(text).expect(text);
    }
    takes::<Command>(r#"{"op":"go","Fast":"x"}"#).expect_err("no number");
    takes::<Command>(r#"{"op":"stay","Fast":1}"#).expect_err("no such variant");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Loosely {
    held: LooselyHeld,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read and dropped")]
enum LooselyHeld {
    Pair { a: u8, b: u8 },
    Empty(Nothing),
    None {},
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Nothing {}

#[test]
fn an_empty_struct_below_an_untagged_enum_lists_no_members() {
    takes::<Loosely>(r#"{"held":{}}"#).expect("nothing");
    takes::<Loosely>(r#"{"held":{"a":1.0,"b":2}}"#).expect("the first variant");
    let refusal = takes::<Loosely>(r#"{"held":{"a":"x","b":2}}"#).expect_err("serde would drop both");
    assert!(refusal.contains("/held/a: "), "{refusal}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Tree {
    trees: Option<Vec<Tree>>,
    #[serde(flatten)]
    by: Option<Search>,
    #[serde(flatten)]
    counts: Option<BTreeMap<String, u8>>,
}

#[test]
fn a_flattened_map_next_to_a_choice_is_validated() {
    takes::<Tree>(r#"{"trees":[{"a":1}]}"#).expect("a number");
    for text in [r#"{"trees":[{"a":null}]}"#, r#"{"trees":[{"a":"x"}]}"#, r#"{"a":null}"#] {
        takes::<Tree>(text).expect_err(text);
    }
    let (schema, _) = tool::<Tree>();
    assert!(!schema.to_string().contains("unevaluatedProperties"), "{schema}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Steps {
    #[serde(flatten)]
    step: Option<Step>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op", content = "of")]
#[expect(dead_code, reason = "read and dropped")]
enum Step {
    Stop,
    Run(u8, #[serde(default)] Vec<Step>),
}

#[test]
fn optional_tuple_items_are_optional_at_every_depth() {
    takes::<Steps>(r#"{"op":"Run","of":[1]}"#).expect("at the top");
    takes::<Steps>(r#"{"op":"Run","of":[1,[{"op":"Run","of":[2]}]]}"#).expect("and below");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Words {
    by_name: BTreeMap<String, Word>,
    by_letter: Option<BTreeMap<char, Vec<Word>>>,
}

#[test]
fn a_catch_all_variant_is_accepted_in_maps() {
    takes::<Words>(r#"{"by_name":{"a":"Yes","b":"anything"},"by_letter":{"x":["else"]}}"#).expect("any text");
    takes::<Words>(r#"{"by_name":{"a":1}}"#).expect_err("no text");
}
