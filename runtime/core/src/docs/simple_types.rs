//! A filter for clients that only support simple parameters.

use serde_json::{Map, Value};

use crate::definition::ToolDefinition;

/// Keeps parameters of simple types; by default strings, integers and numbers.
///
/// Optional parameters of other types are removed from the definition. A *required* one cannot be removed,
/// since every call would be rejected; [`OnComplex`] decides what happens to such a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a type")]
pub struct SimpleTypes {
    /// Whether strings are simple.
    pub string: bool,
    /// Whether integers are simple.
    pub integer: bool,
    /// Whether numbers are simple, integers among them.
    pub number: bool,
    /// Whether booleans are simple.
    pub boolean: bool,
    /// What happens to a tool that requires a complex parameter.
    pub on_complex: OnComplex,
}

/// Strings, integers and numbers.
impl Default for SimpleTypes {
    fn default() -> Self {
        Self { string: true, integer: true, number: true, boolean: false, on_complex: OnComplex::default() }
    }
}

/// What happens to a tool that requires a complex parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnComplex {
    /// Omit the tool and return the reason.
    #[default]
    Exclude,
    /// Keep the tool with all its parameters.
    Keep,
    /// Return an error.
    Error,
}

/// The result of [`SimpleTypes::apply`].
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "almost all are definitions, and they are moved on at once")]
pub enum Filtered {
    /// The definition to list.
    Listed(ToolDefinition),
    /// The tool is omitted for this reason.
    Excluded(ComplexParameter),
}

/// Why a tool cannot be called with simple parameters only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComplexParameter {
    /// A required parameter is not of a simple type.
    #[error(
        "the tool `{tool}` requires `{parameter}`, which does not have a simple type; make it optional or keep the whole tool"
    )]
    Required {
        /// The tool.
        tool: String,
        /// The first such parameter.
        parameter: String,
    },
    /// A keyword applies to several arguments together and may not hold without some of them.
    #[error(
        "the tool `{tool}` uses `{keyword}` on its arguments; list its properties without it or keep the whole tool"
    )]
    Whole {
        /// The tool.
        tool: String,
        /// The keyword.
        keyword: &'static str,
    },
}

/// Root keywords that relate several arguments.
const WHOLE: [&str; 13] = [
    "$dynamicRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "enum",
    "if",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
];

impl SimpleTypes {
    /// Returns the definition with only simple parameters.
    ///
    /// # Errors
    /// [`ComplexParameter`], only with [`OnComplex::Error`].
    pub fn apply(self, definition: &ToolDefinition) -> Result<Filtered, ComplexParameter> {
        match (self.filter(definition), self.on_complex) {
            (Ok(filtered), _) => Ok(Filtered::Listed(filtered)),
            (Err(reason), OnComplex::Exclude) => Ok(Filtered::Excluded(reason)),
            (Err(_), OnComplex::Keep) => Ok(Filtered::Listed(definition.clone())),
            (Err(reason), OnComplex::Error) => Err(reason),
        }
    }

    fn filter(self, definition: &ToolDefinition) -> Result<ToolDefinition, ComplexParameter> {
        let mut definition = definition.clone();
        let Some(schema) = definition.input_schema.as_object_mut() else { return Ok(definition) };
        let tool = &definition.name;
        if let Some(keyword) = WHOLE.into_iter().find(|keyword| schema.contains_key(*keyword)) {
            return Err(ComplexParameter::Whole { tool: tool.clone(), keyword });
        }
        let required: Vec<String> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
            .unwrap_or_default();
        let mut kept = Map::new();
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                if self.is_simple(property) {
                    kept.insert(name.clone(), property.clone());
                }
            }
        }
        if let Some(parameter) = required.into_iter().find(|name| !kept.contains_key(name)) {
            return Err(ComplexParameter::Required { tool: tool.clone(), parameter });
        }
        schema.insert("properties".to_owned(), kept.into());
        // These may refer to removed parameters.
        for keyword in ["$defs", "definitions", "default", "examples"] {
            schema.shift_remove(keyword);
        }
        if schema.get("additionalProperties").is_some_and(Value::is_object) {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        Ok(definition)
    }

    /// Returns whether every value of the schema has a simple type, ignoring `null`. Branches are checked one
    /// level deep, since optional arguments are often written as a simple type or `null`.
    fn is_simple(self, schema: &Value) -> bool {
        let branches = ["anyOf", "oneOf"].into_iter().find_map(|keyword| schema.get(keyword)?.as_array());
        let Some(branches) = branches.filter(|_| schema.get("type").is_none()) else {
            return self.is_plainly_simple(schema);
        };
        let is_null = |branch: &&Value| branch.get("type").is_some_and(|kind| kind == "null");
        let mut branches = branches.iter().filter(|branch| !is_null(branch)).peekable();
        branches.peek().is_some() && branches.all(|branch| self.is_plainly_simple(branch))
    }

    fn is_plainly_simple(self, schema: &Value) -> bool {
        let is_simple = |name: &str| match name {
            "string" => self.string,
            "integer" => self.integer || self.number,
            "number" => self.number,
            "boolean" => self.boolean,
            _ => false,
        };
        let listed = match (schema.get("const"), schema.get("enum")) {
            (Some(value), _) => Some(std::slice::from_ref(value)),
            (_, Some(Value::Array(values))) => Some(values.as_slice()),
            _ => None,
        };
        let names: Vec<&str> = match (schema.get("type"), listed) {
            (Some(Value::String(name)), _) => vec![name],
            (Some(Value::Array(names)), _) => {
                names.iter().map(|name| name.as_str().unwrap_or_default()).collect()
            }
            (None, Some(values)) => values.iter().map(type_name).collect(),
            _ => return false,
        };
        let mut names = names.into_iter().filter(|name| *name != "null").peekable();
        names.peek().is_some() && names.all(is_simple)
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
