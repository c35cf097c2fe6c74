//! Fields whose types have no schema.
#![allow(dead_code)]

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Prompt, Resource, Tool};

#[derive(Deserialize)]
struct Address {
    street: String,
}

#[derive(Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
enum Language {
    German,
    Dutch,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    // misuse: a type without a schema
    to: Address,
    // misuse: as an option
    from: Option<Address>,
    // misuse: in a list
    stops: Vec<Address>,
    // misuse: as the values of a map, at any depth
    known: HashMap<String, Vec<Option<Address>>>,
    // misuse: as the keys of a map
    names: HashMap<Language, String>,
    // misuse: with keys and a description
    #[mcp(title = "Return address")]
    #[schemars(description = "Where it goes if nobody is there.")]
    back: Address,
    // Not a mistake.
    weight: Option<u32>,
}

// misuse: flattened
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[serde(flatten)]
    to: Address,
}

// misuse: in a struct with a parameter
#[derive(Tool, Deserialize, JsonSchema)]
struct Third<T> {
    to: Address,
    goods: Vec<T>,
}

// misuse: in a variant
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Fourth {
    Move { to: Address },
    Stay,
}

// misuse: the only field
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifth(Address);

// misuse: in a prompt
#[derive(Prompt, Deserialize, JsonSchema)]
struct Sixth {
    language: Language,
}

// misuse: in a resource
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "shop://terms/{language}")]
struct Seventh {
    language: Language,
}

// misuse: with the derives in two lists
#[derive(Tool)]
#[derive(Deserialize, JsonSchema)]
struct Eighth {
    to: Address,
}

fn main() {}
