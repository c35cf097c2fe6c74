//! Messages on standard error, and results on standard output.
//!
//! Many strings come from third parties: names, descriptions and errors of servers, paths, the output of programs. This
//! module escapes everything that a terminal interprets or hides, and everything that a runner of GitHub Actions would take
//! for a command. Third-party strings are shown on one line ([`visible`]), or line by line ([`quote_lines`]).

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
    /// `-v`: also progress messages.
    verbose: bool,
}

impl Shell {
    /// Creates a shell with `-q` and `-v`, and sets `--color` for all messages; with `auto` the terminal and `NO_COLOR` decide.
    pub(crate) fn new(quiet: bool, verbose: bool, color: ColorChoice) -> Self {
        match color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        Self { quiet, verbose }
    }

    /// Returns whether `-v` is given.
    pub(crate) fn is_verbose(self) -> bool {
        self.verbose
    }

    /// Prints a note, unless `-q` is given.
    pub(crate) fn note(self, text: &impl Display) {
        if !self.quiet {
            anstream::eprintln!("{0}note{0:#}: {1}", style::NOTE, escape_text(&text.to_string()));
        }
    }

    /// Prints the current action, with `-v`.
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

/// Writes JSON to standard output, with hidden characters escaped.
pub(crate) fn print_json(text: &str) -> Result<(), Error> {
    ignore_broken_pipe(io::stdout().write_all(visible_json_text(text).as_bytes()))
}

fn visible_json_text(text: &str) -> String {
    // `#` only occurs in strings.
    visible_json(text).replace("##[", "#\\u0023[")
}

/// Writes lines of JSON to standard output like [`print_json`]. Lines that are marked as exact are written byte for byte,
/// unless standard output is a terminal.
pub(crate) fn print_records(
    lines: impl IntoIterator<Item = (String, /* is exact */ bool)>,
) -> Result<(), Error> {
    let text = format_records(lines, io::stdout().is_terminal());
    ignore_broken_pipe(io::stdout().write_all(text.as_bytes()))
}

/// Formats records for [`print_records`] or for a file.
pub(crate) fn format_records(
    lines: impl IntoIterator<Item = (String, /* is exact */ bool)>,
    is_terminal: bool,
) -> String {
    let format = |(line, is_exact): (String, bool)| {
        let text = if is_exact && !is_terminal { line } else { visible_json_text(&line) };
        text + "\n"
    };
    lines.into_iter().map(format).collect()
}

/// Writes commands for GitHub Actions to standard output. Strings in them must be [`visible`].
pub(crate) fn print_commands(text: &str) -> Result<(), Error> {
    ignore_broken_pipe(io::stdout().write_all(text.as_bytes()))
}

/// Writes a result with colors to standard output; they are removed if it is not a terminal. Strings in it must be
/// [`visible`].
pub(crate) fn print_styled(text: &str) -> Result<(), Error> {
    ignore_broken_pipe(anstream::stdout().write_all(escape_commands(text).as_bytes()))
}

fn ignore_broken_pipe(result: io::Result<()>) -> Result<(), Error> {
    match result {
        // The reader, such as `head`, needs no more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(source) => Err(Error::Write { file: "standard output".into(), source }),
        Ok(()) => Ok(()),
    }
}

/// Prints the error that ends the run, with its causes.
pub(crate) fn error(error: &dyn std::error::Error) {
    failure(&error);
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // Some errors already contain their cause.
        if !message.ends_with(text.trim_end()) {
            // Third-party errors are shown on one line.
            anstream::eprintln!("  caused by: {}", escape_text(&visible(text.trim_end())));
        }
        message = text;
        source = cause.source();
    }
}

/// Prints an error message; the exit code is set elsewhere.
pub(crate) fn failure(text: &impl Display) {
    anstream::eprintln!("{0}error{0:#}: {1}", style::ERROR, escape_text(&text.to_string()));
}

/// Prints a warning.
pub(crate) fn warning(text: &impl Display) {
    anstream::eprintln!("{0}warning{0:#}: {1}", style::WARN, escape_text(&text.to_string()));
}

/// Prints a question, and leaves the cursor behind it.
pub(crate) fn prompt(text: &str) {
    anstream::eprint!("{}", escape_text(text));
}

/// Prints a message with its own colors. Strings in it must be [`visible`].
pub(crate) fn styled_message(text: &str) {
    anstream::eprint!("{}", escape_commands(text));
}

/// Prints the output of a program.
pub(crate) fn text(text: &str) {
    anstream::eprintln!("{}", quote_lines(text));
}

/// Prints an error of the command line, or the requested help. Both may contain third-party strings.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let plain = error.render().to_string();
    let code = u8::try_from(error.exit_code()).unwrap_or(1);
    if escape_text(&plain) == plain {
        // Printed with colors; a write error is irrelevant.
        _ = error.print();
    } else if error.use_stderr() {
        anstream::eprint!("{}", escape_text(&plain));
    } else {
        anstream::print!("{}", escape_text(&plain));
    }
    ExitCode::from(code)
}
