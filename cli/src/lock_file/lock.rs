//! `mcp.lock.json`: the hash of each definition.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::manifest::{Kind, visible};
use toolwright_gateway::pins::{Pin, digest};

use crate::source::{Entries, ServerDefinitions};

/// The version of the format; incremented when readers of the former version would misinterpret the file.
///
/// 1: definitions are hashed byte for byte, and a missing list is empty. 2: equivalent definitions have the same hash, and
/// `kinds` names the lists in the file.
const VERSION: u32 = 2;

/// The lock file. Maps are sorted, so its bytes only depend on the definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lock {
    #[serde(rename = "lockVersion")]
    version: u32,
    /// The lists in the file; all of them in version 1.
    #[serde(default = "all_kinds")]
    kinds: BTreeSet<Kind>,
    /// The hash of the server's instructions, which models read. `null` if it has none; omitted if they are unknown, or in
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

/// Pins by the name or URI of the definition.
pub(super) type Pins = BTreeMap<String, Pin>;

/// Why a text is not a lock file.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    #[error("not a lock file: {}", visible(&.0.to_string()))]
    Form(#[from] serde_json::Error),
    #[error(
        "the lock file has version {found}, but this program knows versions up to {VERSION}: use a newer cargo-mcp"
    )]
    Newer { found: u64 },
}

/// A difference from the lock file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Drift {
    /// The definition; `None` for the server.
    of: Option<(Kind, String)>,
    difference: Difference,
}

#[derive(Debug, PartialEq, Eq)]
enum Difference {
    Added,
    Removed,
    /// These members changed.
    Changed(Vec<String>),
}

/// Deserializes a member that is present, which may be `null`.
fn deserialize_present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

fn all_kinds() -> BTreeSet<Kind> {
    Kind::ALL.into()
}

impl Lock {
    /// Pins all definitions, in the newest format.
    pub(crate) fn of(definitions: &ServerDefinitions) -> Self {
        Self::of_version(definitions, VERSION)
    }

    /// Pins all definitions, in the format of this lock.
    pub(crate) fn with_same_version(&self, definitions: &ServerDefinitions) -> Self {
        Self::of_version(definitions, self.version)
    }

    fn of_version(definitions: &ServerDefinitions, version: u32) -> Self {
        let [tools, prompts, resources, resource_templates] =
            definitions.lists().map(|(kind, entries)| pin_all(kind, entries, version));
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
        // Version 1 has neither.
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

    /// Returns the lists that are not compared because the lock does not contain them.
    pub(crate) fn unpinned<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = Kind> + 'a {
        now.kinds.difference(&self.kinds).copied()
    }

    /// Returns the lists that are not compared, although some of their definitions are pinned, because they are unknown now.
    pub(crate) fn unknown<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = Kind> + 'a {
        self.kinds.difference(&now.kinds).copied().filter(|kind| !self.list(*kind).is_empty())
    }

    /// Returns a lock with all current definitions, in the newest format; lists that are unknown now are unchanged, and if there
    /// are any, so is the format.
    pub(crate) fn with_all_of(&self, definitions: &ServerDefinitions) -> Self {
        let kept: Vec<Kind> =
            self.kinds.iter().copied().filter(|kind| !definitions.kinds.contains(kind)).collect();
        if kept.iter().all(|kind| self.list(*kind).is_empty()) {
            return Self::of(definitions).keep_instructions(self);
        }
        let mut new = self.with_same_version(definitions);
        for kind in kept {
            new.kinds.insert(kind);
            new.list_mut(kind).clone_from(self.list(kind));
        }
        new.keep_instructions(self)
    }

    /// Returns the lock with the instructions of the other, if its own are unknown.
    fn keep_instructions(mut self, other: &Self) -> Self {
        self.instructions = self.instructions.or_else(|| other.instructions.clone());
        self
    }

    /// Accepts the definition with this name, in any list; returns false if neither of the two locks has it.
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

    /// Returns the names of all definitions.
    pub(crate) fn names(&self) -> Vec<String> {
        Kind::ALL.iter().flat_map(|kind| self.list(*kind).keys().cloned()).collect()
    }

    /// Returns the number of pinned definitions of each kind, for messages.
    pub(crate) fn summary(&self) -> String {
        let count = |kind: &Kind| match self.list(*kind).len() {
            1 => format!("1 {}", kind.one()),
            count => format!("{count} {kind}"),
        };
        self.kinds.iter().map(count).collect::<Vec<_>>().join(", ")
    }

    /// Returns the differences between this lock and the current one, in the lists that both contain. The server's name and
    /// version are not compared.
    pub(crate) fn drift(&self, now: &Self) -> Vec<Drift> {
        let mut drift = Vec::new();
        if let (Some(before), Some(after)) = (&self.instructions, &now.instructions)
            && before != after
        {
            drift.push(Drift { of: None, difference: Difference::Changed(vec!["instructions".to_owned()]) });
        }
        for kind in self.kinds.intersection(&now.kinds) {
            let (before, after) = (self.list(*kind), now.list(*kind));
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let difference = match (before.get(name), after.get(name)) {
                    (Some(before), Some(after)) if before.is_same(after) => continue,
                    (Some(before), Some(after)) => Difference::Changed(before.changed_members(after)),
                    (Some(_), None) => Difference::Removed,
                    (None, _) => Difference::Added,
                };
                drift.push(Drift { of: Some((*kind, name.clone())), difference });
            }
        }
        drift
    }
}

fn pin_all(kind: Kind, entries: &Entries, version: u32) -> Pins {
    entries.iter().map(|(name, definition)| (name.clone(), pin(kind, definition, version))).collect()
}

/// Version 1 hashes definitions byte for byte.
fn pin(kind: Kind, definition: &Map<String, Value>, version: u32) -> Pin {
    if version < 2 { Pin::of_exact(definition) } else { Pin::of(kind, definition) }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.difference {
            Difference::Added => '+',
            Difference::Removed => '-',
            Difference::Changed(_) => '~',
        };
        match &self.of {
            None => write!(f, "{sign} server")?,
            Some((kind, name)) => write!(f, "{sign} {} {}", kind.one(), visible(name))?,
        }
        match &self.difference {
            Difference::Changed(members) if !members.is_empty() => {
                write!(f, ": {}", visible(&members.join(", ")))
            }
            _ => Ok(()),
        }
    }
}
