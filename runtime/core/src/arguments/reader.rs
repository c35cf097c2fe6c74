//! Converts arguments into a value: directly with serde if possible, otherwise by the schema first.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::checker::{Checker, SchemaError, SchemaFault};
use super::names::RootNames;
use super::places::Places;
use super::problem::{ArgumentErrors, Example};
use super::type_facts::TypeFacts;
use crate::metadata::{FieldMetadata, InputShape};
use crate::probe::{ProbeResult, probe};
use crate::schema::Draft;

/// Reads the arguments of one tool: compiled once, used for every call.
#[derive(Debug)]
pub struct ArgumentReader {
    /// The schema used for reading.
    pub(super) checker: Checker,
    pub(super) names: RootNames,
    pub(super) strict: bool,
    /// The example for errors, created on demand.
    pub(super) example: OnceLock<Option<Arc<Example>>>,
    /// Whether the type accepts the example, if the server sets nothing.
    pub(super) example_fits: OnceLock<bool>,
    pub(super) shape: InputShape,
    pub(super) places: Places,
    /// Facts learned from the type on the first call.
    pub(super) facts: OnceLock<TypeFacts>,
}

impl ArgumentReader {
    /// Compiles a reader from the parts of a definition.
    ///
    /// # Errors
    /// Returns an error if the schema cannot be enforced (see [`SchemaFault`]).
    pub fn new(
        draft: &Draft,
        fields: &'static [FieldMetadata],
        shape: InputShape,
        allow_unknown: bool,
    ) -> Result<Self, SchemaError> {
        if let Some(problem) = draft.problem() {
            let fault = SchemaFault::Input(problem.clone());
            return Err(SchemaError { tool: None, pointer: String::new(), fault });
        }
        Self::from_schema(&draft.exact(), fields, shape, allow_unknown)
    }

    pub(super) fn from_schema(
        schema: &Value,
        fields: &'static [FieldMetadata],
        shape: InputShape,
        allow_unknown: bool,
    ) -> Result<Self, SchemaError> {
        let mut checker = Checker::compile(schema)?;
        if allow_unknown {
            checker.open_root();
        }
        for field in fields {
            if field.secret || field.credential {
                checker.mark_secret(field.name);
            }
            for alias in field.aliases {
                checker.add_alias(field.name, alias);
            }
        }
        let names = RootNames::new(fields);
        let places = Places::new(&checker);
        Ok(Self {
            checker,
            names,
            strict: false,
            example: OnceLock::new(),
            example_fits: OnceLock::new(),
            shape,
            places,
            facts: OnceLock::new(),
        })
    }

    /// Rejects objects and arrays sent as JSON strings, which are otherwise parsed if the schema accepts
    /// nothing else there.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Reads and validates `arguments` (absent, `null` and `{}` are equivalent).
    ///
    /// `bound` holds the names and JSON texts of credentials set by the server. Those that the tool has no
    /// field for are ignored.
    ///
    /// A reader belongs to one type: the first call queries `T`, and the answers are used for all calls.
    ///
    /// # Errors
    /// Returns all problems with the arguments.
    pub fn read<T: DeserializeOwned>(
        &self,
        arguments: Option<&RawValue>,
        bound: &[(String, Box<RawValue>)],
    ) -> Result<T, ArgumentErrors> {
        let text = match arguments.map(RawValue::get) {
            None | Some("null") => "{}",
            Some(text) => text,
        };
        let facts = self.facts.get_or_init(|| self.query_facts::<T>(bound));
        if facts.is_plain
            && self.admits(text)
            && let Ok(value) = self.deserialize(text, bound)
        {
            return Ok(value);
        }
        self.read_by_schema(text, bound, facts)
    }

    #[cold]
    fn query_facts<T: DeserializeOwned>(&self, bound: &[(String, Box<RawValue>)]) -> TypeFacts {
        TypeFacts::of(&self.checker, &self.places, &|arguments| self.probe::<T>(arguments, bound))
    }

    /// Deserializes `arguments` as `T` and records what happens.
    pub(super) fn probe<T: DeserializeOwned>(
        &self,
        arguments: &Value,
        bound: &[(String, Box<RawValue>)],
    ) -> ProbeResult {
        if self.shape == InputShape::Unit {
            return probe::<T>(&Value::Null);
        }
        let mut arguments = Cow::Borrowed(arguments);
        for (name, value) in bound.iter().filter(|(name, _)| self.names.is_credential(name)) {
            if let (Ok(value), Some(members)) =
                (serde_json::from_str(value.get()), arguments.to_mut().as_object_mut())
            {
                members.insert(name.clone(), value);
            }
        }
        probe::<T>(&arguments)
    }

    /// Deserializes the arguments together with the values set by the server.
    pub(super) fn deserialize<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &[(String, Box<RawValue>)],
    ) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.serde_text(text, bound))
    }

    /// Returns the text that serde deserializes.
    pub(super) fn serde_text<'t>(&self, text: &'t str, bound: &[(String, Box<RawValue>)]) -> Cow<'t, str> {
        match self.shape {
            InputShape::Unit => Cow::Borrowed("null"),
            InputShape::Object => {
                splice(text, bound.iter().filter(|(name, _)| self.names.is_credential(name)))
            }
        }
    }
}

/// Inserts members at the start of the object `text`.
fn splice<'t, 'b>(text: &'t str, bound: impl Iterator<Item = &'b (String, Box<RawValue>)>) -> Cow<'t, str> {
    let mut bound = bound.peekable();
    let Some(rest) = text.strip_prefix('{').filter(|_| bound.peek().is_some()) else {
        return Cow::Borrowed(text);
    };
    let mut spliced = String::with_capacity(text.len() * 2);
    for (name, value) in bound {
        spliced.push(if spliced.is_empty() { '{' } else { ',' });
        spliced.push_str(&Value::from(name.as_str()).to_string());
        spliced.push(':');
        spliced.push_str(value.get());
    }
    if !rest.trim_start().starts_with('}') {
        spliced.push(',');
    }
    spliced.push_str(rest);
    Cow::Owned(spliced)
}
