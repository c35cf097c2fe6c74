//! Which names stand where: at the root of the arguments, and in the objects below it, straight from the text.

use super::checker::{Node, NodeId};
use super::reader::ArgumentReader;
use super::scan::{items, members};
use crate::tool::FieldMetadata;

/// The names at the root that are not for callers.
#[derive(Debug)]
pub(super) struct RootNames {
    /// The names of what the server sets, with the name that serde reads first.
    credentials: Vec<(&'static str, &'static str)>,
}

impl RootNames {
    pub(super) fn new(fields: &'static [FieldMetadata]) -> Self {
        let credentials = fields.iter().filter(|field| field.credential).flat_map(|field| {
            field.aliases.iter().copied().chain([field.name]).map(|spelling| (spelling, field.name))
        });
        Self { credentials: credentials.collect() }
    }

    /// Whether `name` is one of those that only the server sets.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        self.credentials.iter().any(|(spelling, _)| *spelling == name)
    }

    /// Whether serde reads `name` from what the server binds.
    pub(super) fn is_credential(&self, name: &str) -> bool {
        self.credentials.iter().any(|(_, field)| *field == name)
    }

    pub(super) fn has_credentials(&self) -> bool {
        !self.credentials.is_empty()
    }
}

impl ArgumentReader {
    /// Whether the text is an object, and all names in it are known, at every depth.
    pub(super) fn has_known_names(&self, text: &str) -> bool {
        if !text.starts_with('{') {
            return false;
        }
        let root = self.checker.root();
        // Most tools have no objects below the root, and names are all that there is to look at.
        for member in members(text) {
            let name = member.name();
            let Some(position) = root.object.position(&name) else {
                let is_taken = self.takes(root, &name) && !self.names.is_reserved(&name);
                match root.object.additional.filter(|_| is_taken) {
                    Some(child) if !self.has_shape(child, member.value) => return false,
                    _ if is_taken => continue,
                    _ => return false,
                }
            };
            let child = root.object.properties[position].1;
            if self.checker.node(child).outlined && !self.has_shape(child, member.value) {
                return false;
            }
        }
        let parts = &root.in_place;
        parts.reference.iter().chain(&parts.all_of).all(|part| self.has_shape(*part, text))
    }

    /// Whether an object takes a member that it does not list.
    fn takes(&self, node: &Node, name: &str) -> bool {
        let object = &node.object;
        object.patterns.iter().any(|(pattern, _)| pattern.is_match(name))
            || (!object.sealed
                && !object.additional.is_some_and(|additional| self.checker.node(additional).never))
    }

    /// Whether objects stand where the schema has some, with names that it knows.
    fn has_shape(&self, id: NodeId, text: &str) -> bool {
        let node = self.checker.node(id);
        if !node.outlined || text == "null" {
            return true;
        }
        let parts = &node.in_place;
        let own = match text.as_bytes().first() {
            Some(b'{') => members(text).all(|member| {
                let name = member.name();
                let child = match node.object.position(&name) {
                    Some(position) => Some(node.object.properties[position].1),
                    None if self.takes(node, &name) => node.object.additional,
                    None => return false,
                };
                child.is_none_or(|child| self.has_shape(child, member.value))
            }),
            Some(b'[') if node.object.properties.is_empty() => {
                items(text).enumerate().all(|(index, item)| {
                    let child = node.array.prefix.get(index).copied().or(node.array.items);
                    child.is_none_or(|child| self.has_shape(child, item))
                })
            }
            // Serde reads a struct from an array of its members as well; nobody asks for that.
            _ => node.object.properties.is_empty() && !node.object.sealed,
        };
        own && parts.reference.iter().chain(&parts.all_of).all(|part| self.has_shape(*part, text))
    }
}
