//! One type of the corpus, as tool input and as output.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_core::arguments::ArgumentReader;
use toolwright_core::schema::{self, Draft, Profile};
use toolwright_core::tool::{FieldMetadata, InputShape};

/// A type, behind functions that do not name it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    draft: fn() -> Draft,
    output: fn() -> Value,
    read: fn(&ArgumentReader, &RawValue) -> Result<Value, String>,
    fields: &'static [FieldMetadata],
    shape: InputShape,
    allow_unknown: bool,
}

impl Case {
    pub(crate) fn of<T: DeserializeOwned + Serialize + JsonSchema>(name: &'static str) -> Self {
        Self {
            name,
            draft: || Draft::input::<T>(InputShape::Object),
            output: || schema::output::<T>(Profile::Portable),
            read: |reader, arguments| {
                let value: T = reader.read(Some(arguments), &[]).map_err(|error| error.to_string())?;
                Ok(serde_json::to_value(value).expect("values of the corpus can be written"))
            },
            fields: &[],
            shape: InputShape::Object,
            allow_unknown: false,
        }
    }

    /// With attributes on fields.
    pub(crate) fn with(mut self, fields: &'static [FieldMetadata]) -> Self {
        self.fields = fields;
        self
    }

    /// A unit struct.
    pub(crate) fn unit(mut self) -> Self {
        self.shape = InputShape::Unit;
        self
    }

    /// With the attribute `allow_unknown`.
    pub(crate) fn allow_unknown(mut self) -> Self {
        self.allow_unknown = true;
        self
    }

    fn draft(&self) -> Draft {
        let draft = (self.draft)();
        assert_eq!(draft.problem(), None, "{}", self.name);
        draft.with_fields(self.fields, self.allow_unknown)
    }

    pub(crate) fn input(&self, profile: Profile) -> Value {
        self.draft().finish(profile)
    }

    pub(crate) fn output(&self) -> Value {
        (self.output)()
    }

    /// The reader, which takes no text for an object: the schema does not show that it would.
    pub(crate) fn reader(&self) -> ArgumentReader {
        ArgumentReader::new(&self.draft(), self.fields, self.shape, self.allow_unknown)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
            .strict()
    }

    /// Reads arguments and writes the value again; `Err` is the text of the refusal.
    pub(crate) fn read(&self, reader: &ArgumentReader, arguments: &Value) -> Result<Value, String> {
        let arguments = serde_json::value::to_raw_value(arguments).expect("JSON can be written");
        (self.read)(reader, &arguments)
    }
}

/// The field of a tool that has just one.
#[derive(Debug, serde::Serialize, serde::Deserialize, JsonSchema)]
pub(crate) struct Field<T> {
    pub(crate) value: T,
}

/// The optional field of a tool that has just one.
#[derive(Debug, serde::Serialize, serde::Deserialize, JsonSchema)]
pub(crate) struct Maybe<T> {
    pub(crate) value: Option<T>,
}

/// The cases of the named types: `cases! { "name" => Type, … }`.
macro_rules! cases {
    ($($name:literal => $type:ty),+ $(,)?) => {
        vec![$($crate::case::Case::of::<$type>($name)),+]
    };
}

pub(crate) use cases;
