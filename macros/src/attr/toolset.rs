//! The keys of a toolset.

use syn::{Attribute, LitStr, Path, Type};

use super::entry;
use super::item::{path_of, type_of};
use super::keys::{self, Place};
use super::value::{self, AttributeValue, set};
use crate::errors::Errors;

/// `#[mcp(…)]` on the enum of a toolset.
#[derive(Default)]
pub(crate) struct ToolsetAttributes {
    pub(crate) name: Option<AttributeValue<LitStr>>,
    pub(crate) version: Option<AttributeValue<LitStr>>,
    pub(crate) title: Option<AttributeValue<LitStr>>,
    pub(crate) instructions: Option<AttributeValue<LitStr>>,
    pub(crate) handler: Option<AttributeValue<Type>>,
    pub(crate) workflow: Option<AttributeValue<bool>>,
    pub(crate) crate_path: Option<AttributeValue<Path>>,
}

impl ToolsetAttributes {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut this = Self::default();
        for entry in &entry::entries_of(attributes, Place::Toolset, errors) {
            match entry.name().as_str() {
                keys::NAME => set(&mut this.name, entry, errors, value::text),
                keys::VERSION => set(&mut this.version, entry, errors, value::text),
                keys::TITLE => set(&mut this.title, entry, errors, value::text),
                keys::INSTRUCTIONS => set(&mut this.instructions, entry, errors, value::text),
                keys::HANDLER => set(&mut this.handler, entry, errors, type_of),
                keys::WORKFLOW => set(&mut this.workflow, entry, errors, value::flag),
                keys::CRATE => set(&mut this.crate_path, entry, errors, path_of),
                _ => {}
            }
        }
        this
    }
}
