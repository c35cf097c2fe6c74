//! The program's own rule for which callers see which prompts and resources, in addition to scopes.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Access, Principal};

/// An item that the rule decides on; see [`Server::show_if`](crate::Server::show_if).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Offer<'a> {
    /// A prompt, by its name.
    Prompt(&'a str),
    /// A resource, by its URI: one that is listed, one that a template covers, or one that does not exist yet but
    /// is subscribed to.
    Resource(&'a str),
    /// A resource template, by its URI template.
    ResourceTemplate(&'a str),
}

type Decide = dyn Fn(Offer<'_>, Option<&Principal>) -> bool + Send + Sync;

/// The program's visibility rule, which applies to lists, reads, subscriptions and completion.
#[derive(Clone, Default)]
pub(crate) struct Rule(Option<Arc<Decide>>);

impl Rule {
    /// Adds no restrictions to those of scopes.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn new(
        decide: impl Fn(Offer<'_>, Option<&Principal>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(decide)))
    }

    /// Combines two rules; both have to allow an item.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(first), Some(second)) => {
                Self::new(move |offer, principal| first(offer, principal) && second(offer, principal))
            }
            (first, second) => Self(first.or(second)),
        }
    }

    /// Whether a rule is set.
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
