//! The generated module: the parts that all of its types share.

use std::fmt;

use serde_json::{Map, Value};
use toolwright_core::manifest::visible;

use super::names::{TAKEN_TYPES, Unique};
use super::reference::MAX_ALL_NODES;
use super::text::{call, json_text};

/// Maximum number of schemas of a server.
const MAX_TYPES: usize = 100_000;

/// A part of a server's definition that types do not express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) tool: String,
    /// Its location in the definition (RFC 6901).
    pub(super) pointer: String,
    pub(super) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// The value is a `serde_json::Value`; its schema is unchanged.
    Untyped(&'static str),
    /// The definition of the generated type differs.
    Differs(String),
    /// The tool is omitted.
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

/// The parts of the module during generation.
#[derive(Debug)]
pub(super) struct Module {
    /// The types, in order.
    pub(super) items: Vec<String>,
    /// The functions that return schemas without a type.
    functions: Vec<String>,
    pub(super) types: Unique,
    pub(super) points: Vec<Point>,
    /// The remaining number of schemas: references can multiply them.
    pub(super) types_left: usize,
    /// The remaining number of nodes in the schemas of functions.
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

    /// Returns the name of a function that returns this schema.
    pub(super) fn schema_function(&mut self, schema: &Value) -> String {
        let name = format!("schema_{}", self.functions.len() + 1);
        self.functions.push(format!(
            "fn {name}(_: &mut schemars::SchemaGenerator) -> schemars::Schema {{\n{}}}\n",
            call("schema", &json_text(schema))
        ));
        name
    }

    /// Returns schemars' `extend(…)` with these keywords; empty for none.
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

    /// Returns the functions at the end of the module.
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
