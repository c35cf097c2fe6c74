//! Tools that no call could satisfy: the schema shows what serde never reads.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::checker::{Insight as _, NodeId, ROOT, SchemaError, SchemaFault, Types};
use super::example;
use super::insight::Ask;
use super::knowledge::{Knowledge, Probe, UNLIKELY};
use super::places::Place;
use super::reader::ArgumentReader;
use crate::probe::{Answer, NO_WIDE_INTEGER, Told, names_of};
use crate::schema::Draft;

/// How many members a flattened `Option` may need.
const MAX_ADDED: usize = 32;

impl ArgumentReader {
    /// Lets `T` read small arguments for every object of the schema.
    ///
    /// # Errors
    /// What the schema shows and serde refuses by how the type is built; what code of the type's author refuses is for
    /// calls to find out.
    pub(crate) fn check_type<T: DeserializeOwned>(self, draft: &Draft) -> Result<Self, SchemaError> {
        if self.names.has_credentials() {
            // What the server binds is not known yet: its values are made from their schemas, as those of all others.
            let draft = draft.with_credentials();
            Self::from_schema(&draft.exact(), &[], self.shape, false)?.find_faults::<T>()?;
        } else {
            self.find_faults::<T>()?;
        }
        Ok(self)
    }

    fn find_faults<T: DeserializeOwned>(&self) -> Result<(), SchemaError> {
        for id in self.checker.ids().filter(|id| self.places.reach(&self.checker, *id)) {
            let error =
                |fault| SchemaError { tool: None, pointer: self.checker.pointer(id).to_owned(), fault };
            if let Some(reason) = self.contradiction(id) {
                return Err(error(SchemaFault::Unreadable(reason)));
            }
            if let Some(reason) = self.dropping_variant(id, &|arguments| self.probe::<T>(arguments, &[])) {
                return Err(error(SchemaFault::Dropped(reason)));
            }
            let Some(place) = self.places.of(&self.checker, id) else { continue };
            if let Some(name) = self.repeated_name::<T>(place) {
                return Err(error(SchemaFault::Unreadable(name_given_twice(name))));
            }
            if let Some(name) = self.read_by_map_too::<T>(id, place) {
                return Err(error(SchemaFault::Unreadable(read_twice(&name))));
            }
            let Some(arguments) = place.value().and_then(|value| place.with(value.clone())) else { continue };
            let answer = self.probe::<T>(&arguments, &[]);
            let clash = || self.clash::<T>(id, place);
            let refused = || self.refused_here::<T>(place, &answer);
            let fault = if answer.is_read {
                None
            } else {
                fault(&answer, &arguments).or_else(refused).or_else(clash)
            };
            // A flattened `Option` swallows what cannot be read, and an untagged enum says no more than that.
            // The content of an enum is read from a copy where it stands before the tag.
            let turned = self.probe::<T>(&turned(&arguments), &[]);
            let whole = self.completed::<T>(arguments.clone());
            let limit = limit(&answer, &arguments)
                .or_else(|| limit(&turned, &arguments))
                .or_else(|| limit(&self.probe::<T>(&whole, &[]), &whole));
            if let Some(reason) = limit.or(fault) {
                return Err(error(SchemaFault::Unreadable(reason)));
            }
        }
        Ok(())
    }

    /// The name that two fields or two variants of one type have, of which serde reads the first alone.
    fn repeated_name<T: DeserializeOwned>(&self, place: &Place) -> Option<&'static str> {
        let read = || drop(self.probe::<T>(place.arguments(), &[]));
        let names = names_of(place.value()?, read)?;
        let is_repeated = |(at, name): &(usize, &&'static str)| names[..*at].contains(name);
        names.iter().enumerate().find(is_repeated).map(|(_, name)| *name)
    }

    /// The schemas of further members beside what the node says.
    fn rests(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let whole = self.places.around(&self.checker, id);
        let parts = whole.into_iter().flat_map(|id| self.checker.always(id));
        parts
            .filter_map(|id| self.checker.node(id).object.additional)
            .filter(|rest| !self.checker.node(*rest).never)
    }

