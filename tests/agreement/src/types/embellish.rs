//! What is added to a type once it is made: sets and maps without order, secrets and credentials, and two fields or
//! variants of one name.

use std::collections::BTreeSet;

use super::{
    Definition, Features, Field, Model, Preset, Role, Secrecy, Shape, Tagging, Type, Variant, Writer,
};
use crate::choices::Choices;

impl Model {
    /// The type with some of these.
    #[must_use]
    pub fn embellished(mut self, choices: &mut Choices<'_>, features: &Features) -> Self {
        if features.has("hash") {
            for definition in &mut self.definitions {
                definition.uses_mut().into_iter().for_each(|of| hash(of, choices));
            }
        }
        self.hide(choices, features);
        if choices.once_in(16) && features.has("collision") {
            self.collide(choices);
        }
        self
    }

    /// Makes fields of the tool secrets or credentials. A tool that holds itself has them at other places as well, where
    /// the attributes are not looked at.
    fn hide(&mut self, choices: &mut Choices<'_>, features: &Features) {
        if self.uses(|of| matches!(of, Type::Named(0, _))) {
            return;
        }
        let Shape::Struct(fields) = &mut self.definitions[0].shape else { return };
        for field in fields.iter_mut().filter(|field| field.is_read() && !field.is_flat) {
            match choices.below(12) {
                10 if features.has("secret") => field.secrecy = Secrecy::Secret,
                11 if features.has("credential") && !field.is_rule_ours => {
                    field.secrecy = Secrecy::Credential;
                }
                _ => {}
            }
        }
    }

    /// Gives a field the name of another one, or a variant. Of the tool itself that is a compile error; where serde reads
    /// from a copy, or a key, it says nothing of names.
    fn collide(&mut self, choices: &mut Choices<'_>) {
        let presets = |field: &&Field| matches!(field.default, Preset::Function(_));
        let has_preset = |one: &Definition| one.has_default || one.fields().iter().any(presets);
        // Values that are written in the source must be read.
        if self.buffers() || self.definitions.iter().any(has_preset) {
            return;
        }
        let held = self.held();
        let may_collide = |at: &usize| *at > 0 && held.contains(at) && self.definitions[*at].has_two_names();
        let found: Vec<usize> = (0..self.definitions.len()).filter(may_collide).collect();
        if found.is_empty() {
            return;
        }
        let definition = &mut self.definitions[*choices.pick(&found)];
        let by_alias = choices.once_in(2);
        let (style, named) = (definition.rename_all, definition.clone());
        let change = |rename: &mut Option<String>, aliases: &mut Vec<String>, name: String| {
            if by_alias { aliases.push(name) } else { *rename = Some(name) }
        };
        match &mut definition.shape {
            Shape::Struct(fields) => {
                let mut read = fields.iter_mut().filter(|field| field.is_read());
                if let (Some(first), Some(second)) = (read.next(), read.next()) {
                    change(&mut second.rename, &mut second.aliases, first.key(style));
                }
            }
            Shape::Enum(_, variants) => {
                let mut plain = variants.iter_mut().filter(|variant| variant.role == Role::Plain);
                if let (Some(first), Some(second)) = (plain.next(), plain.next()) {
                    change(&mut second.rename, &mut second.aliases, first.key(&named));
                }
            }
            _ => {}
        }
    }

    /// The definitions that values of the tool hold, but for those that are keys or items of sets alone.
    fn held(&self) -> BTreeSet<usize> {
        let (mut held, mut next) = (BTreeSet::new(), vec![0]);
        while let Some(at) = next.pop() {
            if !held.insert(at) {
                continue;
            }
            let definition = &self.definitions[at];
            let read: Vec<&Type> = match &definition.shape {
                Shape::From(via) | Shape::TryFrom(via) => vec![via],
                Shape::Enum(_, variants) => {
                    let read = variants.iter().filter(|variant| variant.role != Role::Skipped);
                    read.flat_map(|variant| variant.body.fields())
                        .filter(|field| is_read_as_it_is(field))
                        .map(|field| &field.of)
                        .collect()
                }
                _ => definition
                    .fields()
                    .into_iter()
                    .filter(|field| is_read_as_it_is(field))
                    .map(|field| &field.of)
                    .collect(),
            };
            let mut types = read;
            while let Some(one) = types.pop() {
                match one {
                    Type::Named(at, _) => next.push(*at),
                    Type::Map(_, value) => {
                        types.push(value);
                        continue;
                    }
                    Type::Set(_) | Type::Array(_, 0) => continue,
                    _ => {}
                }
                types.extend(one.inner());
            }
        }
        held
    }

    /// Whether two fields or two variants of one type have one name.
    pub fn collides(&self) -> bool {
        self.definitions.iter().any(|definition| match &definition.shape {
            Shape::Struct(fields) => {
                let read = fields.iter().filter(|field| field.is_read() && !field.is_flat);
                has_repeats(read.flat_map(|field| {
                    field.aliases.iter().cloned().chain([field.key(definition.rename_all)])
                }))
            }
            Shape::Enum(_, variants) => {
                let plain = variants.iter().filter(|variant| variant.role == Role::Plain);
                has_repeats(plain.flat_map(|one| one.aliases.iter().cloned().chain([one.key(definition)])))
            }
            _ => false,
        })
    }

    /// The credentials of the tool: the names, and values as JSON.
    pub fn credentials(&self) -> Vec<(String, String)> {
        let Shape::Struct(fields) = &self.definitions[0].shape else { return Vec::new() };
        let style = self.definitions[0].rename_all;
        let credentials = fields.iter().filter(|field| field.secrecy == Secrecy::Credential);
        let value = |field: &Field| Writer::new(self).field(field, None, &mut Choices::new(&[1; 64]), 0);
        credentials.map(|field| (field.key(style), value(field).to_string())).collect()
    }
}

fn is_read_as_it_is(field: &Field) -> bool {
    field.is_read() && field.with.is_none()
}

fn has_repeats(names: impl Iterator<Item = String>) -> bool {
    let mut seen = BTreeSet::new();
    names.into_iter().any(|name| !seen.insert(name))
}

impl Definition {
    /// Whether it has two fields or variants that serde reads by their names.
    fn has_two_names(&self) -> bool {
        match &self.shape {
            Shape::Struct(fields) => fields.iter().filter(|field| field.is_read()).count() > 1,
            Shape::Enum(Tagging::External, variants) => {
                let is_plain = |variant: &&Variant| variant.role == Role::Plain;
                variants.iter().filter(is_plain).count() > 1
            }
            _ => false,
        }
    }
}

/// Takes the order from some of the sets and maps.
fn hash(of: &mut Type, choices: &mut Choices<'_>) {
    match of {
        Type::Leaf(_) | Type::Parameter | Type::Named(_, None) => return,
        Type::Option(one)
        | Type::Boxed(one)
        | Type::List(one)
        | Type::Array(one, _)
        | Type::Hashed(one)
        | Type::Map(_, one)
        | Type::Named(_, Some(one)) => hash(one, choices),
        Type::Set(_) => {}
        Type::Tuple(items) => items.iter_mut().for_each(|item| hash(item, choices)),
    }
    if matches!(of, Type::Set(_) | Type::Map(..)) && choices.once_in(3) {
        *of = Type::Hashed(Box::new(std::mem::replace(of, Type::Parameter)));
    }
}
