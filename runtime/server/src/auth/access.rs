//! What a caller may use.

use std::sync::Arc;

use super::Principal;

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
    #[cfg(feature = "auth")]
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
