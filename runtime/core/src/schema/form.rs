//! Schemas of elicitation forms: a flat object of strings, numbers, booleans and choices (2026-07-28,
//! client/elicitation "Requested Schema"; 2025-06-18 supports fewer of them).

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{SchemaProblem, formats, generate, inline, root, tidy};
use crate::metadata::InputShape;
use crate::protocol::Revision;

/// Why a type or schema cannot be a form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormProblem {
    /// The type is not deserialized from an object.
    #[error("a form must be a struct with named fields")]
    Type(#[source] SchemaProblem),
    /// The schema is not an object with `properties`.
    #[error("a form needs a schema with the type `object` and `properties`")]
    NotAnObject,
    /// A member has a type that forms do not support.
    #[error(
        "`{member}` is not supported in a form: use a string, a number, a boolean, an enum of strings, or a list of such an enum"
    )]
    Member {
        /// The name of the member.
        member: String,
    },
    /// A multiple choice, for a client whose revision does not support it.
    #[error("`{member}` is a multiple choice, which clients of revision {revision} do not support")]
    SeveralValues {
        /// The name of the member.
        member: String,
        /// The revision of the client.
        revision: Revision,
    },
}

/// Creates the form of `T`. Keywords that forms do not support, such as `pattern`, are omitted; they are
/// enforced when the response is read.
///
/// The title of a variant, or else its documentation, is the label of the choice.
///
/// # Errors
/// [`FormProblem`] if `T` is not supported in a form.
pub fn form<T: JsonSchema>() -> Result<Value, FormProblem> {
    let generated = generate::<T>(SchemaSettings::draft2020_12());
    let mut schema = root::merge_to_object(generated, InputShape::Object).map_err(FormProblem::Type)?;
    inline::inline_definitions(&mut schema);
    formats::finish(&mut schema, formats::RustFormats::Replace);
    if let Some(object) = schema.as_object_mut() {
        tidy::hide_nulls(object);
    }
    restrict(&schema)
}

/// Restricts a schema to the keywords that forms support.
///
/// # Errors
/// [`FormProblem`] if it is not a flat object.
pub fn restrict(schema: &Value) -> Result<Value, FormProblem> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties
        .filter(|_| schema.get("type").is_some_and(|kind| kind == "object"))
        .ok_or(FormProblem::NotAnObject)?;
    let mut members = Map::new();
    for (name, property) in properties {
        let member = convert_member(property).ok_or_else(|| FormProblem::Member { member: name.clone() })?;
        members.insert(name.clone(), Value::Object(member));
    }
    let mut form = json!({"type": "object", "properties": members});
    if let (Some(required), Some(form)) = (schema.get("required"), form.as_object_mut()) {
        form.insert("required".to_owned(), required.clone());
    }
    Ok(form)
}

/// Converts a restricted form for `revision`: before 2025-11-25, choices have `enumNames`, only booleans have
/// defaults, and there are no multiple choices.
///
/// # Errors
/// [`FormProblem::SeveralValues`].
pub fn form_for(form: &Value, revision: Revision) -> Result<Value, FormProblem> {
    let mut form = form.clone();
    if revision >= Revision::V2025_11_25 {
        return Ok(form);
    }
    let properties = form.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object_mut() else { continue };
        match property.get("type").and_then(Value::as_str) {
            Some("array") => {
                return Err(FormProblem::SeveralValues { member: name.clone(), revision });
            }
            Some("boolean") => {}
            _ => {
                property.shift_remove("default");
            }
        }
        if let Some(choices) = property.shift_remove("oneOf") {
            let of = |key: &str| -> Value {
                choices
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|choice| choice.get(key).cloned())
                    .collect()
            };
            property.insert("enum".to_owned(), of("const"));
            property.insert("enumNames".to_owned(), of("title"));
        }
    }
    Ok(form)
}

const ABOUT: [&str; 3] = ["title", "description", "default"];