    /// A member of a flattened type that a flattened map beside it is given as well and refuses: serde takes away only what
    /// the struct itself lists, and what a flattened struct without anything flattened in it, or a variant by its name, has
    /// taken before.
    fn read_by_map_too<T: DeserializeOwned>(&self, id: NodeId, place: &Place) -> Option<String> {
        let checker = &self.checker;
        let properties = &checker.node(id).object.properties;
        let Some(Value::Object(base)) = place.value().filter(|_| !properties.is_empty()) else { return None };
        let rest = self.rests(id).find(|rest| !checker.node(*rest).is_free())?;
        let with = |name: &str, value: &Value| {
            let mut members = base.clone();
            members.insert(name.to_owned(), value.clone());
            Some(self.probe::<T>(&place.with(members.into())?, &[]))
        };
        let before = self.probe::<T>(place.arguments(), &[]);
        let is_of_value = |told: &&Told| told.words().starts_with("invalid ");
        properties.iter().find_map(|(name, child)| {
            let sample = base.get(&**name).cloned().or_else(|| example::minimal_at(checker, *child))?;
            if checker.fits(rest, &sample) {
                return None;
            }
            let is_refused = if before.is_read {
                // In words of the map.
                let (here, further) = (with(name, &sample)?, with(UNLIKELY, &sample)?);
                let is_new = |told: &&Told| !before.told.iter().any(|known| known.is_like(told));
                let mut new = here.told.iter().filter(is_of_value).filter(is_new);
                new.any(|told| further.told.iter().any(|other| other.is_like(told)))
            } else {
                base.contains_key(&**name) && before.told.iter().any(|told| is_of_value(&told))
            };
            is_refused.then(|| name.to_string())
        })
    }

    /// Why the member that the place is makes arguments unreadable, which serde reads without it.
    fn refused_here<T: DeserializeOwned>(&self, place: &Place, answer: &Answer) -> Option<String> {
        let (name, without) = (place.name()?, place.without()?);
        let is_unknown = answer.told.iter().any(|told| match told {
            Told::Unknown(unknown) => unknown == name,
            Told::Other(words) => words.starts_with(&format!("unknown field `{name}`")),
            Told::Missing(_) | Told::Repeated(_) => false,
        });
        let is_reason = is_unknown && self.probe::<T>(&without, &[]).is_read;
        is_reason.then(|| refused_member(name, place.arguments())).flatten()
    }

    /// Why no value of a member is right: a field outside takes it, of another type than the schema shows, and the field of
    /// this name in a flattened type has none.
    fn clash<T: DeserializeOwned>(&self, id: NodeId, place: &Place) -> Option<String> {
        let Some(Value::Object(base)) = place.value() else { return None };
        let properties = &self.checker.node(id).object.properties;
        properties.iter().map(|(name, _)| &**name).filter(|name| base.contains_key(*name)).find_map(|name| {
            let is_lost = |value: Value| {
                let mut members = base.clone();
                members.insert(name.to_owned(), value);
                let arguments = place.with(members.into());
                arguments.is_some_and(|arguments| {
                    self.probe::<T>(&arguments, &[]).has(&Told::Missing(name.to_owned()))
                })
            };
            let others = [json!(true), json!(1), json!(-1.5), json!("text"), json!([])];
            others.into_iter().any(is_lost).then(|| two_fields(name))
        })
    }

    /// Why nothing fits a member that has to be there.
    fn contradiction(&self, id: NodeId) -> Option<String> {
        let object = &self.checker.node(id).object;
        let is_nothing = |property: &NodeId| {
            self.checker.types(*property) == Types::NONE
                && self.checker.always(*property).iter().all(|part| !self.checker.node(*part).never)
        };
        // A tag within a variant of an enum with the same tag.
        let excludes_itself = |property: &NodeId| {
            let parts = self.checker.always(*property);
            let lists: Vec<_> =
                parts.iter().filter_map(|id| self.checker.node(*id).allowed.as_deref()).collect();
            let Some((first, others)) = lists.split_first() else { return false };
            !first.iter().any(|value| others.iter().all(|list| list.contains(value)))
        };
        let is_contradicted =
            |(_, property): &&(Box<str>, NodeId)| is_nothing(property) || excludes_itself(property);
        let (name, _) = object.properties.iter().find(is_contradicted)?;
        Some(two_fields(name))
    }

