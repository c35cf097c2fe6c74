//! Where tokens are kept between requests, between runs of a program, and between programs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{BoxFuture, Secret};

/// At how many authorization servers something is kept; then what was saved longest ago goes.
pub const MAX_ISSUERS: usize = 64;

/// Keeps what a client has got from authorization servers: registrations, tokens, and keys of proofs, as one JSON text for each
/// issuer. What one issuer gave is never shown to another (2026-07-28, basic/authorization).
///
/// [`MemoryTokenStore`] is the default and ends with the program, [`FileTokenStore`](super::FileTokenStore) is a file that
/// programs share. Implement it for a keyring of the system or a database.
///
/// Errors say what went wrong and what to do, with nothing secret; the request that needs a token fails with them.
///
/// ```
/// use toolwright_client::config::{BoxFuture, Secret};
/// use toolwright_client::{MemoryTokenStore, OAuth, StoreGuard, TokenStore};
///
/// /// Writes down whose tokens are used.
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
    /// Waits until nobody else changes what is kept, and keeps others from it until the guard is dropped.
    ///
    /// The lock is held while a token is refreshed, since most authorization servers take a refresh token once (RFC 9700
    /// §4.14.2), and while a user logs in, so that one login is enough for all programs.
    fn lock(&self) -> BoxFuture<'_, Result<StoreGuard, String>>;

    /// What was saved last for an issuer.
    fn load<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Option<Secret>, String>>;

    /// Saves what is known of an issuer, replacing the former entry. It is called while the lock is held.
    fn save<'a>(&'a self, issuer: &'a str, credentials: &'a Secret) -> BoxFuture<'a, Result<(), String>>;
}

/// The right to change what is kept. Others get it when this is dropped.
pub struct StoreGuard {
    _held: Box<dyn Send>,
}

impl StoreGuard {
    /// A guard that holds something, such as a locked file, until it is dropped.
    pub fn new(held: impl Send + 'static) -> Self {
        Self { _held: Box::new(held) }
    }
}

impl fmt::Debug for StoreGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreGuard")
    }
}

/// Keeps tokens as long as the program runs. Clones share them, so that several clients need one login.
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
    /// What was saved last stands last.
    kept: Mutex<Vec<(String, Secret)>>,
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl TokenStore for MemoryTokenStore {
    fn lock(&self) -> BoxFuture<'_, Result<StoreGuard, String>> {
        let gate = Arc::clone(&self.0.gate);
        Box::pin(async move { Ok(StoreGuard::new(gate.lock_owned().await)) })
    }

    fn load<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Option<Secret>, String>> {
        let kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(name, _)| name == issuer).map(|(_, credentials)| credentials.clone());
        Box::pin(std::future::ready(Ok(found)))
    }

    fn save<'a>(&'a self, issuer: &'a str, credentials: &'a Secret) -> BoxFuture<'a, Result<(), String>> {
        put(&mut self.0.kept.lock().unwrap_or_else(PoisonError::into_inner), issuer, credentials.clone());
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Appends an entry, replacing one with the same name; the first one is dropped if there are too many.
pub(super) fn put<T>(kept: &mut Vec<(String, T)>, issuer: &str, credentials: T) {
    kept.retain(|(name, _)| name != issuer);
    if kept.len() >= MAX_ISSUERS {
        kept.remove(0);
    }
    kept.push((issuer.to_owned(), credentials));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_kept_in_memory_is_bounded() {
        let store = MemoryTokenStore::default();
        for n in 0..=MAX_ISSUERS {
            store.save(&format!("https://{n}.example"), &n.to_string().into()).await.unwrap();
        }
        store.save("https://2.example", &"new".into()).await.unwrap();
        assert_eq!(store.load("https://0.example").await.unwrap(), None);
        assert_eq!(store.load("https://1.example").await.unwrap(), Some("1".into()));
        assert_eq!(store.load("https://2.example").await.unwrap(), Some("new".into()));
        assert_eq!(store.0.kept.lock().unwrap().len(), MAX_ISSUERS);
        assert!(!format!("{store:?}").contains("new"));
    }

    #[tokio::test]
    async fn one_caller_at_a_time_has_the_lock() {
        let store = MemoryTokenStore::default();
        let held = store.clone().lock().await.unwrap();
        let waiting = tokio::time::timeout(std::time::Duration::from_millis(20), store.lock());
        assert!(waiting.await.is_err());
        drop(held);
        store.lock().await.unwrap();
    }
}
