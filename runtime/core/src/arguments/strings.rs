//! Arguments that are all strings: those of prompts and the variables of resource templates.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::problem::ArgumentErrors;
use super::reader::ArgumentReader;
use super::text_form::{self, TextForm};
use crate::metadata::{FieldMetadata, InputShape};
use crate::protocol::PromptArgument;
use crate::schema::{Draft, Profile};

/// Types for the arguments of a prompt or the variables of a resource template: structs whose fields are
/// read from strings, or `()` for none. Such fields are strings (also enums of unit variants, dates and the like), numbers
/// and booleans, whose strings are their JSON (`7`, `true`), and `Option`s of these.
///
/// Implemented for all types that implement `DeserializeOwned` and `JsonSchema`; building the server fails if a
/// string cannot stand for a field.
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
    /// The forms of the arguments; empty if all are text.
    forms: Vec<Form>,
    /// The values of the arguments that have only certain ones.
    values: Vec<(String, Vec<String>)>,
}

/// What an argument stands for.
#[derive(Debug)]
struct Form {
    name: String,
    of_text: TextForm,
    required: bool,
}

/// Why a type cannot be used for string arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StringArgumentsError {
    /// A string cannot stand for a field.
    #[error("`{0}` cannot be read from a string; use a string, a number, a boolean or an enum of names")]
    NotAString(String),
    /// The schema cannot be enforced, or the type is not an object.
    #[error("{0}")]
    Schema(String),
}

impl StringReader {
    /// Compiles the reader for `A`.
    ///
    /// # Errors
    /// [`StringArgumentsError`] if a string cannot stand for a field, or the schema cannot be enforced.
    pub fn of<A: StringArguments>() -> Result<Self, StringArgumentsError> {
        Self::with_fields::<A>(&[])
    }

    /// Compiles the reader for the type that `A` describes, whose fields have the attributes of a derive.
    ///
    /// # Errors
    /// Those of [`of`](Self::of).
    pub fn with_fields<A: JsonSchema>(
        fields: &'static [FieldMetadata],
    ) -> Result<Self, StringArgumentsError> {
        let is_unit = schemars::schema_for!(A).get("type").is_some_and(|name| name == "null");
        let shape = if is_unit { InputShape::Unit } else { InputShape::Object };
        let draft = Draft::input::<A>(shape).with_fields(fields, false);
        let reader = ArgumentReader::new(&draft, fields, shape, false)
            .map_err(|error| StringArgumentsError::Schema(error.to_string()))?;
        let schema = draft.finish(Profile::Portable);
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
        };
        let mut this = Self { reader, arguments: Vec::new(), forms: Vec::new(), values: Vec::new() };
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let of_text = TextForm::of(property, &schema)
                .ok_or_else(|| StringArgumentsError::NotAString(name.clone()))?;
            let required = required(name);
            let aliases = fields.iter().filter(|field| field.name == name).flat_map(|field| field.aliases);
            let names = std::iter::once(name.as_str()).chain(aliases.copied());
            this.forms.extend(names.map(|name| Form { name: name.to_owned(), of_text, required }));
            let values = text_form::listed_values(property, &schema);
            this.arguments.push(argument(name, property, required, &values));
            if !values.is_empty() {
                this.values.push((name.clone(), values));
            }
        }
        if this.forms.iter().all(|form| form.of_text == TextForm::Text) {
            this.forms.clear();
        }
        Ok(this)
    }

    /// Returns the arguments in the order of the fields.
    pub fn arguments(&self) -> &[PromptArgument] {
        &self.arguments
    }

    /// Returns the arguments that have only certain values, such as enums and booleans, with these values.
    pub fn values(&self) -> &[(String, Vec<String>)] {
        &self.values
    }

    /// Reads and validates `arguments` (absent, `null` and `{}` are equivalent). A string stands for a number or a boolean
    /// where the type has one; an empty string for an optional one is the same as leaving it out.
    ///
    /// # Errors
    /// Returns all problems with the arguments.
    pub fn read<A: DeserializeOwned>(&self, arguments: Option<&RawValue>) -> Result<A, ArgumentErrors> {
        let Some(text) = arguments.map(RawValue::get).filter(|_| !self.forms.is_empty()) else {
            return self.reader.read(arguments, &[]);
        };
        let form = |name: &str| {
            let known = self.forms.iter().find(|form| form.name == name)?;
            Some((known.of_text, known.required))
        };
        let converted = text_form::convert(text, form).into_owned();
        // What is not JSON is left to the reader, as any other text.
        let converted = RawValue::from_string(converted).ok();
        self.reader.read(converted.as_deref().or(arguments), &[]).map_err(ArgumentErrors::with_strings)
    }
}

