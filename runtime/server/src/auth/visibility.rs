//! Who sees which prompts and resources, beside what scopes say.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Access, Principal};

/// What a rule is asked about: see [`Server::show_if`](crate::Server::show_if).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Offer<'a> {
    /// A prompt, by its name.
    Prompt(&'a str),
    /// A resource, by its address: one that is listed, one that a template stands for, or one that someone watches
    /// although nothing is there yet.
    Resource(&'a str),
    /// A resource template, by its form.
    ResourceTemplate(&'a str),
}

type Decide = dyn Fn(Offer<'_>, Option<&Principal>) -> bool + Send + Sync;

/// What the program says about who sees what. The same rule decides over lists, reads, watching and completion.
#[derive(Clone, Default)]
pub(crate) struct Rule(Option<Arc<Decide>>);

impl Rule {
    /// Shows everything that scopes show.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn new(
        decide: impl Fn(Offer<'_>, Option<&Principal>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(decide)))
    }

    /// Whether this and another rule both admit.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(first), Some(second)) => {
                Self::new(move |offer, principal| first(offer, principal) && second(offer, principal))
            }
            (first, second) => Self(first.or(second)),
        }
    }

    /// Whether there is one.
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Whether what the caller sees is decided by a rule.
    pub(crate) fn decides_for(&self, access: &Access) -> bool {
        self.0.is_some() && !access.is_trusted()
    }

    /// Whether the caller sees what is offered. A rule that panics shows nothing.
    pub(crate) fn admits(&self, offer: Offer<'_>, access: &Access) -> bool {
        let Some(decide) = self.0.as_ref().filter(|_| !access.is_trusted()) else { return true };
        let principal = access.principal().map(|principal| &**principal);
        catch_unwind(AssertUnwindSafe(|| decide(offer, principal))).unwrap_or(false)
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rule")
    }
}
