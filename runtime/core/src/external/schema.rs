//! Validates a schema against the meta-schema rules of the keywords that clients compile.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::json::truncate_name;
use crate::pointer;
use crate::schema::walk::{LIST, NAMED, ONE, all_subschemas, decode};

/// Maximum number of subschemas. More would cost every client that compiles the schema (2026-07-28, basic
/// "Composition-Keyword Resource Use").
pub const MAX_SUBSCHEMAS: usize = 10_000;

/// Why a schema is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFlaw {
    /// It is not an object.
    #[error("must be an object, but is {0}")]
    NoObject(String),
    /// The root of an input schema does not have `"type": "object"`.
    #[error("must have \"type\": \"object\" at its root")]
    Root,
    /// `$schema` names a dialect that clients do not support.
    #[error("has the dialect {0:?}, which clients do not support; use JSON Schema 2020-12 or draft 7")]
    Dialect(String),
    /// A keyword has an invalid value.
    #[error("is invalid at `{pointer}`: expected {expected}")]
    Keyword {
        /// JSON Pointer to the keyword.
        pointer: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A `$ref` has no target.
    #[error("has the reference {reference:?} at `{pointer}`, which does not exist in the schema")]
    Reference {
        /// JSON Pointer to the schema that contains the reference.
        pointer: String,
        /// The reference.
        reference: String,
    },
    /// A `$ref` points to another document, which must not be fetched (2026-07-28, basic "`$ref` Resolution").
    #[error(
        "has the reference {reference:?} at `{pointer}` to another document, which clients must not fetch; move its target to `$defs`"
    )]
    Remote {
        /// JSON Pointer to the schema that contains the reference.
        pointer: String,
        /// The reference.
        reference: String,
    },
    /// The schema has more than [`MAX_SUBSCHEMAS`] subschemas.
    #[error("has more than {MAX_SUBSCHEMAS} subschemas")]
    TooLarge,
}

/// The dialects that clients support, by the part between `//` and an empty fragment.
const DIALECTS: [(&str, Dialect); 5] = [
    ("json-schema.org/draft/2020-12/schema", Dialect::Modern),
    ("json-schema.org/draft/2019-09/schema", Dialect::V2019),
    ("json-schema.org/draft-07/schema", Dialect::Legacy),
    ("json-schema.org/draft-06/schema", Dialect::Legacy),
    ("json-schema.org/draft-04/schema", Dialect::Draft4),
];

/// How keywords are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    /// Exclusive bounds are booleans.
    Draft4,
    /// Keywords next to `$ref` are ignored.
    Legacy,
    /// `items` may be an array.
    V2019,
    /// 2020-12, the default without `$schema` (2026-07-28, basic "Schema Dialect").
    Modern,
}

impl Dialect {
    pub(super) fn of(schema: &Map<String, Value>) -> Result<Self, SchemaFlaw> {
        let Some(name) = schema.get("$schema") else { return Ok(Self::Modern) };
        let plain = name.as_str().map(|name| name.strip_suffix('#').unwrap_or(name));
        let plain =
            plain.and_then(|name| name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")));
        let known = DIALECTS.iter().find(|(known, _)| Some(*known) == plain);
        known.map(|(_, dialect)| *dialect).ok_or_else(|| SchemaFlaw::Dialect(preview(name)))
    }
}

/// Validates the schema of arguments.
pub(super) fn check_input(schema: &Value) -> Result<(), SchemaFlaw> {
    let members = object(schema)?;
    if members.get("type").and_then(Value::as_str) != Some("object") {
        return Err(SchemaFlaw::Root);
    }
    check(schema, members)
}

/// Validates the schema of structured content.
pub(super) fn check_output(schema: &Value) -> Result<(), SchemaFlaw> {
    check(schema, object(schema)?)
}

fn object(schema: &Value) -> Result<&Map<String, Value>, SchemaFlaw> {
    schema.as_object().ok_or_else(|| SchemaFlaw::NoObject(preview(schema)))
}

/// Returns the start of a value as JSON.
fn preview(value: &Value) -> String {
    match value {
        Value::String(text) => truncate_name(text),
        other => truncate_name(&other.to_string()),
    }
}

fn check(schema: &Value, members: &Map<String, Value>) -> Result<(), SchemaFlaw> {
    let mut names = ReferenceTargets::default();
    names.collect(members, true);
    let mut look = SchemaWalk {
        root: schema,
        dialect: Dialect::of(members)?,
        names,
        path: Vec::new(),
        left: MAX_SUBSCHEMAS,
    };
    look.check_schema(schema, false)
}

/// The possible targets of references.
#[derive(Default)]
struct ReferenceTargets<'s> {
    anchors: HashSet<&'s str>,
    has_ids: bool,
}

