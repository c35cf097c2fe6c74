//! OAuth: how a client gets tokens for a server that wants them, and others when they are refused (2026-07-28,
//! basic/authorization).
//!
//! `metadata` finds the authorization server, `grant` gets a token from it, `loopback` waits for the browser, `store` and
//! `token_file` keep what it gave, as `kept` writes it, `sign` makes assertions and proofs, `text` has the small forms, `configured`
//! is what a configuration says of a server, and this module decides what is due.

mod configured;
mod fetch;
mod grant;
mod kept;
mod loopback;
mod metadata;
mod sign;
mod store;
mod text;
mod token_file;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};

use crate::config::{BoxFuture, Secret};
use crate::http::{Address, Authorize, Authorizing, Refusal};
use kept::{Kept, KeptToken};
pub use loopback::LOGIN_TIMEOUT;
use sign::Key;
pub use store::{MAX_ISSUERS, MemoryTokenStore, StoreGuard, TokenStore};
use text::Challenge;
pub use token_file::{FileTokenStore, LOCK_TIMEOUT, MAX_TOKEN_FILE, StoreKey};

/// How often tokens are asked for because of one request.
const MAX_ATTEMPTS: usize = 3;
/// How long before its end a token is not used any more.
const SLACK: Duration = Duration::from_secs(10);

const DPOP: HeaderName = HeaderName::from_static("dpop");

/// Opens the page of an authorization server for the user, and gives the address that the page leads back to, which begins with
/// the second argument.
type Browser = dyn Fn(String, String) -> BoxFuture<'static, Result<String, String>> + Send + Sync;

/// Tokens of an authorization server, which is found by what the protected server says.
///
/// Nothing is asked for before a server refuses a request. Then the client finds the authorization server, checks that what the
/// documents say of each other agrees, gets a token in one of the ways below, and sends the request again; later it
/// refreshes the token, asks for more scopes where a server wants them, and starts again at another authorization server if
/// the protected one names it. Requests that are refused at the same moment share one token. Tokens go to the origin only that
/// they were got for.
///
/// What it gets is kept in a [`TokenStore`]: in memory unless [`OAuth::store`] names another place.
///
/// ```no_run
/// use toolwright_client::{Client, OAuth};
///
/// # async fn example() -> Result<(), toolwright_client::ClientError> {
/// let oauth = OAuth::authorization_code("http://127.0.0.1:9741/callback", async |url| {
///     // Open the address in a browser, and wait for the request that the browser makes to the callback.
///     open_and_wait(&url).await
/// });
/// let client = Client::builder().authorize(oauth).connect("https://example.com/mcp").await?;
/// # Ok(())
/// # }
/// # async fn open_and_wait(_: &str) -> Result<String, String> { Err(String::new()) }
/// ```
#[derive(Clone)]
pub struct OAuth(Arc<Shared>);

struct Shared {
    settings: Settings,
    store: Arc<dyn TokenStore>,
    state: Mutex<State>,
    /// Held while a token is fetched, so that one is fetched for all.
    gate: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Settings {
    way: Way,
    client_name: String,
    metadata_url: Option<String>,
    registered: Option<Registered>,
    /// The scopes to ask for, if they are not left to the server.
    scopes: BTreeSet<String>,
}

/// How a token is got.
#[derive(Clone)]
enum Way {
    /// The user agrees in a browser (RFC 6749 §4.1, with RFC 7636).
    Code { redirect: String, browser: Arc<Browser> },
    /// A user has agreed before, and is not asked again. Holds what to do where nobody has.
    Stored(String),
    /// The client has rights of its own (RFC 6749 §4.4).
    Credentials,
    /// Someone else vouches for the client (RFC 7523 §2.1).
    Assertion(Secret),
    /// The identity provider of an enterprise vouches for the user (SEP-990).
    Enterprise(Enterprise),
}

/// Where the identity provider of an enterprise is, and what it knows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Enterprise {
    /// The address that exchanges tokens (RFC 8693).
    pub token_endpoint: String,
    /// The id of this client there.
    pub client_id: String,
    /// The identity token of the user.
    pub id_token: Secret,
}

impl Enterprise {
    /// An identity provider.
    pub fn new(
        token_endpoint: impl Into<String>,
        client_id: impl Into<String>,
        id_token: impl Into<Secret>,
    ) -> Self {
        Self { token_endpoint: token_endpoint.into(), client_id: client_id.into(), id_token: id_token.into() }
    }
}

/// A client that an authorization server knows.
#[derive(Clone)]
struct Registered {
    id: String,
    secret: Option<Secret>,
    key: Option<Arc<Key>>,
    /// How it shows who it is, where that was agreed on.
    method: Option<String>,
    /// The only authorization server that may see it.
    issuer: Option<String>,
}

