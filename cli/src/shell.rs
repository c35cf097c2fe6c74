//! What is said to the user, on standard error; standard output belongs to what a command is for.

use std::fmt::Display;
use std::io::{self, Write as _};

use clap::ColorChoice;
use clap_cargo::style;

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
            anstream::eprintln!("{0}note{0:#}: {text}", style::NOTE);
        }
    }

    /// What is being done.
    pub(crate) fn running(self, text: &impl Display) {
        if self.verbose {
            anstream::eprintln!("{0}     Running{0:#} {text}", style::GOOD);
        }
    }
}

/// Writes a result to standard output.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    written(io::stdout().write_all(text.as_bytes()))
}

/// Writes a result with colours to standard output: they are taken out where it is no terminal.
pub(crate) fn print_styled(text: &str) -> Result<(), Error> {
    written(anstream::stdout().write_all(text.as_bytes()))
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
        anstream::eprintln!("  caused by: {cause}");
        source = cause.source();
    }
}

/// What is wrong, where the run's result is to say so.
pub(crate) fn failure(text: &impl Display) {
    anstream::eprintln!("{0}error{0:#}: {text}", style::ERROR);
}

/// What is probably a mistake.
pub(crate) fn warning(text: &impl Display) {
    anstream::eprintln!("{0}warning{0:#}: {text}", style::WARN);
}

/// Text that has a form of its own: what a program wrote.
pub(crate) fn text(text: &impl Display) {
    anstream::eprintln!("{text}");
}
