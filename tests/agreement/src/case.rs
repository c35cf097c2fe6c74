//! One type, as tool input and as output.

use std::borrow::Cow;
use std::fmt::Debug;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::arguments::{ArgumentErrors, ArgumentReader, SchemaError};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::schema::{self, Draft, Profile};
use toolwright_core::tool::{FieldMetadata, InputShape, Tool};

/// A type, behind functions that do not name it.
#[derive(Debug)]
pub struct Case {
    /// What it is called in reports.
    pub name: &'static str,
    draft: fn() -> Draft,
    with_type: fn(Draft, InputShape) -> Draft,
    definition: Option<fn() -> ToolDefinition>,
    /// The reader of a tool.
    tool: Option<fn() -> Result<ArgumentReader, SchemaError>>,
    nested: fn(bool) -> Value,
    output: fn() -> Value,
    read: fn(&ArgumentReader, &RawValue, &Bound) -> Result<Reading, ArgumentErrors>,
    plain: fn(&str) -> Result<Reading, String>,
    fields: &'static [FieldMetadata],
    shape: InputShape,
    allow_unknown: bool,
    /// The credentials that the server sets: names, and values as JSON.
    bound: &'static [(&'static str, &'static str)],
}

/// Credentials as a reader takes them.
type Bound = [(String, Box<RawValue>)];

/// A value that was read.
#[derive(Debug, PartialEq)]
pub struct Reading {
    /// The value, as far as it can be seen.
    pub shown: String,
    /// The value as serde writes it, if it can be written.
    pub written: Option<Value>,
}

impl Reading {
    /// Of a type without `Debug`, which can be written.
    fn of_written<T: Serialize>(value: &T) -> Self {
        let written = serde_json::to_value(value).expect("values of the corpus can be written");
        Self { shown: in_order(&written).to_string(), written: Some(written) }
    }

    fn of<T: Debug + Serialize>(value: &T) -> Self {
        Self { shown: sorted(&format!("{value:?}")), written: serde_json::to_value(value).ok() }
    }
}

/// `value` in one order: a `HashMap` is written in another one each time.
pub(crate) fn in_order(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Map<_, _> =
                members.iter().map(|(name, member)| (name.clone(), in_order(member))).collect();
            members.sort_keys();
            members.into()
        }
        Value::Array(items) => items.iter().map(in_order).collect(),
        other => other.clone(),
    }
}

