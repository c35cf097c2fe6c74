//! Converts the root of a schema: inputs become one object, without `$ref` and choices.
//!
//! MCP requires `type: object` at the root of `inputSchema` (2026-07-28, schema `Tool.inputSchema`), and model
//! providers reject `anyOf`, `oneOf` and `allOf` there. An enum of objects is therefore shown as one object
//! with the members of all variants; their combination is checked when the arguments are read.

use serde_json::{Map, Value, json};

use super::strings::Strings;
use super::{members, merge, walk};
use crate::metadata::InputShape;

/// Why a type cannot be the input of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaProblem {
    /// Serde does not deserialize the type from an object.
    #[error(
        "the arguments of a tool must be a JSON object, but serde deserializes this type from {found}; \
             make it a struct with named fields"
    )]
    NotAnObject {
        /// What it is deserialized from, with an article.
        found: String,
    },
    /// Serde does not deserialize a variant of an enum from an object.
    #[error(
        "the arguments of a tool must be a JSON object, but serde deserializes one variant of this enum from {found}; \
             give the enum `#[serde(tag = \"…\")]`, and each variant named fields or none"
    )]
    VariantNotAnObject {
        /// What it is deserialized from, with an article.
        found: String,
    },
    /// An attribute of a field does not apply to its type.
    #[error(
        "`{keyword}` on the field `{field}` has no effect, because its values have the type {found}; \
             remove it, or give the type of the items or members its own constraint"
    )]
    NoEffect {
        /// The JSON name of the field.
        field: String,
        /// The JSON Schema keyword.
        keyword: String,
        /// The JSON types of the field.
        found: String,
    },
    /// The type has no values.
    #[error(
        "the type has no values, so the tool could never be called; \
             give the type at least one variant"
    )]
    Uninhabited,
}

/// The schema of a tool without arguments.
pub(super) fn no_arguments() -> Value {
    Parts::default().into_schema(None)
}

/// An input's root as one object.
pub(super) fn object(mut schema: Value, shape: InputShape) -> Result<Value, SchemaProblem> {
    let definitions = take_definitions(&mut schema);
    let parts = match shape {
        InputShape::Unit => Parts::default(),
        InputShape::Object => {
            Reader { definitions: definitions.as_ref(), open: Vec::new() }.parts(&schema)?
        }
    };
    Ok(parts.into_schema(definitions))
}

