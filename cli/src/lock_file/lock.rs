//! `mcp.lock.json`: what each definition hashes to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::manifest::{Kind, visible};
use toolwright_gateway::pins::{Pin, digest};

use crate::source::{Entries, ServerDefinitions};

/// The version of the file's form; it rises when a reader of the former version would misunderstand it.
///
/// 1: definitions are hashed as they are, and a missing list is an empty one. 2: definitions that say the same have the
/// same hash, and `kinds` says which lists are held.
const VERSION: u32 = 2;

/// The lock file. Maps are sorted, so its bytes depend on the definitions alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lock {
    #[serde(rename = "lockVersion")]
    version: u32,
    /// The lists that are held; in version 1 all are.
    #[serde(default = "all_kinds")]
    kinds: BTreeSet<Kind>,
    /// The hash of the server's instructions: models read them. `null` if it has none; left out if that is not known, or in
    /// version 1 if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    instructions: Option<Value>,
    #[serde(default)]
    tools: Pins,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    prompts: Pins,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    resources: Pins,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    resource_templates: Pins,
}

/// Pins by what the definitions are called by.
pub(super) type Pins = BTreeMap<String, Pin>;

/// Why a text is no lock file.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    #[error("not a lock file: {}", visible(&.0.to_string()))]
    Form(#[from] serde_json::Error),
    #[error(
        "the lock file has version {found}, but this program knows versions up to {VERSION}: use a newer cargo-mcp"
    )]
    Newer { found: u64 },
}

/// What is not as it was pinned.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Drift {
    /// What it belongs to; none for the server.
    of: Option<(Kind, String)>,
    how: How,
}

#[derive(Debug, PartialEq, Eq)]
enum How {
    Added,
    Removed,
    /// These members changed.
    Changed(Vec<String>),
}

/// What is there, `null` included.
fn deserialize_present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

fn all_kinds() -> BTreeSet<Kind> {
    Kind::ALL.into()
}

impl Lock {
    /// The pins of what is offered, in the newest form.
    pub(crate) fn of(definitions: &ServerDefinitions) -> Self {
        Self::of_version(definitions, VERSION)
    }

    /// The pins of what is offered, hashed as the other lock's are.
    pub(crate) fn like(&self, definitions: &ServerDefinitions) -> Self {
        Self::of_version(definitions, self.version)
    }

    fn of_version(definitions: &ServerDefinitions, version: u32) -> Self {
        let [tools, prompts, resources, resource_templates] =
            definitions.lists().map(|(kind, entries)| pins(kind, entries, version));
        Self {
            version,
            kinds: definitions.kinds.clone(),
            instructions: (!definitions.is_list)
                .then(|| definitions.instructions.as_deref().map(|text| digest(&Value::from(text))).into()),
            tools,
            prompts,
            resources,
            resource_templates,
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, LockError> {
        let document: Value = serde_json::from_str(text)?;
        match document.get("lockVersion").and_then(Value::as_u64) {
            Some(found) if found > u64::from(VERSION) => return Err(LockError::Newer { found }),
            _ => {}
        }
        let mut lock: Self = serde_json::from_value(document)?;
        if lock.version < 2 {
            lock.instructions.get_or_insert(Value::Null);
        }
        Ok(lock)
    }

    pub(super) fn to_text(&self) -> String {
        let mut document = serde_json::json!(self);
        // Version 1 says neither.
        if let Some(members) = document.as_object_mut().filter(|_| self.version < 2) {
            members.shift_remove("kinds");
            members.retain(|name, value| name != "instructions" || !value.is_null());
        }
        format!("{document:#}\n")
    }

    fn list(&self, kind: Kind) -> &Pins {
        match kind {
            Kind::Tools => &self.tools,
            Kind::Prompts => &self.prompts,
            Kind::Resources => &self.resources,
            Kind::ResourceTemplates => &self.resource_templates,
        }
    }

    fn list_mut(&mut self, kind: Kind) -> &mut Pins {
        match kind {
            Kind::Tools => &mut self.tools,
            Kind::Prompts => &mut self.prompts,
            Kind::Resources => &mut self.resources,
            Kind::ResourceTemplates => &mut self.resource_templates,
        }
    }

    /// The lists that are not compared, for the lock lacks them.
    pub(crate) fn unpinned<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = Kind> + 'a {
        now.kinds.difference(&self.kinds).copied()
    }

    /// The lists that are not compared although something of them is pinned: of what is offered now, they are not known.
    pub(crate) fn unknown<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = Kind> + 'a {
        self.kinds.difference(&now.kinds).copied().filter(|kind| !self.list(*kind).is_empty())
    }