/// What `Debug` shows, with all that stands between braces in one order: that of a `HashMap` is another one each time.
fn sorted(shown: &str) -> String {
    fn group(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> (String, Option<char>) {
        let (mut parts, mut part) = (Vec::new(), String::new());
        let mut end = None;
        while let Some(letter) = letters.next() {
            part.push(letter);
            match letter {
                '"' | '\'' => {
                    while let Some(inner) = letters.next() {
                        part.push(inner);
                        if inner == letter {
                            break;
                        }
                        part.extend((inner == '\\').then(|| letters.next()).flatten());
                    }
                }
                '{' | '[' | '(' => {
                    let (inner, close) = group(letters);
                    part.push_str(&inner);
                    part.extend(close);
                }
                '}' | ']' | ')' => {
                    part.pop();
                    end = Some(letter);
                    break;
                }
                ',' if letters.peek() == Some(&' ') => {
                    letters.next();
                    part.pop();
                    parts.push(std::mem::take(&mut part));
                }
                _ => {}
            }
        }
        parts.push(part);
        if end == Some('}') {
            parts = parts.iter().map(|part| part.trim().to_owned()).collect();
            parts.sort_unstable();
        }
        (parts.join(", "), end)
    }
    group(&mut shown.chars().peekable()).0
}

impl Case {
    /// A type that is no tool, as the arguments of one.
    pub fn of<T: DeserializeOwned + Serialize + JsonSchema>(name: &'static str) -> Self {
        Self {
            name,
            draft: || Draft::read_as::<T, T>(InputShape::Object),
            with_type: |draft, shape| draft.with_type::<T>(shape),
            definition: None,
            tool: None,
            nested: nested::<T>,
            output: || schema::output::<T>(Profile::Portable),
            read: |reader, arguments, bound| {
                Ok(Reading::of_written(&reader.read::<T>(Some(arguments), bound)?))
            },
            plain: |text| {
                let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
                Ok(Reading::of_written(&value))
            },
            fields: &[],
            shape: InputShape::Object,
            allow_unknown: false,
            bound: &[],
        }
    }

    /// A tool.
    pub fn of_tool<T: Tool + DeserializeOwned + Serialize + JsonSchema + Debug>(name: &'static str) -> Self {
        let metadata = T::METADATA;
        Self {
            name,
            draft: || Draft::read_as::<T, T>(T::METADATA.shape),
            with_type: |draft, shape| draft.with_type::<T>(shape),
            definition: Some(T::definition),
            tool: Some(ArgumentReader::of::<T>),
            nested: nested::<T>,
            output: || schema::output::<T>(Profile::Portable),
            read: |reader, arguments, bound| Ok(Reading::of(&reader.read_tool::<T>(Some(arguments), bound)?)),
            plain: |text| {
                let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
                Ok(Reading::of(&value))
            },
            fields: metadata.fields,
            shape: metadata.shape,
            allow_unknown: metadata.allow_unknown,
            bound: &[],
        }
    }

    /// With attributes on fields.
    #[must_use]
    pub fn with(mut self, fields: &'static [FieldMetadata]) -> Self {
        self.fields = fields;
        self
    }

    /// With credentials: names, and values as JSON.
    #[must_use]
    pub fn bound(mut self, credentials: &'static [(&'static str, &'static str)]) -> Self {
        self.bound = credentials;
        self
    }

    /// `value` with the credentials that the server sets.
    pub(crate) fn with_bound<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        let Value::Object(members) = value else { return Cow::Borrowed(value) };
        if self.bound.is_empty() {
            return Cow::Borrowed(value);
        }
        let of = |json| serde_json::from_str::<Value>(json).expect("credentials are JSON");
        let bound = self.bound.iter().map(|(name, json)| ((*name).to_owned(), of(json)));
        Cow::Owned(members.clone().into_iter().chain(bound).collect::<Map<_, _>>().into())
    }

    /// `value` without the credentials, which no caller sends.
    pub(crate) fn without_bound(&self, value: &Value) -> Value {
        let mut value = value.clone();
        if let Value::Object(members) = &mut value {
            members.retain(|name, _| !self.bound.iter().any(|(bound, _)| bound == name));
        }
        value
    }

    /// A unit struct.
    #[must_use]
    pub fn unit(mut self) -> Self {
        self.shape = InputShape::Unit;
        self
    }

    /// With the attribute `allow_unknown`.
    #[must_use]
    pub fn allow_unknown(mut self) -> Self {
        self.allow_unknown = true;
        self
    }

    fn draft(&self) -> Draft {
        let draft = (self.draft)().with_fields(self.fields, self.allow_unknown);
        (self.with_type)(draft, self.shape)
    }

    /// The schema of the arguments.
    pub fn input(&self, profile: Profile) -> Value {
        self.draft().finish(profile)
    }

    /// The schema of the type as an output.
    pub fn output(&self) -> Value {
        (self.output)()
    }

    /// The definition that clients see, with the type as the output too.
    pub fn definition(&self) -> ToolDefinition {
        let mut definition = match self.definition {
            Some(definition) => definition(),
            None => ToolDefinition::new(self.name, self.input(Profile::Portable)),
        };
        definition.output_schema = Some(self.output());
        definition
    }

    /// The reader, which takes no text for an object: the schema does not show that it would.
    ///
    /// # Errors
    /// A type that cannot be a tool.
    pub fn reader(&self) -> Result<ArgumentReader, SchemaError> {
        let reader = match self.tool {
            Some(reader) => reader()?,
            None => ArgumentReader::new(&self.draft(), self.fields, self.shape, self.allow_unknown)?,
        };
        Ok(reader.strict())
    }

    /// Where the type is a choice between objects, the schema of an object with the type as its only member, `value`. At
    /// the root of a definition no choice can be shown; below it, it is.
    pub fn choice(&self) -> Option<Value> {
        let schema = (self.nested)(self.allow_unknown);
        let mut value = &schema["properties"]["value"];
        while let Some(pointer) = value["$ref"].as_str() {
            value = schema.pointer(pointer.trim_start_matches('#'))?;
        }
        let is_choice = value.get("anyOf").is_some() || value.get("oneOf").is_some();
        (is_choice && self.shape == InputShape::Object).then_some(schema)
    }

    /// Reads arguments as a call does.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// Never: JSON can be written.
    pub fn read(&self, reader: &ArgumentReader, arguments: &Value) -> Result<Reading, ArgumentErrors> {
        let arguments = serde_json::value::to_raw_value(arguments).expect("JSON can be written");
        let raw = |json: &str| RawValue::from_string(json.to_owned()).expect("credentials are JSON");
        let bound: Vec<_> = self.bound.iter().map(|(name, json)| ((*name).to_owned(), raw(json))).collect();
        (self.read)(reader, &arguments, &bound)
    }

    /// Reads arguments as serde does by itself.
    ///
    /// # Errors
    /// What serde says.
    pub fn read_plainly(&self, arguments: &Value) -> Result<Reading, String> {
        match self.shape {
            InputShape::Unit => (self.plain)("null"),
            InputShape::Object => (self.plain)(&self.with_bound(arguments).to_string()),
        }
    }
}

/// The schema of an object that holds a `T`.
fn nested<T: DeserializeOwned + JsonSchema>(allow_unknown: bool) -> Value {
    let draft = Draft::read_as::<Field<T>, Field<T>>(InputShape::Object).with_fields(&[], allow_unknown);
    draft.with_type::<Field<T>>(InputShape::Object).finish(Profile::Portable)
}

/// The field of a tool that has just one.
#[derive(Debug, serde::Serialize, serde::Deserialize, JsonSchema)]
pub struct Field<T> {
    /// The field.
    pub value: T,
}

/// The optional field of a tool that has just one.
#[derive(Debug, serde::Serialize, serde::Deserialize, JsonSchema)]
pub struct Maybe<T> {
    /// The field.
    pub value: Option<T>,
}

/// The cases of the named types: `cases! { "name" => Type, … }`.
#[macro_export]
macro_rules! cases {
    ($($name:literal => $type:ty),+ $(,)?) => {
        vec![$($crate::case::Case::of::<$type>($name)),+]
    };
}
