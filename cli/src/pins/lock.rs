//! `mcp.lock.json`: what each definition hashes to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::canonical::canonical;
use crate::offer::{Entries, Offer};

/// The version of the file's form; it rises when a reader of the former version would misunderstand it.
const VERSION: u32 = 1;

/// The lock file. Maps are sorted, so its bytes depend on the definitions alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lock {
    #[serde(rename = "lockVersion")]
    version: u32,
    /// The hash of the server's instructions: models read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    #[serde(default)]
    pub(super) tools: Pins,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    prompts: Pins,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    resources: Pins,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    resource_templates: Pins,
}

/// Pins by what the definitions are called by.
pub(super) type Pins = BTreeMap<String, Pin>;

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pin {
    /// The hash of the whole definition.
    definition: String,
    /// The hash of each member, to say which of them changed.
    members: BTreeMap<String, String>,
}

/// Why a text is no lock file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    #[error("not a lock file: {0}")]
    Form(#[from] serde_json::Error),
    #[error(
        "the lock file has version {found}, but this program knows versions up to {VERSION}: use a newer cargo-mcp"
    )]
    Newer { found: u64 },
}

/// What is not as it was pinned.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Drift {
    /// `tool`, `prompt`, `resource`, `template`, or `server`.
    pub(super) part: &'static str,
    pub(super) name: String,
    pub(super) how: How,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum How {
    Added,
    Removed,
    /// These members changed.
    Changed(Vec<String>),
}

impl Lock {
    pub(super) fn of(offer: &Offer) -> Self {
        let [tools, prompts, resources, resource_templates] = offer.lists().map(pins);
        Self {
            version: VERSION,
            instructions: offer.instructions.as_deref().map(|text| hash(&Value::from(text))),
            tools,
            prompts,
            resources,
            resource_templates,
        }
    }

    pub(super) fn of_text(text: &str) -> Result<Self, LockError> {
        let document: Value = serde_json::from_str(text)?;
        match document.get("lockVersion").and_then(Value::as_u64) {
            Some(found) if found > u64::from(VERSION) => Err(LockError::Newer { found }),
            _ => Ok(serde_json::from_value(document)?),
        }
    }

    pub(super) fn to_text(&self) -> String {
        format!("{:#}\n", serde_json::json!(self))
    }

    /// What differs from what was pinned. The server's name and version are no part of it.
    pub(super) fn drift(&self, now: &Self) -> Vec<Drift> {
        let mut drift = Vec::new();
        if self.instructions != now.instructions {
            let how = How::Changed(vec!["instructions".to_owned()]);
            drift.push(Drift { part: "server", name: String::new(), how });
        }
        for (part, before, after) in [
            ("tool", &self.tools, &now.tools),
            ("prompt", &self.prompts, &now.prompts),
            ("resource", &self.resources, &now.resources),
            ("template", &self.resource_templates, &now.resource_templates),
        ] {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let how = match (before.get(name), after.get(name)) {
                    (Some(before), Some(after)) if before.definition == after.definition => continue,
                    (Some(before), Some(after)) => How::Changed(before.changed_members(after)),
                    (Some(_), None) => How::Removed,
                    (None, _) => How::Added,
                };
                drift.push(Drift { part, name: name.clone(), how });
            }
        }
        drift
    }
}

impl Pin {
    fn of(definition: &Map<String, Value>) -> Self {
        Self {
            definition: hash(&Value::Object(definition.clone())),
            members: definition.iter().map(|(name, member)| (name.clone(), hash(member))).collect(),
        }
    }

    fn changed_members(&self, now: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.members.keys().chain(now.members.keys()).collect();
        names.into_iter().filter(|name| self.members.get(*name) != now.members.get(*name)).cloned().collect()
    }
}

fn pins(entries: &Entries) -> Pins {
    entries.iter().map(|(name, definition)| (name.clone(), Pin::of(definition))).collect()
}

/// SHA-256 (FIPS 180-4) of the canonical text, as hexadecimal digits with the algorithm in front.
fn hash(value: &Value) -> String {
    let digest = Sha256::digest(canonical(value));
    digest.iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.how {
            How::Added => '+',
            How::Removed => '-',
            How::Changed(_) => '~',
        };
        write!(f, "{sign} {}", self.part)?;
        if !self.name.is_empty() {
            write!(f, " {}", toolwright_core::manifest::visible(&self.name))?;
        }
        match &self.how {
            How::Changed(members) if !members.is_empty() => {
                write!(f, ": {}", toolwright_core::manifest::visible(&members.join(", ")))
            }
            _ => Ok(()),
        }
    }
}