    /// The lock with everything as it is offered now, in the newest form; lists that are not known now stay as they are,
    /// and with them the form that they have.
    pub(crate) fn with_all_of(&self, definitions: &ServerDefinitions) -> Self {
        let stay: Vec<Kind> =
            self.kinds.iter().copied().filter(|kind| !definitions.kinds.contains(kind)).collect();
        if stay.iter().all(|kind| self.list(*kind).is_empty()) {
            return Self::of(definitions).keep_instructions(self);
        }
        let mut new = self.like(definitions);
        for kind in stay {
            new.kinds.insert(kind);
            new.list_mut(kind).clone_from(self.list(kind));
        }
        new.keep_instructions(self)
    }

    /// The lock with the instructions of the other, if it knows none itself.
    fn keep_instructions(mut self, other: &Self) -> Self {
        self.instructions = self.instructions.or_else(|| other.instructions.clone());
        self
    }

    /// Takes over the definition of this name, whichever list it is in; false if neither of the two has it.
    pub(crate) fn accept(&mut self, name: &str, now: &Self) -> bool {
        let mut is_known = false;
        for kind in self.kinds.intersection(&now.kinds).copied().collect::<Vec<_>>() {
            let pin = now.list(kind).get(name);
            let before = match pin {
                Some(pin) => self.list_mut(kind).insert(name.to_owned(), pin.clone()),
                None => self.list_mut(kind).remove(name),
            };
            is_known |= pin.is_some() || before.is_some();
        }
        is_known
    }

    /// The names of all definitions.
    pub(crate) fn names(&self) -> Vec<String> {
        Kind::ALL.iter().flat_map(|kind| self.list(*kind).keys().cloned()).collect()
    }

    /// What is pinned, as messages.
    pub(crate) fn summary(&self) -> String {
        let count = |kind: &Kind| match self.list(*kind).len() {
            1 => format!("1 {}", kind.one()),
            count => format!("{count} {kind}"),
        };
        self.kinds.iter().map(count).collect::<Vec<_>>().join(", ")
    }

    /// What differs from what was pinned, in the lists that both hold. The server's name and version are no part of it.
    pub(crate) fn drift(&self, now: &Self) -> Vec<Drift> {
        let mut drift = Vec::new();
        if let (Some(before), Some(after)) = (&self.instructions, &now.instructions)
            && before != after
        {
            drift.push(Drift { of: None, how: How::Changed(vec!["instructions".to_owned()]) });
        }
        for kind in self.kinds.intersection(&now.kinds) {
            let (before, after) = (self.list(*kind), now.list(*kind));
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let how = match (before.get(name), after.get(name)) {
                    (Some(before), Some(after)) if before.is_same(after) => continue,
                    (Some(before), Some(after)) => How::Changed(before.changed_members(after)),
                    (Some(_), None) => How::Removed,
                    (None, _) => How::Added,
                };
                drift.push(Drift { of: Some((*kind, name.clone())), how });
            }
        }
        drift
    }
}

fn pins(kind: Kind, entries: &Entries, version: u32) -> Pins {
    entries.iter().map(|(name, definition)| (name.clone(), pin(kind, definition, version))).collect()
}

/// Version 1 hashes definitions as they are written.
fn pin(kind: Kind, definition: &Map<String, Value>, version: u32) -> Pin {
    if version < 2 { Pin::of_exact(definition) } else { Pin::of(kind, definition) }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.how {
            How::Added => '+',
            How::Removed => '-',
            How::Changed(_) => '~',
        };
        match &self.of {
            None => write!(f, "{sign} server")?,
            Some((kind, name)) => write!(f, "{sign} {} {}", kind.one(), visible(name))?,
        }
        match &self.how {
            How::Changed(members) if !members.is_empty() => write!(f, ": {}", visible(&members.join(", "))),
            _ => Ok(()),
        }
    }
}
