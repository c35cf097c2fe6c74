//! OAuth: obtains access tokens for protected servers, and replaces tokens that a server rejects (2026-07-28,
//! basic/authorization).
//!
//! `challenge` parses `WWW-Authenticate`, `metadata` discovers the authorization server, `grant` requests tokens from it, and
//! `loopback` receives the redirect of a browser login. `store` and `token_file` persist the `credentials` of each issuer.
//! `signing` signs client assertions and `DPoP` proofs, `encoding` has the text encodings, and `spec` applies the `oauth` settings
//! of a configuration. This module decides when a token is requested or refreshed.

mod challenge;
mod credentials;
mod encoding;
mod fetch;
mod grant;
mod loopback;
mod metadata;
mod signing;
mod spec;
mod store;
mod token_file;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};

use crate::config::{BoxFuture, Secret};
use crate::http::{Address, Authorize, Rejection, RequestTarget};
use challenge::Challenge;
use credentials::{Credentials, StoredToken};
pub use loopback::LOGIN_TIMEOUT;
use metadata::{ResourceMetadata, ServerMetadata};
use signing::SigningKey;
pub use store::{MAX_ISSUERS, MemoryTokenStore, StoreGuard, TokenStore};
pub use token_file::{FileTokenStore, LOCK_TIMEOUT, MAX_TOKEN_FILE_BYTES, StoreKey};

/// The maximum number of times that one request may trigger a new token.
const MAX_ATTEMPTS: usize = 3;
/// How long before its expiry a token is treated as expired.
const EXPIRY_MARGIN: Duration = Duration::from_secs(10);

const DPOP: HeaderName = HeaderName::from_static("dpop");

/// Opens the authorization URL (first argument) for the user, and returns the URL that the browser was redirected to, which
/// starts with the redirect URI (second argument).
type LogIn = dyn Fn(String, String) -> BoxFuture<'static, Result<String, String>> + Send + Sync;

/// Obtains and refreshes OAuth access tokens, and adds them to requests.
///
/// No token is requested until a server rejects a request. The client then discovers the authorization server, validates its
/// metadata against that of the protected server, obtains a token with the configured grant, and sends the request again. Later
/// it refreshes the token, requests more scopes if the server demands them, and switches to another authorization server if the
/// protected server names one. Concurrent requests that are rejected share one new token. A token is only sent to the origin
/// that it was issued for.
///
/// Tokens and registrations are saved in a [`TokenStore`], by default in memory; see [`OAuth::store`].
///
/// ```no_run
/// use toolwright_client::{Client, OAuth};
///
/// # async fn example() -> Result<(), toolwright_client::ClientError> {
/// let oauth = OAuth::authorization_code("http://127.0.0.1:9741/callback", async |url| {
///     // Open the URL in a browser, and wait for the request of the browser to the callback.
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
    /// Held while a token is requested, so that concurrent callers share it.
    token_lock: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Settings {
    grant: Grant,
    client_name: String,
    metadata_url: Option<String>,
    registered: Option<RegisteredClient>,
    /// The scopes to request; if empty, those that the server asks for.
    scopes: BTreeSet<String>,
}

/// How a token is obtained.
#[derive(Clone)]
enum Grant {
    /// The user authorizes the client in a browser (RFC 6749 §4.1, with RFC 7636).
    AuthorizationCode { redirect: String, log_in: Arc<LogIn> },
    /// Only the tokens of an earlier login are used. `advice` tells how to log in.
    StoredTokens { advice: String },
    /// The client authenticates as itself (RFC 6749 §4.4).
    ClientCredentials,
    /// A third party has signed an assertion for the client (RFC 7523 §2.1).
    JwtBearer(Secret),
    /// The identity provider of an enterprise authenticates the user (SEP-990).
    Enterprise(IdentityProvider),
}

/// The identity provider of an enterprise, and the user's ID token from it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IdentityProvider {
    /// The URL of its token endpoint, which supports token exchange (RFC 8693).
    pub token_endpoint: String,
    /// The ID of this client at the identity provider.
    pub client_id: String,
    /// The ID token of the user.
    pub id_token: Secret,
}

