//! Types of all kinds: which arguments are valid, and the messages for those that are not.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{example_of, field, lines, problems, read, read_by, reader_of, reader_with};
use crate::arguments::ProblemKind;
use crate::tool::{FieldMetadata, InputShape};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

/// If serde enforces everything, the text is deserialized directly.
#[test]
fn types_without_rules_are_deserialized_directly() {
    fn is_plain<T: serde::de::DeserializeOwned + JsonSchema>() -> bool {
        let reader = reader_with::<T>(&[]);
        let _ = read_by::<T>(&reader, "{}");
        reader.facts.get().expect("the type was asked").is_plain
    }
    assert!(is_plain::<Add>() && is_plain::<Query>() && is_plain::<ReadFile>() && is_plain::<Tag>());
    assert!(!is_plain::<Chart>(), "it holds any value");
    assert!(!is_plain::<Record>(), "it is an enum");
}

#[test]
fn arguments_that_fit_are_read() {
    assert_eq!(read::<Add>(r#"{"a":1,"b":2}"#).unwrap(), Add { a: 1, b: 2 });
    assert_eq!(read::<Add>(r#" { "b" : 2 , "\u0061" : 1 } "#).unwrap(), Add { a: 1, b: 2 });
    // JSON Schema accepts an integer in any notation.
    assert_eq!(read::<Add>(r#"{"a":1.0,"b":2e1}"#).unwrap(), Add { a: 1, b: 20 });
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Filter {
    status: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Query {
    filter: Filter,
    note: String,
}

// As reported in vercel/next-devtools-mcp#132.
#[test]
fn an_object_that_came_as_text_is_read_and_text_stays_text() {
    let text = r#"{"filter":"{\"status\":\"open\"}","note":"{\"keep\":\"as text\"}"}"#;
    let query: Query = read(text).unwrap();
    assert_eq!(query.filter.status, "open");
    assert_eq!(query.note, r#"{"keep":"as text"}"#);

    let errors = read_by::<Query>(&reader_with::<Query>(&[]).strict(), text).unwrap_err();
    assert_eq!(lines(&errors), [r#"/filter: expected an object with "status"; got "{\"status\":\"open\"}""#]);
}

#[test]
fn numbers_and_booleans_are_never_read_from_text() {
    assert_eq!(problems::<Add>(r#"{"a":"1","b":2}"#), [r#"/a: expected an integer; got "1""#]);
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its absence matters")]
struct ReadFile {
    /// Where the file is.
    path: String,
    lines: u32,
    encoding: Option<String>,
}

// As reported in modelcontextprotocol/ruby-sdk#86.
#[test]
fn every_missing_field_is_named_when_there_are_no_arguments() {
    let reader = reader_with::<ReadFile>(&[]);
    let absent = reader.read::<ReadFile>(None, &[]).unwrap_err();
    assert_eq!(
        lines(&absent),
        [
            "/path: missing; expected a string: Where the file is.",
            "/lines: missing; expected an integer from 0 to 4294967295"
        ]
    );
    assert!(absent.problems().iter().all(|problem| problem.kind == ProblemKind::Missing));
    assert_eq!(example_of(&absent), &json!({"path": "text", "lines": 1}));
    // 0xPlaygrounds/rig#1437: null and {} are the same.
    for text in ["null", "{}", "{ }"] {
        assert_eq!(read::<ReadFile>(text).unwrap_err(), absent, "{text}");
    }
}

// As reported in XiaomiMiMo/MiMo-Code#1658.
#[test]
fn arguments_that_are_not_an_object_are_rejected() {
    for (text, got) in
        [("[]", "an array of 0 items"), ("\"{}\"", "a string"), ("5", "a number"), ("true", "a boolean")]
    {
        assert_eq!(problems::<ReadFile>(text), [format!("arguments: expected an object; got {got}")]);
    }
}

#[test]
fn a_struct_is_not_read_from_an_array_of_its_members() {
    assert_eq!(
        problems::<Query>(r#"{"filter":["open"],"note":"n"}"#),
        [r#"/filter: expected an object with "status"; got an array of 1 item"#]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Chart {
    data_sets: Vec<DataSet>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct DataSet {
    table: String,
    filters: serde_json::Map<String, Value>,
}

// As reported in Azure/azure-mcp#726.
#[test]
fn nested_values_arrive_unchanged() {
    let text = r#"{"data_sets":[{"table":"requests","filters":{"z":false,"a":"1"}},{"table":"errors","filters":{}}]}"#;
    let chart: Chart = read(text).unwrap();
    assert_eq!(serde_json::to_string(&chart.data_sets[0].filters).unwrap(), r#"{"z":false,"a":"1"}"#);
    assert!(chart.data_sets[1].filters.is_empty());
    // Reading them again does not change their order.
    let as_text =
        text.replace("{\"table\":\"errors\",\"filters\":{}}", r#""{\"table\":\"errors\",\"filters\":{}}""#);
    assert_eq!(read::<Chart>(&as_text).unwrap(), chart);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Increment;

// As reported in modelcontextprotocol/rust-sdk#445.
#[test]
fn a_unit_struct_runs_without_arguments() {
    let reader = reader_of::<Increment>(&[], InputShape::Unit, false);
    for text in ["{}", "null", "{ }"] {
        read_by::<Increment>(&reader, text).unwrap();
    }
    reader.read::<Increment>(None, &[]).unwrap();
    let errors = read_by::<Increment>(&reader, r#"{"by":2}"#).unwrap_err();
    assert_eq!(lines(&errors), ["/by: unknown name; leave it out"]);
    assert_eq!(example_of(&errors), &json!({}));
    let open = reader_of::<Increment>(&[], InputShape::Unit, true);
    read_by::<Increment>(&open, r#"{"by":2}"#).unwrap();
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
#[expect(dead_code, reason = "read and dropped")]
enum Record {
    Create { name: String },
    Delete { id: u32, force: bool },
    Ping,
}

// As reported in eric-tramel/moraine#256, anomalyco/opencode#35516.
#[test]
fn the_field_that_a_variant_lacks_is_named() {
    read::<Record>(r#"{"op":"ping"}"#).unwrap();
    assert_eq!(problems::<Record>(r#"{"op":"delete","id":1}"#), ["/force: missing; expected a boolean"]);
    assert_eq!(
        problems::<Record>(r#"{"op":"drop"}"#),
        [r#"/op: expected one of "create", "delete", "ping"; got "drop""#]
    );
    let errors = read::<Record>("{}").unwrap_err();
    assert_eq!(example_of(&errors), &json!({"op": "create", "name": "text"}));
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Drag {
    waypoints: Vec<(f64, f64)>,
}

// As reported in AlexGladkov/claude-in-mobile#57, hyperdxio/hyperdx#2925.
#[test]
fn pairs_have_two_items() {
    assert_eq!(read::<Drag>(r#"{"waypoints":[[1,2],[3,4]]}"#).unwrap().waypoints, [(1.0, 2.0), (3.0, 4.0)]);
    assert_eq!(
        problems::<Drag>(r#"{"waypoints":[[1,2,3],[1,2],[]]}"#),
        ["/waypoints/0: expected 2 items; got 3", "/waypoints/2: expected 2 items; got 0"]
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Tag {
    #[expect(dead_code, reason = "read and dropped")]
    file: String,
    #[serde(default)]
    colour: Option<Colour>,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    count: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Colour {
    Red,
    Blue,
}

// As reported in modelcontextprotocol/php-sdk#298.
#[test]
fn null_for_an_optional_member_is_the_same_as_leaving_it_out() {
    let tag: Tag = read(r#"{"file":"a.txt","colour":null,"note":null}"#).unwrap();
    assert!(tag.colour.is_none() && tag.note.is_none());
    // serde itself rejects null here.
    let tag: Tag = read(r#"{"file":"a.txt","count":null,"colour":"RED"}"#).unwrap();
    assert!(tag.count == 0 && matches!(tag.colour, Some(Colour::Red)));
    assert_eq!(
        problems::<Tag>(r#"{"file":null,"colour":"GREEN"}"#),
        ["/file: expected a string; got null", r#"/colour: expected one of "RED", "BLUE"; got "GREEN""#]
    );
    assert!(matches!(read::<Tag>(r#"{"file":"a","colour":"BLUE"}"#).unwrap().colour, Some(Colour::Blue)));
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read and dropped")]
struct ListLogs {
    service: String,
    #[serde(flatten)]
    page: Paging,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Paging {
    page: u32,
    size: Option<u32>,
}

// As reported in zed-industries/zed#48948.
#[test]
fn flattened_and_closed() {
    read::<ListLogs>(r#"{"service":"a","page":1}"#).unwrap();
    assert_eq!(
        problems::<ListLogs>(r#"{"service":"a","page":1,"pages":2}"#),
        [r#"/pages: unknown name; did you mean "page"?"#]
    );
    assert_eq!(
        problems::<ListLogs>(r#"{"service":"a","size":-1}"#),
        [
            "/page: missing; expected an integer from 0 to 4294967295",
            "/size: expected an integer from 0 to 4294967295; got -1"
        ]
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct SetScores {
    scores: HashMap<u32, f64>,
}

// As reported in GREsau/schemars#235.
#[test]
fn a_bad_key_of_a_map_is_named() {
    read::<SetScores>(r#"{"scores":{"7":1.5}}"#).unwrap();
    for key in ["07", "-1", "x"] {
        let problems = problems::<SetScores>(&json!({"scores": {key: 1}}).to_string());
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with(&format!("/scores/{key}: ")), "{problems:?}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Plan {
    #[serde(default)]
    stops: Vec<Stop>,
    #[serde(default = "by_train")]
    mode: Mode,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Stop {
    #[expect(dead_code, reason = "read and dropped")]
    city: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Mode {
    Car,
    Train,
}

fn by_train() -> Mode {
    Mode::Train
}

// As reported in GREsau/schemars#115.
#[test]
fn defaults_need_no_serialize() {
    assert!(matches!(read::<Plan>("{}").unwrap().mode, Mode::Train));
    assert!(matches!(read::<Plan>(r#"{"mode":"Car"}"#).unwrap().mode, Mode::Car));
    assert_eq!(problems::<Plan>(r#"{"stops":[{}]}"#), ["/stops/0/city: missing; expected a string"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct SetValue {
    value: Setting,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
enum Setting {
    Number(u32),
    Pair(u8, String),
    Nothing,
}

// As reported in Kilerd/gotcha#37.
#[test]
fn variants_with_a_body() {
    for text in [r#"{"value":{"Number":5}}"#, r#"{"value":{"Pair":[1,"a"]}}"#, r#"{"value":"Nothing"}"#] {
        read::<SetValue>(text).unwrap();
    }
    assert_eq!(problems::<SetValue>(r#"{"value":{"Pair":[1]}}"#), ["/value/Pair: expected 2 items; got 1"]);
    assert_eq!(
        problems::<SetValue>(r#"{"value":{"Number":-1}}"#),
        ["/value/Number: expected an integer from 0 to 4294967295; got -1"]
    );
    let [problem] = &problems::<SetValue>(r#"{"value":{"Other":1}}"#)[..] else { panic!("one problem") };
    for form in ["\"Number\"", "\"Pair\"", "\"Nothing\""] {
        assert!(problem.contains(form), "{problem}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read and dropped")]
struct Resize {
    width: u32,
    #[serde(skip)]
    cache: u8,
    #[serde(skip_deserializing)]
    computed: u32,
}

// As reported in GREsau/schemars#27, Kilerd/gotcha#48.
#[test]
fn skipped_fields_are_no_arguments() {
    read::<Resize>(r#"{"width":1}"#).unwrap();
    assert_eq!(
        problems::<Resize>(r#"{"width":1,"cache":2}"#),
        [r#"/cache: unknown name; known are "width""#]
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Goto {
    place: Place,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read and dropped")]
enum Place {
    Line(u32),
    Range(u32, u32),
    Name(String),
    Mark {
        name: String,
        #[serde(default)]
        line: u32,
    },
}

// As reported in Kilerd/gotcha#37, meawoppl/rust-code-agent-sdks#210.
#[test]
fn the_variants_of_an_untagged_enum_are_listed() {
    for text in [r#"{"place":3}"#, r#"{"place":[1,2]}"#, r#"{"place":"end"}"#, r#"{"place":{"name":"a"}}"#] {
        read::<Goto>(text).unwrap();
    }
    assert_eq!(
        problems::<Goto>(r#"{"place":true}"#),
        [
            r#"/place: expected an integer from 0 to 4294967295, or an array of 2 items, or a string, or an object with "name"; got true"#
        ]
    );
    // This type only has one form.
    assert_eq!(
        problems::<Goto>(r#"{"place":{"line":"x"}}"#),
        [
            "/place/name: missing; expected a string",
            r#"/place/line: expected an integer from 0 to 4294967295; got "x""#
        ]
    );
}

const ALIASED: &[FieldMetadata] = &[FieldMetadata { aliases: &["lines"], ..field("count") }];

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Tail {
    #[serde(alias = "lines")]
    #[schemars(range(min = 1))]
    count: i32,
}

#[test]
fn aliases_are_accepted_and_validated() {
    let reader = reader_with::<Tail>(ALIASED);
    assert_eq!(read_by::<Tail>(&reader, r#"{"lines":3}"#).unwrap(), Tail { count: 3 });
    let errors = read_by::<Tail>(&reader, r#"{"lines":0}"#).unwrap_err();
    assert_eq!(lines(&errors), ["/lines: expected an integer from 1 to 2147483647; got 0"]);
    let errors = read_by::<Tail>(&reader, r#"{"lines":1,"count":2}"#).unwrap_err();
    assert_eq!(lines(&errors), ["/count: given twice; give it once"]);
    let errors = read_by::<Tail>(&reader, r#"{"count":1,"count":2}"#).unwrap_err();
    assert_eq!(lines(&errors), ["/count: given twice; give it once"]);
}
