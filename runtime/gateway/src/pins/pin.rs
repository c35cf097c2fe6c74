//! The digest of one definition.

use std::collections::{BTreeMap, BTreeSet};

use ring::digest::SHA256;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::manifest::{Kind, by_value, canonical};

use crate::hex::hex;

/// The digests of one definition: as a whole, and of each member, so that a change can be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    definition: String,
    members: BTreeMap<String, String>,
}

impl Pin {
    /// The pin of a definition. Definitions that say the same have the same pin, whatever the order of their members.
    pub fn of(kind: Kind, definition: &Map<String, Value>) -> Self {
        Self::of_exact(&by_value(kind, definition))
    }

    /// The same, of the definition as it is written: `[1, 2]` and `[2, 1]` differ everywhere.
    pub fn of_exact(definition: &Map<String, Value>) -> Self {
        Self {
            members: definition.iter().map(|(name, member)| (name.clone(), digest(member))).collect(),
            definition: digest(&Value::Object(definition.clone())),
        }
    }

    /// Whether both are pins of the same definition.
    pub fn is_same(&self, other: &Self) -> bool {
        self.definition == other.definition
    }

    /// The names of the members that differ, sorted.
    pub fn changed_members(&self, now: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.members.keys().chain(now.members.keys()).collect();
        names.into_iter().filter(|name| self.members.get(*name) != now.members.get(*name)).cloned().collect()
    }
}

/// SHA-256 (FIPS 180-4) of the canonical JSON of a value (RFC 8785): `sha256:` and hexadecimal digits.
pub fn digest(value: &Value) -> String {
    let digest = ring::digest::digest(&SHA256, canonical(value).as_bytes());
    format!("sha256:{}", hex(digest.as_ref()))
}
