//! The keys of a tool, a prompt or a resource.

use syn::{Attribute, LitStr, Path, Type};

use super::entry::{self, Entry, Value};
use super::keys::{self, Place};
use super::value::{self, AttributeValue, Json, Number, set};
use crate::errors::Errors;

/// `#[mcp(…)]` on the struct or enum of a tool, or on the struct of a prompt or resource.
#[derive(Default)]
pub(crate) struct ItemAttributes {
    pub(crate) name: Option<AttributeValue<LitStr>>,
    pub(crate) title: Option<AttributeValue<LitStr>>,
    pub(crate) description: Option<AttributeValue<LitStr>>,
    pub(crate) read_only: Option<AttributeValue<bool>>,
    pub(crate) destructive: Option<AttributeValue<bool>>,
    pub(crate) idempotent: Option<AttributeValue<bool>>,
    pub(crate) open_world: Option<AttributeValue<bool>>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Option<AttributeValue<Vec<(LitStr, Json)>>>,
    pub(crate) scopes: Option<AttributeValue<Vec<LitStr>>>,
    pub(crate) was: Option<AttributeValue<Vec<LitStr>>>,
    pub(crate) tags: Option<AttributeValue<Vec<LitStr>>>,
    pub(crate) context: Option<AttributeValue<LitStr>>,
    pub(crate) task: Option<AttributeValue<Task>>,
    pub(crate) allow_unknown: Option<AttributeValue<bool>>,
    pub(crate) output: Option<AttributeValue<Type>>,
    pub(crate) uri: Option<AttributeValue<LitStr>>,
    pub(crate) mime_type: Option<AttributeValue<LitStr>>,
    pub(crate) size: Option<AttributeValue<Number>>,
    pub(crate) audience: Option<AttributeValue<Vec<LitStr>>>,
    pub(crate) priority: Option<AttributeValue<Number>>,
    pub(crate) crate_path: Option<AttributeValue<Path>>,
    /// Whether a mistake in the keys has already been reported.
    pub(crate) faulty: bool,
}

/// Whether calls become tasks.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    /// `task = false`, the same as no key.
    Never,
    /// `task`.
    Optional,
    /// `task = "required"`.
    Required,
}

/// `icon(…)`; several are allowed.
pub(crate) struct Icon {
    pub(crate) key: syn::Ident,
    pub(crate) src: Option<AttributeValue<LitStr>>,
    pub(crate) mime_type: Option<AttributeValue<LitStr>>,
    pub(crate) sizes: Option<AttributeValue<Vec<LitStr>>>,
    pub(crate) theme: Option<AttributeValue<LitStr>>,
    /// Whether a mistake in it has already been reported.
    pub(crate) faulty: bool,
}

impl ItemAttributes {
    /// Reads the keys that `place` takes.
    pub(crate) fn read(attributes: &[Attribute], place: Place, errors: &Errors) -> Self {
        let mistakes = errors.count();
        let mut this = Self::default();
        for entry in &entry::entries_of(attributes, place, errors) {
            match entry.name().as_str() {
                keys::NAME => set(&mut this.name, entry, errors, value::text),
                keys::TITLE => set(&mut this.title, entry, errors, value::text),
                keys::DESCRIPTION => set(&mut this.description, entry, errors, value::text),
                keys::READ_ONLY => set(&mut this.read_only, entry, errors, value::flag),
                keys::DESTRUCTIVE => set(&mut this.destructive, entry, errors, value::flag),
                keys::IDEMPOTENT => set(&mut this.idempotent, entry, errors, value::flag),
                keys::OPEN_WORLD => set(&mut this.open_world, entry, errors, value::flag),
                keys::ICON => this.icons.extend(Icon::read(entry, errors)),
                keys::META => set(&mut this.meta, entry, errors, value::members),
                keys::SCOPES => set(&mut this.scopes, entry, errors, value::strings),
                keys::WAS => set(&mut this.was, entry, errors, value::strings),
                keys::TAGS => set(&mut this.tags, entry, errors, value::strings),
                keys::CONTEXT => set(&mut this.context, entry, errors, value::text),
                keys::TASK => set(&mut this.task, entry, errors, task_of),
                keys::ALLOW_UNKNOWN => set(&mut this.allow_unknown, entry, errors, value::flag),
                keys::OUTPUT => set(&mut this.output, entry, errors, type_of),
                keys::URI => set(&mut this.uri, entry, errors, value::text),
                keys::MIME_TYPE => set(&mut this.mime_type, entry, errors, value::text),
                keys::SIZE => set(&mut this.size, entry, errors, value::count),
                keys::AUDIENCE => set(&mut this.audience, entry, errors, value::strings),
                keys::PRIORITY => set(&mut this.priority, entry, errors, value::number),
                keys::CRATE => set(&mut this.crate_path, entry, errors, path_of),
                _ => {}
            }
        }
        this.faulty = errors.count() > mistakes;
        this
    }
}

impl Icon {
    fn read(entry: &Entry, errors: &Errors) -> Option<Self> {
        let Value::List(list) = &entry.value else {
            errors.on(entry, entry.usage());
            return None;
        };
        let mistakes = errors.count();
        let key = entry.key.clone();
        let mut this = Self { key, src: None, mime_type: None, sizes: None, theme: None, faulty: false };
        for entry in &entry::entries_in(&list.tokens, Place::Icon, errors) {
            match entry.name().as_str() {
                keys::SRC => set(&mut this.src, entry, errors, value::text),
                keys::MIME_TYPE => set(&mut this.mime_type, entry, errors, value::text),
                keys::SIZES => set(&mut this.sizes, entry, errors, value::strings),
                keys::THEME => set(&mut this.theme, entry, errors, value::text),
                _ => {}
            }
        }
        this.faulty = errors.count() > mistakes;
        Some(this)
    }
}

/// `key`, `key = true`, `key = false` or `key = "required"`.
fn task_of(entry: &Entry) -> Option<Task> {
    match value::text(entry) {
        Some(text) => (text.value() == "required").then_some(Task::Required),
        None => value::flag(entry).map(|is_set| if is_set { Task::Optional } else { Task::Never }),
    }
}

/// `key = Type`.
pub(super) fn type_of(entry: &Entry) -> Option<Type> {
    match &entry.value {
        Value::Type(value) => Some((**value).clone()),
        _ => None,
    }
}

/// `key = path`.
pub(super) fn path_of(entry: &Entry) -> Option<Path> {
    match &entry.value {
        Value::Path(value) => Some(value.clone()),
        _ => None,
    }
}
