//! Constraints: those of schemars, and those that the attributes of a field add.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright_core::tool::FieldMetadata;

use crate::corpus::enums::{Documented, Untagged};
use test_agreement::case::Case;
use test_agreement::cases;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Ranges {
    #[schemars(range(min = 1, max = 10))]
    small: u8,
    #[schemars(range(min = -0.5, max = 0.5))]
    fraction: f64,
    #[schemars(range(min = 3))]
    maybe: Option<u64>,
    #[schemars(extend("multipleOf" = 5))]
    fives: i32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Lengths {
    #[schemars(length(min = 1, max = 3))]
    text: String,
    #[schemars(length(equal = 2))]
    maybe: Option<String>,
    #[schemars(length(min = 1), inner(length(max = 2)))]
    list: Vec<String>,
    #[schemars(length(max = 1))]
    optional_list: Option<Vec<bool>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Patterns {
    #[schemars(regex(pattern = r"^[a-z]+$"))]
    lower: String,
    #[schemars(inner(regex(pattern = r"^[a-z]{2,4}$")))]
    codes: Vec<String>,
    #[schemars(extend("format" = "date"))]
    day: Option<String>,
}

/// Constraints that lie deep inside.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Deep {
    inner: Vec<Ranges>,
    maybe: Option<Lengths>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Patched {
    order_id: String,
    amount: Option<u32>,
    list: Vec<String>,
    place: Untagged,
    speed: Option<Documented>,
    any: Value,
    password: String,
}

const PATCHES: &[FieldMetadata] = &[
    patch("order_id", r##"{"pattern":"^#W\\d{7}$","examples":["#W0000001"]}"##),
    patch("amount", r#"{"minimum":-3,"maximum":10,"multipleOf":2}"#),
    patch("list", r#"{"minItems":1,"maxItems":2,"uniqueItems":true}"#),
    patch("place", r#"{"minimum":5}"#),
    patch("speed", r#"{"maxLength":9,"x-mcp-header":"Speed"}"#),
    patch("any", r#"{"minimum":0}"#),
    FieldMetadata { secret: true, ..patch("password", r#"{"minLength":2}"#) },
];

const fn patch(name: &'static str, schema: &'static str) -> FieldMetadata {
    FieldMetadata { name, aliases: &[], schema, secret: false, credential: false }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = cases! {
        "ranges" => Ranges,
        "lengths" => Lengths,
        "patterns" => Patterns,
        "deep constraints" => Deep,
    };
    cases.push(Case::of::<Patched>("field attributes").with(PATCHES));
    cases
}
