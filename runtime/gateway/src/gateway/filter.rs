//! What each caller of a gateway sees.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_server::auth::Access;

use crate::scope::{EntryId, Scope};

/// For how many scopes lists are kept.
const MAX_SCOPES: usize = 1_024;

/// Lists of what scopes admit, kept as long as the list that they were made of is the same.
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
    /// What a caller sees of a list, where `admits` is what its scope says of an entry.
    pub(super) fn list(&self, sight: &Sight<'_>, all: Arc<[T]>, admits: impl Fn(&T) -> bool) -> Arc<[T]> {
        let scope = match sight {
            Sight::All => return all,
            Sight::Nothing => return Arc::default(),
            Sight::Scope(scope, _) => *scope,
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

/// Whose the servers of a gateway are: those of a run, or, with neither, of the configuration.
#[derive(Debug, Default)]
pub(super) struct Owner {
    pub(super) org: Option<String>,
    pub(super) run: Option<String>,
}

/// Who may see what.
pub(super) enum Sight<'a> {
    /// Everything.
    All,
    /// What a scope admits of the servers of an organization and run, or of the configuration.
    Scope(&'a Scope, &'a Owner),
    /// Nothing.
    Nothing,
}

impl<'a> Sight<'a> {
    /// What a caller sees of a gateway that goes by scopes.
    pub(super) fn by_scope(caller: &'a Access, owner: &'a Owner) -> Self {
        match Scope::of(caller) {
            _ if caller.is_trusted() => Self::All,
            Some(scope) => Self::Scope(scope, owner),
            None => Self::Nothing,
        }
    }

    /// Whether a tool of a server is there for the caller.
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

    /// Whether what else a server has is there for the caller: its prompts and resources.
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
