//! Tools that no call could satisfy, because serde can never deserialize what the schema describes.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::checker::{NodeId, ROOT, SchemaError, SchemaFault, TypeInfo as _, Types};
use super::example;
use super::places::Place;
use super::queries::Queries;
use super::reader::ArgumentReader;
use super::type_facts::{Probe, TypeFacts, UNLIKELY};
use crate::probe::{NO_WIDE_INTEGER, ProbeResult, ReadError, names_of};
use crate::schema::Draft;

/// Maximum number of members that a flattened `Option` may require.
const MAX_ADDED: usize = 32;

impl ArgumentReader {
    /// Deserializes small arguments for every object of the schema as `T`.
    ///
    /// # Errors
    /// Returns what the schema describes and serde rejects because of the type's structure. What the author's
    /// own code rejects is only reported by calls.
    pub(crate) fn check_type<T: DeserializeOwned>(self, draft: &Draft) -> Result<Self, SchemaError> {
        if self.names.has_credentials() {
            // The server's values are not known yet, so they are generated from their schemas like all others.
            let draft = draft.with_credentials();
            Self::from_schema(&draft.exact(), &[], self.shape, false)?.find_faults::<T>()?;
        } else {
            self.find_faults::<T>()?;
        }
        Ok(self)
    }

    fn find_faults<T: DeserializeOwned>(&self) -> Result<(), SchemaError> {
        for id in self.checker.ids().filter(|id| self.places.is_reachable(&self.checker, *id)) {
            let error =
                |fault| SchemaError { tool: None, pointer: self.checker.pointer(id).to_owned(), fault };
            if let Some(reason) = self.find_contradiction(id) {
                return Err(error(SchemaFault::Unreadable(reason)));
            }
            if let Some(reason) = self.find_dropping_variant(id, &|arguments| self.probe::<T>(arguments, &[]))
            {
                return Err(error(SchemaFault::Dropped(reason)));
            }
            let Some(place) = self.places.of(&self.checker, id) else { continue };
            if let Some(name) = self.find_duplicate_name::<T>(place) {
                return Err(error(SchemaFault::Unreadable(duplicate_name_message(name))));
            }
            if let Some(name) = self.find_member_rejected_by_map::<T>(id, place) {
                return Err(error(SchemaFault::Unreadable(read_twice_message(&name))));
            }
            let Some(arguments) = place.value().and_then(|value| place.with(value.clone())) else { continue };
            let answer = self.probe::<T>(&arguments, &[]);
            let find_field_conflict = || self.find_field_conflict::<T>(id, place);
            let refused = || self.rejected_member_error::<T>(place, &answer);
            let fault = if answer.is_read {
                None
            } else {
                find_structural_error(&answer, &arguments).or_else(refused).or_else(find_field_conflict)
            };
            // A flattened `Option` swallows invalid content, and an untagged enum reports no details.
            // The content of an enum is buffered if it precedes the tag.
            let reverse_members = self.probe::<T>(&reverse_members(&arguments), &[]);
            let whole = self.complete_arguments::<T>(arguments.clone());
            let limit = find_limit_error(&answer, &arguments)
                .or_else(|| find_limit_error(&reverse_members, &arguments))
                .or_else(|| find_limit_error(&self.probe::<T>(&whole, &[]), &whole));
            if let Some(reason) = limit.or(fault) {
                return Err(error(SchemaFault::Unreadable(reason)));
            }
        }
        Ok(())
    }

    /// Returns the name that two fields or two variants of one type share; serde only reads the first one.
    fn find_duplicate_name<T: DeserializeOwned>(&self, place: &Place) -> Option<&'static str> {
        let read = || drop(self.probe::<T>(place.arguments(), &[]));
        let names = names_of(place.value()?, read)?;
        let is_repeated = |(at, name): &(usize, &&'static str)| names[..*at].contains(name);
        names.iter().enumerate().find(is_repeated).map(|(_, name)| *name)
    }

