//! JSON with all its members, including duplicate names.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The maximum number of characters of a name in a pointer.
const SHOWN: usize = toolwright_core::arguments::MAX_QUOTED;

/// Whether the segments of a JSON pointer lead to something in `text`.
pub fn has(text: &str, segments: &[&str]) -> bool {
    let Some((first, rest)) = segments.split_first() else { return true };
    match text.as_bytes().first() {
        Some(b'{') => serde_json::from_str(text).is_ok_and(|Members(members)| {
            members.iter().any(|(name, member)| shown(name) == **first && has(member.get(), rest))
        }),
        Some(b'[') => serde_json::from_str::<Vec<Box<RawValue>>>(text).is_ok_and(|items| {
            let item = first.parse::<usize>().ok().and_then(|at| items.get(at));
            item.is_some_and(|item| has(item.get(), rest))
        }),
        // It may hold JSON, which is read where only an object or array is allowed.
        Some(b'"') => serde_json::from_str::<String>(text).is_ok_and(|inner| has(inner.trim(), segments)),
        _ => false,
    }
}

/// A name as a pointer shows it: long ones are cut, and no character ends a line.
fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(SHOWN).collect();
    if name.chars().count() > SHOWN {
        shown.push('…');
    }
    shown.replace(char::is_control, "\u{fffd}").replace('~', "~0").replace('/', "~1")
}

/// The members of an object. Their values stay text: no number is too large for that.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = members.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }

        deserializer.deserialize_map(Each)
    }
}
