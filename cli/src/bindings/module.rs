//! The module that is written: what all of its types share.

use std::fmt;

use serde_json::{Map, Value};
use toolwright_core::manifest::visible;

use super::names::{TAKEN_TYPES, Unique};
use super::reference::MAX_ALL_NODES;
use super::text::{call, json_text};

/// How many schemas of a server are looked at.
const MAX_TYPES: usize = 100_000;

/// Something that a server's list says, and types do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) tool: String,
    /// Where it stands in the definition (RFC 6901).
    pub(super) pointer: String,
    pub(super) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// The value is a `serde_json::Value`; its schema is as it was.
    Untyped(&'static str),
    /// The definition that the module makes is another one.
    Differs(String),
    /// The tool is left out.
    LeftOut(String),
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tool, pointer) = (visible(&self.tool), visible(&self.pointer));
        match &self.what {
            What::Untyped(why) => write!(f, "{tool} {pointer}: a `serde_json::Value`, since {why}"),
            What::Differs(how) => write!(f, "{tool} {pointer}: {}", visible(how)),
            What::LeftOut(why) => write!(f, "{tool}: left out, since {}", visible(why)),
        }
    }
}

/// The parts of the module, while tool after tool is added.
#[derive(Debug)]
pub(super) struct Module {
    /// The types, in order.
    pub(super) items: Vec<String>,
    /// The functions that give schemas which no type has.
    functions: Vec<String>,
    pub(super) types: Unique,
    pub(super) points: Vec<Point>,
    /// How many schemas are looked at: references can make few of them many.
    pub(super) types_left: usize,
    /// How many nodes the schemas of functions may still have.
    pub(super) nodes_left: usize,
    pub(super) uses_nothing: bool,
    uses_json: bool,
}

impl Module {
    pub(super) fn new() -> Self {
        Self {
            items: Vec::new(),
            functions: Vec::new(),
            types: Unique::without(TAKEN_TYPES),
            points: Vec::new(),
            types_left: MAX_TYPES,
            nodes_left: MAX_ALL_NODES,
            uses_nothing: false,
            uses_json: false,
        }
    }

    /// The name of a function that gives this schema.
    pub(super) fn schema_function(&mut self, schema: &Value) -> String {
        let name = format!("schema_{}", self.functions.len() + 1);
        self.functions.push(format!(
            "fn {name}(_: &mut schemars::SchemaGenerator) -> schemars::Schema {{\n{}}}\n",
            call("schema", &json_text(schema))
        ));
        name
    }

    /// `extend(…)` of schemars with these keywords; nothing for none.
    pub(super) fn extension(&mut self, keywords: &Map<String, Value>) -> Option<String> {
        self.uses_json |=
            keywords.values().any(|value| value.is_array() || value.is_object() || value.is_null());
        let members: Vec<_> = keywords
            .iter()
            .map(|(keyword, value)| {
                format!("{} = {}", super::text::string(keyword), super::text::expression(value))
            })
            .collect();
        (!members.is_empty()).then(|| format!("extend({})", members.join(", ")))
    }

    /// The functions at the end of the module.
    pub(super) fn functions(&self) -> String {
        let mut text: String = self.functions.iter().flat_map(|function| ["\n", function]).collect();
        if !self.functions.is_empty() {
            text += "\n/// The schema as the server has it, where no type says the same.\nfn schema(text: &str) -> schemars::Schema {\n    \
                     serde_json::from_str(text).unwrap_or_default()\n}\n";
        }
        if self.uses_nothing {
            text += "\n/// The schema that no value fits: of members that an object does not list and does not have.\nfn nothing() -> serde_json::Value {\n    serde_json::json!({\"not\": {}})\n}\n";
        }
        if self.uses_json {
            text += "\nfn json(text: &str) -> serde_json::Value {\n    serde_json::from_str(text).unwrap_or_default()\n}\n";
        }
        text
    }
}