    /// Returns the schemas of further members next to those that the node lists.
    fn additional_schemas(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let whole = self.places.enclosing(&self.checker, id);
        let parts = whole.into_iter().flat_map(|id| self.checker.unconditional_nodes(id));
        parts
            .filter_map(|id| self.checker.node(id).object.additional)
            .filter(|rest| !self.checker.node(*rest).never)
    }

    /// Returns a member of a flattened type that a flattened map next to it receives as well and rejects: serde
    /// removes only the members that the struct itself lists, and those that a flattened struct without
    /// flattened fields, or a variant selected by name, has consumed before.
    fn find_member_rejected_by_map<T: DeserializeOwned>(&self, id: NodeId, place: &Place) -> Option<String> {
        let checker = &self.checker;
        let properties = &checker.node(id).object.properties;
        let Some(Value::Object(base)) = place.value().filter(|_| !properties.is_empty()) else { return None };
        let rest = self.additional_schemas(id).find(|rest| !checker.node(*rest).is_free())?;
        let with = |name: &str, value: &Value| {
            let mut members = base.clone();
            members.insert(name.to_owned(), value.clone());
            Some(self.probe::<T>(&place.with(members.into())?, &[]))
        };
        let before = self.probe::<T>(place.arguments(), &[]);
        let is_of_value = |error: &&ReadError| error.message().starts_with("invalid ");
        properties.iter().find_map(|(name, child)| {
            let sample = base.get(&**name).cloned().or_else(|| example::minimal_at(checker, *child))?;
            if checker.is_valid(rest, &sample) {
                return None;
            }
            let is_refused = if before.is_read {
                // Compared in terms of the map.
                let (here, further) = (with(name, &sample)?, with(UNLIKELY, &sample)?);
                let is_new = |error: &&ReadError| !before.errors.iter().any(|known| known.is_like(error));
                let mut new = here.errors.iter().filter(is_of_value).filter(is_new);
                new.any(|error| further.errors.iter().any(|other| other.is_like(error)))
            } else {
                base.contains_key(&**name) && before.errors.iter().any(|error| is_of_value(&error))
            };
            is_refused.then(|| name.to_string())
        })
    }

    /// Returns the error if the member at this location makes arguments unreadable that serde accepts without
    /// it.
    fn rejected_member_error<T: DeserializeOwned>(
        &self,
        place: &Place,
        answer: &ProbeResult,
    ) -> Option<String> {
        let (name, without) = (place.name()?, place.without()?);
        let is_unknown = answer.errors.iter().any(|error| match error {
            ReadError::Unknown(unknown) => unknown == name,
            ReadError::Other(words) => words.starts_with(&format!("unknown field `{name}`")),
            ReadError::Missing(_) | ReadError::Repeated(_) => false,
        });
        let is_reason = is_unknown && self.probe::<T>(&without, &[]).is_read;
        is_reason.then(|| rejected_member(name, place.arguments())).flatten()
    }

    /// Returns the error if no value of a member is valid: a field of the outer type with another type consumes
    /// it, so the field with this name in a flattened type is always missing.
    fn find_field_conflict<T: DeserializeOwned>(&self, id: NodeId, place: &Place) -> Option<String> {
        let Some(Value::Object(base)) = place.value() else { return None };
        let properties = &self.checker.node(id).object.properties;
        properties.iter().map(|(name, _)| &**name).filter(|name| base.contains_key(*name)).find_map(|name| {
            let is_lost = |value: Value| {
                let mut members = base.clone();
                members.insert(name.to_owned(), value);
                let arguments = place.with(members.into());
                arguments.is_some_and(|arguments| {
                    self.probe::<T>(&arguments, &[]).has(&ReadError::Missing(name.to_owned()))
                })
            };
            let others = [json!(true), json!(1), json!(-1.5), json!("text"), json!([])];
            others.into_iter().any(is_lost).then(|| two_fields_message(name))
        })
    }

