//! Validates the text before serde reads it: the names of members, and the constraints of single values.

use super::checker::{Exact, Node, NodeId, ROOT, Types};
use super::doc::string;
use super::reader::ArgumentReader;
use super::scan::{items, members};
use crate::metadata::FieldMetadata;

/// The names at the root that callers must not use.
#[derive(Debug)]
pub(super) struct RootNames {
    /// The names of values that the server sets, each with the name that serde reads first.
    credentials: Vec<(&'static str, &'static str)>,
}

impl RootNames {
    pub(super) fn new(fields: &'static [FieldMetadata]) -> Self {
        let credentials = fields.iter().filter(|field| field.credential).flat_map(|field| {
            field.aliases.iter().copied().chain([field.name]).map(|spelling| (spelling, field.name))
        });
        Self { credentials: credentials.collect() }
    }

    /// Returns whether `name` is reserved for the server.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        self.credentials.iter().any(|(spelling, _)| *spelling == name)
    }

    /// Returns whether serde reads `name` from the values that the server sets.
    pub(super) fn is_credential(&self, name: &str) -> bool {
        self.credentials.iter().any(|(_, field)| *field == name)
    }

    pub(super) fn has_credentials(&self) -> bool {
        !self.credentials.is_empty()
    }
}

impl ArgumentReader {
    /// Returns whether the text is an object with known names at every depth, and its values satisfy the
    /// constraints that serde does not enforce.
    pub(super) fn admits(&self, text: &str) -> bool {
        text.starts_with('{')
            && !(self.names.has_credentials()
                && members(text).any(|member| self.names.is_reserved(&member.name())))
            && self.fits(ROOT, text)
    }

    #[inline]
    fn fits(&self, id: NodeId, text: &str) -> bool {
        let node = self.checker.node(id);
        if node.outlined { self.outline_fits(node, text) } else { !node.never }
    }

    fn outline_fits(&self, node: &Node, text: &str) -> bool {
        if text == "null" {
            return true;
        }
        let own = match text.as_bytes().first() {
            Some(b'{') => node.reach.overlaps(Types::OBJECT) && self.members_fit(node, text),
            // Serde also reads a struct from an array of its members, which is not supported.
            Some(b'[') => node.reach.overlaps(Types::ARRAY) && self.items_fit(node, text),
            Some(b'"') => node.reach.overlaps(Types::STRING) && string_fits(node, text),
            Some(b'-' | b'0'..=b'9') => {
                node.reach.overlaps(Types::NUMBER) && node.number.accepts(text, Exact::of_text(text))
            }
            _ => node.reach.overlaps(Types::BOOLEAN),
        };
        let parts = &node.in_place;
        own && parts.reference.iter().chain(&parts.all_of).all(|part| self.fits(*part, text))
    }

    fn members_fit(&self, node: &Node, text: &str) -> bool {
        let object = &node.object;
        members(text).all(|member| {
            let name = member.name();
            if let Some(position) = object.position(&name) {
                return self.fits(object.properties[position].1, member.value);
            }
            let mut patterns =
                object.patterns.iter().filter(|(pattern, _)| pattern.is_match(&name)).peekable();
            if patterns.peek().is_some() {
                return patterns.all(|(_, child)| self.fits(*child, member.value));
            }
            !object.sealed && object.additional.is_none_or(|child| self.fits(child, member.value))
        })
    }

    fn items_fit(&self, node: &Node, text: &str) -> bool {
        let array = &node.array;
        let mut length = 0;
        let all_fit = items(text).enumerate().all(|(index, item)| {
            length += 1;
            let child = array.prefix.get(index).copied().or(array.items);
            child.is_none_or(|child| self.fits(child, item))
        });
        all_fit && array.have_length(length)
    }
}

fn string_fits(node: &Node, text: &str) -> bool {
    let rules = &node.string;
    string(text, 0).is_ok_and(|(content, _)| rules.have_shape_of(&content) && rules.have_length_of(&content))
}
