//! Rules for lists of short texts.

use std::collections::BTreeSet;

use syn::LitStr;

use crate::attr::Given;
use crate::errors::Errors;

/// Text for people or models is left out rather than empty.
pub(super) fn not_empty(given: Option<&Given<LitStr>>, errors: &Errors) {
    if let Some(given) = given
        && given.value.value().trim().is_empty()
    {
        errors.on(&given.value, format!("empty `{}`; write some text or leave the key out", given.key));
    }
}

/// No text stands in `texts` twice.
pub(super) fn unique(what: &str, texts: &[LitStr], errors: &Errors) {
    let mut seen = BTreeSet::new();
    for text in texts {
        if !seen.insert(text.value()) {
            errors.on(text, format!("{what} `{}` stands here twice; keep one", text.value()));
        }
    }
}
