//! How a call's arguments become a value: serde straight from the text, and the few checks beside it.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::checker::{Checker, ROOT, Rules, SchemaError, SchemaFault};
use super::names::{Meaning, RootNames};
use super::problem::ArgumentErrors;
use super::scan::members;
use crate::schema::{Draft, Profile};
use crate::tool::{FieldMetadata, InputShape, Read, Tool};

/// How arguments of one tool are read: compiled once, used for every call.
#[derive(Debug)]
pub struct ArgumentReader {
    /// The schema as the definition shows it, for the second reading and its words.
    pub(super) shown: Checker,
    /// The draft, which still tells what serde enforces by itself, for the first reading.
    draft: Checker,
    pub(super) names: RootNames,
    pub(super) strict: bool,
    /// The example for errors, made when the first one is needed.
    pub(super) example: OnceLock<Option<Value>>,
    shape: InputShape,
    to_check: ToCheck,
}

/// Which parts of the arguments have rules that serde does not enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToCheck {
    Nothing,
    /// Single members; [`super::names::Known::to_check`] tells which.
    Members,
    /// The object as a whole.
    Whole,
}

impl ArgumentReader {
    /// Compiles the reader of `T`.
    ///
    /// # Errors
    /// A schema that cannot be enforced (see [`SchemaFault`]); the error names the tool.
    pub fn of<T: Tool>() -> Result<Self, SchemaError> {
        Self::of_draft::<T>(&Draft::of::<T>())
    }

    /// Compiles the reader of `T` from its draft.
    pub(crate) fn of_draft<T: Tool>(draft: &Draft) -> Result<Self, SchemaError> {
        let metadata = T::METADATA;
        Self::new(draft, metadata.fields, metadata.shape, metadata.allow_unknown)
            .map_err(|error| SchemaError { tool: Some(T::NAME), ..error })
    }

    /// Compiles a reader from the parts of a definition.
    ///
    /// # Errors
    /// A schema that cannot be enforced (see [`SchemaFault`]).
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
        let shown = draft.clone().finish(Profile::Portable);
        Self::from_schemas(draft.as_value(), &shown, fields, shape, allow_unknown)
    }

    pub(super) fn from_schemas(
        draft: &Value,
        shown: &Value,
        fields: &'static [FieldMetadata],
        shape: InputShape,
        allow_unknown: bool,
    ) -> Result<Self, SchemaError> {
        let draft = Checker::compile(draft)?;
        let mut shown = Checker::compile(shown)?;
        for field in fields.iter().filter(|field| field.secret || field.credential) {
            shown.hide(field.name);
        }
        let names = RootNames::new(&draft, fields, allow_unknown);
        let to_check = match draft.root() {
            root if !root.is_beyond_serde() => ToCheck::Nothing,
            _ if draft.only_properties_beyond_serde() => ToCheck::Members,
            _ => ToCheck::Whole,
        };
        Ok(Self { shown, draft, names, strict: false, example: OnceLock::new(), shape, to_check })
    }

    /// Refuses an object or array that comes as JSON text, which is otherwise read where the schema allows
    /// nothing but an object or array.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Reads and checks the arguments of the tool `T`; see [`read`](Self::read).
    ///
    /// # Errors
    /// Every problem of the arguments at once.
    pub fn read_tool<T: Tool>(
        &self,
        arguments: Option<&RawValue>,
        bound: &[(String, Box<RawValue>)],
    ) -> Result<T, ArgumentErrors> {
        let read = self.read::<Read<T>>(arguments, bound)?;
        let arguments: T::Arguments = read.into();
        Ok(arguments.into())
    }

    /// Reads and checks `arguments` (absent, `null` and `{}` are the same).
    ///
    /// `bound` holds what the server binds: the names and the JSON text of credentials. Those that the tool has no
    /// field for are left aside.
    ///
    /// # Errors
    /// Every problem of the arguments at once.
    pub fn read<T: DeserializeOwned>(
        &self,
        arguments: Option<&RawValue>,
        bound: &[(String, Box<RawValue>)],
    ) -> Result<T, ArgumentErrors> {
        let text = match arguments.map(RawValue::get) {
            None | Some("null") => "{}",
            Some(text) => text,
        };
        if self.admits(text)
            && let Ok(value) = self.deserialize(text, bound)
        {
            return Ok(value);
        }
        self.read_with_care(text, bound)
    }

    /// Whether the text is an object with known names, whose values keep the rules that serde does not enforce.
    pub(super) fn admits(&self, text: &str) -> bool {
        if !text.starts_with('{') {
            return false;
        }
        for member in members(text) {
            let known = match self.names.meaning(&member.name()) {
                Meaning::Known(known) => known,
                Meaning::Free => continue,
                Meaning::Credential | Meaning::Unknown => return false,
            };
            if let (ToCheck::Members, Some(node)) = (self.to_check, known.to_check) {
                let Ok(value) = serde_json::from_str::<Value>(member.value) else { return false };
                let is_left_out = value.is_null() && !self.draft.root().object.requires(&known.property);
                if !is_left_out && !self.draft.fits(node, &value, Rules::BeyondSerde) {
                    return false;
                }
            }
        }
        self.to_check != ToCheck::Whole
            || serde_json::from_str(text).is_ok_and(|value| self.draft.fits(ROOT, &value, Rules::BeyondSerde))
    }

    /// Serde, with what the server binds put in.
    pub(super) fn deserialize<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &[(String, Box<RawValue>)],
    ) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.serde_text(text, bound))
    }

    /// The text that serde reads.
    pub(super) fn serde_text<'t>(&self, text: &'t str, bound: &[(String, Box<RawValue>)]) -> Cow<'t, str> {
        match self.shape {
            InputShape::Unit => Cow::Borrowed("null"),
            InputShape::Object => {
                splice(text, bound.iter().filter(|(name, _)| self.names.is_credential(name)))
            }
        }
    }
}

/// The object `text` with further members in front.
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
