//! Tool names: validation, joining with and splitting from a server name, and public names.

mod public;
mod table;

pub use public::{PORTABLE_LIMIT, distinct_name, public_name};
pub use table::{Collision, Names, PublicName, PublicNames, Resolution};

/// Maximum length of a tool name, in characters (2026-07-28, server/tools "Tool Names").
pub const LIMIT: usize = 128;

/// The separator between the server name and the tool name.
pub const SEPARATOR: &str = "__";

/// Validates a tool name: 1 to 128 characters of `A-Z a-z 0-9 _ - .` (2026-07-28, server/tools "Tool Names").
pub fn check(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if let Some((at, character)) = name.char_indices().find(|(_, character)| !is_allowed(*character)) {
        return Err(NameError::Character { character, at });
    }
    if name.len() > LIMIT {
        return Err(NameError::Long { length: name.len() });
    }
    Ok(())
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
}

/// Validates a server name used as a prefix: not empty, without `__`, without `_` at either end.
pub fn check_server(name: &str) -> Result<(), ServerNameError> {
    if name.is_empty() {
        Err(ServerNameError::Empty)
    } else if name.contains(SEPARATOR) {
        Err(ServerNameError::Separator(name.to_owned()))
    } else if name.starts_with('_') || name.ends_with('_') {
        Err(ServerNameError::Edge(name.to_owned()))
    } else {
        Ok(())
    }
}

/// Returns `{server}__{tool}`; [`split`] is the inverse for every tool name.
///
/// The result may still be too long or contain characters that a client does not accept: see [`public_name`].
///
/// # Errors
/// [`ServerNameError`] if the server name would make the result ambiguous.
pub fn join(server: &str, tool: &str) -> Result<String, ServerNameError> {
    check_server(server)?;
    Ok(format!("{server}{SEPARATOR}{tool}"))
}

/// Splits a joined name at the first `__` into server and tool. Returns `None` if it is not a result of [`join`].
///
/// Only for results of [`join`] that were not shortened: for names from clients, use [`PublicNames::find`].
pub fn split(joined: &str) -> Option<(&str, &str)> {
    let (server, tool) = joined.split_once(SEPARATOR)?;
    check_server(server).ok()?;
    Some((server, tool))
}

/// Why a string is not a tool name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name is empty.
    #[error("the name is empty; give it 1 to {LIMIT} characters of `A-Z a-z 0-9 _ - .`")]
    Empty,
    /// The name has more than [`LIMIT`] characters.
    #[error("the name has {length} characters; shorten it to {LIMIT}")]
    Long {
        /// The length in characters.
        length: usize,
    },
    /// The name contains an invalid character.
    #[error("the name has {character:?} at byte {at}; use only `A-Z a-z 0-9 _ - .`")]
    Character {
        /// The first such character.
        character: char,
        /// Its byte offset.
        at: usize,
    },
}

/// Why a server name cannot be used as a prefix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerNameError {
    /// The name is empty.
    #[error("the server name is empty; choose one, such as `files`")]
    Empty,
    /// The name contains `__`.
    #[error(
        "the server name {0:?} contains `__`, the separator between server and tool; use `_` or `-` instead"
    )]
    Separator(String),
    /// The name starts or ends with `_`.
    #[error(
        "the server name {0:?} starts or ends with `_`, which would be ambiguous next to the separator `__`; remove it"
    )]
    Edge(String),
}

#[cfg(test)]
mod tests;
