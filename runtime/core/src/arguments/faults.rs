//! Tools that no call could satisfy: the schema shows what serde never reads.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::checker::{SchemaError, SchemaFault};
use super::probe::{Answer, Told};
use super::reader::ArgumentReader;
use crate::schema::Draft;

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
        for id in self.checker.ids() {
            let Some(place) = self.places.of(&self.checker, id) else { continue };
            let Some(arguments) = place.value().and_then(|value| place.with(value.clone())) else { continue };
            let answer = self.probe::<T>(&arguments, &[]);
            let fault = if answer.is_read { None } else { fault(&answer, &arguments) };
            if let Some(reason) = fault {
                let pointer = self.checker.pointer(id).to_owned();
                return Err(SchemaError { tool: None, pointer, fault: SchemaFault::Unreadable(reason) });
            }
        }
        Ok(())
    }
}

/// Why serde can never read `arguments`, which fit the schema, as far as it is certain.
fn fault(answer: &Answer, arguments: &Value) -> Option<String> {
    let is_told = |start: &str| {
        answer.told.iter().any(|told| matches!(told, Told::Other(words) if words.starts_with(start)))
    };
    if is_told("u128 is not supported") || is_told("i128 is not supported") {
        return Some(
            "serde reads no 128-bit integer inside of an untagged, tagged or flattened type; use 64 bits, or a string"
                .to_owned(),
        );
    }
    match answer.told.last()? {
        Told::Other(words) if words.starts_with("can only flatten structs and maps") => {
            Some("`#[serde(flatten)]` stands on a type that is no struct and no map; remove it".to_owned())
        }
        Told::Other(words) => {
            match words.strip_prefix("unknown field `").and_then(|rest| rest.strip_suffix('`')) {
                Some(name) => refused_member(name, arguments),
                None => integer_key(words, arguments),
            }
        }
        Told::Unknown(name) => refused_member(name, arguments),
        Told::Missing(name) if has_member(arguments, name) => Some(format!(
            "two fields have the name `{name}`, one of them in a flattened type or as the tag of an enum, and serde gives it \
             to one alone; rename one of the two"
        )),
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

/// Whether serde refused the name of a member for a number that it should be.
fn integer_key(words: &str, arguments: &Value) -> Option<String> {
    let (key, expected) = words.strip_prefix("invalid type: string \"")?.split_once("\", expected ")?;
    let is_number =
        ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"].contains(&expected);
    (is_number && key.parse::<i64>().is_ok() && has_member(arguments, key)).then(|| {
        "serde reads no map with integers as keys inside of an untagged, tagged or flattened type; use strings as keys"
            .to_owned()
    })
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