/// An output's root, of any type, with the definition of the type itself in place of a `$ref` to it.
pub(super) fn any(mut schema: Value) -> Value {
    let definitions = take_definitions(&mut schema);
    let root = walk::as_object(&mut schema);
    // A newtype of a newtype refers twice; no chain is longer than there are definitions.
    for _ in 0..definitions.as_ref().map_or(0, Map::len) {
        let definition = |name: &str| definitions.as_ref()?.get(name).cloned();
        let Some(mut far) = walk::referenced(root).and_then(|name| definition(&name)) else { break };
        root.shift_remove("$ref");
        *root = merge::both(std::mem::take(walk::as_object(&mut far)), std::mem::take(root));
    }
    if let Some(definitions) = definitions {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

/// An input's root with its choices apart; that of a type without members as an object without any.
pub(super) fn exact(schema: Value) -> Value {
    let mut exact = any(schema);
    let root = walk::as_object(&mut exact);
    if root.get("type").is_some_and(|name| name == "null") {
        return no_arguments();
    }
    let choices = ["$ref", "allOf", "anyOf", "oneOf"];
    if !choices.iter().any(|choice| root.contains_key(*choice)) {
        root.entry("properties").or_insert_with(|| json!({}));
    }
    exact
}

fn take_definitions(schema: &mut Value) -> Option<Map<String, Value>> {
    match schema.as_object_mut()?.shift_remove("$defs")? {
        Value::Object(definitions) => Some(definitions),
        _ => None,
    }
}

/// Marks a member that its variant needs: to leave it out may say something else than `null`. It stands in no schema that
/// is shown.
const KEEPS_NULL: &str = "x-toolwright-keeps-null";

/// Takes the mark away; true if it was there.
pub(super) fn keeps_null(property: &mut Map<String, Value>) -> bool {
    property.shift_remove(KEEPS_NULL).is_some()
}

/// Takes the marks away from all members of the root.
pub(super) fn forget_marks(root: &mut Value) {
    let properties = root.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut).for_each(|property| {
        keeps_null(property);
    });
}

/// What a schema of an object says.
#[derive(Debug, Default, Clone)]
struct Parts {
    properties: Map<String, Value>,
    required: Vec<String>,
    /// What variants need.
    of_variants: Vec<String>,
    patterns: Map<String, Value>,
    /// `additionalProperties`, where the schema says anything about it.
    rest: Option<Value>,
    /// Annotations, and keywords that an author added by hand.
    other: Map<String, Value>,
}

impl Parts {
    fn into_schema(mut self, definitions: Option<Map<String, Value>>) -> Value {
        for name in self.of_variants.iter().filter(|name| !self.required.contains(name)) {
            if let Some(Value::Object(property)) = self.properties.get_mut(name) {
                property.insert(KEEPS_NULL.to_owned(), Value::Bool(true));
            }
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        for (keyword, value) in self.other {
            schema.insert(keyword, value);
        }
        schema.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.into());
        }
        if !self.patterns.is_empty() {
            schema.insert("patternProperties".to_owned(), Value::Object(self.patterns));
        }
        if let Some(rest) = self.rest {
            schema.insert("additionalProperties".to_owned(), rest);
        }
        if let Some(definitions) = definitions {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Value::Object(schema)
    }

    /// What holds where both hold.
    fn and(mut self, far: Self) -> Self {
        for (name, schema) in far.properties {
            merge::add_property(&mut self.properties, name, schema);
        }
        for name in far.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.of_variants.extend(far.of_variants);
        for (pattern, schema) in far.patterns {
            merge::add_property(&mut self.patterns, pattern, schema);
        }
        self.rest = match (self.rest, far.rest) {
            (None | Some(Value::Bool(false)), Some(rest)) | (Some(rest), _) => Some(rest),
            (None, None) => None,
        };
        for (keyword, value) in far.other {
            self.other.entry(keyword).or_insert(value);
        }
        self
    }

    /// What holds where one of the arms holds: all properties, and of the required ones those of every arm.
    fn any(arms: Vec<Self>) -> Self {
        let of_variants = arms.iter().flat_map(|arm| arm.required.iter().chain(&arm.of_variants));
        let of_variants = of_variants.cloned().collect();
        let required = match arms.split_first() {
            None => Vec::new(),
            Some((first, others)) => {
                let everywhere = |name: &&String| others.iter().all(|arm| arm.required.contains(*name));
                first.required.iter().filter(everywhere).cloned().collect()
            }
        };
        let rest = common_rest(&arms);
        let mut properties: Vec<(String, Vec<Value>)> = Vec::new();
        let mut patterns: Vec<(String, Vec<Value>)> = Vec::new();
        // What one arm lists may be one of the further members of another.
        let takes_more = |arm: &&Self| arm.rest.as_ref().is_some_and(|rest| *rest != Value::Bool(false));
        let further: Vec<(Vec<String>, Value)> = arms
            .iter()
            .filter(takes_more)
            .map(|arm| (arm.properties.keys().cloned().collect(), arm.rest.clone().unwrap_or_default()))
            .collect();
        for arm in arms {
            collect(&mut properties, arm.properties);
            collect(&mut patterns, arm.patterns);
        }
        for (name, schemas) in &mut properties {
            for (_, rest) in further.iter().filter(|(listed, _)| !listed.contains(name)) {
                if !schemas.contains(rest) {
                    schemas.push(rest.clone());
                }
            }
        }
        let join = |named: Vec<(String, Vec<Value>)>| {
            named.into_iter().map(|(name, schemas)| (name, one_of_them(schemas))).collect()
        };
        let (properties, patterns, other) = (join(properties), join(patterns), Map::new());
        Self { properties, required, of_variants, patterns, rest, other }
    }
}

/// `additionalProperties` of an object that may be any of the arms.
fn common_rest(arms: &[Parts]) -> Option<Value> {
    let first = arms.first()?.rest.as_ref();
    if arms.iter().all(|arm| arm.rest.as_ref() == first) {
        return first.cloned();
    }
    let takes_more = |arm: &Parts| arm.rest.as_ref().is_some_and(|rest| *rest != Value::Bool(false));
    arms.iter().any(takes_more).then_some(Value::Bool(true))
}

fn collect(all: &mut Vec<(String, Vec<Value>)>, named: Map<String, Value>) {
    for (name, schema) in named {
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, schemas)) if schemas.contains(&schema) => {}
            Some((_, schemas)) => schemas.push(schema),
            None => all.push((name, vec![schema])),
        }
    }
}

/// One schema for values that fit any of `schemas`, which all differ.
fn one_of_them(mut schemas: Vec<Value>) -> Value {
    if schemas.len() == 1 {
        return schemas.remove(0);
    }
    if schemas.iter().any(is_unconstrained) {
        return json!({});
    }
    if let Some(all) = schemas.iter().map(Strings::of).collect::<Option<Vec<_>>>() {
        let mut joined = Strings::default();
        for strings in all {
            joined.extend(strings);
        }
        return Value::Object(joined.into_schema(None));
    }
    json!({ "anyOf": schemas })
}

/// Reads schemas of objects, with the definitions at hand.
struct Reader<'a> {
    definitions: Option<&'a Map<String, Value>>,
    /// The definitions being read, so that an enum with a variant that holds the enum itself ends somewhere.
    open: Vec<String>,
}