impl IdentityProvider {
    /// Creates an identity provider from its token endpoint, the ID of this client there, and the ID token of the user.
    pub fn new(
        token_endpoint: impl Into<String>,
        client_id: impl Into<String>,
        id_token: impl Into<Secret>,
    ) -> Self {
        Self { token_endpoint: token_endpoint.into(), client_id: client_id.into(), id_token: id_token.into() }
    }
}

/// A client that is registered with an authorization server.
#[derive(Clone)]
struct RegisteredClient {
    id: String,
    secret: Option<Secret>,
    key: Option<Arc<SigningKey>>,
    /// The `token_endpoint_auth_method`, if one was agreed on.
    auth_method: Option<String>,
    /// The only authorization server that the client is registered with, if known.
    issuer: Option<String>,
}

#[derive(Default)]
struct State {
    /// The tokens in use, by the origin of the protected server that they are sent to.
    tokens: HashMap<String, Token>,
    dpop_nonce: Option<String>,
}

/// An access token, and the context that it was issued in.
#[derive(Clone)]
struct Token {
    value: Secret,
    refresh: Option<Secret>,
    expires_at: Option<Instant>,
    scopes: BTreeSet<String>,
    is_dpop: bool,
    /// The key of the `DPoP` proofs that the token is bound to (RFC 9449).
    dpop_key: Option<Arc<SigningKey>>,
    issuer: Arc<ServerMetadata>,
    resource: Option<String>,
}

impl OAuth {
    /// Uses the authorization code grant: the user logs in with a browser. `log_in` opens a URL for the user, and returns the URL
    /// that the browser was redirected to, which starts with `redirect`.
    pub fn authorization_code<F>(
        redirect: impl Into<String>,
        log_in: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<String, String>> + Send + 'static,
    {
        let log_in: Arc<LogIn> = Arc::new(move |url, _| Box::pin(log_in(url)));
        Self::new(Grant::AuthorizationCode { redirect: redirect.into(), log_in }, None)
    }

    /// Uses the authorization code grant with a browser on this machine. `open` opens a URL. The client listens for the redirect
    /// on `http://127.0.0.1:{port}/callback` (RFC 8252 §7.3) for at most [`LOGIN_TIMEOUT`].
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
        let log_in: Arc<LogIn> = Arc::new(move |url, redirect| {
            let open = Arc::clone(&open);
            Box::pin(async move { loopback::log_in(&url, &redirect, &*open).await })
        });
        let redirect = format!("http://127.0.0.1:{port}/callback");
        Self::new(Grant::AuthorizationCode { redirect, log_in }, None)
    }

    /// Uses and refreshes the tokens that an earlier login, of this or another program, has saved in the [store](OAuth::store);
    /// it never starts a login. If there are none, requests fail with an error that ends with `advice`. If no authorization
    /// server can be discovered, the server is assumed to expect another kind of token.
    pub fn stored(advice: impl Into<String>) -> Self {
        Self::new(Grant::StoredTokens { advice: advice.into() }, None)
    }

