//! The digests of one definition.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::manifest::{Kind, normalize, to_canonical_json};

use crate::hex::sha256;

/// The digests of a whole definition and of each member, so that a change can be located.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    definition: String,
    members: BTreeMap<String, String>,
}

impl Pin {
    /// Computes the pin of a definition. It ignores the order of members, and of arrays where it is
    /// insignificant.
    pub fn of(kind: Kind, definition: &Map<String, Value>) -> Self {
        Self::of_exact(&normalize(kind, definition))
    }

    /// The same, but the order of all arrays is significant: `[1, 2]` and `[2, 1]` differ.
    pub fn of_exact(definition: &Map<String, Value>) -> Self {
        Self {
            members: definition.iter().map(|(name, member)| (name.clone(), digest(member))).collect(),
            definition: digest(&Value::Object(definition.clone())),
        }
    }

    /// Returns whether both are pins of the same definition.
    pub fn is_same(&self, other: &Self) -> bool {
        self.definition == other.definition
    }

    /// Returns the names of the members that differ, sorted.
    pub fn changed_members(&self, now: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.members.keys().chain(now.members.keys()).collect();
        names.into_iter().filter(|name| self.members.get(*name) != now.members.get(*name)).cloned().collect()
    }
}

/// SHA-256 (FIPS 180-4) of the canonical JSON of a value (RFC 8785): `sha256:` and hexadecimal digits.
pub fn digest(value: &Value) -> String {
    format!("sha256:{}", sha256(to_canonical_json(value).as_bytes()))
}
