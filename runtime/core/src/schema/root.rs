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

/// Returns the schema of a tool without arguments.
pub(super) fn no_arguments() -> Value {
    ObjectSchema::default().into_schema(None)
}

/// Converts the root of an input to one object.
pub(super) fn merge_to_object(mut schema: Value, shape: InputShape) -> Result<Value, SchemaProblem> {
    let definitions = take_definitions(&mut schema);
    let parts = match shape {
        InputShape::Unit => ObjectSchema::default(),
        InputShape::Object => {
            Reader { definitions: definitions.as_ref(), open: Vec::new() }.parts(&schema)?
        }
    };
    Ok(parts.into_schema(definitions))
}

/// Replaces a `$ref` at the root, which may have any type, by its target.
pub(super) fn resolve_root(mut schema: Value) -> Value {
    let definitions = take_definitions(&mut schema);
    let root = walk::as_object(&mut schema);
    // A newtype of a newtype needs two steps; no chain is longer than the number of definitions.
    for _ in 0..definitions.as_ref().map_or(0, Map::len) {
        let definition = |name: &str| definitions.as_ref()?.get(name).cloned();
        let Some(mut far) = walk::referenced_definition(root).and_then(|name| definition(&name)) else {
            break;
        };
        root.shift_remove("$ref");
        *root = merge::merge(std::mem::take(walk::as_object(&mut far)), std::mem::take(root));
    }
    if let Some(definitions) = definitions {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

/// Resolves the root of an input, with its choices kept. A type without members becomes an object without properties.
pub(super) fn keep_choices(schema: Value) -> Value {
    let mut exact = resolve_root(schema);
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

/// Marks a property that its variant requires: omitting it may differ from `null`. Never part of a published schema.
const NULL_MARK: &str = "x-toolwright-keeps-null";

/// Removes the mark; returns whether it was present.
pub(super) fn take_null_mark(property: &mut Map<String, Value>) -> bool {
    property.shift_remove(NULL_MARK).is_some()
}

/// Removes the marks from all properties of the root.
pub(super) fn remove_marks(root: &mut Value) {
    let properties = root.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut).for_each(|property| {
        take_null_mark(property);
    });
}

/// The keywords of an object schema.
#[derive(Debug, Default, Clone)]
struct ObjectSchema {
    properties: Map<String, Value>,
    required: Vec<String>,
    /// Names that variants require.
    required_by_variants: Vec<String>,
    patterns: Map<String, Value>,
    /// `additionalProperties`, if present.
    rest: Option<Value>,
    /// Annotations, and keywords that the author added.
    other: Map<String, Value>,
}

impl ObjectSchema {
    fn into_schema(mut self, definitions: Option<Map<String, Value>>) -> Value {
        for name in self.required_by_variants.iter().filter(|name| !self.required.contains(name)) {
            if let Some(Value::Object(property)) = self.properties.get_mut(name) {
                property.insert(NULL_MARK.to_owned(), Value::Bool(true));
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

    /// Merges two schemas that both apply.
    fn merge(mut self, far: Self) -> Self {
        for (name, schema) in far.properties {
            merge::add_property(&mut self.properties, name, schema);
        }
        for name in far.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.required_by_variants.extend(far.required_by_variants);
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

    /// Merges the arms of a choice: all properties, and the names that every arm requires.
    fn union(arms: Vec<Self>) -> Self {
        let required_by_variants =
            arms.iter().flat_map(|arm| arm.required.iter().chain(&arm.required_by_variants));
        let required_by_variants = required_by_variants.cloned().collect();
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
        // A property of one arm may be an additional property of another.
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
            named.into_iter().map(|(name, schemas)| (name, any_of(schemas))).collect()
        };
        let (properties, patterns, other) = (join(properties), join(patterns), Map::new());
        Self { properties, required, required_by_variants, patterns, rest, other }
    }
}

/// Returns `additionalProperties` of an object that may match any of the arms.
fn common_rest(arms: &[ObjectSchema]) -> Option<Value> {
    let first = arms.first()?.rest.as_ref();
    if arms.iter().all(|arm| arm.rest.as_ref() == first) {
        return first.cloned();
    }
    let takes_more = |arm: &ObjectSchema| arm.rest.as_ref().is_some_and(|rest| *rest != Value::Bool(false));
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

/// Returns a schema for values that match any of `schemas`, which are distinct.
fn any_of(mut schemas: Vec<Value>) -> Value {
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

/// Converts schemas of objects, and resolves their references.
struct Reader<'a> {
    definitions: Option<&'a Map<String, Value>>,
    /// The definitions in progress, to detect recursion.
    open: Vec<String>,
}

impl Reader<'_> {
    fn parts(&mut self, schema: &Value) -> Result<ObjectSchema, SchemaProblem> {
        let schema = match schema {
            Value::Bool(false) => return Err(SchemaProblem::Uninhabited),
            Value::Object(schema) if schema.get("not") == Some(&json!({})) => {
                return Err(SchemaProblem::Uninhabited);
            }
            Value::Object(schema) => schema,
            _ => return Err(SchemaProblem::NotAnObject { found: "any JSON value".to_owned() }),
        };
        if schema.get("type").and_then(Value::as_str) == Some("null") {
            return Ok(ObjectSchema::default());
        }
        if let Some(found) = not_an_object(schema) {
            return Err(SchemaProblem::NotAnObject { found });
        }
        let mut parts = own_parts(schema);
        if let Some(far) = walk::referenced_definition(schema).and_then(|name| self.definition(&name)) {
            parts = parts.merge(far?);
        }
        if let Some(Value::Array(all)) = schema.get("allOf") {
            for part in all {
                if !is_unconstrained(part) {
                    parts = parts.merge(self.parts(part)?);
                }
            }
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(Value::Array(arms)) = schema.get(choice) {
                parts = parts.merge(self.arms(arms)?);
            }
        }
        Ok(parts)
    }

    fn arms(&mut self, arms: &[Value]) -> Result<ObjectSchema, SchemaProblem> {
        if arms.is_empty() {
            return Err(SchemaProblem::Uninhabited);
        }
        // The arms of `Option<Struct>` are objects, except `null`, which arguments cannot be.
        let is_null = |arm: &Value| members(arm).is_some_and(|arm| arm.get("type") == Some(&json!("null")));
        let mut read = Vec::with_capacity(arms.len());
        for arm in arms.iter().filter(|arm| !is_null(arm)) {
            if is_unconstrained(arm) {
                read.push(ObjectSchema::default());
                continue;
            }
            let mut parts = self.parts(arm).map_err(|problem| match problem {
                SchemaProblem::NotAnObject { found } => SchemaProblem::VariantNotAnObject { found },
                other => other,
            })?;
            explain_tag(&mut parts);
            read.push(parts);
        }
        Ok(ObjectSchema::union(read))
    }

    /// Returns `None` for an undefined name, or one whose definition is in progress.
    fn definition(&mut self, name: &str) -> Option<Result<ObjectSchema, SchemaProblem>> {
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

fn own_parts(schema: &Map<String, Value>) -> ObjectSchema {
    let named = |keyword| schema.get(keyword).and_then(Value::as_object).cloned().unwrap_or_default();
    let mut parts = ObjectSchema {
        properties: named("properties"),
        patterns: named("patternProperties"),
        rest: schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties")).cloned(),
        ..ObjectSchema::default()
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

/// Returns the types that the schema accepts instead of an object; `None` if it accepts objects.
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

/// Moves the description of a variant to the constant that selects it.
fn explain_tag(parts: &mut ObjectSchema) {
    let Some(text) = parts.other.shift_remove("description") else { return };
    for property in parts.properties.values_mut().filter_map(Value::as_object_mut) {
        if property.contains_key("const") && !property.contains_key("description") {
            property.insert("description".to_owned(), text);
            return;
        }
    }
}