    /// Uses the client credentials grant: the client authenticates with a secret.
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<Secret>) -> Self {
        let client = RegisteredClient::new(id.into(), Some(secret.into()));
        Self::new(Grant::ClientCredentials, Some(client))
    }

    /// Uses the client credentials grant: the client authenticates with a JWT that it signs with a private key, which is PKCS #8
    /// in PEM, on the curve P-256 (ES256).
    ///
    /// # Errors
    /// If the key is not valid.
    pub fn client_key(id: impl Into<String>, pem: &str) -> Result<Self, String> {
        let key = Some(Arc::new(SigningKey::from_pem(pem)?));
        let client = RegisteredClient { key, ..RegisteredClient::new(id.into(), None) };
        Ok(Self::new(Grant::ClientCredentials, Some(client)))
    }

    /// Uses the JWT bearer grant (RFC 7523 §2.1), with an assertion that a third party signed, such as the platform that the
    /// program runs on.
    pub fn assertion(id: impl Into<String>, assertion: impl Into<Secret>) -> Self {
        Self::new(Grant::JwtBearer(assertion.into()), Some(RegisteredClient::new(id.into(), None)))
    }

    /// Uses enterprise-managed authorization (SEP-990): the client exchanges the ID token of the user for an assertion at the
    /// identity provider, and the assertion for an access token.
    pub fn enterprise(
        id: impl Into<String>,
        secret: impl Into<Secret>,
        identity_provider: IdentityProvider,
    ) -> Self {
        let client = RegisteredClient::new(id.into(), Some(secret.into()));
        Self::new(Grant::Enterprise(identity_provider), Some(client))
    }

    fn new(grant: Grant, registered: Option<RegisteredClient>) -> Self {
        let settings = Settings {
            grant,
            client_name: "Toolwright".to_owned(),
            metadata_url: None,
            registered,
            scopes: BTreeSet::new(),
        };
        Self::from_parts(settings, Arc::new(MemoryTokenStore::default()))
    }

    fn from_parts(settings: Settings, store: Arc<dyn TokenStore>) -> Self {
        let (state, token_lock) = (Mutex::default(), tokio::sync::Mutex::default());
        Self(Arc::new(Shared { settings, store, state, token_lock }))
    }

    /// Sets where registrations and tokens are saved, so that other clients and later runs of the program need no login of their
    /// own; by default a new [`MemoryTokenStore`]. Clients that share a store refresh a token once, and all use the new one.
    pub fn store(self, store: impl TokenStore + 'static) -> Self {
        Self::from_parts(self.0.settings.clone(), Arc::new(store))
    }

    /// Sets the name that users see if the client registers itself; by default `Toolwright`.
    pub fn client_name(self, name: impl Into<String>) -> Self {
        self.with(|settings| settings.client_name = name.into())
    }

    /// Sets the URL of the metadata document of this client, which is its client ID if the authorization server supports such
    /// URLs (2026-07-28, basic/authorization/client-registration "Client ID Metadata Documents").
    pub fn metadata_url(self, url: impl Into<String>) -> Self {
        self.with(|settings| settings.metadata_url = Some(url.into()))
    }

    /// Sets the ID and secret of a client that is already registered. They are only sent to `issuer`, if it is set.
    pub fn registered(self, id: impl Into<String>, secret: Option<Secret>, issuer: Option<String>) -> Self {
        let registered = RegisteredClient { issuer, ..RegisteredClient::new(id.into(), secret) };
        self.with(|settings| settings.registered = Some(registered))
    }

    fn with(self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.0.settings.clone();
        change(&mut settings);
        Self::from_parts(settings, Arc::clone(&self.0.store))
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the token in use for the origin of a URL.
    fn token(&self, url: &str) -> Option<Token> {
        // Many servers never ask for a token.
        if self.with_state(|state| state.tokens.is_empty()) {
            return None;
        }
        let origin = origin(url).ok()?;
        self.with_state(|state| state.tokens.get(&origin).cloned())
    }

    fn set_token(&self, url: &str, token: Token) {
        let Ok(origin) = origin(url) else { return };
        self.with_state(|state| {
            // Bounds the memory of a program that calls many servers.
            if state.tokens.len() >= MAX_ISSUERS && !state.tokens.contains_key(&origin) {
                state.tokens.clear();
            }
            state.tokens.insert(origin, token)
        });
    }

    fn authorization_headers(
        &self,
        request: &RequestTarget<'_>,
        token: Token,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let nonce = self.with_state(|state| state.dpop_nonce.clone());
        let scheme = if token.is_dpop { "DPoP" } else { "Bearer" };
        let mut value = HeaderValue::from_str(&format!("{scheme} {}", token.value.expose()))
            .map_err(|_| "the token has characters that are not valid in a header".to_owned())?;
        value.set_sensitive(true);
        let mut headers = vec![(AUTHORIZATION, value)];
        if let Some(key) = token.dpop_key.filter(|_| token.is_dpop) {
            let proof =
                key.sign_proof(request.method, request.url, Some(token.value.expose()), nonce.as_deref())?;
            headers.push((DPOP, HeaderValue::from_str(&proof).map_err(|error| error.to_string())?));
        }
        Ok(headers)
    }

    /// Obtains another token after a rejection; returns whether the request is to be sent again.
    async fn replace_token(&self, rejection: &Rejection<'_>) -> Result<bool, String> {
        let challenge = Challenge::parse(&rejection.challenges);
        let needs_nonce = challenge.error.as_deref() == Some("use_dpop_nonce");
        let needs_scope = challenge.error.as_deref() == Some("insufficient_scope");
        if rejection.attempt >= MAX_ATTEMPTS || rejection.status == 403 && !needs_scope {
            return Ok(false);
        }
        if needs_nonce {
            // The response that rejected the request had the nonce.
            return Ok(self.with_state(|state| state.dpop_nonce.is_some()));
        }
        let sent =
            rejection.headers.iter().find(|(name, _)| *name == AUTHORIZATION).map(|(_, value)| value.clone());
        let _token_lock = self.0.token_lock.lock().await;
        let request = RequestTarget::new("POST", rejection.url);
        let current = self.token(rejection.url).map(|token| self.authorization_headers(&request, token));
        let current = current.transpose()?.into_iter().flatten().next().map(|(_, value)| value);
        if current.is_some() && current != sent {
            return Ok(true);
        }
        let (resource, issuer) = match self.discover(rejection.url, &challenge).await {
            Err(_) if self.uses_stored_tokens() => return Ok(false),
            discovered => discovered?,
        };
        let resource_id = resource.as_ref().map(|resource| resource.resource.clone());
        // Other users of the store wait here, and then find the new token in it.
        let _store_lock = self.0.store.lock().await?;
        let mut credentials = self.load(&issuer.issuer).await?;
        if self.uses_stored_tokens() && issuer.is_fallback && credentials.is_empty() {
            return Ok(false);
        }
        let client = self.client(&issuer, &mut credentials).await?;
        let stored = credentials.token(&client.id, resource_id.as_deref());
        let sent = sent.as_ref().and_then(|sent| sent.to_str().ok());
        let configured = Some(&self.0.settings.scopes).filter(|scopes| !needs_scope && !scopes.is_empty());
        let scopes = configured
            .cloned()
            .unwrap_or_else(|| select_scopes(&challenge, resource.as_ref(), stored.filter(|_| needs_scope)));
        let context = Token::empty(issuer, resource_id);
        let token = match stored {
            Some(stored) if stored.can_replace(sent, needs_scope.then_some(&scopes)) => {
                self.set_token(rejection.url, restore_token(stored, &credentials, context)?);
                return Ok(true);
            }
            Some(stored) if rejection.status == 401 && stored.refresh.is_some() => {
                let old = restore_token(stored, &credentials, context.clone())?;
                match self.refresh(&client, &old).await {
                    Ok(token) => token,
                    Err(_) => self.obtain_token(&client, context, &mut credentials, scopes).await?,
                }
            }
            _ => self.obtain_token(&client, context, &mut credentials, scopes).await?,
        };
        credentials.insert_token(&client.id, &token);
        let issuer = Arc::clone(&token.issuer);
        self.set_token(rejection.url, token);
        self.save(&issuer.issuer, &credentials).await?;
        Ok(true)
    }

    /// Refreshes a token that is about to expire, unless another user of the store has done so.
    async fn renew(&self, old: &Token) -> Result<Token, String> {
        let issuer = &old.issuer.issuer;
        let _store_lock = self.0.store.lock().await?;
        let mut credentials = self.load(issuer).await?;
        let client = self.client(&old.issuer, &mut credentials).await?;
        let token = match credentials.token(&client.id, old.resource.as_deref()) {
            Some(stored) if !stored.is_expired() => return restore_token(stored, &credentials, old.clone()),
            Some(stored) => self.refresh(&client, &restore_token(stored, &credentials, old.clone())?).await?,
            None => self.refresh(&client, old).await?,
        };
        credentials.insert_token(&client.id, &token);
        self.save(issuer, &credentials).await?;
        Ok(token)
    }

    async fn load(&self, issuer: &str) -> Result<Credentials, String> {
        Credentials::parse(self.0.store.load(issuer).await?.as_ref(), issuer)
    }

    async fn save(&self, issuer: &str, credentials: &Credentials) -> Result<(), String> {
        self.0.store.save(issuer, &credentials.to_json()).await
    }

    fn uses_stored_tokens(&self) -> bool {
        matches!(self.0.settings.grant, Grant::StoredTokens { .. })
    }

    /// Fetches the metadata of the protected server at a URL, if it has any, and that of its authorization server.
    async fn discover(
        &self,
        url: &str,
        challenge: &Challenge,
    ) -> Result<(Option<ResourceMetadata>, Arc<ServerMetadata>), String> {
        let resource = metadata::fetch_resource_metadata(url, challenge.resource_metadata.as_deref()).await?;
        let server = match &resource {
            Some(resource) => {
                let issuer = resource.authorization_servers.first();
                let issuer =
                    issuer.ok_or("the metadata of the protected server has no authorization server")?;
                metadata::fetch_server_metadata(issuer, false).await?
            }
            // Without metadata, the server is its own authorization server (2025-03-26).
            None => metadata::fetch_server_metadata(&origin(url)?, true).await?,
        };
        Ok((resource, Arc::new(server)))
    }
}

