//! Names of tools: their rules, joining with a server's name, splitting again, and the names that clients see.

mod public;
mod table;

pub use public::{PORTABLE_LIMIT, distinct_name, public_name};
pub use table::{Collision, Names, PublicName, PublicNames, Resolution};

/// The longest name of a tool, in characters (2026-07-28, server/tools "Tool Names").
pub const LIMIT: usize = 128;

/// The separator between the name of a server and the name of its tool.
pub const SEPARATOR: &str = "__";

/// Checks the name of a tool: 1 to 128 characters of `A-Z a-z 0-9 _ - .` (2026-07-28, server/tools "Tool Names").
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

/// Checks the name of a server that prefixes its tools: not empty, no `__` inside, no `_` at either end.
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

/// `{server}__{tool}`; [`split`] undoes it for every name of a tool.
///
/// The result may still be too long for a client or hold characters that it does not take: see [`public_name`].
///
/// # Errors
/// [`ServerNameError`] where the server's name would make the result ambiguous.
pub fn join(server: &str, tool: &str) -> Result<String, ServerNameError> {
    check_server(server)?;
    Ok(format!("{server}{SEPARATOR}{tool}"))
}

/// The server and the tool of a joined name: split at the first `__`. Nothing where [`join`] cannot have made it.
///
/// Only for names that [`join`] made and that were not shortened: a client's name goes through [`PublicNames::find`].
pub fn split(joined: &str) -> Option<(&str, &str)> {
    let (server, tool) = joined.split_once(SEPARATOR)?;
    check_server(server).ok()?;
    Some((server, tool))
}

/// Why a text is not the name of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// No character at all.
    #[error("the name is empty; give it 1 to {LIMIT} characters of `A-Z a-z 0-9 _ - .`")]
    Empty,
    /// More than [`LIMIT`] characters.
    #[error("the name has {length} characters; shorten it to {LIMIT}")]
    Long {
        /// The number of characters.
        length: usize,
    },
    /// A character that no name may have.
    #[error("the name has {character:?} at byte {at}; use only `A-Z a-z 0-9 _ - .`")]
    Character {
        /// The first such character.
        character: char,
        /// Its place, in bytes from 0.
        at: usize,
    },
}

/// Why a server's name cannot prefix the names of its tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerNameError {
    /// No character at all.
    #[error("the server's name is empty; give it one, such as `files`")]
    Empty,
    /// `__` inside.
    #[error("the server's name {0:?} has `__` inside, which separates it from its tools; write `_` or `-`")]
    Separator(String),
    /// `_` at an end.
    #[error(
        "the server's name {0:?} starts or ends with `_`, which would run into the separator `__`; leave it out"
    )]
    Edge(String),
}

#[cfg(test)]
mod tests;
