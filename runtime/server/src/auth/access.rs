//! What a caller may use.
//!
//! One rule decides what is listed and what is used: `Access::covers` for tools, and `visibility`, which adds the
//! program's own rule, for prompts, resources and templates. It applies to lists, calls, reads, completion and every
//! notification. Hidden items are answered as if they did not exist. A transport must say who is at the other end
//! when it opens a connection; there is no default, so a network peer is never trusted by omission.

use std::ops::Deref;
use std::sync::Arc;

use super::Principal;
use crate::quotas::Caller;
#[cfg(feature = "http")]
use crate::quotas::Received;

/// Who calls, and so what may be listed, called and read.
///
/// A handler gets it from [`Context::access`](crate::Context::access), a [`Provider`](crate::Provider) with each list.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Access {
    /// The program itself, or the user who started it, as over stdio: everything may be used.
    Trusted,
    /// Someone over a network who was asked for nothing: what needs a scope does not exist.
    Anonymous,
    /// Someone whose token was checked.
    Granted(Arc<Principal>),
}

/// Who calls, and whose share of the limits that takes.
#[derive(Debug)]
pub(crate) struct Visitor {
    access: Access,
    caller: Option<Caller>,
    /// The message that is handled for it.
    #[cfg(feature = "http")]
    _received: Option<Received>,
}

impl Visitor {
    /// Someone who takes a share of its own.
    #[cfg(feature = "http")]
    pub(crate) fn new(access: Access, caller: Caller) -> Self {
        Self { access, caller: Some(caller), _received: None }
    }

    /// Who has sent this message, which counts as long as this one is there.
    #[cfg(feature = "http")]
    pub(crate) fn with(self, received: Received) -> Self {
        Self { _received: Some(received), ..self }
    }

    /// Who stays when the message is answered.
    #[cfg(feature = "http")]
    pub(crate) fn without_message(self) -> Self {
        Self { _received: None, ..self }
    }

    /// Whose share of the limits a call takes; none where nothing is known of the caller.
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
    /// Whether the caller has all these scopes: the one rule of lists and calls.
    pub fn covers(&self, scopes: &[String]) -> bool {
        scopes.is_empty()
            || match self {
                Self::Trusted => true,
                Self::Anonymous => false,
                Self::Granted(principal) => scopes.iter().all(|scope| principal.has_scope(scope)),
            }
    }

    /// The scopes of another token of the same owner, all of them, if this one does not have them all.
    #[cfg(feature = "http")]
    pub(crate) fn lacking_of(&self, other: &Self) -> Option<Vec<String>> {
        let scopes = other.principal().into_iter().flat_map(|principal| principal.scopes());
        let scopes: Vec<String> = scopes.map(str::to_owned).collect();
        (!self.covers(&scopes)).then_some(scopes)
    }

    /// Whether everything may be used.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted)
    }

    /// Whether nothing is known of the caller.
    #[cfg(all(feature = "auth", feature = "tasks"))]
    pub(crate) fn is_anonymous(&self) -> bool {
        matches!(self, Self::Anonymous)
    }

    /// To whom what is opened belongs: see [`Principal::owner`].
    pub(crate) fn owner(&self) -> Option<&str> {
        self.principal().map(|principal| principal.owner())
    }

    /// Whose token was checked.
    pub fn principal(&self) -> Option<&Arc<Principal>> {
        match self {
            Self::Granted(principal) => Some(principal),
            _ => None,
        }
    }
}