/// Selects the scopes to request: those of the challenge, else all scopes that the server supports, and in addition those that
/// the old token has (2026-07-28, basic/authorization "Scope Selection Strategy", "Step-Up Authorization Flow").
fn select_scopes(
    challenge: &Challenge,
    resource: Option<&ResourceMetadata>,
    old: Option<&StoredToken>,
) -> BTreeSet<String> {
    let split = |text: &str| {
        text.split(' ').filter(|scope| !scope.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let mut scopes = match (&challenge.scope, resource) {
        (Some(scope), _) => split(scope),
        (None, Some(resource)) => resource.scopes_supported.iter().cloned().collect(),
        (None, None) => BTreeSet::new(),
    };
    scopes.extend(old.into_iter().flat_map(|old| old.scopes.iter().cloned()));
    scopes
}

fn origin(url: &str) -> Result<String, String> {
    Ok(Address::parse(url)?.origin())
}

/// Converts a stored token, with the `DPoP` key that it is bound to. `context` has its issuer and resource.
fn restore_token(stored: &StoredToken, credentials: &Credentials, context: Token) -> Result<Token, String> {
    let dpop_key = credentials.dpop_key.as_deref().map(SigningKey::from_base64).transpose()?.map(Arc::new);
    Ok(Token { dpop_key, ..stored.to_token(context) })
}

impl Token {
    /// Creates a token without a value, as the context for a new one.
    fn empty(issuer: Arc<ServerMetadata>, resource: Option<String>) -> Self {
        Self {
            value: String::new().into(),
            refresh: None,
            expires_at: None,
            scopes: BTreeSet::new(),
            is_dpop: false,
            dpop_key: None,
            issuer,
            resource,
        }
    }

    fn is_expired(&self) -> bool {
        self.expires_at.is_some_and(|expires_at| Instant::now() + EXPIRY_MARGIN >= expires_at)
    }
}

impl RegisteredClient {
    fn new(id: String, secret: Option<Secret>) -> Self {
        Self { id, secret, key: None, auth_method: None, issuer: None }
    }
}

impl Authorize for OAuth {
    fn headers<'a>(
        &'a self,
        request: &'a RequestTarget<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>> {
        Box::pin(async move {
            let needs_refresh = |token: &Token| token.is_expired() && token.refresh.is_some();
            let Some(mut token) = self.token(request.url) else { return Ok(Vec::new()) };
            if needs_refresh(&token) {
                let _token_lock = self.0.token_lock.lock().await;
                // Another request may have renewed it. If the refresh fails, the old token is sent, and the rejection by
                // the server is handled.
                token = self.token(request.url).unwrap_or(token);
                if needs_refresh(&token)
                    && let Ok(new) = self.renew(&token).await
                {
                    self.set_token(request.url, new.clone());
                    token = new;
                }
            }
            self.authorization_headers(request, token)
        })
    }

    fn handle_rejection<'a>(&'a self, rejection: &'a Rejection<'a>) -> BoxFuture<'a, Result<bool, String>> {
        Box::pin(self.replace_token(rejection))
    }

    fn set_dpop_nonce(&self, nonce: &str) {
        self.with_state(|state| state.dpop_nonce = Some(nonce.to_owned()));
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OAuth")
    }
}
