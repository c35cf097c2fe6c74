//! The current format: one object with `tool_type`, `schema_version` and the members of its kind.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::error::ValueError;
use super::kinds::{CommandTool, HttpTool, McpTool, OtherTool, ToolType, WorkflowTool};
use super::version::SchemaVersion;
use super::{ToolValue, kinds};

/// The raw members of a record.
pub(super) struct Members<'a> {
    by_name: HashMap<String, &'a RawValue>,
}

impl<'a> Members<'a> {
    /// Splits the object in `text` into its members.
    ///
    /// # Errors
    /// [`ValueError::NotJson`], [`ValueError::NotAnObject`], [`ValueError::Duplicate`].
    pub(super) fn of(text: &'a str) -> Result<Self, ValueError> {
        let found = match serde_json::from_str(text) {
            Ok(Found { twice: Some(member), .. }) => return Err(ValueError::Duplicate { member }),
            Ok(Found { by_name, .. }) => by_name,
            Err(error) if error.is_data() => return Err(ValueError::NotAnObject),
            Err(error) => return Err(ValueError::NotJson(error)),
        };
        Ok(Self { by_name: found })
    }

    pub(super) fn has(&self, member: &str) -> bool {
        self.by_name.contains_key(member)
    }

    /// Iterates over the member names, in arbitrary order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Parses the value of a member.
    pub(super) fn value(&self, member: &str) -> Option<serde_json::Value> {
        serde_json::from_str(self.by_name.get(member)?.get()).ok()
    }

    pub(super) fn has_more_than_null(&self, member: &str) -> bool {
        self.by_name.get(member).is_some_and(|value| value.get() != "null")
    }
}

struct Found<'a> {
    by_name: HashMap<String, &'a RawValue>,
    /// The first duplicate name.
    twice: Option<String>,
}

impl<'de> Deserialize<'de> for Found<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collects;

        impl<'de> Visitor<'de> for Collects {
            type Value = Found<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
                let mut found = Found { by_name: HashMap::new(), twice: None };
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if found.twice.is_none() && found.by_name.contains_key(&name) {
                        found.twice = Some(name.clone());
                    }
                    found.by_name.insert(name, value);
                }
                Ok(found)
            }
        }

        deserializer.deserialize_map(Collects)
    }
}

/// Reads a record. A record of an unknown kind is unchanged.
pub(super) fn read(text: &str) -> Result<ToolValue, ValueError> {
    let text = text.trim();
    let members = Members::of(text)?;
    if !members.has("tool_type") {
        return Err(ValueError::Unknown);
    }
    let Some(serde_json::Value::String(tool_type)) = members.value("tool_type") else {
        return Err(ValueError::TypeNotString);
    };
    let Some(kind) = ToolType::from_name(&tool_type) else {
        let record = RawValue::from_string(text.to_owned()).map_err(ValueError::NotJson)?;
        return Ok(ToolValue::Other(OtherTool { tool_type, record }));
    };
    check_version(&members)?;
    if kind != ToolType::Workflow && members.has_more_than_null("workflow") {
        return Err(ValueError::Blob { kind, place: "`workflow`" });
    }
    Ok(match kind {
        ToolType::Command => ToolValue::Command(read_known::<CommandTool>(kind, text)?),
        ToolType::Workflow => ToolValue::Workflow(read_known::<WorkflowTool>(kind, text)?),
        ToolType::Mcp => ToolValue::Mcp(read_known::<McpTool>(kind, text)?),
        ToolType::Http => ToolValue::Http(read_known::<HttpTool>(kind, text)?),
    })
}

/// Rejects records of another major version before reading anything else.
fn check_version(members: &Members<'_>) -> Result<(), ValueError> {
    let found: SchemaVersion = match members.value("schema_version") {
        None | Some(serde_json::Value::Null) => return Err(ValueError::NoVersion),
        Some(serde_json::Value::String(version)) => version.parse()?,
        Some(other) => match other.to_string().parse::<SchemaVersion>() {
            Ok(found) if !found.is_readable() => found,
            _ => return Err(ValueError::VersionNotString),
        },
    };
    if found.is_readable() {
        Ok(())
    } else {
        Err(ValueError::UnreadableVersion { found, known: SchemaVersion::CURRENT })
    }
}

/// Reads a record of a known kind.
fn read_known<T: DeserializeOwned + kinds::Tagged>(kind: ToolType, text: &str) -> Result<T, ValueError> {
    let mut tool: T = serde_json::from_str(text).map_err(|source| ValueError::Member { kind, source })?;
    tool.other_mut().shift_remove("tool_type");
    Ok(tool)
}

impl Serialize for ToolValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Command(tool) => Record { tool_type: ToolType::Command, tool }.serialize(serializer),
            Self::Workflow(tool) => Record { tool_type: ToolType::Workflow, tool }.serialize(serializer),
            Self::Mcp(tool) => Record { tool_type: ToolType::Mcp, tool }.serialize(serializer),
            Self::Http(tool) => Record { tool_type: ToolType::Http, tool }.serialize(serializer),
            Self::Other(tool) => tool.record.serialize(serializer),
        }
    }
}

#[derive(Serialize)]
struct Record<'a, T> {
    tool_type: ToolType,
    #[serde(flatten)]
    tool: &'a T,
}

impl<'de> Deserialize<'de> for ToolValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let record = Box::<RawValue>::deserialize(deserializer)?;
        read(record.get()).map_err(serde::de::Error::custom)
    }
}
