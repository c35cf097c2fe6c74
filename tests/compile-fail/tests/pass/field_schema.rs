//! Fields whose types have no schema, and need none.
#![deny(warnings, unused)]
#![allow(dead_code)]

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use toolwright::{Prompt, Resource, Tool};

/// Without a schema.
#[derive(Deserialize, Default)]
struct Address {
    street: String,
}

fn address(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"type": "object"})
}

/// Doc.
#[derive(Tool, Deserialize, JsonSchema)]
struct OtherSchemas {
    #[schemars(with = "String")]
    with: Address,
    #[schemars(schema_with = "address")]
    schema_with: Option<Address>,
    #[serde(skip)]
    skipped: Address,
    #[schemars(skip)]
    #[serde(default)]
    hidden: Vec<Address>,
    #[serde(flatten)]
    #[schemars(with = "std::collections::HashMap<String, String>")]
    flattened: Address,
    marker: PhantomData<Address>,
}

/// The schema is written by hand.
#[derive(Tool, Deserialize)]
struct ByHand {
    to: Address,
    all: Vec<Option<Address>>,
}

impl JsonSchema for ByHand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByHand".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "object", "properties": {"to": {}, "all": {}}})
    }
}

/// Schemars describes another type.
#[derive(Tool, Deserialize, JsonSchema)]
#[schemars(with = "Described")]
struct Replaced {
    to: Address,
}

#[derive(Deserialize, JsonSchema)]
struct Described {
    to: String,
}

/// Serde reads another type, and would write one.
#[derive(Clone, Tool, Deserialize, serde::Serialize, JsonSchema)]
#[serde(from = "Text", into = "Text")]
struct Converted {
    #[schemars(skip)]
    to: std::time::Duration,
    pause: std::sync::Arc<std::time::Duration>,
}

/// Doc.
#[derive(Deserialize, serde::Serialize, JsonSchema)]
struct Text {
    text: String,
}

impl From<Text> for Converted {
    fn from(_: Text) -> Self {
        Self { to: std::time::Duration::ZERO, pause: std::sync::Arc::default() }
    }
}

impl From<Converted> for Text {
    fn from(_: Converted) -> Self {
        Self { text: String::new() }
    }
}

/// Variants with other schemas.
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Record {
    #[schemars(with = "Described")]
    Move { to: Address },
    #[serde(skip)]
    Never { to: Address },
    Stay {
        #[schemars(with = "String")]
        at: Address,
    },
}

/// A parameter may have no schema on its own.
#[derive(Tool, Deserialize, JsonSchema)]
struct Page<T> {
    #[serde(skip)]
    after: PhantomData<T>,
    next: Option<Box<Self>>,
    size: u32,
}

/// Doc.
#[derive(Prompt, Deserialize, JsonSchema)]
struct Review {
    #[schemars(with = "String")]
    #[serde(deserialize_with = "street")]
    address: Address,
}

fn street<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Address, D::Error> {
    Ok(Address { street: String::deserialize(reader)? })
}

#[derive(Deserialize)]
#[serde(from = "String")]
struct Street(String);

impl From<String> for Street {
    fn from(name: String) -> Self {
        Self(name)
    }
}

/// Doc.
#[derive(Resource, Deserialize)]
#[mcp(uri = "shop://addresses/{street}")]
struct OneAddress {
    street: Street,
}

impl JsonSchema for OneAddress {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OneAddress".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "object", "properties": {"street": {"type": "string"}}})
    }
}

fn main() {
    for definition in [OtherSchemas::definition(), ByHand::definition(), Replaced::definition()] {
        assert_eq!(definition.input_schema["type"], "object");
    }
}
