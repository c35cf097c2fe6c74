//! JSON Schemas of inputs and outputs: schemars' own, then made portable.
//!
//! The stages, one file each: `learn` asks serde what schemars does not say (with `sample` and `keys`), `root` makes the root one object, `inline` puts definitions where they are
//! used, `tidy` writes each node in the plainest words that mean the same (with `one_type_each`), `fields` merges the attributes of
//! fields, `close` closes objects, `amend` adds what only the type knows (with `unlike`), `formats` replaces what only Rust understands by standard
//! keywords. `form` goes another way from `inline`: to
//! what a person can be asked. `walk` knows where subschemas stand, `merge` joins two schemas, `strings` joins
//! enumerations, `defaults` gives defaults one order.
//!
//! Definitions are always portable, because clients pass schemas to model providers that support a subset of JSON
//! Schema. What portable schemas cannot say in words (`u8` as a format) is kept as bounds.

mod keys;
mod learn;
pub(crate) mod pattern;
mod sample;

mod root;

mod inline;
mod tidy;

mod one_type_each;

mod fields;

mod amend;
mod close;
mod unlike;

mod formats;

mod form;

mod defaults;
mod merge;
pub mod rewrite;
mod strings;
pub(crate) mod walk;

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use self::close::CLOSED_BY_US;
pub use self::form::{FormProblem, form, form_for, restricted};
pub(crate) use self::formats::sample_of;
pub use self::root::SchemaProblem;

/// The keywords of JSON Schema 2020-12 whose values hold schemas.
pub mod keywords {
    pub use super::walk::{LIST, NAMED, ONE};
}

use self::learn::Lesson;
use self::tidy::Contract;
use crate::metadata::{FieldMetadata, InputShape, ToolMetadata};
use crate::per_type::PerType;
use crate::probe;

pub(crate) use amend::{Amendment, Change, apply as amend_exact};

/// How far a schema goes beyond what every client understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Only what common model providers and editors understand.
    #[default]
    Portable,
    /// What schemars wrote, with the root made an object and nothing else changed.
    Faithful,
}

/// An input schema on its way to a definition.
///
/// The draft is the portable schema in its final structure: the root is one object, definitions stand where they
/// are used (`$defs` holds only what is recursive or too large), enumerations are joined, `null` is gone from
/// optional properties, and the attributes of the fields are merged. It differs from the finished schema in this:
///
/// - A Rust number keeps its format (`int8` … `int128`, `int`, `uint8` … `uint128`, `uint`, `float`, `double`) and
///   only the bounds that schemars or an attribute wrote. A bound that is no tighter than the format's own range
///   (`minimum: 0` beside `uint32`) is enforced by serde; a tighter one is known to the schema alone.
/// - Keys of integer maps, IP addresses and serde's own impls for std types are described as loosely as schemars
///   does it; serde enforces them.
///
/// Everything else that serde does not check by itself (`pattern`, lengths, bounds without a Rust format,
/// `multipleOf`, `uniqueItems`, `format`, a closed root) stands in the draft exactly as in the finished schema, so
/// that [`crate::arguments::ArgumentReader`] can enforce it.
#[derive(Debug, Clone)]
pub struct Draft {
    schema: Value,
    problem: Option<SchemaProblem>,
    /// What schemars wrote, for the forms that few ask for: each is made when someone does.
    generated: Value,
    shape: InputShape,
    fields: Option<Fields>,
    amendments: Arc<[Amendment]>,
    /// The schema that arguments are read by, but for the amendments.
    reading: OnceLock<Value>,
}

/// What the attributes of fields say.
#[derive(Debug, Clone)]
struct Fields {
    each: Vec<FieldMetadata>,
    allow_unknown: bool,
}

