//! Rules for strings and lists of strings.

use std::collections::BTreeSet;

use syn::LitStr;

use crate::attr::Given;
use crate::errors::Errors;

/// A string for people or models must not be empty: it is left out instead.
pub(super) fn not_empty(given: Option<&Given<LitStr>>, errors: &Errors) {
    if let Some(given) = given
        && given.value.value().trim().is_empty()
    {
        errors.on(&given.value, format!("empty `{}`; write some text or remove the key", given.key));
    }
}

/// No string appears in `strings` twice.
pub(super) fn unique(what: &str, strings: &[LitStr], errors: &Errors) {
    let mut seen = BTreeSet::new();
    for string in strings {
        if !seen.insert(string.value()) {
            errors.on(string, format!("{what} `{}` appears twice; keep one", string.value()));
        }
    }
}