impl<'s> ReferenceTargets<'s> {
    fn collect(&mut self, schema: &'s Map<String, Value>, is_root: bool) {
        for key in ["$anchor", "$dynamicAnchor"] {
            self.anchors.extend(schema.get(key).and_then(Value::as_str));
        }
        for id in ["$id", "id"].iter().filter_map(|key| schema.get(*key)?.as_str()) {
            match id.strip_prefix('#') {
                // Up to draft 7, anchors are written like this.
                Some(anchor) => self.anchors.extend([anchor]),
                None => self.has_ids |= !is_root,
            }
        }
        all_subschemas(schema, |_, below| {
            if let Value::Object(below) = below {
                self.collect(below, false);
            }
        });
    }
}

struct SchemaWalk<'s> {
    root: &'s Value,
    dialect: Dialect,
    names: ReferenceTargets<'s>,
    path: Vec<Cow<'s, str>>,
    left: usize,
}

impl<'s> SchemaWalk<'s> {
    /// `is_apart` says whether the schema has its own URI, which its references are relative to.
    fn check_schema(&mut self, schema: &'s Value, is_apart: bool) -> Result<(), SchemaFlaw> {
        self.left = self.left.checked_sub(1).ok_or(SchemaFlaw::TooLarge)?;
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(_) => return Ok(()),
            _ => return Err(self.flaw("a schema: an object or a boolean")),
        };
        let has_id = members.get("$id").and_then(Value::as_str).is_some_and(|id| !id.starts_with('#'));
        let is_apart = is_apart || (has_id && !self.path.is_empty());
        for (keyword, value) in members {
            self.path.push(keyword.as_str().into());
            self.check_keyword(keyword, value, is_apart)?;
            self.path.pop();
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str)
            && !is_apart
        {
            self.check_reference(reference)?;
        }
        Ok(())
    }

    fn check_keyword(&mut self, keyword: &str, value: &'s Value, is_apart: bool) -> Result<(), SchemaFlaw> {
        match keyword {
            "items" if value.is_array() && self.dialect < Dialect::Modern => self.check_list(value, is_apart),
            _ if ONE.contains(&keyword) => self.check_schema(value, is_apart),
            _ if LIST.contains(&keyword) => self.check_list(value, is_apart),
            _ if NAMED.contains(&keyword) => {
                let Value::Object(named) = value else { return Err(self.flaw("an object of schemas")) };
                for (name, schema) in named {
                    self.check_member(name.as_str().into(), schema, is_apart)?;
                }
                Ok(())
            }
            _ => match expectation(keyword, value, self.dialect) {
                Some(expected) => Err(self.flaw(expected)),
                None => Ok(()),
            },
        }
    }

    fn check_list(&mut self, value: &'s Value, is_apart: bool) -> Result<(), SchemaFlaw> {
        match value {
            Value::Array(list) if !list.is_empty() => {
                for (index, schema) in list.iter().enumerate() {
                    self.check_member(index.to_string().into(), schema, is_apart)?;
                }
                Ok(())
            }
            _ => Err(self.flaw("a non-empty array of schemas")),
        }
    }

    fn check_member(
        &mut self,
        name: Cow<'s, str>,
        schema: &'s Value,
        is_apart: bool,
    ) -> Result<(), SchemaFlaw> {
        self.path.push(name);
        self.check_schema(schema, is_apart)?;
        self.path.pop();
        Ok(())
    }

    fn check_reference(&self, reference: &str) -> Result<(), SchemaFlaw> {
        let leads = match reference.split_once('#') {
            Some(("", "")) => true,
            Some(("", fragment)) if fragment.starts_with('/') => self.is_schema_location(fragment),
            Some(("", anchor)) => self.names.anchors.contains(anchor),
            // URIs of parts of this document, or of the meta-schemas, which every validator knows.
            _ if self.names.has_ids || reference.contains("://json-schema.org/draft") => true,
            _ => {
                let reference = truncate_name(reference);
                return Err(SchemaFlaw::Remote { pointer: self.pointer(), reference });
            }
        };
        if leads {
            return Ok(());
        }
        Err(SchemaFlaw::Reference { pointer: self.pointer(), reference: truncate_name(reference) })
    }

    fn is_schema_location(&self, fragment: &str) -> bool {
        let target = fragment.split('/').skip(1).try_fold(self.root, |value, part| match value {
            Value::Object(members) => members.get(&*decode(part)),
            Value::Array(list) => list.get(part.parse::<usize>().ok()?),
            _ => None,
        });
        target.is_some_and(|target| target.is_object() || target.is_boolean())
    }

    fn flaw(&self, expected: &'static str) -> SchemaFlaw {
        SchemaFlaw::Keyword { pointer: self.pointer(), expected }
    }

    fn pointer(&self) -> String {
        let below = |pointer: String, name: &Cow<'_, str>| pointer::below(&pointer, &truncate_name(name));
        self.path.iter().fold(String::new(), below)
    }
}