    /// The arguments with what a flattened `Option` at the root needs: it looks at nothing before all of that is there.
    fn completed<T: DeserializeOwned>(&self, mut arguments: Value) -> Value {
        for _ in 0..MAX_ADDED {
            let answer = self.probe::<T>(&arguments, &[]);
            let Some(members) = arguments.as_object_mut() else { break };
            let missing = answer.told.into_iter().find_map(|told| match told {
                Told::Missing(name) if !members.contains_key(&name) => {
                    let nodes = self.checker.below(&[ROOT], &name);
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

    /// Why members of a value that fits one variant of an untagged enum would be lost in another.
    fn dropping_variant(&self, id: NodeId, probe: Probe<'_>) -> Option<String> {
        let node = self.checker.node(id);
        if node.told {
            return None;
        }
        let knowledge = Knowledge::default();
        for arms in [&node.in_place.any_of, &node.in_place.one_of] {
            for (at, arm) in arms.iter().enumerate() {
                for earlier in arms[..at].iter().filter(|earlier| self.may_take(**earlier, *arm)) {
                    let Some(value) = example::fullest_at(&self.checker, *arm, *earlier) else { continue };
                    let dropped = self.checker.dropped_by(*earlier, &value);
                    let ask = Ask::new(&self.checker, &self.places, &knowledge, probe);
                    if let Some(pointer) = dropped.iter().find(|pointer| ask.drops(id, &value, pointer)) {
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
    /// Whether values of the arm may have all that the one before it needs, as far as names and constants tell.
    fn may_take(&self, earlier: NodeId, arm: NodeId) -> bool {
        let checker = &self.checker;
        if !checker.types(earlier).and(checker.types(arm)).has(Types::OBJECT) {
            return false;
        }
        let needs = checker.always(earlier);
        let mut needed = needs.iter().flat_map(|id| &checker.node(*id).object.required);
        needed.all(|(name, _)| {
            let knows =
                checker.always(arm).iter().any(|id| checker.node(*id).object.position(name).is_some());
            let (ours, theirs) = (checker.tag_values(arm, name), checker.tag_values(earlier, name));
            let are_apart =
                !ours.is_empty() && !theirs.is_empty() && ours.iter().all(|one| !theirs.contains(one));
            knows && !are_apart
        })
    }
}

fn two_fields(name: &str) -> String {
    format!(
        "two fields have the name `{name}`, one of them in a flattened type or as the tag of an enum, and serde gives it to \
         one alone; rename one of the two"
    )
}

fn read_twice(name: &str) -> String {
    format!(
        "serde gives the member `{name}` of a flattened type to the map that is flattened beside it as well, which refuses it; \
         put the map at the end, give it values of any JSON (`serde_json::Value`), or do not flatten it"
    )
}

fn name_given_twice(name: &str) -> String {
    format!(
        "two fields or variants have the name `{name}`, and serde reads the first alone; rename one of the two"
    )
}

/// What serde has no way to read where it reads from a copy.
fn limit(answer: &Answer, arguments: &Value) -> Option<String> {
    answer.told.iter().find_map(|told| match told {
        Told::Other(words) if NO_WIDE_INTEGER.iter().any(|known| words.starts_with(known)) => {
            Some(
                "serde reads no 128-bit integer inside of an untagged, tagged or flattened type; use 64 bits, or a string"
                    .to_owned(),
            )
        }
        Told::Other(words) => typed_key(words, arguments),
        _ => None,
    })
}

/// Why serde can never read `arguments`, which fit the schema, as far as it is certain.
fn fault(answer: &Answer, arguments: &Value) -> Option<String> {
    // An untagged enum says at last that nothing fits.
    let told = |told: &&Told| !matches!(told, Told::Other(words) if words.starts_with("data did not match any variant"));
    match answer.told.iter().rev().find(told)? {
        Told::Other(words) if words.starts_with("can only flatten structs and maps") => {
            Some("`#[serde(flatten)]` stands on a type that is no struct and no map; remove it".to_owned())
        }
        Told::Other(words) => {
            let name = words.strip_prefix("unknown field `").and_then(|rest| rest.strip_suffix('`'))?;
            refused_member(name, arguments)
        }
        Told::Unknown(name) => refused_member(name, arguments),
        Told::Missing(name) if has_member(arguments, name) => Some(two_fields(name)),
        Told::Repeated(name) => Some(format!("two fields have the name `{name}`; rename one of the two")),
        Told::Missing(_) => None,
    }
}

/// Serde refuses a member that the schema shows: it belongs to a flattened type that does not take it away.
fn refused_member(name: &str, arguments: &Value) -> Option<String> {
    has_member(arguments, name).then(|| {
        format!(
            "serde refuses the member `{name}`, which belongs to a flattened type; remove `deny_unknown_fields` \
             from the type that flattens it"
        )
    })
}

/// Whether serde refused the name of a member for a number or boolean that it should be.
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

/// The value with all its objects turned around.
fn turned(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().rev().map(|(name, member)| (name.clone(), turned(member)));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(turned).collect(),
        other => other.clone(),
    }
}

/// Whether an object somewhere has a member of this name.
fn has_member(value: &Value, name: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key(name) || members.values().any(|member| has_member(member, name))
        }
        Value::Array(items) => items.iter().any(|item| has_member(item, name)),
        _ => false,
    }
}
