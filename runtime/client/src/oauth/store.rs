//! Storage of tokens between requests, between runs of a program, and between programs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{BoxFuture, Secret};

/// The maximum number of authorization servers in a store; if it is exceeded, the entry that was saved first is dropped.
pub const MAX_ISSUERS: usize = 64;

/// Stores the credentials that authorization servers issued: client registrations, tokens, and `DPoP` keys, as one JSON string per
/// issuer. Credentials of one issuer are never sent to another (2026-07-28, basic/authorization).
///
/// [`MemoryTokenStore`] is the default, and lives as long as the program. [`FileTokenStore`](super::FileTokenStore) is a file that
/// programs can share. Implement this trait for a system keyring or a database.
///
/// Errors say what is wrong and what to do, without secrets. The request that needs a token fails with them.
///
/// ```
/// use toolwright_client::config::{BoxFuture, Secret};
/// use toolwright_client::{MemoryTokenStore, OAuth, StoreGuard, TokenStore};
///
/// /// Logs which issuers' tokens are used.
/// #[derive(Debug, Default)]
/// struct Audited(MemoryTokenStore);
///
/// impl TokenStore for Audited {
///     fn lock(&self) -> BoxFuture<'_, Result<StoreGuard, String>> {
///         self.0.lock()
///     }
///
///     fn load<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Option<Secret>, String>> {
///         Box::pin(async move {
///             println!("tokens of {issuer}");
///             self.0.load(issuer).await
///         })
///     }
///
///     fn save<'a>(&'a self, issuer: &'a str, credentials: &'a Secret) -> BoxFuture<'a, Result<(), String>> {
///         self.0.save(issuer, credentials)
///     }
/// }
///
/// let oauth = OAuth::client_credentials("id", "secret").store(Audited::default());
/// ```
pub trait TokenStore: Send + Sync + fmt::Debug {
    /// Acquires an exclusive lock, which is held until the guard is dropped.
    ///
    /// The lock is held while a token is refreshed, since most authorization servers accept a refresh token only once (RFC 9700
    /// §4.14.2), and while a user logs in, so that programs that share the store need one login.
    fn lock(&self) -> BoxFuture<'_, Result<StoreGuard, String>>;

    /// Loads the credentials of an issuer.
    fn load<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Option<Secret>, String>>;

    /// Saves the credentials of an issuer, replacing the previous entry. The caller holds the lock.
    fn save<'a>(&'a self, issuer: &'a str, credentials: &'a Secret) -> BoxFuture<'a, Result<(), String>>;
}

/// The lock of a [`TokenStore`], which is released when the guard is dropped.
pub struct StoreGuard {
    _held: Box<dyn Send>,
}

impl StoreGuard {
    /// Creates a guard that owns a value, such as a locked file.
    pub fn new(held: impl Send + 'static) -> Self {
        Self { _held: Box::new(held) }
    }
}

impl fmt::Debug for StoreGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreGuard")
    }
}

/// Stores tokens in memory. Clones share their tokens, so that several clients need one login.
///
/// ```
/// use toolwright_client::{MemoryTokenStore, OAuth};
///
/// let store = MemoryTokenStore::default();
/// let one = OAuth::client_credentials("id", "secret").store(store.clone());
/// let other = OAuth::client_credentials("id", "secret").store(store);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryTokenStore(Arc<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// Credentials by issuer, ordered by the time of saving.
    entries: Mutex<Vec<(String, Secret)>>,
    lock: Arc<tokio::sync::Mutex<()>>,
}

impl TokenStore for MemoryTokenStore {
    fn lock(&self) -> BoxFuture<'_, Result<StoreGuard, String>> {
        let lock = Arc::clone(&self.0.lock);
        Box::pin(async move { Ok(StoreGuard::new(lock.lock_owned().await)) })
    }

    fn load<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Option<Secret>, String>> {
        let entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let found =
            entries.iter().find(|(name, _)| name == issuer).map(|(_, credentials)| credentials.clone());
        Box::pin(std::future::ready(Ok(found)))
    }

    fn save<'a>(&'a self, issuer: &'a str, credentials: &'a Secret) -> BoxFuture<'a, Result<(), String>> {
        let mut entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        insert(&mut entries, issuer, credentials.clone());
        drop(entries);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Appends an entry, and replaces one of the same issuer. If there are too many, the first entry is dropped.
pub(super) fn insert<T>(entries: &mut Vec<(String, T)>, issuer: &str, credentials: T) {
    entries.retain(|(name, _)| name != issuer);
    if entries.len() >= MAX_ISSUERS {
        entries.remove(0);
    }
    entries.push((issuer.to_owned(), credentials));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_number_of_issuers_in_memory_is_bounded() {
        let store = MemoryTokenStore::default();
        for n in 0..=MAX_ISSUERS {
            store.save(&format!("https://{n}.example"), &n.to_string().into()).await.unwrap();
        }
        store.save("https://2.example", &"new".into()).await.unwrap();
        assert_eq!(store.load("https://0.example").await.unwrap(), None);
        assert_eq!(store.load("https://1.example").await.unwrap(), Some("1".into()));
        assert_eq!(store.load("https://2.example").await.unwrap(), Some("new".into()));
        assert_eq!(store.0.entries.lock().unwrap().len(), MAX_ISSUERS);
        assert!(!format!("{store:?}").contains("new"));
    }

    #[tokio::test]
    async fn the_lock_is_exclusive() {
        let store = MemoryTokenStore::default();
        let guard = store.clone().lock().await.unwrap();
        let waiting = tokio::time::timeout(std::time::Duration::from_millis(20), store.lock());
        assert!(waiting.await.is_err());
        drop(guard);
        store.lock().await.unwrap();
    }
}
