//! Messages on standard error, and results on standard output.
//!
//! Much of it comes from others: names, descriptions and errors of servers, paths, the output of programs. So nothing
//! leaves this module that a terminal obeys or hides, and no line that a runner of GitHub Actions takes for a command.
//! Strings of others are put on one line ([`visible`]); what is many lines goes through [`quote_lines`].

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::ColorChoice;
use clap_cargo::style;
use toolwright_core::manifest::{visible, visible_json};

use crate::error::Error;
use crate::escape::{escape_commands, escape_text, quote_lines};

/// Which messages are printed besides errors and warnings.
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

    /// Prints a note, unless `-q` is given.
    pub(crate) fn note(self, text: &impl Display) {
        if !self.quiet {
            anstream::eprintln!("{0}note{0:#}: {1}", style::NOTE, escape_text(&text.to_string()));
        }
    }

    /// Prints what is being run, with `-v`.
    pub(crate) fn running(self, text: &impl Display) {
        if self.verbose {
            anstream::eprintln!(
                "{0}     Running{0:#} {1}",
                style::GOOD,
                escape_text(&visible(&text.to_string()))
            );
        }
    }
}

/// Writes a result to standard output; see [`escape_text`].
pub(crate) fn print(text: &str) -> Result<(), Error> {
    ignore_broken_pipe(io::stdout().write_all(escape_text(text).as_bytes()))
}

/// Writes JSON to standard output, with the same values and all of it visible.
pub(crate) fn print_json(text: &str) -> Result<(), Error> {
    ignore_broken_pipe(io::stdout().write_all(shown_json(text).as_bytes()))
}

fn shown_json(text: &str) -> String {
    // Outside of strings there is no `#`.
    visible_json(text).replace("##[", "#\\u0023[")
}

/// Writes lines of JSON to standard output, as [`print_json`] does. A line that is marked as exact goes out byte for byte,
/// unless a terminal shows it.
pub(crate) fn print_records(
    lines: impl IntoIterator<Item = (String, /* is exact */ bool)>,
) -> Result<(), Error> {
    let text = records_text(lines, io::stdout().is_terminal());
    ignore_broken_pipe(io::stdout().write_all(text.as_bytes()))
}

/// The same as text, for a file or a terminal.
pub(crate) fn records_text(
    lines: impl IntoIterator<Item = (String, /* is exact */ bool)>,
    is_terminal: bool,
) -> String {
    let shown = |(line, is_exact): (String, bool)| {
        let shown = if is_exact && !is_terminal { line } else { shown_json(&line) };
        shown + "\n"
    };
    lines.into_iter().map(shown).collect()
}

/// Writes commands for GitHub Actions to standard output, which are made of [`visible`] strings.
pub(crate) fn print_commands(text: &str) -> Result<(), Error> {
    ignore_broken_pipe(io::stdout().write_all(text.as_bytes()))
}

/// Writes a result with colours to standard output: they are taken out where it is no terminal. The strings in it must have
/// been made [`visible`].
pub(crate) fn print_styled(text: &str) -> Result<(), Error> {
    ignore_broken_pipe(anstream::stdout().write_all(escape_commands(text).as_bytes()))
}

fn ignore_broken_pipe(result: io::Result<()>) -> Result<(), Error> {
    match result {
        // Whoever reads, `head` for example, has enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(source) => Err(Error::Write { file: "standard output".into(), source }),
        Ok(()) => Ok(()),
    }
}

/// Prints the error that ends the run, with its causes.
pub(crate) fn error(error: &dyn std::error::Error) {
    failure(&error);
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // Some errors have their cause in their text already.
        if !said.ends_with(text.trim_end()) {
            // What others make of an error is one line; those of our own that have more say so by their indentation.
            anstream::eprintln!("  caused by: {}", escape_text(&visible(text.trim_end())));
        }
        said = text;
        source = cause.source();
    }
}

/// Prints what is wrong, where the exit code says so as well.
pub(crate) fn failure(text: &impl Display) {
    anstream::eprintln!("{0}error{0:#}: {1}", style::ERROR, escape_text(&text.to_string()));
}

/// Prints a warning.
pub(crate) fn warning(text: &impl Display) {
    anstream::eprintln!("{0}warning{0:#}: {1}", style::WARN, escape_text(&text.to_string()));
}

/// Prints a message with colours of its own, whose texts must have been made [`visible`].
pub(crate) fn styled_message(text: &str) {
    anstream::eprint!("{}", escape_commands(text));
}

/// Prints what a program wrote.
pub(crate) fn text(text: &str) {
    anstream::eprintln!("{}", quote_lines(text));
}

/// Prints an error of the command line, or the requested help. Both may hold strings of others.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let plain = error.render().to_string();
    let code = u8::try_from(error.exit_code()).unwrap_or(1);
    if escape_text(&plain) == plain {
        // The same with colours; that nobody reads it changes nothing.
        _ = error.print();
    } else if error.use_stderr() {
        anstream::eprint!("{}", escape_text(&plain));
    } else {
        anstream::print!("{}", escape_text(&plain));
    }
    ExitCode::from(code)
}