    /// Returns the error if nothing is valid for a required member.
    fn find_contradiction(&self, id: NodeId) -> Option<String> {
        let object = &self.checker.node(id).object;
        let is_nothing = |property: &NodeId| {
            self.checker.types(*property) == Types::NONE
                && self
                    .checker
                    .unconditional_nodes(*property)
                    .iter()
                    .all(|part| !self.checker.node(*part).never)
        };
        // A tag within a variant of an enum with the same tag.
        let excludes_itself = |property: &NodeId| {
            let parts = self.checker.unconditional_nodes(*property);
            let lists: Vec<_> =
                parts.iter().filter_map(|id| self.checker.node(*id).allowed.as_deref()).collect();
            let Some((first, others)) = lists.split_first() else { return false };
            !first.iter().any(|value| others.iter().all(|list| list.contains(value)))
        };
        let is_contradicted =
            |(_, property): &&(Box<str>, NodeId)| is_nothing(property) || excludes_itself(property);
        let (name, _) = object.properties.iter().find(is_contradicted)?;
        Some(two_fields_message(name))
    }

    /// Returns the arguments with the members that a flattened `Option` at the root requires: it reads nothing
    /// until all of them are present.
    fn complete_arguments<T: DeserializeOwned>(&self, mut arguments: Value) -> Value {
        for _ in 0..MAX_ADDED {
            let answer = self.probe::<T>(&arguments, &[]);
            let Some(members) = arguments.as_object_mut() else { break };
            let missing = answer.errors.into_iter().find_map(|error| match error {
                ReadError::Missing(name) if !members.contains_key(&name) => {
                    let nodes = self.checker.nodes_for(&[ROOT], &name);
                    nodes
                        .into_iter()
                        .find_map(|node| example::minimal_at(&self.checker, node))
                        .map(|value| (name, value))
                }
                _ => None,
            });
            let Some((name, value)) = missing else { break };
            members.insert(name, value);
        }
        arguments
    }

    /// Returns the error if members of a value that matches one variant of an untagged enum would be lost in
    /// another.
    fn find_dropping_variant(&self, id: NodeId, probe: Probe<'_>) -> Option<String> {
        let node = self.checker.node(id);
        if node.arms_distinct {
            return None;
        }
        let facts = TypeFacts::default();
        for arms in [&node.in_place.any_of, &node.in_place.one_of] {
            for (at, arm) in arms.iter().enumerate() {
                for earlier in arms[..at].iter().filter(|earlier| self.may_match_earlier(**earlier, *arm)) {
                    let Some(value) = example::fullest_at(&self.checker, *arm, *earlier) else { continue };
                    let dropped = self.checker.dropped_members(*earlier, &value);
                    let queries = Queries::new(&self.checker, &self.places, &facts, probe);
                    if let Some(pointer) = dropped.iter().find(|pointer| queries.drops(id, &value, pointer)) {
                        let member = pointer.rsplit('/').next().unwrap_or_default();
                        return Some(format!(
                            "serde takes {value} for {}, a variant of the untagged enum that comes first, and drops \
                             `{member}`; put the variant with more members first, or add `deny_unknown_fields`",
                            self.checker.describe(*earlier)
                        ));
                    }
                }
            }
        }
        None
    }
}

impl ArgumentReader {
    /// Returns whether values of the arm may have all members that the preceding arm requires, judging by names
    /// and constants.
    fn may_match_earlier(&self, earlier: NodeId, arm: NodeId) -> bool {
        let checker = &self.checker;
        if !checker.types(earlier).and(checker.types(arm)).has(Types::OBJECT) {
            return false;
        }
        let needs = checker.unconditional_nodes(earlier);
        let mut needed = needs.iter().flat_map(|id| &checker.node(*id).object.required);
        needed.all(|(name, _)| {
            let knows = checker
                .unconditional_nodes(arm)
                .iter()
                .any(|id| checker.node(*id).object.position(name).is_some());
            let (ours, theirs) = (checker.tag_values(arm, name), checker.tag_values(earlier, name));
            let are_distinct =
                !ours.is_empty() && !theirs.is_empty() && ours.iter().all(|one| !theirs.contains(one));
            knows && !are_distinct
        })
    }
}

