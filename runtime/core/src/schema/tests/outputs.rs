//! Outputs: what serde writes always matches.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::schema::{Profile, output};

#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", deny_unknown_fields)]
struct Tagged {
    a: u8,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Holder {
    one: Option<Tagged>,
    many: Vec<Tagged>,
    #[serde(flatten)]
    flat: Tagged,
}

#[test]
fn the_tag_of_a_closed_struct_may_be_written() {
    let tagged = || Tagged { a: 1 };
    let holder = Holder { one: Some(tagged()), many: vec![tagged()], flat: tagged() };
    for (schema, written) in [
        (output::<Tagged>(Profile::Portable), json!(tagged())),
        (output::<Tagged>(Profile::Faithful), json!(tagged())),
        (output::<Option<Tagged>>(Profile::Portable), json!(Some(tagged()))),
        (output::<Holder>(Profile::Portable), json!(holder)),
    ] {
        assert!(written.to_string().contains("\"type\":\"Tagged\""), "{written}");
        assert!(jsonschema::is_valid(&schema, &written), "{written}: {schema}");
    }
}

#[test]
fn descriptions_of_included_files_have_plain_lines() {
    #[derive(Serialize, JsonSchema)]
    #[doc = concat!("One.\r\n", "Two.\r\n")]
    struct Documented {
        #[doc = concat!("Three.\r\n\r\n", "Four.\r\n")]
        a: u8,
    }
    let schema = output::<Vec<Documented>>(Profile::Portable);
    let item = &schema["items"];
    assert_eq!(item["description"], "One.\nTwo.");
    assert_eq!(item["properties"]["a"]["description"], "Three.\n\nFour.");
    let _ = json!(Documented { a: 1 });
}