#[derive(Default)]
struct State {
    /// The tokens in use, by the origin of the protected server: no other may see them.
    tokens: HashMap<String, Token>,
    nonce: Option<String>,
}

/// A token and what belongs to it.
#[derive(Clone)]
struct Token {
    value: Secret,
    refresh: Option<Secret>,
    expires: Option<Instant>,
    scopes: BTreeSet<String>,
    is_dpop: bool,
    /// The key of proofs that it is in the right hands.
    key: Option<Arc<Key>>,
    issuer: Arc<metadata::Authority>,
    resource: Option<String>,
}

impl OAuth {
    /// Tokens that the user agrees to. `browser` opens an address for the user, and gives the address that the browser was sent
    /// back to, which begins with `redirect`.
    pub fn authorization_code<F>(
        redirect: impl Into<String>,
        browser: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<String, String>> + Send + 'static,
    {
        let browser: Arc<Browser> = Arc::new(move |url, _| Box::pin(browser(url)));
        Self::new(Way::Code { redirect: redirect.into(), browser }, None)
    }

    /// Tokens that the user agrees to in a browser of this machine. `open` opens an address. Meanwhile the client listens at
    /// `http://127.0.0.1:{port}/callback`, where the page leads back to (RFC 8252 §7.3), for at most [`LOGIN_TIMEOUT`].
    ///
    /// ```no_run
    /// use toolwright_client::OAuth;
    ///
    /// let oauth = OAuth::loopback(9741, |url| {
    ///     println!("open {url} to log in");
    ///     Ok(())
    /// });
    /// ```
    pub fn loopback(port: u16, open: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static) -> Self {
        let open = Arc::new(open);
        let browser: Arc<Browser> = Arc::new(move |url, redirect| {
            let open = Arc::clone(&open);
            Box::pin(async move { loopback::log_in(&url, &redirect, &*open).await })
        });
        Self::new(Way::Code { redirect: format!("http://127.0.0.1:{port}/callback"), browser }, None)
    }

    /// Tokens of a login that another program, or another run, has put into the [store](OAuth::store): used and refreshed,
    /// and no user is asked. Where nobody has logged in, requests fail, and the error says what to do with `advice`. A server whose
    /// authorization server cannot be found is taken for one that wants another kind of token.
    pub fn stored(advice: impl Into<String>) -> Self {
        Self::new(Way::Stored(advice.into()), None)
    }

    /// Tokens of the client itself, which shows a secret.
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<Secret>) -> Self {
        Self::new(Way::Credentials, Some(Registered::new(id.into(), Some(secret.into()))))
    }

    /// Tokens of the client itself, which signs with a private key: PKCS #8 in PEM, on the curve P-256 (ES256).
    ///
    /// # Errors
    /// Where the key is none.
    pub fn client_key(id: impl Into<String>, pem: &str) -> Result<Self, String> {
        let key = Some(Arc::new(Key::from_pem(pem)?));
        Ok(Self::new(Way::Credentials, Some(Registered { key, ..Registered::new(id.into(), None) })))
    }

    /// Tokens for an assertion that someone else signed, as the platform that the program runs on. It is shown once; what is
    /// refused then is not asked for again.
    pub fn assertion(id: impl Into<String>, assertion: impl Into<Secret>) -> Self {
        Self::new(Way::Assertion(assertion.into()), Some(Registered::new(id.into(), None)))
    }

    /// Tokens that the identity provider of an enterprise vouches for.
    pub fn enterprise(id: impl Into<String>, secret: impl Into<Secret>, enterprise: Enterprise) -> Self {
        Self::new(Way::Enterprise(enterprise), Some(Registered::new(id.into(), Some(secret.into()))))
    }

    fn new(way: Way, registered: Option<Registered>) -> Self {
        let settings = Settings {
            way,
            client_name: "Toolwright".to_owned(),
            metadata_url: None,
            registered,
            scopes: BTreeSet::new(),
        };
        Self::made(settings, Arc::new(MemoryTokenStore::default()))
    }

    fn made(settings: Settings, store: Arc<dyn TokenStore>) -> Self {
        let (state, gate) = (Mutex::default(), tokio::sync::Mutex::default());
        Self(Arc::new(Shared { settings, store, state, gate }))
    }

    /// Where registrations and tokens are kept, so that another client or the next run of the program needs no other login; a
    /// [`MemoryTokenStore`] of its own if not set. Callers that share a store refresh a token once: the others take what the
    /// first one got.
    pub fn store(self, store: impl TokenStore + 'static) -> Self {
        Self::made(self.0.settings.clone(), Arc::new(store))
    }

    /// How users see the client where it registers itself; `Toolwright` if not set.
    pub fn client_name(self, name: impl Into<String>) -> Self {
        self.with(|settings| settings.client_name = name.into())
    }

