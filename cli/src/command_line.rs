//! Commands as a shell would take them, for messages.

use std::ffi::OsStr;
use std::process::Command;

use toolwright_core::manifest::visible;

/// A command as a shell would take it.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

/// A word as a shell would take it.
pub(crate) fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |character: char| character.is_alphanumeric() || "-_./=:,@+\\".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into_owned()
    } else {
        // Words may come from others, as the name of a branch does.
        visible(&format!("'{}'", word.replace('\'', r"'\''")))
    }
}