/// Converts one member, if forms support it.
fn convert_member(property: &Value) -> Option<Map<String, Value>> {
    let mut property = property.as_object()?.clone();
    tidy::lift_single_part(&mut property);
    if let Some(choices) = Choices::of(&property) {
        let mut member = choices.into_member("oneOf");
        member.insert("type".to_owned(), json!("string"));
        copy_keywords(&property, &mut member, &ABOUT);
        copy_keywords(&property, &mut member, &["enumNames"]);
        return Some(move_type_first(member));
    }
    let kind = property.get("type")?.as_str()?;
    let mut member = Map::from_iter([("type".to_owned(), json!(kind))]);
    copy_keywords(&property, &mut member, &ABOUT);
    match kind {
        "string" => {
            copy_keywords(&property, &mut member, &["minLength", "maxLength"]);
            let format = property.get("format").and_then(Value::as_str);
            if format.is_some_and(|format| ["email", "uri", "date", "date-time"].contains(&format)) {
                copy_keywords(&property, &mut member, &["format"]);
            }
        }
        "number" | "integer" => copy_keywords(&property, &mut member, &["minimum", "maximum"]),
        "boolean" => {}
        "array" => {
            copy_keywords(&property, &mut member, &["minItems", "maxItems"]);
            let mut items = property.get("items")?.as_object()?.clone();
            tidy::lift_single_part(&mut items);
            let mut choices = Choices::of(&items)?.into_member("anyOf");
            if choices.contains_key("enum") {
                choices.insert("type".to_owned(), json!("string"));
            }
            member.insert("items".to_owned(), Value::Object(move_type_first(choices)));
        }
        _ => return None,
    }
    Some(member)
}

fn copy_keywords(from: &Map<String, Value>, to: &mut Map<String, Value>, keys: &[&str]) {
    for key in keys {
        if let Some(value) = from.get(*key) {
            to.insert((*key).to_owned(), value.clone());
        }
    }
}

/// Moves the type to the front, as in other schemas.
fn move_type_first(mut member: Map<String, Value>) -> Map<String, Value> {
    let Some(kind) = member.shift_remove("type") else { return member };
    let mut ordered = Map::from_iter([("type".to_owned(), kind)]);
    ordered.append(&mut member);
    ordered
}

/// Strings to choose from, with optional titles.
struct Choices(Vec<(String, Option<String>)>);

impl Choices {
    fn of(schema: &Map<String, Value>) -> Option<Self> {
        let mut choices = Vec::new();
        match schema.get("oneOf").or_else(|| schema.get("anyOf")) {
            Some(arms) => {
                for arm in arms.as_array()? {
                    choices.extend(Self::of(arm.as_object()?)?.0);
                }
            }
            None => match (schema.get("const"), schema.get("enum")) {
                (Some(value), _) => {
                    let text = |key| schema.get(key).and_then(Value::as_str).map(str::to_owned);
                    let title = text("title").or_else(|| text("description"));
                    choices.push((value.as_str()?.to_owned(), title));
                }
                (None, Some(values)) => {
                    for value in values.as_array()? {
                        choices.push((value.as_str()?.to_owned(), None));
                    }
                }
                (None, None) => return None,
            },
        }
        Some(Self(choices))
    }

    /// Writes `enum` if no choice has a title, or else all titles under `keyword`.
    fn into_member(self, keyword: &str) -> Map<String, Value> {
        if self.0.iter().all(|(_, title)| title.is_none()) {
            let values = self.0.into_iter().map(|(value, _)| Value::String(value)).collect();
            return Map::from_iter([("enum".to_owned(), values)]);
        }
        let titled = |(value, title): (String, Option<String>)| {
            let title = title.unwrap_or_else(|| value.clone());
            json!({"const": value, "title": title})
        };
        Map::from_iter([(keyword.to_owned(), self.0.into_iter().map(titled).collect())])
    }
}