    /// The address of a document about this client, which is its id where an authorization server takes such addresses
    /// (2026-07-28, basic/authorization/client-registration "Client ID Metadata Documents").
    pub fn metadata_url(self, url: impl Into<String>) -> Self {
        self.with(|settings| settings.metadata_url = Some(url.into()))
    }

    /// A client that the authorization server knows already, and the only one that may see it, if that is known.
    pub fn registered(self, id: impl Into<String>, secret: Option<Secret>, issuer: Option<String>) -> Self {
        let registered = Registered { issuer, ..Registered::new(id.into(), secret) };
        self.with(|settings| settings.registered = Some(registered))
    }

    fn with(self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.0.settings.clone();
        change(&mut settings);
        Self::made(settings, Arc::clone(&self.0.store))
    }

    fn state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The token in use for an address.
    fn token(&self, url: &str) -> Option<Token> {
        let origin = origin(url).ok()?;
        self.state(|state| state.tokens.get(&origin).cloned())
    }

    fn use_token(&self, url: &str, token: Token) {
        let Ok(origin) = origin(url) else { return };
        self.state(|state| {
            // A program that asks many servers through one client is not remembered forever.
            if state.tokens.len() >= MAX_ISSUERS && !state.tokens.contains_key(&origin) {
                state.tokens.clear();
            }
            state.tokens.insert(origin, token)
        });
    }

    fn authorization(&self, request: &Authorizing<'_>) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let Some(token) = self.token(request.url) else { return Ok(Vec::new()) };
        let nonce = self.state(|state| state.nonce.clone());
        let scheme = if token.is_dpop { "DPoP" } else { "Bearer" };
        let mut value = HeaderValue::from_str(&format!("{scheme} {}", token.value.expose()))
            .map_err(|_| "the token has characters that cannot be sent".to_owned())?;
        value.set_sensitive(true);
        let mut headers = vec![(AUTHORIZATION, value)];
        if let Some(key) = token.key.filter(|_| token.is_dpop) {
            let proof = key.proof(request.verb, request.url, Some(token.value.expose()), nonce.as_deref())?;
            headers.push((DPOP, HeaderValue::from_str(&proof).map_err(|error| error.to_string())?));
        }
        Ok(headers)
    }

    async fn react(&self, refusal: &Refusal<'_>) -> Result<bool, String> {
        let challenge = Challenge::read(&refusal.challenges);
        let wants_nonce = challenge.error.as_deref() == Some("use_dpop_nonce");
        let wants_scope = challenge.error.as_deref() == Some("insufficient_scope");
        if refusal.attempt >= MAX_ATTEMPTS || refusal.status == 403 && !wants_scope {
            return Ok(false);
        }
        if wants_nonce {
            // It came with the response.
            return Ok(self.state(|state| state.nonce.is_some()));
        }
        let used =
            refusal.sent.iter().find(|(name, _)| *name == AUTHORIZATION).map(|(_, value)| value.clone());
        let _gate = self.0.gate.lock().await;
        let request = Authorizing::new("POST", refusal.url);
        let current = self.authorization(&request)?.into_iter().next().map(|(_, value)| value);
        if current.is_some() && current != used {
            return Ok(true);
        }
        let (resource, issuer) = match self.discover(refusal.url, &challenge).await {
            Err(_) if self.is_stored() => return Ok(false),
            discovered => discovered?,
        };
        let name = resource.as_ref().map(|resource| resource.resource.clone());
        // Others that share the store wait here, and then take what this one got.
        let _lock = self.0.store.lock().await?;
        let mut kept = self.load(&issuer.issuer).await?;
        if self.is_stored() && issuer.is_assumed && kept.is_empty() {
            return Ok(false);
        }
        let client = self.client(&issuer, &mut kept).await?;
        let found = kept.token(&client.id, name.as_deref());
        let sent = used.as_ref().and_then(|used| used.to_str().ok());
        let chosen = Some(&self.0.settings.scopes).filter(|scopes| !wants_scope && !scopes.is_empty());
        let scopes = chosen
            .cloned()
            .unwrap_or_else(|| wanted(&challenge, resource.as_ref(), found.filter(|_| wants_scope)));
        let like = Token::none(issuer, name);
        let token = match found {
            Some(found) if found.serves(sent, wants_scope.then_some(&scopes)) => {
                self.use_token(refusal.url, adopted(found, &kept, like)?);
                return Ok(true);
            }
            Some(found) if refusal.status == 401 && found.refresh.is_some() => {
                let old = adopted(found, &kept, like.clone())?;
                match self.refresh(&client, &old).await {
                    Ok(token) => token,
                    Err(_) => self.obtain(&client, like, &mut kept, scopes).await?,
                }
            }
            _ => self.obtain(&client, like, &mut kept, scopes).await?,
        };
        kept.put_token(&client.id, &token);
        let issuer = Arc::clone(&token.issuer);
        self.use_token(refusal.url, token);
        self.save(&issuer.issuer, &kept).await?;
        Ok(true)
    }

