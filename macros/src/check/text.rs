//! Rules for strings and lists of strings.

use std::collections::BTreeSet;

use syn::LitStr;

use crate::attr::AttributeValue;
use crate::errors::Errors;

/// Reports an empty string for people or models: it should be omitted instead.
pub(super) fn check_not_empty(given: Option<&AttributeValue<LitStr>>, errors: &Errors) {
    if let Some(given) = given
        && given.value.value().trim().is_empty()
    {
        errors.on(&given.value, format!("empty `{}`; write some text or remove the key", given.key));
    }
}

/// Reports duplicate strings.
pub(super) fn check_unique(what: &str, strings: &[LitStr], errors: &Errors) {
    let mut seen = BTreeSet::new();
    for string in strings {
        if !seen.insert(string.value()) {
            errors.on(string, format!("{what} `{}` appears twice; keep one", string.value()));
        }
    }
}
