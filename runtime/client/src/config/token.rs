//! Tokens that are fetched at run time: `${runtime:NAME}`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;
use toolwright_core::future::BoxFuture;
use toolwright_core::suggest::nearest;

use super::Secret;

/// Fetches a token.
///
/// ```
/// use toolwright_client::config::{BoxFuture, Token, TokenError, TokenProvider, Tokens};
///
/// struct Login;
///
/// impl TokenProvider for Login {
///     fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
///         Box::pin(async { Ok(Token::new("from the service")) })
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let tokens = Tokens::new().with("shop", Login);
/// assert_eq!(tokens.get("shop").await?.expose(), "from the service");
/// # Ok::<(), TokenError>(())
/// # }).unwrap();
/// ```
pub trait TokenProvider: Send + Sync {
    /// Fetches a new token. [`Tokens`] caches it until it expires or is rejected, so a provider needs no cache.
    ///
    /// # Errors
    /// [`TokenError::Failed`], which says what to do, without secrets.
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>>;
}

impl<P: TokenProvider + ?Sized> TokenProvider for Arc<P> {
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        (**self).fetch()
    }
}

/// A token and its expiry.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Token {
    /// The value of the token.
    pub value: Secret,
    /// When it is fetched again; without an expiry, only after a server has rejected it.
    pub expires: Option<Instant>,
}

impl Token {
    /// Creates a token without an expiry.
    pub fn new(value: impl Into<Secret>) -> Self {
        Self { value: value.into(), expires: None }
    }

    /// Sets when the token expires.
    pub fn with_expiry(mut self, expires: Instant) -> Self {
        self.expires = Some(expires);
        self
    }
}

/// The token providers of a program, by name.
///
/// A token is fetched when it is first needed, and cached until it expires. Concurrent callers share one fetch. Clones share
/// their cache.
#[derive(Clone, Default)]
pub struct Tokens {
    slots: Arc<HashMap<String, Slot>>,
}

#[derive(Clone)]
struct Slot {
    provider: Arc<dyn TokenProvider>,
    cached: Arc<Mutex<Option<Token>>>,
}

impl Tokens {
    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a provider, and replaces one with the same name.
    pub fn with(mut self, name: impl Into<String>, provider: impl TokenProvider + 'static) -> Self {
        let slot = Slot { provider: Arc::new(provider), cached: Arc::default() };
        Arc::make_mut(&mut self.slots).insert(name.into(), slot);
        self
    }

    /// Iterates over the names, in arbitrary order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(String::as_str)
    }

    /// Returns a token, which is fetched if it is not cached or has expired.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], or the error of the provider.
    pub async fn get(&self, name: &str) -> Result<Secret, TokenError> {
        self.fetch_unless(name, |token| token.expires.is_none_or(|expires| Instant::now() < expires)).await
    }

    /// Replaces a token that a server rejected with 401.
    ///
    /// If several callers renew the same token, it is fetched once. The provider may return `rejected` again; then the server
    /// rejects the request for another reason.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], or the error of the provider.
    pub async fn renew(&self, name: &str, rejected: &Secret) -> Result<Secret, TokenError> {
        self.fetch_unless(name, |token| token.value != *rejected).await
    }

    async fn fetch_unless(
        &self,
        name: &str,
        is_valid: impl FnOnce(&Token) -> bool,
    ) -> Result<Secret, TokenError> {
        let slot = self.slots.get(name).ok_or_else(|| self.unknown(name))?;
        let mut cached = slot.cached.lock().await;
        if let Some(token) = cached.as_ref().filter(|token| is_valid(token)) {
            return Ok(token.value.clone());
        }
        *cached = None;
        let token = slot.provider.fetch().await?;
        let value = token.value.clone();
        *cached = Some(token);
        Ok(value)
    }

    fn unknown(&self, name: &str) -> TokenError {
        let suggestion = nearest(name, self.names()).map(str::to_owned);
        TokenError::Unknown { name: name.to_owned(), suggestion }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// An error of [`Tokens`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// No provider has this name.
    #[error(
        "unknown token `{name}`{}; declare it under `tokens`, or add a provider to the program",
        did_you_mean(.suggestion.as_deref())
    )]
    Unknown {
        /// The name.
        name: String,
        /// A similar name that exists.
        suggestion: Option<String>,
    },
    /// The provider failed to fetch it.
    #[error("the token cannot be fetched from {origin}: {problem}")]
    Failed {
        /// The origin of the token, such as a program or a file.
        origin: String,
        /// What is wrong and what to do, without secrets.
        problem: String,
    },
}

/// Returns `, did you mean …?`, or an empty string.
fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Returns `1` as the first token, `2` as the second, and so on.
    #[derive(Default)]
    struct Counter {
        fetched: AtomicUsize,
        expires: Option<Instant>,
    }

    impl TokenProvider for Counter {
        fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
            Box::pin(async {
                let count = self.fetched.fetch_add(1, Ordering::Relaxed) + 1;
                // Lets the other callers run before the fetch completes.
                tokio::task::yield_now().await;
                Ok(Token { value: count.to_string().into(), expires: self.expires })
            })
        }
    }

    #[tokio::test]
    async fn concurrent_callers_share_a_fetch() {
        let counter = Arc::new(Counter::default());
        let tokens = Tokens::new().with("a", Arc::clone(&counter));
        let all = futures_util::future::join_all((0..8).map(|_| tokens.get("a"))).await;
        assert!(all.iter().all(|token| token.as_ref().unwrap().expose() == "1"), "{all:?}");
        assert_eq!(counter.fetched.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_rejected_token_is_renewed_once() {
        let counter = Arc::new(Counter::default());
        let tokens = Tokens::new().with("a", Arc::clone(&counter));
        let rejected = tokens.get("a").await.unwrap();
        let all = futures_util::future::join_all((0..8).map(|_| tokens.renew("a", &rejected))).await;
        assert!(all.iter().all(|token| token.as_ref().unwrap().expose() == "2"), "{all:?}");
        assert_eq!(tokens.get("a").await.unwrap().expose(), "2");
    }

    #[tokio::test]
    async fn a_token_is_cached_until_it_expires() {
        let now = Instant::now();
        for (expires, second) in [(Some(now), "2"), (now.checked_add(Duration::from_hours(1)), "1")] {
            let tokens = Tokens::new().with("a", Counter { expires, ..Counter::default() });
            assert_eq!(tokens.get("a").await.unwrap().expose(), "1");
            assert_eq!(tokens.get("a").await.unwrap().expose(), second);
        }
    }

    #[tokio::test]
    async fn a_similar_token_is_suggested() {
        let tokens = Tokens::new().with("sleepyrat", Counter::default());
        let error = tokens.get("sleepyrta").await.unwrap_err().to_string();
        assert!(error.contains("unknown token `sleepyrta`, did you mean `sleepyrat`?"), "{error}");
        assert_eq!(format!("{tokens:?}"), "{\"sleepyrat\"}");
    }
}