    /// Replaces a token that is about to expire, unless another caller has done so.
    async fn renewed(&self, old: &Token) -> Result<Token, String> {
        let issuer = &old.issuer.issuer;
        let _lock = self.0.store.lock().await?;
        let mut kept = self.load(issuer).await?;
        let client = self.client(&old.issuer, &mut kept).await?;
        let token = match kept.token(&client.id, old.resource.as_deref()) {
            Some(found) if !found.is_over() => return adopted(found, &kept, old.clone()),
            Some(found) => self.refresh(&client, &adopted(found, &kept, old.clone())?).await?,
            None => self.refresh(&client, old).await?,
        };
        kept.put_token(&client.id, &token);
        self.save(issuer, &kept).await?;
        Ok(token)
    }

    async fn load(&self, issuer: &str) -> Result<Kept, String> {
        Kept::read(self.0.store.load(issuer).await?.as_ref(), issuer)
    }

    async fn save(&self, issuer: &str, kept: &Kept) -> Result<(), String> {
        self.0.store.save(issuer, &kept.write()).await
    }

    fn is_stored(&self) -> bool {
        matches!(self.0.settings.way, Way::Stored(_))
    }

    /// What the server at an address says about itself, if anything, and its authorization server.
    async fn discover(
        &self,
        url: &str,
        challenge: &Challenge,
    ) -> Result<(Option<metadata::Protected>, Arc<metadata::Authority>), String> {
        let resource = metadata::resource(url, challenge.resource_metadata.as_deref()).await?;
        let found = match &resource {
            Some(resource) => {
                let first = resource.authorization_servers.first();
                let first = first.ok_or("the protected server names no authorization server")?;
                metadata::issuer(first, false).await?
            }
            // 2025-03-26: the server is its own authorization server, as far as anybody says.
            None => metadata::issuer(&origin(url)?, true).await?,
        };
        Ok((resource, Arc::new(found)))
    }
}

/// Which scopes to ask for: those of the challenge, else all that the server names; and more of them without losing those that
/// there are (2026-07-28, basic/authorization "Scope Selection Strategy", "Step-Up Authorization Flow").
fn wanted(
    challenge: &Challenge,
    resource: Option<&metadata::Protected>,
    old: Option<&KeptToken>,
) -> BTreeSet<String> {
    let words = |text: &str| {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let mut scopes = match (&challenge.scope, resource) {
        (Some(scope), _) => words(scope),
        (None, Some(resource)) => resource.scopes_supported.iter().cloned().collect(),
        (None, None) => BTreeSet::new(),
    };
    scopes.extend(old.into_iter().flat_map(|old| old.scopes.iter().cloned()));
    scopes
}

fn origin(url: &str) -> Result<String, String> {
    Ok(Address::parse(url)?.origin())
}

/// A token that was kept, with the key that it is bound to.
fn adopted(found: &KeptToken, kept: &Kept, like: Token) -> Result<Token, String> {
    let key = kept.proof_key.as_deref().map(Key::from_base64).transpose()?.map(Arc::new);
    Ok(Token { key, ..found.to_token(like) })
}

impl Token {
    /// What is known of a token before there is one.
    fn none(issuer: Arc<metadata::Authority>, resource: Option<String>) -> Self {
        Self {
            value: String::new().into(),
            refresh: None,
            expires: None,
            scopes: BTreeSet::new(),
            is_dpop: false,
            key: None,
            issuer,
            resource,
        }
    }

    fn is_over(&self) -> bool {
        self.expires.is_some_and(|end| Instant::now() + SLACK >= end)
    }
}

impl Registered {
    fn new(id: String, secret: Option<Secret>) -> Self {
        Self { id, secret, key: None, method: None, issuer: None }
    }
}

impl Authorize for OAuth {
    fn headers<'a>(
        &'a self,
        request: &'a Authorizing<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>> {
        Box::pin(async move {
            let is_due = |token: &Token| token.is_over() && token.refresh.is_some();
            if self.token(request.url).as_ref().is_some_and(is_due) {
                let _gate = self.0.gate.lock().await;
                // Where it fails, the server will say so.
                if let Some(old) = self.token(request.url).filter(is_due)
                    && let Ok(token) = self.renewed(&old).await
                {
                    self.use_token(request.url, token);
                }
            }
            self.authorization(request)
        })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal<'a>) -> BoxFuture<'a, Result<bool, String>> {
        Box::pin(self.react(refusal))
    }

    fn nonce(&self, nonce: &str) {
        self.state(|state| state.nonce = Some(nonce.to_owned()));
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OAuth")
    }
}
