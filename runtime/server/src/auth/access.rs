//! What a caller may use.

use std::ops::Deref;
use std::sync::Arc;

use super::Principal;
use crate::callers::Caller;
#[cfg(feature = "http")]
use crate::callers::Received;

/// Who calls, as far as tools are concerned.
#[derive(Debug, Clone)]
pub(crate) enum Access {
    /// The program itself, or the user who started it: everything may be used.
    Trusted,
    /// Somebody over a network who was asked for nothing: what needs a scope does not exist.
    #[cfg(any(feature = "http", feature = "jsonrpsee"))]
    Anonymous,
    /// Somebody whose token was checked.
    #[cfg(feature = "auth")]
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
    /// Somebody who takes a share of its own.
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
    /// The one rule of lists and calls: a caller has all the scopes, or neither sees the tool nor calls it.
    pub(crate) fn covers(&self, scopes: &[String]) -> bool {
        scopes.is_empty()
            || match self {
                Self::Trusted => true,
                #[cfg(any(feature = "http", feature = "jsonrpsee"))]
                Self::Anonymous => false,
                #[cfg(feature = "auth")]
                Self::Granted(principal) => scopes.iter().all(|scope| principal.has_scope(scope)),
            }
    }

    /// Whether nothing is kept from the caller.
    pub(crate) fn is_trusted(&self) -> bool {
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
    pub(crate) fn principal(&self) -> Option<&Arc<Principal>> {
        match self {
            #[cfg(feature = "auth")]
            Self::Granted(principal) => Some(principal),
            _ => None,
        }
    }
}
