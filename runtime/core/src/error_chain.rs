//! Errors with their sources, and the errors of handlers among them.

use std::error::Error;
use std::fmt;

/// Formats an error and its sources, without repeating a source that the message contains already.
pub(crate) fn message(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// Returns the first error of type `E` among an error and its sources.
pub(crate) fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    std::iter::successors(Some(error), |error| (*error).source()).find_map(|error| error.downcast_ref())
}

/// A value as an `Error`. Its source is the value again: `anyhow` hides the type of the outermost error when it boxes one.
#[derive(Debug)]
pub(crate) struct AsError<T>(Kept<T>);

/// The value in an [`AsError`].
#[derive(Debug)]
pub(crate) struct Kept<T>(pub(crate) T);

impl<T> AsError<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Kept(value))
    }
}

impl<T: fmt::Display> fmt::Display for AsError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: fmt::Display + fmt::Debug + 'static> Error for AsError<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

impl<T: fmt::Display> fmt::Display for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: fmt::Display + fmt::Debug> Error for Kept<T> {}
