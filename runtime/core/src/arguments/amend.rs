//! Schema keywords learned from the type itself: dependent members, and enums that accept any name.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::checker::{Checker, NodeId, TypeInfo as _};
use super::places::Places;
use super::queries::Queries;
use super::type_facts::{TypeFacts, UNLIKELY};
use crate::metadata::InputShape;
use crate::probe::probe;
use crate::schema::{self, Amendment, Change, Draft};

impl Draft {
    /// Adds what schemars does not express, but the type reveals when it deserializes values: members of a
    /// flattened `Option` that must be present together, and enums that accept any name (`#[serde(other)]`).
    /// Call it after [`with_fields`](Self::with_fields).
    #[must_use]
    pub fn with_type<T: DeserializeOwned>(self, shape: InputShape) -> Self {
        let amendments = query_amendments::<T>(&self, shape);
        self.with_amendments(amendments)
    }
}

/// Queries `T` for additions to its schema.
pub(crate) fn query_amendments<T: DeserializeOwned>(draft: &Draft, shape: InputShape) -> Arc<[Amendment]> {
    // The type cannot be deserialized without the values that the server sets.
    let exact = draft.exact_with_credentials();
    let (checker, fault) = Checker::compile_leniently(&exact);
    if fault.is_some() || shape == InputShape::Unit {
        return Arc::default();
    }
    let mut amendments = find_dependent_members::<T>(&checker);
    if amendments.is_empty() {
        amendments.extend(find_catch_all_enums::<T>(&checker));
    } else {
        // A flattened `Option` is only read if everything that it requires is present.
        let mut exact = exact;
        schema::amend_exact(&mut exact, &amendments);
        amendments.extend(find_catch_all_enums::<T>(&Checker::compile_leniently(&exact).0));
    }
    amendments.into()
}

/// Finds members that must be present together.
fn find_dependent_members<T: DeserializeOwned>(checker: &Checker) -> Vec<Amendment> {
    let places = Places::new(checker);
    let facts = TypeFacts::of(checker, &places, &probe::<T>);
    let mut amendments = Vec::new();
    for (id, needs) in facts.all_needs() {
        let object = &checker.node(id).object;
        let name = |at: &usize| object.properties[*at].0.to_string();
        let entry = |(member, others): &(usize, Vec<usize>)| {
            (!others.is_empty()).then(|| (name(member), json!(others.iter().map(name).collect::<Vec<_>>())))
        };
        let needs: Map<String, Value> = needs.iter().filter_map(entry).collect();
        if !needs.is_empty() {
            amendments
                .push(Amendment { pointer: checker.pointer(id).to_owned(), change: Change::Needs(needs) });
        }
    }
    amendments
}

/// Finds enums that accept any string.
fn find_catch_all_enums<T: DeserializeOwned>(checker: &Checker) -> Vec<Amendment> {
    let places = Places::new(checker);
    let facts = TypeFacts::default();
    let lists_texts = |id: &NodeId| {
        let allowed = checker.node(*id).allowed.as_deref().unwrap_or_default();
        !allowed.is_empty() && allowed.iter().all(Value::is_string)
    };
    let accepts_any =
        |id: &NodeId| Queries::new(checker, &places, &facts, &probe::<T>).accepts_unlisted(*id, UNLIKELY);
    amendments(checker, checker.ids().filter(lists_texts).filter(accepts_any).collect())
}

/// Returns the enums among `open`, which are nodes that accept unlisted strings.
fn amendments(checker: &Checker, open: Vec<NodeId>) -> Vec<Amendment> {
    let mut amendments: Vec<Amendment> = Vec::new();
    let mut tags: Vec<(&str, NodeId)> = Vec::new();
    for id in open {
        let pointer = checker.pointer(id);
        let listed = checker.constants(id).map_or(0, <[Value]>::len);
        match enclosing_choice(pointer) {
            Some(choice) if listed == 1 => {
                // Serde requires the catch-all variant to be the last one.
                tags.retain(|(other, _)| *other != choice);
                tags.push((choice, id));
            }
            _ => amendments.push(Amendment { pointer: pointer.to_owned(), change: Change::AnyOther }),
        }
    }
    for (choice, id) in tags {
        let pointer = checker.pointer(id);
        let tag = pointer.rsplit('/').next().unwrap_or_default();
        let is_beside = |other: &NodeId| {
            let other = checker.pointer(*other);
            enclosing_choice(other) == Some(choice)
                && other.rsplit('/').next() == Some(tag)
                && other != pointer
        };
        let values =
            checker.ids().filter(is_beside).filter_map(|id| checker.constants(id)).flatten().cloned();
        let change = Change::AnyOtherTag(values.collect());
        amendments.push(Amendment { pointer: pointer.to_owned(), change });
    }
    amendments
}

/// Returns the choice that a member of one of its arms belongs to: `/anyOf` for `/anyOf/1/properties/kind`.
fn enclosing_choice(pointer: &str) -> Option<&str> {
    let (arm, _) = pointer.rsplit_once("/properties/").filter(|(_, name)| !name.contains('/'))?;
    let (choice, position) = arm.rsplit_once('/')?;
    let is_choice = choice.ends_with("/anyOf") || choice.ends_with("/oneOf");
    (is_choice && position.bytes().all(|digit| digit.is_ascii_digit())).then_some(choice)
}