fn two_fields_message(name: &str) -> String {
    format!(
        "two fields have the name `{name}`, one of them in a flattened type or as the tag of an enum, and serde gives it to \
         one alone; rename one of the two"
    )
}

fn read_twice_message(name: &str) -> String {
    format!(
        "serde gives the member `{name}` of a flattened type to the map that is flattened beside it as well, which refuses it; \
         put the map at the end, give it values of any JSON (`serde_json::Value`), or do not flatten it"
    )
}

fn duplicate_name_message(name: &str) -> String {
    format!(
        "two fields or variants have the name `{name}`, and serde reads the first alone; rename one of the two"
    )
}

/// Types that serde cannot deserialize from a buffer.
fn find_limit_error(answer: &ProbeResult, arguments: &Value) -> Option<String> {
    answer.errors.iter().find_map(|error| match error {
        ReadError::Other(words) if NO_WIDE_INTEGER.iter().any(|known| words.starts_with(known)) => {
            Some(
                "serde reads no 128-bit integer inside of an untagged, tagged or flattened type; use 64 bits, or a string"
                    .to_owned(),
            )
        }
        ReadError::Other(words) => typed_key(words, arguments),
        _ => None,
    })
}

/// Returns the error if serde can certainly never deserialize `arguments`, which match the schema.
fn find_structural_error(answer: &ProbeResult, arguments: &Value) -> Option<String> {
    // An untagged enum only reports that no variant matches.
    let error = |error: &&ReadError| !matches!(error, ReadError::Other(words) if words.starts_with("data did not match any variant"));
    match answer.errors.iter().rev().find(error)? {
        ReadError::Other(words) if words.starts_with("can only flatten structs and maps") => {
            Some("`#[serde(flatten)]` stands on a type that is no struct and no map; remove it".to_owned())
        }
        ReadError::Other(words) => {
            let name = words.strip_prefix("unknown field `").and_then(|rest| rest.strip_suffix('`'))?;
            rejected_member(name, arguments)
        }
        ReadError::Unknown(name) => rejected_member(name, arguments),
        ReadError::Missing(name) if has_member(arguments, name) => Some(two_fields_message(name)),
        ReadError::Repeated(name) => {
            Some(format!("two fields have the name `{name}`; rename one of the two"))
        }
        ReadError::Missing(_) => None,
    }
}

/// Serde rejects a member of the schema: it belongs to a flattened type that does not consume it.
fn rejected_member(name: &str, arguments: &Value) -> Option<String> {
    has_member(arguments, name).then(|| {
        format!(
            "serde refuses the member `{name}`, which belongs to a flattened type; remove `deny_unknown_fields` \
             from the type that flattens it"
        )
    })
}

/// Returns whether serde rejected the name of a member that should be a number or boolean.
fn typed_key(words: &str, arguments: &Value) -> Option<String> {
    let (key, expected) = words.strip_prefix("invalid type: string \"")?.split_once("\", expected ")?;
    let expected = expected.strip_prefix("a nonzero ").unwrap_or(expected);
    let is_typed = match expected {
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => {
            key.parse::<i64>().is_ok()
        }
        "a boolean" => key.parse::<bool>().is_ok(),
        _ => false,
    };
    (is_typed && has_member(arguments, key)).then(|| {
        "serde reads no map with integers or booleans as keys inside of an untagged, tagged or flattened type; use \
         strings as keys"
            .to_owned()
    })
}

/// Returns the value with the members of all objects in reverse order.
fn reverse_members(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().rev().map(|(name, member)| (name.clone(), reverse_members(member)));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(reverse_members).collect(),
        other => other.clone(),
    }
}

/// Returns whether any object has a member with this name.
fn has_member(value: &Value, name: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key(name) || members.values().any(|member| has_member(member, name))
        }
        Value::Array(items) => items.iter().any(|item| has_member(item, name)),
        _ => false,
    }
}
