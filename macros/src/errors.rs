//! Collects every mistake in the input, each reported at its token.

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

/// Collects mistakes, so that one run of the compiler shows them all.
///
/// Panics when it is dropped before [`Errors::into_compile_errors`]: an unreported mistake is a bug in the
/// derive.
pub(crate) struct Errors(RefCell<Option<Vec<Error>>>);

impl Errors {
    pub(crate) fn new() -> Self {
        Self(RefCell::new(Some(Vec::new())))
    }

    /// Reports `text`, spanning all of `tokens`.
    pub(crate) fn on(&self, tokens: impl ToTokens, text: impl Display) {
        self.push(Error::new_spanned(tokens, text));
    }

    /// Reports `text` at `span`.
    pub(crate) fn at(&self, span: Span, text: impl Display) {
        self.push(Error::new(span, text));
    }

    /// Reports an error of the parser.
    pub(crate) fn push(&self, error: Error) {
        if let Some(errors) = self.0.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// The number of mistakes so far.
    pub(crate) fn count(&self) -> usize {
        self.0.borrow().as_ref().map_or(0, Vec::len)
    }

    /// Returns the `compile_error!`s to emit next to the implementation.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        let errors = self.0.borrow_mut().take().unwrap_or_default();
        errors.iter().map(Error::to_compile_error).collect()
    }

    #[cfg(test)]
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.0.borrow_mut().take().unwrap_or_default().iter().map(Error::to_string).collect()
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        assert!(
            thread::panicking() || self.0.borrow().is_none(),
            "the mistakes of the input were not reported"
        );
    }
}