impl Draft {
    /// The draft of an input that schemars describes as `D` and serde reads as `R`, with what only serde knows and what the
    /// attributes of its fields say. `K` stands for the two of them: what is learned about it is kept.
    pub(crate) fn of_type<K: 'static, D: JsonSchema, R: DeserializeOwned>(metadata: &ToolMetadata) -> Self {
        // Definitions are made over and over, and a type is asked once.
        static LESSONS: PerType<[Lesson]> = PerType::new();
        let mut generated = generate::<D>(SchemaSettings::draft2020_12());
        let lessons = LESSONS.get::<K>(|| learn_from::<R>(&generated, metadata.shape));
        learn::apply(&mut generated, &lessons);
        Self::of_generated(generated, metadata.shape).with_fields(metadata.fields, metadata.allow_unknown)
    }

    /// As [`input`](Self::input) for a type that serde reads as `R`, with what only serde knows: which keys a map takes,
    /// and which places of a tuple may be left out.
    pub fn read_as<T: JsonSchema, R: DeserializeOwned>(shape: InputShape) -> Self {
        let mut generated = generate::<T>(SchemaSettings::draft2020_12());
        let lessons = learn_from::<R>(&generated, shape);
        learn::apply(&mut generated, &lessons);
        Self::of_generated(generated, shape)
    }

    /// The draft with what its type says of itself.
    pub(crate) fn amended(mut self, amendments: Arc<[Amendment]>) -> Self {
        if !amendments.is_empty() {
            let reading = self.reading.get_or_init(|| self.make_reading());
            amend::apply_to_shown(&mut self.schema, reading, &amendments);
        }
        self.amendments = amendments;
        self
    }

    /// The schema of `T` as an input: the deserialize contract, with the root made one inlined object.
    ///
    /// A type that serde does not read from an object gives the schema of no arguments and a
    /// [`problem`](Self::problem).
    pub fn input<T: JsonSchema>(shape: InputShape) -> Self {
        Self::of_generated(generate::<T>(SchemaSettings::draft2020_12()), shape)
    }

    fn of_generated(generated: Value, shape: InputShape) -> Self {
        let (mut schema, problem) = match root::object(generated.clone(), shape) {
            Ok(schema) => (schema, None),
            Err(problem) => (root::no_arguments(), Some(problem)),
        };
        make_portable(&mut schema, Contract::Input);
        let (amendments, reading) = (Arc::default(), OnceLock::new());
        Self { schema, problem, generated, shape, fields: None, amendments, reading }
    }

    /// Why the type, with the attributes of its fields, cannot be the input of a tool, if it cannot.
    pub fn problem(&self) -> Option<&SchemaProblem> {
        self.problem.as_ref()
    }

    /// Merges what the attributes of the fields say, takes out credentials, and closes every object that lists its
    /// members unless `allow_unknown` or a flattened map takes further names.
    pub fn with_fields(mut self, fields: &[FieldMetadata], allow_unknown: bool) -> Self {
        let without_effect = fields::apply(&mut self.schema, fields);
        if !allow_unknown {
            fields::close_root(&mut self.schema);
            close::close(&mut self.schema, false);
            one_type_each::take_any_everywhere(&mut self.schema);
        }
        self.problem = self.problem.or(without_effect);
        self.fields = Some(Fields { each: fields.to_vec(), allow_unknown });
        self.reading = OnceLock::new();
        self
    }

    /// The draft itself.
    pub fn as_value(&self) -> &Value {
        &self.schema
    }

    /// The schema that arguments are read by: as the finished one, with the variants of an enum at the root apart, with
    /// `null` where a type takes it, and with the formats of Rust's numbers beside their bounds.
    pub(crate) fn exact(&self) -> Value {
        let mut exact = self.reading.get_or_init(|| self.make_reading()).clone();
        amend::apply(&mut exact, &self.amendments);
        formats::finish(&mut exact, formats::Rust::Kept);
        exact
    }

    /// The same with what the server sets as members like any others.
    pub(crate) fn with_credentials(&self) -> Self {
        let mut draft = self.clone();
        draft
            .fields
            .iter_mut()
            .flat_map(|fields| &mut fields.each)
            .for_each(|field| field.credential = false);
        draft.reading = OnceLock::new();
        draft
    }

    /// The schema that arguments are read by, with what the server sets.
    pub(crate) fn exact_with_credentials(&self) -> Value {
        let has_credentials =
            self.fields.as_ref().is_some_and(|fields| fields.each.iter().any(|field| field.credential));
        if has_credentials { self.with_credentials().exact() } else { self.exact() }
    }

    fn make_reading(&self) -> Value {
        let is_object = self.shape == InputShape::Object && self.problem.is_none();
        let mut reading = if is_object { root::exact(self.generated.clone()) } else { root::no_arguments() };
        make_portable(&mut reading, Contract::Reading);
        if let Some(fields) = &self.fields {
            fields::apply_to_parts(&mut reading, &fields.each);
            if !fields.allow_unknown {
                close::close(&mut reading, true);
                one_type_each::take_any_everywhere(&mut reading);
            }
        }
        reading
    }

    fn make_faithful(self) -> Value {
        let mut faithful = root::object(self.generated, self.shape).unwrap_or_else(|_| root::no_arguments());
        root::forget_marks(&mut faithful);
        if let Some(fields) = &self.fields {
            fields::apply(&mut faithful, &fields.each);
            if !fields.allow_unknown {
                fields::close_root(&mut faithful);
            }
        }
        faithful
    }

    /// The schema as a definition shows it.
    pub fn finish(self, profile: Profile) -> Value {
        match profile {
            Profile::Faithful => self.make_faithful(),
            Profile::Portable => {
                let mut schema = self.schema;
                formats::finish(&mut schema, formats::Rust::Replaced);
                schema
            }
        }
    }
}

