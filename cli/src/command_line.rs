//! Command lines: this program's own, and those that messages show as a shell would take them.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use toolwright_core::manifest::visible;

/// The words of this program's command line without the `mcp` that cargo puts in front for `cargo mcp`.
pub(crate) fn strip_subcommand(args: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    args.into_iter().enumerate().filter(|(index, arg)| !(*index == 1 && arg == "mcp")).map(|(_, arg)| arg)
}

/// A command as a shell would take it.
pub(crate) fn display(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quote).collect::<Vec<_>>().join(" ")
}

/// A word as a shell would take it.
pub(crate) fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |character: char| character.is_alphanumeric() || "-_./=:,@+\\".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into_owned()
    } else {
        // Words may come from others, as the name of a branch does.
        visible(&format!("'{}'", word.replace('\'', r"'\''")))
    }
}
