//! The keys of a field.

use syn::{Attribute, Ident, LitStr, Path};

use super::entry;
use super::item::path_of;
use super::keys::{self, Place};
use super::value::{self, AttributeValue, Json, Number, set};
use crate::errors::Errors;

/// `#[mcp(…)]` on a field of a tool, a prompt or a resource.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) title: Option<AttributeValue<LitStr>>,
    pub(crate) description: Option<AttributeValue<LitStr>>,
    pub(crate) pattern: Option<AttributeValue<LitStr>>,
    pub(crate) format: Option<AttributeValue<LitStr>>,
    pub(crate) min_length: Option<AttributeValue<Number>>,
    pub(crate) max_length: Option<AttributeValue<Number>>,
    pub(crate) minimum: Option<AttributeValue<Number>>,
    pub(crate) maximum: Option<AttributeValue<Number>>,
    pub(crate) exclusive_minimum: Option<AttributeValue<Number>>,
    pub(crate) exclusive_maximum: Option<AttributeValue<Number>>,
    pub(crate) multiple_of: Option<AttributeValue<Number>>,
    pub(crate) min_items: Option<AttributeValue<Number>>,
    pub(crate) max_items: Option<AttributeValue<Number>>,
    pub(crate) example: Option<AttributeValue<Json>>,
    pub(crate) examples: Option<AttributeValue<Vec<Json>>>,
    pub(crate) header: Option<AttributeValue<LitStr>>,
    pub(crate) secret: Option<AttributeValue<bool>>,
    pub(crate) credential: Option<AttributeValue<bool>>,
    pub(crate) complete: Option<AttributeValue<Path>>,
    /// Every key that is present, in order.
    pub(crate) keys: Vec<Ident>,
}

impl FieldAttributes {
    /// Reads the keys that `place` takes.
    pub(crate) fn read(attributes: &[Attribute], place: Place, errors: &Errors) -> Self {
        let mut this = Self::default();
        for entry in &entry::entries_of(attributes, place, errors) {
            this.keys.push(entry.key.clone());
            match entry.name().as_str() {
                keys::TITLE => set(&mut this.title, entry, errors, value::text),
                keys::DESCRIPTION => set(&mut this.description, entry, errors, value::text),
                keys::PATTERN => set(&mut this.pattern, entry, errors, value::text),
                keys::FORMAT => set(&mut this.format, entry, errors, value::text),
                keys::MIN_LENGTH => set(&mut this.min_length, entry, errors, value::count),
                keys::MAX_LENGTH => set(&mut this.max_length, entry, errors, value::count),
                keys::MINIMUM => set(&mut this.minimum, entry, errors, value::number),
                keys::MAXIMUM => set(&mut this.maximum, entry, errors, value::number),
                keys::EXCLUSIVE_MINIMUM => set(&mut this.exclusive_minimum, entry, errors, value::number),
                keys::EXCLUSIVE_MAXIMUM => set(&mut this.exclusive_maximum, entry, errors, value::number),
                keys::MULTIPLE_OF => set(&mut this.multiple_of, entry, errors, value::number),
                keys::MIN_ITEMS => set(&mut this.min_items, entry, errors, value::count),
                keys::MAX_ITEMS => set(&mut this.max_items, entry, errors, value::count),
                keys::EXAMPLE => set(&mut this.example, entry, errors, value::json),
                keys::EXAMPLES => set(&mut this.examples, entry, errors, value::jsons),
                keys::HEADER => set(&mut this.header, entry, errors, value::text),
                keys::SECRET => set(&mut this.secret, entry, errors, value::flag),
                keys::CREDENTIAL => set(&mut this.credential, entry, errors, value::flag),
                keys::COMPLETE => set(&mut this.complete, entry, errors, path_of),
                _ => {}
            }
        }
        this
    }

    /// All examples, from either key.
    pub(crate) fn all_examples(&self) -> impl Iterator<Item = &Json> {
        let one = self.example.iter().map(|given| &given.value);
        one.chain(self.examples.iter().flat_map(|given| &given.value))
    }

    /// Whether the field is `secret`.
    pub(crate) fn is_secret(&self) -> bool {
        self.secret.as_ref().is_some_and(|given| given.value)
    }

    /// Whether the field is a `credential`.
    pub(crate) fn is_credential(&self) -> bool {
        self.credential.as_ref().is_some_and(|given| given.value)
    }
}
