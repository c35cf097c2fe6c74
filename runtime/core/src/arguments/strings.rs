//! Arguments that are all strings: those of prompts and the variables of resource templates.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::problem::ArgumentErrors;
use super::reader::ArgumentReader;
use crate::metadata::InputShape;
use crate::protocol::PromptArgument;
use crate::schema::{Draft, Profile};

/// Types for the arguments of a prompt or the variables of a resource template: structs whose fields are
/// strings (including enums of unit variants, dates and the like), or `()` for none.
///
/// Implemented for all types that implement `DeserializeOwned` and `JsonSchema`; building the server fails if a
/// field is not a string.
///
/// ```
/// use toolwright_core::prompt::Prompt;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Review {
///     /// The file to review.
///     file: String,
///     /// What to look at.
///     focus: Option<String>,
/// }
///
/// let prompt = Prompt::new("review").arguments::<Review>();
/// assert_eq!(prompt.arguments[0].name, "file");
/// assert!(prompt.arguments[0].required && !prompt.arguments[1].required);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a prompt or a resource template",
    label = "needs `serde::Deserialize` and `schemars::JsonSchema`",
    note = "add `serde::Deserialize` and `schemars::JsonSchema` to the derives of `{Self}`, or take no arguments"
)]
pub trait StringArguments: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> StringArguments for T {}

/// Reads arguments that are all strings: compiled once, used for every request.
#[derive(Debug)]
pub struct StringReader {
    reader: ArgumentReader,
    arguments: Vec<PromptArgument>,
}

/// Why a type cannot be used for string arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StringArgumentsError {
    /// A field is not a string.
    #[error("`{0}` is not a string; use a type that serde deserializes from a string")]
    NotAString(String),
    /// The schema cannot be enforced, or the type is not an object.
    #[error("{0}")]
    Schema(String),
}

impl StringReader {
    /// Compiles the reader for `A`.
    ///
    /// # Errors
    /// [`StringArgumentsError`] if a field is not a string, or the schema cannot be enforced.
    pub fn of<A: StringArguments>() -> Result<Self, StringArgumentsError> {
        let is_unit = schemars::schema_for!(A).get("type").is_some_and(|name| name == "null");
        let shape = if is_unit { InputShape::Unit } else { InputShape::Object };
        let draft = Draft::input::<A>(shape).with_fields(&[], false);
        let reader = ArgumentReader::new(&draft, &[], shape, false)
            .map_err(|error| StringArgumentsError::Schema(error.to_string()))?;
        let schema = draft.finish(Profile::Portable);
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
        };
        let mut arguments = Vec::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if !is_string_schema(property, &schema) {
                return Err(StringArgumentsError::NotAString(name.clone()));
            }
            let text = |member: &str| property[member].as_str().map(str::to_owned);
            arguments.push(PromptArgument {
                title: text("title"),
                description: text("description"),
                required: required(name),
                ..PromptArgument::new(name)
            });
        }
        Ok(Self { reader, arguments })
    }

    /// Returns the arguments in the order of the fields.
    pub fn arguments(&self) -> &[PromptArgument] {
        &self.arguments
    }

    /// Reads and validates `arguments` (absent, `null` and `{}` are equivalent).
    ///
    /// # Errors
    /// Returns all problems with the arguments.
    pub fn read<A: StringArguments>(&self, arguments: Option<&RawValue>) -> Result<A, ArgumentErrors> {
        self.reader.read(arguments, &[])
    }
}

/// Returns whether every value that the schema accepts, except `null`, is a string.
fn is_string_schema(property: &Value, root: &Value) -> bool {
    if let Some(pointer) = property["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
        // A recursive type is not a string, so following one reference is enough.
        return root.pointer(pointer).is_some_and(|target| target["type"] == "string");
    }
    match &property["type"] {
        Value::String(name) => name == "string",
        Value::Array(names) => {
            names.contains(&"string".into()) && names.iter().all(|name| name == "string" || name == "null")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::{StringArgumentsError, StringReader};

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Style {
        /// As one speaks.
        Plain,
        /// As one writes.
        Formal,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Greeting {
        /// Who to greet.
        #[schemars(title = "Name", length(min = 1))]
        name: String,
        style: Option<Style>,
    }

    fn read(arguments: &Value) -> Result<Greeting, String> {
        let raw = to_raw_value(arguments).expect("JSON");
        let reader = StringReader::of::<Greeting>().expect("all are texts");
        reader.read(Some(&raw)).map_err(|errors| errors.to_string())
    }

    #[test]
    fn arguments_are_derived_from_the_type() {
        let reader = StringReader::of::<Greeting>().expect("all are texts");
        assert_eq!(
            serde_json::to_value(reader.arguments()).expect("JSON"),
            json!([
                {"name": "name", "title": "Name", "description": "Who to greet.", "required": true},
                {
                    "name": "style",
                    "description": "`plain`: As one speaks.\n`formal`: As one writes.",
                    "required": false,
                },
            ])
        );
        assert!(StringReader::of::<()>().expect("none").arguments().is_empty());
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let greeting = read(&json!({"name": "Ada", "style": "formal"})).expect("they fit");
        assert_eq!(greeting, Greeting { name: "Ada".to_owned(), style: Some(Style::Formal) });
        let problems =
            read(&json!({"name": "", "style": "loud", "other": "x"})).expect_err("they do not fit");
        for pointer in ["/name", "/style", "/other"] {
            assert!(problems.contains(pointer), "{pointer} is missing in {problems}");
        }
    }

    #[test]
    fn a_field_that_is_not_a_string_is_rejected() {
        #[derive(Deserialize, JsonSchema)]
        struct Numbered {
            #[expect(dead_code, reason = "only its type is looked at")]
            count: u32,
        }
        assert_eq!(
            StringReader::of::<Numbered>().expect_err("a number"),
            StringArgumentsError::NotAString("count".to_owned())
        );
        assert!(matches!(StringReader::of::<Vec<String>>(), Err(StringArgumentsError::Schema(_))));
    }
}