/// Returns what a keyword expects, if its value is invalid.
fn expectation(keyword: &str, value: &Value, dialect: Dialect) -> Option<&'static str> {
    let (fits, expected) = match keyword {
        "type" => (is_type(value), "a JSON type, or an array of distinct JSON types"),
        "required" => (is_list_of_names(value), "an array of distinct names"),
        "enum" => (value.is_array(), "an array of values"),
        "examples" => (value.is_array(), "an array of examples"),
        "dependentRequired" => {
            let fits = value.as_object().is_some_and(|members| members.values().all(is_list_of_names));
            (fits, "an object of arrays of names")
        }
        "exclusiveMinimum" | "exclusiveMaximum" if dialect == Dialect::Draft4 => {
            (value.is_boolean(), "a boolean")
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => (value.is_number(), "a number"),
        "multipleOf" => (value.as_f64().is_some_and(|number| number > 0.0), "a number greater than 0"),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => {
            let fits = value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0);
            (fits, "a non-negative integer")
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => (value.is_boolean(), "a boolean"),
        "pattern" | "format" | "title" | "description" | "$ref" | "$dynamicRef" | "$schema" | "$id"
        | "$anchor" | "$dynamicAnchor" | "$comment" | "contentEncoding" | "contentMediaType" => {
            (value.is_string(), "a string")
        }
        _ => return None,
    };
    (!fits).then_some(expected)
}

fn is_type(value: &Value) -> bool {
    let is_name = |value: &Value| {
        matches!(
            value.as_str(),
            Some("string" | "number" | "integer" | "boolean" | "object" | "array" | "null")
        )
    };
    match value {
        Value::Array(names) => !names.is_empty() && names.iter().all(is_name) && are_distinct(names),
        name => is_name(name),
    }
}

fn is_list_of_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string) && are_distinct(names))
}

fn are_distinct(names: &[Value]) -> bool {
    let mut seen = HashSet::new();
    names.iter().all(|name| seen.insert(name.as_str()))
}
