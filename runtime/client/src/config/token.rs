//! Tokens that are fetched while a program runs: `${runtime:NAME}`.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;
use toolwright_core::suggest::nearest;

use super::Secret;

/// What a provider returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A source of one token.
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
    /// Fetches a new token. [`Tokens`] keeps it until it expires or is refused, so nothing is cached here.
    ///
    /// # Errors
    /// [`TokenError::Failed`], with what to do next and nothing secret.
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>>;
}

impl<P: TokenProvider + ?Sized> TokenProvider for Arc<P> {
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        (**self).fetch()
    }
}

/// A token, and until when it is good.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Token {
    /// The token.
    pub value: Secret,
    /// From when on it is fetched again; without one, only after a server refused it.
    pub expires: Option<Instant>,
}

impl Token {
    /// A token that is good until a server refuses it.
    pub fn new(value: impl Into<Secret>) -> Self {
        Self { value: value.into(), expires: None }
    }

    /// The token, which is fetched again from `expires` on.
    pub fn with_expiry(mut self, expires: Instant) -> Self {
        self.expires = Some(expires);
        self
    }
}

/// The tokens that a program can have, by name.
///
/// Each is fetched when it is first needed and kept until it expires. Callers that need one at the same moment share
/// one fetch. Clones share everything.
#[derive(Clone, Default)]
pub struct Tokens {
    slots: Arc<HashMap<String, Slot>>,
}

#[derive(Clone)]
struct Slot {
    provider: Arc<dyn TokenProvider>,
    kept: Arc<Mutex<Option<Token>>>,
}

impl Tokens {
    /// No tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a token, replacing one with the same name.
    pub fn with(mut self, name: impl Into<String>, provider: impl TokenProvider + 'static) -> Self {
        let slot = Slot { provider: Arc::new(provider), kept: Arc::default() };
        Arc::make_mut(&mut self.slots).insert(name.into(), slot);
        self
    }

    /// The names, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(String::as_str)
    }

    /// The token, fetched if it is not there or has expired.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], and what the provider says.
    pub async fn get(&self, name: &str) -> Result<Secret, TokenError> {
        self.fetch_unless(name, |token| token.expires.is_none_or(|expires| Instant::now() < expires)).await
    }

    /// A token other than `refused`, for one more attempt after a server answered 401.
    ///
    /// Of several callers that were refused with the same token, one fetches and the others get what it got. What comes
    /// may be `refused` again: then the server means something else.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], and what the provider says.
    pub async fn renew(&self, name: &str, refused: &Secret) -> Result<Secret, TokenError> {
        self.fetch_unless(name, |token| token.value != *refused).await
    }

    async fn fetch_unless(
        &self,
        name: &str,
        is_good: impl FnOnce(&Token) -> bool,
    ) -> Result<Secret, TokenError> {
        let slot = self.slots.get(name).ok_or_else(|| self.unknown(name))?;
        let mut kept = slot.kept.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| is_good(token)) {
            return Ok(token.value.clone());
        }
        *kept = None;
        let token = slot.provider.fetch().await?;
        let value = token.value.clone();
        *kept = Some(token);
        Ok(value)
    }

    fn unknown(&self, name: &str) -> TokenError {
        let near = nearest(name, self.names()).map(str::to_owned);
        TokenError::Unknown { name: name.to_owned(), near }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// No provider has this name.
    #[error(
        "there is no token `{name}`{}; declare it under `tokens`, or give the program a provider",
        did_you_mean(.near.as_deref())
    )]
    Unknown {
        /// The name.
        name: String,
        /// A name that may be meant.
        near: Option<String>,
    },
    /// The provider could not fetch it.
    #[error("the token cannot be fetched from {place}: {problem}")]
    Failed {
        /// Where it was to come from, such as a program or a file.
        place: String,
        /// What went wrong and what to do, with nothing secret.
        problem: String,
    },
}

/// `, did you mean …?`, or nothing.
fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Counts: the first token is `1`, the next one `2`.
    #[derive(Default)]
    struct Counter {
        fetched: AtomicUsize,
        expires: Option<Instant>,
    }

    impl TokenProvider for Counter {
        fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
            Box::pin(async {
                let count = self.fetched.fetch_add(1, Ordering::Relaxed) + 1;
                // Others get to ask while this one waits.
                tokio::task::yield_now().await;
                Ok(Token { value: count.to_string().into(), expires: self.expires })
            })
        }
    }

    #[tokio::test]
    async fn callers_of_one_moment_share_a_fetch() {
        let counter = Arc::new(Counter::default());
        let tokens = Tokens::new().with("a", Arc::clone(&counter));
        let all = futures_util::future::join_all((0..8).map(|_| tokens.get("a"))).await;
        assert!(all.iter().all(|token| token.as_ref().unwrap().expose() == "1"), "{all:?}");
        assert_eq!(counter.fetched.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_refused_token_is_renewed_once_for_all() {
        let counter = Arc::new(Counter::default());
        let tokens = Tokens::new().with("a", Arc::clone(&counter));
        let refused = tokens.get("a").await.unwrap();
        let all = futures_util::future::join_all((0..8).map(|_| tokens.renew("a", &refused))).await;
        assert!(all.iter().all(|token| token.as_ref().unwrap().expose() == "2"), "{all:?}");
        assert_eq!(tokens.get("a").await.unwrap().expose(), "2");
    }

    #[tokio::test]
    async fn a_token_is_kept_until_it_expires() {
        let now = Instant::now();
        for (expires, second) in [(Some(now), "2"), (now.checked_add(Duration::from_hours(1)), "1")] {
            let tokens = Tokens::new().with("a", Counter { expires, ..Counter::default() });
            assert_eq!(tokens.get("a").await.unwrap().expose(), "1");
            assert_eq!(tokens.get("a").await.unwrap().expose(), second);
        }
    }

    #[tokio::test]
    async fn an_unknown_token_is_named_with_the_nearest() {
        let tokens = Tokens::new().with("sleepyrat", Counter::default());
        let error = tokens.get("sleepyrta").await.unwrap_err().to_string();
        assert!(error.contains("no token `sleepyrta`, did you mean `sleepyrat`?"), "{error}");
        assert_eq!(format!("{tokens:?}"), "{\"sleepyrat\"}");
    }
}
