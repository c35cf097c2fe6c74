//! The file with the pins of all servers.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Kind, visible};

use super::pin::Pin;

/// Maximum size of a pin file: 16 MiB.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// The version of the file format.
const VERSION: u32 = 1;

/// The reviewed tools of each server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pins {
    #[serde(rename = "pinVersion")]
    version: u32,
    #[serde(default)]
    servers: BTreeMap<String, ServerPins>,
}

/// The reviewed tools of one server, by their names on that server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ServerPins {
    #[serde(default)]
    pub(super) tools: BTreeMap<String, Pin>,
}

/// Errors of a pin file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinFileError {
    /// It cannot be read.
    #[error("cannot read {}: create it with `cargo mcp gateway pins update`", visible(&.path.display().to_string()))]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {}", visible(&.path.display().to_string()))]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is not a pin file.
    #[error("{} is not a file of pins: repair it, or remove it and pin again", visible(&.path.display().to_string()))]
    Form {
        /// The file.
        path: PathBuf,
        /// The parse error.
        source: serde_json::Error,
    },
    /// It has a later version.
    #[error("{} has version {version}, and this program knows versions up to {VERSION}: update it", visible(&.path.display().to_string()))]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version.
        version: u64,
    },
}

impl Default for Pins {
    fn default() -> Self {
        Self::new()
    }
}

impl Pins {
    /// Creates an empty set: every tool is new.
    pub fn new() -> Self {
        Self { version: VERSION, servers: BTreeMap::new() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`PinFileError`].
    pub fn read(path: &Path) -> Result<Self, PinFileError> {
        let path = || path.to_owned();
        let failed = |source| PinFileError::Read { path: path(), source };
        let mut text = String::new();
        let file = fs::File::open(path()).map_err(failed)?;
        file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, "it has more than 16 MiB")));
        }
        let invalid = |source| PinFileError::Form { path: path(), source };
        let document: Value = serde_json::from_str(&text).map_err(invalid)?;
        match document.get("pinVersion").and_then(Value::as_u64) {
            Some(version) if version > u64::from(VERSION) => {
                Err(PinFileError::Newer { path: path(), version })
            }
            _ => serde_json::from_value(document).map_err(invalid),
        }
    }

    /// Writes a file. Its bytes only depend on the pins.
    ///
    /// # Errors
    /// [`PinFileError::Write`].
    pub fn write(&self, path: &Path) -> Result<(), PinFileError> {
        let failed = |source| PinFileError::Write { path: path.to_owned(), source };
        fs::write(path, format!("{:#}\n", json!(self))).map_err(failed)
    }

    /// Pins all current tools of a server, replacing its previous pins.
    pub fn accept(&mut self, server: &str, tools: &[ToolDefinition]) {
        let pins = ServerPins { tools: tools.iter().map(|tool| (tool.name.clone(), pin_of(tool))).collect() };
        self.servers.insert(server.to_owned(), pins);
    }

    /// Pins one tool of a server, or removes its pin if the server no longer lists it. Returns `false` if there
    /// is neither.
    pub fn accept_one(&mut self, server: &str, tools: &[ToolDefinition], name: &str) -> bool {
        match tools.iter().find(|tool| tool.name == name) {
            Some(tool) => {
                self.servers
                    .entry(server.to_owned())
                    .or_default()
                    .tools
                    .insert(name.to_owned(), pin_of(tool));
                true
            }
            None => self.servers.get_mut(server).is_some_and(|pins| pins.tools.remove(name).is_some()),
        }
    }

    /// Removes the pins of all other servers.
    pub fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.servers.retain(|server, _| is_kept(server));
    }

    /// Returns the number of pinned tools.
    pub fn len(&self) -> usize {
        self.servers.values().map(|pins| pins.tools.len()).sum()
    }

    /// Returns whether nothing is pinned.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn of_server(&self, server: &str) -> Option<&ServerPins> {
        self.servers.get(server)
    }
}

/// Computes the pin of a tool: of its whole definition, including unknown members.
pub(super) fn pin_of(tool: &ToolDefinition) -> Pin {
    let definition = match serde_json::to_value(tool) {
        Ok(Value::Object(definition)) => definition,
        _ => Map::new(),
    };
    Pin::of(Kind::Tools, &definition)
}
