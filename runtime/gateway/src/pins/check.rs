//! Compares a server's tools with their pins.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Hidden, hidden_characters, visible};

use super::file::{Pins, pin_of};

/// Maximum length of a description without a finding: clients truncate longer ones.
pub const MAX_DESCRIPTION_CHARS: usize = 2_048;

/// A reason to review a tool before it is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the server.
    pub server: String,
    /// The tool's name on that server.
    pub tool: String,
    /// The reason.
    pub reason: Reason,
}

/// Why a tool needs a review.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It is not pinned.
    New,
    /// These members differ from the pin.
    Changed(Vec<String>),
    /// It is pinned, but the server no longer lists it.
    Removed,
    /// A string contains a character that is invisible to people but read by models, at this JSON pointer.
    Hidden(char, String),
    /// Its description has this many characters, more than [`MAX_DESCRIPTION_CHARS`].
    LongDescription(usize),
}

impl Reason {
    /// Returns whether the tool differs from its pin, so that [`PinMode::Block`](super::PinMode::Block)
    /// quarantines it.
    pub fn is_drift(&self) -> bool {
        matches!(self, Self::New | Self::Changed(_))
    }
}

impl Pins {
    /// Compares the tools of a server with their pins, and also returns suspicious definitions.
    pub fn check(&self, server: &str, tools: &[ToolDefinition]) -> Vec<Finding> {
        let pinned = self.of_server(server).map(|pins| &pins.tools);
        let mut findings = Vec::new();
        let mut find = |tool: &str, reason| {
            findings.push(Finding { server: server.to_owned(), tool: tool.to_owned(), reason });
        };
        for tool in tools {
            match pinned.and_then(|pinned| pinned.get(&tool.name)) {
                None => find(&tool.name, Reason::New),
                Some(pin) => {
                    let now = pin_of(tool);
                    if !pin.is_same(&now) {
                        find(&tool.name, Reason::Changed(pin.changed_members(&now)));
                    }
                }
            }
            for reason in suspicions(tool) {
                find(&tool.name, reason);
            }
        }
        let present: HashSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        for name in pinned.into_iter().flatten().map(|(name, _)| name) {
            if !present.contains(name.as_str()) {
                find(name, Reason::Removed);
            }
        }
        findings
    }
}

/// Returns the findings about a definition that do not depend on pins.
fn suspicions(tool: &ToolDefinition) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let definition = serde_json::to_value(tool).unwrap_or_default();
    if let Some((character, pointer)) = first_hidden(&definition) {
        reasons.push(Reason::Hidden(character, pointer));
    }
    let length = tool.description.as_deref().unwrap_or_default().chars().count();
    if length > MAX_DESCRIPTION_CHARS {
        reasons.push(Reason::LongDescription(length));
    }
    reasons
}

/// Returns the first hidden character of a document, in names or values, and its location.
fn first_hidden(value: &Value) -> Option<(char, String)> {
    let hidden = |text: &str| hidden_characters(text).next().map(|(character, _)| character);
    match value {
        Value::String(text) => Some((hidden(text)?, String::new())),
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            let (character, rest) = first_hidden(item)?;
            Some((character, format!("/{at}{rest}")))
        }),
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            let step = name.replace('~', "~0").replace('/', "~1");
            if let Some(character) = hidden(name) {
                return Some((character, format!("/{step}")));
            }
            let (character, rest) = first_hidden(member)?;
            Some((character, format!("/{step}{rest}")))
        }),
        _ => None,
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = visible(&format!("{}: the tool `{}`", self.server, self.tool));
        match &self.reason {
            Reason::New => write!(f, "{place} is not pinned"),
            Reason::Changed(members) => {
                write!(f, "{place} is not as it was pinned: {} changed", visible(&members.join(", ")))
            }
            Reason::Removed => write!(f, "{place} is pinned, and the server no longer has it"),
            Reason::Hidden(character, pointer) => {
                let what = match hidden_characters(&character.to_string()).next() {
                    Some((_, Hidden::Direction)) => "changes the direction of text",
                    _ => "is invisible",
                };
                write!(
                    f,
                    "{place} has U+{:04X}, which {what}, at {}",
                    u32::from(*character),
                    visible(pointer)
                )
            }
            Reason::LongDescription(length) => {
                write!(
                    f,
                    "{place} has a description of {length} characters, {MAX_DESCRIPTION_CHARS} are read"
                )
            }
        }
    }
}
