//! What is said to the user: messages on standard error, results on standard output.
//!
//! Much of it comes from others: names, descriptions and errors of servers, paths, the output of programs. So nothing
//! leaves this module that a terminal obeys or hides, and no line that a runner of GitHub Actions takes for a command.
//! Who puts a text of others into a message makes it one line ([`visible`]); what is many lines goes through [`quoted`].

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::ColorChoice;
use clap_cargo::style;
use toolwright_core::manifest::{is_hidden, visible, visible_json};

use crate::error::Error;

/// What may be said besides errors and warnings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shell {
    /// `-q`: no notes.
    quiet: bool,
    /// `-v`: also what is being done.
    verbose: bool,
}

impl Shell {
    /// A shell that follows `-q`, `-v` and, for all messages, `--color`; without it the terminal and `NO_COLOR` decide.
    pub(crate) fn new(quiet: bool, verbose: bool, color: ColorChoice) -> Self {
        match color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        Self { quiet, verbose }
    }

    /// What is good to know.
    pub(crate) fn note(self, text: &impl Display) {
        if !self.quiet {
            anstream::eprintln!("{0}note{0:#}: {1}", style::NOTE, page(&text.to_string()));
        }
    }

    /// What is being done.
    pub(crate) fn running(self, text: &impl Display) {
        if self.verbose {
            anstream::eprintln!("{0}     Running{0:#} {1}", style::GOOD, page(&visible(&text.to_string())));
        }
    }
}

/// Writes a result to standard output; see [`page`].
pub(crate) fn print(text: &str) -> Result<(), Error> {
    written(io::stdout().write_all(page(text).as_bytes()))
}

/// Writes JSON to standard output, with the same values and all of it visible.
pub(crate) fn print_json(text: &str) -> Result<(), Error> {
    // Outside of strings there is no `#`.
    written(io::stdout().write_all(visible_json(text).replace("##[", "#\\u0023[").as_bytes()))
}

/// Writes commands for GitHub Actions to standard output, which are made of [`visible`] texts.
pub(crate) fn print_commands(text: &str) -> Result<(), Error> {
    written(io::stdout().write_all(text.as_bytes()))
}

/// Writes a result with colours to standard output: they are taken out where it is no terminal. The texts in it must have
/// been made [`visible`].
pub(crate) fn print_styled(text: &str) -> Result<(), Error> {
    written(anstream::stdout().write_all(without_commands(text).as_bytes()))
}

fn written(result: io::Result<()>) -> Result<(), Error> {
    match result {
        // Whoever reads, `head` for example, has enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(source) => Err(Error::Write { file: "standard output".into(), source }),
        Ok(()) => Ok(()),
    }
}

/// Why the run ends without a result.
pub(crate) fn error(error: &dyn std::error::Error) {
    failure(&error);
    let mut source = error.source();
    while let Some(cause) = source {
        // What others make of an error is one line; those of our own that have more say so by their indentation.
        anstream::eprintln!("  caused by: {}", page(&visible(cause.to_string().trim_end())));
        source = cause.source();
    }
}

/// What is wrong, where the run's result is to say so.
pub(crate) fn failure(text: &impl Display) {
    anstream::eprintln!("{0}error{0:#}: {1}", style::ERROR, page(&text.to_string()));
}

/// What is probably a mistake.
pub(crate) fn warning(text: &impl Display) {
    anstream::eprintln!("{0}warning{0:#}: {1}", style::WARN, page(&text.to_string()));
}

/// What a program wrote.
pub(crate) fn text(text: &str) {
    anstream::eprintln!("{}", quoted(text));
}

/// What is wrong with the command line, or the help that was asked for. Its words may come from others, too.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let plain = error.render().to_string();
    let code = u8::try_from(error.exit_code()).unwrap_or(1);
    if page(&plain) == plain {
        // The same with colours; that nobody reads it changes nothing.
        _ = error.print();
    } else if error.use_stderr() {
        anstream::eprint!("{}", page(&plain));
    } else {
        anstream::print!("{}", page(&plain));
    }
    ExitCode::from(code)
}

/// A text of many lines that others wrote, each marked as such: no line of it looks like one of ours.
pub(crate) fn quoted(text: &str) -> String {
    let lines = text
        .trim_end()
        .lines()
        .map(|line| format!("  | {}", visible(line.trim_end_matches('\r')).replace("##[", "#\\u{23}[")));
    lines.collect::<Vec<_>>().join("\n")
}

/// A text of many lines with its hidden characters written out, but for line ends, tabs, and joiners and selectors of
/// pictures, which do no harm; and without [commands](without_commands).
pub(crate) fn page(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        let is_picture = matches!(character, '\u{200d}' | '\u{fe0e}'..='\u{fe0f}')
            && !before.is_ascii()
            && !is_hidden(before);
        if is_hidden(character) && !matches!(character, '\n' | '\t') && !is_picture {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
        if !is_picture {
            before = character;
        }
    }
    without_commands(&shown)
}

/// Takes the meaning from what a runner of GitHub Actions would obey: `::` at the start of a line, whatever white space
/// is before it, and `##[` anywhere (actions/runner, `ActionCommand`).
fn without_commands(text: &str) -> String {
    let line = |line: &str| {
        let start = line.len() - line.trim_start().len();
        let line = match line[start..].strip_prefix("::") {
            Some(rest) => format!("{}\\u{{3a}}:{rest}", &line[..start]),
            None => line.to_owned(),
        };
        line.replace("##[", "#\\u{23}[")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_hides_nothing_and_commands_nobody() {
        for (text, shown) in [
            (
                "plain, with\n\ttabs — and 👩\u{200d}👧 ❤\u{fe0f}\n",
                "plain, with\n\ttabs — and 👩\u{200d}👧 ❤\u{fe0f}\n",
            ),
            ("a\u{1b}[2J\rb\u{9b}K", "a\\u{1b}[2J\\u{d}b\\u{9b}K"),
            ("a\u{202e}b\u{200b}\u{2028}\u{200d}", "a\\u{202e}b\\u{200b}\\u{2028}\\u{200d}"),
            ("::warning::x", "\\u{3a}:warning::x"),
            ("a ::b\n  ::error::x\n", "a ::b\n  \\u{3a}:error::x\n"),
            ("x ##[warning]y", "x #\\u{23}[warning]y"),
        ] {
            assert_eq!(page(text), shown, "{text:?}");
        }
    }

    #[test]
    fn lines_of_others_are_marked() {
        assert_eq!(quoted("one\r\n::error::two\u{1b}[0m\n\n"), "  | one\n  | ::error::two\\u{1b}[0m");
    }
}