/// The schema of `T` as an output: the serialize contract, exactly, and with any type at the root.
pub fn output<T: JsonSchema + ?Sized>(profile: Profile) -> Value {
    let mut generated = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    open_structs(&mut generated);
    let mut schema = root::any(generated);
    if profile == Profile::Portable {
        make_portable(&mut schema, Contract::Output);
        close::part_maps(&mut schema);
        one_type_each::take_any_beside_maps(&mut schema);
        formats::finish(&mut schema, formats::Rust::Replaced);
    }
    schema
}

/// Opens what `deny_unknown_fields` closed: it is about reading, and with serde's `tag` on a struct there is a member
/// written that schemars does not list.
fn open_structs(generated: &mut Value) {
    let open = |schema: &mut Value| {
        if let Some(object) = schema.as_object_mut().filter(|object| object.contains_key("properties")) {
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                if object.get(keyword) == Some(&Value::Bool(false)) {
                    object.shift_remove(keyword);
                }
            }
        }
    };
    open(generated);
    if let Some(Value::Object(definitions)) = generated.get_mut("$defs") {
        definitions.values_mut().for_each(open);
    }
}

/// What serde says about the maps, tuples and empty objects of `R`, whose schema is `generated`.
fn learn_from<R: DeserializeOwned>(generated: &Value, shape: InputShape) -> Arc<[Lesson]> {
    if shape == InputShape::Unit {
        return Arc::default();
    }
    learn::learn(generated, &probe::probe::<R>).into()
}

/// What schemars says about `T`. The type itself always stands in `$defs` (unless it is written in place), so that
/// a recursive type does not point at the root, which has other rules than the type.
fn generate<T: JsonSchema + ?Sized>(settings: SchemaSettings) -> Value {
    let mut generator = settings.into_generator();
    let mut schema = generator.subschema_for::<T>().to_value();
    let definitions = generator.take_definitions(false);
    if !definitions.is_empty() {
        walk::as_object(&mut schema).insert("$defs".to_owned(), Value::Object(definitions));
    }
    defaults::put_in_order(&mut schema);
    put_right(&mut schema);
    schema
}

/// Descriptions may be files that `include_str!` reads. Of an enum whose unit variants are all skipped, schemars lists these
/// as an arm of no values.
fn put_right(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for (keyword, value) in &mut *object {
        match (keyword.as_str(), value) {
            ("title" | "description", Value::String(text)) if text.contains('\r') => {
                *text = plain_lines(text);
            }
            ("anyOf" | "oneOf", Value::Array(arms)) if !arms.iter().all(has_no_value) => {
                arms.retain(|arm| !has_no_value(arm));
            }
            _ => {}
        }
    }
    walk::subschemas_mut(object, |_, subschema| put_right(subschema));
}

fn has_no_value(schema: &Value) -> bool {
    schema.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty)
}

/// The lines of `text`, whatever ends them, without blank ones around them.
pub(crate) fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim_matches('\n').to_owned()
}

fn make_portable(schema: &mut Value, contract: Contract) {
    if let Value::Object(root) = schema {
        for noise in ["$schema", "title", "description"] {
            root.shift_remove(noise);
        }
    }
    formats::close_std_types(schema);
    inline::expand(schema);
    tidy::tidy(schema, contract);
    formats::name_unnamed(schema);
}

/// The members of `schema`, which is an object unless it is a boolean schema.
fn members(schema: &Value) -> Option<&Map<String, Value>> {
    schema.as_object()
}
