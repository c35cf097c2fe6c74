//! Enums: the intended variant is found, and all its problems are reported.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{problems, read};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[expect(dead_code, reason = "read and dropped")]
enum Issue {
    Question,
    Bug {
        component: String,
        severity: Severity,
    },
    Feature {
        #[schemars(range(min = 1, max = 90))]
        effort_days: u8,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Low,
    High,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Report {
    issue: Issue,
}

const BUG: [&str; 2] =
    ["component: missing; expected a string", r#"severity: missing; expected one of "low", "high""#];

#[test]
fn a_tag_chooses_the_variant_whose_problems_are_named() {
    for (issue, expected) in [
        (
            r#"{"type":"bog"}"#,
            vec![r#"type: expected one of "question", "bug", "feature"; got "bog"; did you mean "bug"?"#],
        ),
        ("{}", vec![r#"type: missing; expected one of "question", "bug", "feature""#]),
        (r#"{"type":"bug"}"#, BUG.to_vec()),
        (
            r#"{"type":"feature","effort_days":900}"#,
            vec!["effort_days: expected an integer from 1 to 90; got 900"],
        ),
        (r#"{"type":"question","component":"a"}"#, vec![r#"component: unknown name; known are "type""#]),
    ] {
        let at = |prefix: &str| expected.iter().map(|line| format!("{prefix}{line}")).collect::<Vec<_>>();
        assert_eq!(problems::<Report>(&format!(r#"{{"issue":{issue}}}"#)), at("/issue/"), "{issue}");
        // As a whole tool as well.
        assert_eq!(problems::<Issue>(issue), at("/"), "{issue}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Pay {
    how: How,
    before: Option<Vec<How>>,
    loose: Option<Loose>,
    apart: Option<Apart>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
enum How {
    Card {
        #[schemars(range(max = 10))]
        amount: u32,
        #[schemars(regex(pattern = "^[0-9]+$"))]
        number: Option<String>,
    },
    Cash {
        note: String,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read and dropped")]
enum Loose {
    Card {
        #[schemars(range(max = 10))]
        amount: u32,
    },
    Cash {
        note: String,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
#[expect(dead_code, reason = "read and dropped")]
enum Apart {
    Card {
        #[schemars(range(max = 10))]
        amount: u32,
    },
    Nothing,
}

#[test]
fn rules_inside_variants_are_enforced() {
    let cash = r#""how":{"Cash":{"note":"a"}}"#;
    for (text, expected) in [
        (r#"{"how":{"Card":{"amount":5000}}}"#.to_owned(), "/how/Card/amount"),
        (r#"{"how":{"Card":{"amount":1,"number":"x"}}}"#.to_owned(), "/how/Card/number"),
        (format!(r#"{{{cash},"before":[{{"Card":{{"amount":11}}}}]}}"#), "/before/0/Card/amount"),
        (format!(r#"{{{cash},"loose":{{"amount":5000}}}}"#), "/loose/amount"),
        (format!(r#"{{{cash},"apart":{{"t":"Card","c":{{"amount":11}}}}}}"#), "/apart/c/amount"),
        (format!(r#"{{{cash},"apart":{{"t":"Nothing","c":1}}}}"#), "/apart/c"),
    ] {
        let problems = problems::<Pay>(&text);
        assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        assert!(problems[0].starts_with(&format!("{expected}: ")), "{text}: {problems:?}");
    }
    read::<Pay>(&format!(r#"{{{cash},"loose":{{"amount":10}},"apart":{{"t":"Card","c":{{"amount":10}}}}}}"#))
        .expect("the rules are kept");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read and dropped")]
enum Amount {
    Small {
        #[schemars(range(max = 10))]
        n: u32,
    },
    Any {
        n: u32,
        note: Option<String>,
    },
}

#[test]
fn a_rule_of_the_variant_that_serde_would_take_is_enforced() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Set {
        amount: Amount,
    }
    read::<Set>(r#"{"amount":{"n":10}}"#).expect("it fits the first");
    // The second variant matches, but serde would select the first one.
    assert_eq!(
        problems::<Set>(r#"{"amount":{"n":11}}"#),
        ["/amount/n: expected an integer from 0 to 10; got 11"]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Paint {
    color: Color,
    more: Option<Vec<Color>>,
    event: Option<Event>,
    wrapped: Option<Wrapped>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    #[serde(alias = "navy")]
    Blue,
    #[serde(other)]
    Other,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Event {
    Moved {
        by: u8,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c", rename_all = "lowercase")]
enum Wrapped {
    Moved(u8),
    #[serde(other)]
    Unknown,
}

#[test]
fn a_variant_for_all_others_takes_all_others() {
    let paint: Paint = read(
        r#"{"color":"green","more":["red","navy","x"],"event":{"kind":"jumped"},"wrapped":{"t":"jumped"}}"#,
    )
    .expect("serde reads it");
    assert_eq!(paint.color, Color::Other);
    assert_eq!(paint.more, Some(vec![Color::Red, Color::Blue, Color::Other]));
    assert_eq!((paint.event, paint.wrapped), (Some(Event::Unknown), Some(Wrapped::Unknown)));
    assert!(matches!(read::<Event>(r#"{"kind":"jumped"}"#), Ok(Event::Unknown)));
    let problems =
        problems::<Paint>(r#"{"color":5,"event":{"kind":"moved"},"wrapped":{"t":"moved","c":"x"}}"#);
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Holder {
    held: Numbered,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Numbered {
    A,
    C {
        number: u8,
    },
    #[serde(other)]
    Other,
}

#[test]
fn other_tags_are_accepted_and_known_ones_validated() {
    let held = |text: &str| read::<Holder>(text).map(|holder| holder.held);
    assert_eq!(held(r#"{"held":{"t":"Q"}}"#).expect("any tag"), Numbered::Other);
    assert_eq!(held(r#"{"held":{"t":"A"}}"#).expect("it fits"), Numbered::A);
    assert_eq!(held(r#"{"held":{"c":{"number":1.0},"t":"C"}}"#).expect("it fits"), Numbered::C { number: 1 });
    let problems = |text: &str| problems::<Holder>(text);
    let content = problems(r#"{"held":{"t":"C","c":1}}"#);
    assert!(content.len() == 1 && content[0].starts_with("/held/c: expected an object"), "{content:?}");
    assert_eq!(
        problems(r#"{"held":{"t":"C","c":{"number":300}}}"#),
        ["/held/c/number: expected an integer from 0 to 255; got 300"]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Named {
    plain: Plain,
    held: Option<Held>,
    tagged: Option<Tagged>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Plain {
    #[serde(alias = "kaput", alias = "defect")]
    Broken,
    Fine,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Held {
    #[serde(alias = "Num")]
    Number(u8),
    Text(String),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "k")]
enum Tagged {
    #[serde(alias = "one")]
    First {
        a: u8,
    },
    Second {
        b: u8,
    },
}

#[test]
fn aliases_of_variants_are_accepted() {
    let named: Named =
        read(r#"{"plain":"kaput","held":{"Num":1.0},"tagged":{"k":"one","a":1.0}}"#).expect("it fits");
    assert_eq!(
        named,
        Named { plain: Plain::Broken, held: Some(Held::Number(1)), tagged: Some(Tagged::First { a: 1 }) }
    );
    assert_eq!(
        problems::<Named>(r#"{"plain":"fine","tagged":{"k":"one"}}"#),
        [
            r#"/plain: expected one of "Broken", "Fine"; got "fine"; did you mean "Fine"?"#,
            "/tagged/a: missing; expected an integer from 0 to 255",
        ]
    );
    assert_eq!(
        problems::<Named>(r#"{"plain":"Fine","held":{"Num":"x"}}"#),
        [r#"/held/Num: expected an integer from 0 to 255; got "x""#]
    );
}

#[test]
fn null_for_a_member_of_another_variant_is_ignored() {
    read::<Issue>(r#"{"type":"feature","effort_days":3,"component":null,"severity":null}"#)
        .expect("it says nothing");
    assert_eq!(
        problems::<Issue>(r#"{"type":"question","componnt":null}"#),
        [r#"/componnt: unknown name; known are "type""#]
    );
}

#[test]
fn a_list_of_strings_without_an_enum_is_a_rule() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Set {
        #[schemars(extend("enum" = ["a1", "b1"]))]
        text: String,
    }
    read::<Set>(r#"{"text":"a1"}"#).expect("it is listed");
    assert_eq!(problems::<Set>(r#"{"text":"other"}"#), [r#"/text: expected one of "a1", "b1"; got "other""#]);
}