/// The argument as clients see it. They see no schema, so that the description says what a string has to be.
fn argument(name: &str, property: &Value, required: bool, values: &[String]) -> PromptArgument {
    let text = |member: &str| property[member].as_str().map(str::to_owned);
    let description = text("description");
    let description = match (text_form::describe(property, values, description.as_deref()), description) {
        (Some(form), Some(description)) => Some(format!("{description}\n{form}")),
        (form, description) => form.or(description),
    };
    PromptArgument { title: text("title"), description, required, ..PromptArgument::new(name) }
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

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(transparent)]
    struct Id(i64);

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Typed {
        id: Id,
        /// How many.
        count: Option<u8>,
        exact: Option<bool>,
        share: Option<f64>,
        style: Option<Style>,
    }

    fn read_typed(arguments: &Value) -> Result<Typed, String> {
        let raw = to_raw_value(arguments).expect("JSON");
        let reader = StringReader::of::<Typed>().expect("all are read from strings");
        reader.read(Some(&raw)).map_err(|errors| errors.to_string())
    }

    #[test]
    fn strings_are_read_as_the_types_of_their_fields() {
        let strings = json!({"id": "9007199254740993", "count": "7", "exact": "true", "share": "0.5", "style": "plain"});
        let typed = Typed {
            id: Id(9_007_199_254_740_993),
            count: Some(7),
            exact: Some(true),
            share: Some(0.5),
            style: Some(Style::Plain),
        };
        assert_eq!(read_typed(&strings), Ok(typed));
        let empty = Typed { id: Id(1), count: None, exact: None, share: None, style: None };
        assert_eq!(read_typed(&json!({"id": "1", "count": "", "exact": "", "share": ""})), Ok(empty));
    }

    #[test]
    fn errors_name_the_argument_with_expected_and_got() {
        let problems =
            read_typed(&json!({"id": "x", "count": "256", "exact": "yes"})).expect_err("they do not fit");
        for part in ["/id: ", "an integer", "\"x\"", "/count: ", "255", "/exact: ", "\"yes\""] {
            assert!(problems.contains(part), "no {part} in {problems}");
        }
        let example = problems.rsplit_once("example of valid arguments: ").expect("an example").1;
        assert!(read_typed(&serde_json::from_str(example).expect("JSON")).is_ok(), "{example}");
        assert!(
            serde_json::from_str::<std::collections::BTreeMap<String, String>>(example).is_ok(),
            "{example}"
        );
    }

    #[test]
    fn arguments_with_certain_values_have_them_listed() {
        let reader = StringReader::of::<Typed>().expect("all are read from strings");
        let values: Vec<(&str, Vec<&str>)> = reader
            .values()
            .iter()
            .map(|(name, values)| (name.as_str(), values.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(values, [("exact", vec!["true", "false"]), ("style", vec!["plain", "formal"])]);
        assert_eq!(
            reader.arguments()[1].description.as_deref(),
            Some("How many.\nAn integer from 0 to 255.")
        );
    }

    #[test]
    fn a_field_that_no_string_stands_for_is_rejected() {
        #[derive(Deserialize, JsonSchema)]
        struct Listed {
            #[expect(dead_code, reason = "only its type is looked at")]
            names: Vec<String>,
        }
        assert_eq!(
            StringReader::of::<Listed>().expect_err("a list"),
            StringArgumentsError::NotAString("names".to_owned())
        );
        assert!(matches!(StringReader::of::<Vec<String>>(), Err(StringArgumentsError::Schema(_))));
    }
}
