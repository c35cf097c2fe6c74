//! The schema of a property of each Rust type.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::num::{NonZeroI8, NonZeroI64, NonZeroU8, NonZeroUsize};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::check_property;

#[test]
fn integers() {
    let bounded =
        |minimum: i64, maximum: i64| json!({ "type": "integer", "minimum": minimum, "maximum": maximum });
    check_property::<i8>("i8", &bounded(-128, 127));
    check_property::<i16>("i16", &bounded(-32_768, 32_767));
    check_property::<i32>("i32", &bounded(-2_147_483_648, 2_147_483_647));
    check_property::<u8>("u8", &bounded(0, 255));
    check_property::<u16>("u16", &bounded(0, 65_535));
    check_property::<u32>("u32", &bounded(0, 4_294_967_295));
    check_property::<NonZeroU8>("NonZeroU8", &bounded(1, 255));
    let integer = json!({ "type": "integer" });
    check_property::<i64>("i64", &integer);
    check_property::<i128>("i128", &integer);
    check_property::<isize>("isize", &integer);
    let natural = json!({ "type": "integer", "minimum": 0 });
    check_property::<u64>("u64", &natural);
    check_property::<u128>("u128", &natural);
    check_property::<usize>("usize", &natural);
    check_property::<NonZeroUsize>("NonZeroUsize", &json!({ "type": "integer", "minimum": 1 }));
    let sides = json!([{ "type": "integer", "minimum": 1 }, { "type": "integer", "maximum": -1 }]);
    let mut nonzero = bounded(-128, 127);
    nonzero["anyOf"] = sides.clone();
    check_property::<NonZeroI8>("NonZeroI8", &nonzero);
    check_property::<NonZeroI64>("NonZeroI64", &json!({ "type": "integer", "anyOf": sides }));
}

#[test]
fn scalars() {
    let text = json!({ "type": "string" });
    check_property::<String>("String", &text);
    check_property::<Cow<'static, str>>("Cow<str>", &text);
    check_property::<Arc<str>>("Arc<str>", &text);
    check_property::<PathBuf>("PathBuf", &text);
    check_property::<char>("char", &json!({ "type": "string", "minLength": 1, "maxLength": 1 }));
    check_property::<bool>("bool", &json!({ "type": "boolean" }));
    check_property::<f32>("f32", &json!({ "type": "number" }));
    check_property::<f64>("f64", &json!({ "type": "number" }));
    check_property::<()>("()", &json!({ "type": "null" }));
    check_property::<Ipv4Addr>("Ipv4Addr", &json!({ "type": "string", "format": "ipv4" }));
    check_property::<IpAddr>(
        "IpAddr",
        &json!({ "type": "string", "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }] }),
    );
}

#[test]
fn options_and_pointers() {
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    check_property::<Option<u8>>("Option", &byte);
    check_property::<Option<Option<u8>>>("Option<Option>", &byte);
    check_property::<Box<u8>>("Box", &byte);
    check_property::<Rc<u8>>("Rc", &byte);
    check_property::<Option<()>>("Option<()>", &json!({ "type": "null" }));
    check_property::<Option<Value>>("Option<Value>", &json!({}));
}

fn boolean_or_null() -> Value {
    json!({ "anyOf": [{ "type": "boolean" }, { "type": "null" }] })
}

#[test]
fn sequences() {
    let flags = json!({ "type": "array", "items": { "type": "boolean" } });
    check_property::<Vec<bool>>("Vec", &flags);
    check_property::<VecDeque<bool>>("VecDeque", &flags);
    check_property::<Box<[bool]>>("Box<[_]>", &flags);
    check_property::<Vec<Option<bool>>>(
        "Vec<Option>: null means something here",
        &json!({ "type": "array", "items": boolean_or_null() }),
    );
    check_property::<BTreeSet<String>>(
        "BTreeSet",
        &json!({
            "type": "array",
            "items": { "type": "string" },
            "description": "An item that is given twice counts once."
        }),
    );
    check_property::<[bool; 3]>(
        "[_; 3]",
        &json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 3, "maxItems": 3 }),
    );
    check_property::<(bool,)>(
        "(_,)",
        &json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 1, "maxItems": 1 }),
    );
    check_property::<(bool, String)>(
        "(_, _)",
        &json!({
            "type": "array",
            "prefixItems": [{ "type": "boolean" }, { "type": "string" }],
            "items": { "anyOf": [{ "type": "boolean" }, { "type": "string" }] },
            "minItems": 2,
            "maxItems": 2
        }),
    );
}

#[test]
fn maps() {
    #[derive(serde::Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
    #[serde(rename_all = "lowercase")]
    enum Side {
        Left,
        Right,
    }
    let flag = json!({ "type": "boolean" });
    check_property::<HashMap<String, bool>>(
        "string keys",
        &json!({ "type": "object", "additionalProperties": flag }),
    );
    check_property::<HashMap<String, Option<bool>>>(
        "null means something in a map",
        &json!({ "type": "object", "additionalProperties": boolean_or_null() }),
    );
    check_property::<BTreeMap<Side, bool>>(
        "enum keys",
        &json!({
            "type": "object",
            "properties": { "left": flag, "right": flag },
            "additionalProperties": false
        }),
    );
    check_property::<Map<String, Value>>("Map", &json!({ "type": "object", "additionalProperties": true }));
}

#[test]
fn std_structs_are_closed() {
    let seconds = json!({ "type": "integer", "minimum": 0 });
    let nanos = json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 });
    check_property::<Duration>(
        "Duration",
        &json!({
            "type": "object",
            "properties": { "secs": seconds, "nanos": nanos },
            "required": ["secs", "nanos"],
            "additionalProperties": false
        }),
    );
    check_property::<SystemTime>(
        "SystemTime",
        &json!({
            "type": "object",
            "properties": { "secs_since_epoch": seconds, "nanos_since_epoch": nanos },
            "required": ["secs_since_epoch", "nanos_since_epoch"],
            "additionalProperties": false
        }),
    );
    check_property::<std::ops::Range<bool>>(
        "Range",
        &json!({
            "type": "object",
            "properties": { "start": { "type": "boolean" }, "end": { "type": "boolean" } },
            "required": ["start", "end"],
            "additionalProperties": false
        }),
    );
    let arm = |name: &str, kind: &str| {
        json!({
            "type": "object",
            "properties": { name: { "type": kind } },
            "required": [name],
            "additionalProperties": false
        })
    };
    check_property::<Result<bool, String>>(
        "Result",
        &json!({ "anyOf": [arm("Ok", "boolean"), arm("Err", "string")] }),
    );
}
