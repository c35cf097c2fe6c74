//! What goes to standard error; standard output belongs to manifests alone.

use std::fmt::Display;

use clap::ColorChoice;
use clap_cargo::style;

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
