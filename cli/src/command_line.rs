//! Parses the command line of this program, and formats command lines for messages.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use toolwright_core::manifest::visible;

/// Returns the arguments without the `mcp` that cargo inserts for `cargo mcp`.
pub(crate) fn strip_subcommand(args: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    args.into_iter().enumerate().filter(|(index, arg)| !(*index == 1 && arg == "mcp")).map(|(_, arg)| arg)
}

/// Formats a command as shell syntax.
pub(crate) fn display(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quote).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell.
pub(crate) fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |character: char| character.is_alphanumeric() || "-_./=:,@+\\".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into_owned()
    } else {
        // Words may come from third parties, such as the name of a branch.
        visible(&format!("'{}'", word.replace('\'', r"'\''")))
    }
}
