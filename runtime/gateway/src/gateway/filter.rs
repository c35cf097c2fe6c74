//! Restricts what each caller of a gateway can see.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_server::auth::Access;

use crate::scope::{EntryId, Scope};

/// Maximum number of scopes whose lists are cached.
const MAX_SCOPES: usize = 1_024;

/// Filtered lists by scope, cached as long as the full list is unchanged.
#[derive(Debug)]
pub(super) struct ByScope<T>(Mutex<HashMap<Scope, Filtered<T>>>);

#[derive(Debug)]
struct Filtered<T> {
    all: Arc<[T]>,
    admitted: Arc<[T]>,
}

impl<T> Default for ByScope<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> ByScope<T> {
    /// Returns the entries of a list that `admits` returns true for.
    pub(super) fn list(
        &self,
        visibility: &Visibility<'_>,
        all: Arc<[T]>,
        admits: impl Fn(&T) -> bool,
    ) -> Arc<[T]> {
        let scope = match visibility {
            Visibility::All => return all,
            Visibility::Nothing => return Arc::default(),
            Visibility::Scope(scope, _) => *scope,
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.get(scope).filter(|known| Arc::ptr_eq(&known.all, &all)) {
            return Arc::clone(&same.admitted);
        }
        let admitted: Arc<[T]> = all.iter().filter(|entry| admits(entry)).cloned().collect();
        if known.len() >= MAX_SCOPES
            && !known.contains_key(scope)
            && let Some(any) = known.keys().next().cloned()
        {
            known.remove(&any);
        }
        known.insert(scope.clone(), Filtered { all, admitted: Arc::clone(&admitted) });
        admitted
    }
}

/// The owner of the servers of a gateway: a run, or the configuration if both are `None`.
#[derive(Debug, Default)]
pub(super) struct Owner {
    pub(super) org: Option<String>,
    pub(super) run: Option<String>,
}

/// The visibility of a caller.
pub(super) enum Visibility<'a> {
    /// Everything.
    All,
    /// The servers of an organization and run, or of the configuration, that a scope admits.
    Scope(&'a Scope, &'a Owner),
    /// Nothing.
    Nothing,
}

impl<'a> Visibility<'a> {
    /// Returns the visibility of a caller of a gateway that checks scopes.
    pub(super) fn by_scope(caller: &'a Access, owner: &'a Owner) -> Self {
        match Scope::of(caller) {
            _ if caller.is_trusted() => Self::All,
            Some(scope) => Self::Scope(scope, owner),
            None => Self::Nothing,
        }
    }

    /// Returns whether the caller may use a tool of a server.
    pub(super) fn has(&self, server: &str, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Scope(scope, Owner { org, run }) => {
                let (org, run) = (org.as_deref(), run.as_deref());
                scope.admits(&EntryId { org, run, node: server, tool: name })
            }
            Self::Nothing => false,
        }
    }

    /// Returns whether the caller may use the prompts and resources of a server.
    pub(super) fn has_all_of(&self, server: &str) -> bool {
        match self {
            Self::All => true,
            Self::Scope(scope, owner) => {
                scope.admits_all_of(owner.org.as_deref(), owner.run.as_deref(), server)
            }
            Self::Nothing => false,
        }
    }
}
