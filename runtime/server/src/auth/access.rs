//! What a caller may use.
//!
//! One rule decides what is listed and what can be used: `Access::covers` for tools, and `visibility`, which adds the
//! program's own rule, for prompts, resources and templates. It applies to lists, calls, reads, completion and
//! notifications. Hidden items behave as if they did not exist. A transport has to state the caller when it opens a
//! connection; there is no default, so a network peer is never trusted by omission.

use std::ops::Deref;
use std::sync::Arc;

use super::Principal;
use crate::quotas::Caller;
#[cfg(feature = "http")]
use crate::quotas::Received;

/// The caller's access, which determines what can be listed, called and read.
///
/// Handlers get it from [`Context::access`](crate::Context::access), and a [`Provider`](crate::Provider) receives it
/// with each list request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Access {
    /// The program itself, or the user who started it, as over stdio: no restrictions.
    Trusted,
    /// A network caller where no token is required: items that require scopes are hidden.
    Anonymous,
    /// A caller with a verified token.
    Granted(Arc<Principal>),
}

/// A caller, and the account that its share of the limits is charged to.
#[derive(Debug)]
pub(crate) struct Visitor {
    access: Access,
    caller: Option<Caller>,
    /// The message being handled for the caller.
    #[cfg(feature = "http")]
    _received: Option<Received>,
}

impl Visitor {
    /// A caller with a share of its own.
    #[cfg(feature = "http")]
    pub(crate) fn new(access: Access, caller: Caller) -> Self {
        Self { access, caller: Some(caller), _received: None }
    }

    /// Attaches the message that the caller sent, which counts against its share while it exists.
    #[cfg(feature = "http")]
    pub(crate) fn with(self, received: Received) -> Self {
        Self { _received: Some(received), ..self }
    }

    /// The caller without the message, once the message is answered.
    #[cfg(feature = "http")]
    pub(crate) fn without_message(self) -> Self {
        Self { _received: None, ..self }
    }

    /// Whose share of the limits a call counts against; `None` if the caller is unknown.
    pub(crate) fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }
}

impl From<Access> for Visitor {
    fn from(access: Access) -> Self {
        Self {
            access,
            caller: None,
            #[cfg(feature = "http")]
            _received: None,
        }
    }
}

impl Deref for Visitor {
    type Target = Access;

    fn deref(&self) -> &Access {
        &self.access
    }
}

impl Access {
    /// Returns whether the caller has all of these scopes: the rule for both lists and calls.
    pub fn covers(&self, scopes: &[String]) -> bool {
        scopes.is_empty()
            || match self {
                Self::Trusted => true,
                Self::Anonymous => false,
                Self::Granted(principal) => scopes.iter().all(|scope| principal.has_scope(scope)),
            }
    }

    /// Returns all scopes of another token of the same owner, if this token lacks any of them.
    #[cfg(feature = "http")]
    pub(crate) fn lacking_of(&self, other: &Self) -> Option<Vec<String>> {
        let scopes = other.principal().into_iter().flat_map(|principal| principal.scopes());
        let scopes: Vec<String> = scopes.map(str::to_owned).collect();
        (!self.covers(&scopes)).then_some(scopes)
    }

    /// Returns whether there are no restrictions.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted)
    }

    /// Whether nothing is known about the caller.
    #[cfg(all(feature = "auth", feature = "tasks"))]
    pub(crate) fn is_anonymous(&self) -> bool {
        matches!(self, Self::Anonymous)
    }

    /// The owner of everything that the caller opens; see [`Principal::owner`].
    pub(crate) fn owner(&self) -> Option<&str> {
        self.principal().map(|principal| principal.owner())
    }

    /// Returns the principal of a verified token.
    pub fn principal(&self) -> Option<&Arc<Principal>> {
        match self {
            Self::Granted(principal) => Some(principal),
            _ => None,
        }
    }
}