impl Reader<'_> {
    fn parts(&mut self, schema: &Value) -> Result<Parts, SchemaProblem> {
        let schema = match schema {
            Value::Bool(false) => return Err(SchemaProblem::Uninhabited),
            Value::Object(schema) if schema.get("not") == Some(&json!({})) => {
                return Err(SchemaProblem::Uninhabited);
            }
            Value::Object(schema) => schema,
            _ => return Err(SchemaProblem::NotAnObject { found: "any JSON value".to_owned() }),
        };
        if schema.get("type").and_then(Value::as_str) == Some("null") {
            return Ok(Parts::default());
        }
        if let Some(found) = not_an_object(schema) {
            return Err(SchemaProblem::NotAnObject { found });
        }
        let mut parts = own_parts(schema);
        if let Some(far) = walk::referenced(schema).and_then(|name| self.definition(&name)) {
            parts = parts.and(far?);
        }
        if let Some(Value::Array(all)) = schema.get("allOf") {
            for part in all {
                if !is_unconstrained(part) {
                    parts = parts.and(self.parts(part)?);
                }
            }
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(Value::Array(arms)) = schema.get(choice) {
                parts = parts.and(self.arms(arms)?);
            }
        }
        Ok(parts)
    }

    fn arms(&mut self, arms: &[Value]) -> Result<Parts, SchemaProblem> {
        if arms.is_empty() {
            return Err(SchemaProblem::Uninhabited);
        }
        // Every arm of `Option<Struct>` but its null is an object; arguments are never null.
        let is_null = |arm: &Value| members(arm).is_some_and(|arm| arm.get("type") == Some(&json!("null")));
        let mut read = Vec::with_capacity(arms.len());
        for arm in arms.iter().filter(|arm| !is_null(arm)) {
            if is_unconstrained(arm) {
                read.push(Parts::default());
                continue;
            }
            let mut parts = self.parts(arm).map_err(|problem| match problem {
                SchemaProblem::NotAnObject { found } => SchemaProblem::VariantNotAnObject { found },
                other => other,
            })?;
            explain_tag(&mut parts);
            read.push(parts);
        }
        Ok(Parts::any(read))
    }

    /// `None` for a name that is not defined, or whose definition is just being read.
    fn definition(&mut self, name: &str) -> Option<Result<Parts, SchemaProblem>> {
        let definition = self.definitions?.get(name)?;
        if self.open.iter().any(|open| open == name) {
            return None;
        }
        self.open.push(name.to_owned());
        let parts = self.parts(definition);
        self.open.pop();
        Some(parts)
    }
}

fn own_parts(schema: &Map<String, Value>) -> Parts {
    let named = |keyword| schema.get(keyword).and_then(Value::as_object).cloned().unwrap_or_default();
    let mut parts = Parts {
        properties: named("properties"),
        patterns: named("patternProperties"),
        rest: schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties")).cloned(),
        ..Parts::default()
    };
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !parts.required.iter().any(|known| known == name) {
            parts.required.push(name.to_owned());
        }
    }
    for (keyword, value) in schema {
        let structural = matches!(
            keyword.as_str(),
            "type"
                | "properties"
                | "patternProperties"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "required"
                | "$ref"
                | "allOf"
                | "oneOf"
                | "anyOf"
        );
        if !structural {
            parts.other.insert(keyword.clone(), value.clone());
        }
    }
    parts
}

fn is_unconstrained(schema: &Value) -> bool {
    *schema == Value::Bool(true) || members(schema).is_some_and(Map::is_empty)
}

/// What the schema takes instead of an object, if it takes no object or does not say.
fn not_an_object(schema: &Map<String, Value>) -> Option<String> {
    let described = |name: &str| match name {
        "integer" | "array" => format!("an {name}"),
        _ => format!("a {name}"),
    };
    match schema.get("type") {
        _ if walk::has_type(schema, "object") => None,
        Some(Value::String(name)) => Some(described(name)),
        Some(Value::Array(names)) => {
            Some(names.iter().filter_map(Value::as_str).map(described).collect::<Vec<_>>().join(" or "))
        }
        _ => {
            let structured = ["properties", "$ref", "allOf", "oneOf", "anyOf"];
            let is_object = structured.iter().any(|keyword| schema.contains_key(*keyword));
            (!is_object).then(|| "any JSON value".to_owned())
        }
    }
}

/// Moves what was said about a variant to the constant that selects it, which is all that is left of the variant.
fn explain_tag(parts: &mut Parts) {
    let Some(text) = parts.other.shift_remove("description") else { return };
    for property in parts.properties.values_mut().filter_map(Value::as_object_mut) {
        if property.contains_key("const") && !property.contains_key("description") {
            property.insert("description".to_owned(), text);
            return;
        }
    }
}
