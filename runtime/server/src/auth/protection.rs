//! What an endpoint asks of its callers.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, Uri};

use super::resource::is_scope;
use super::token::is_token;
use super::{Access, Principal, Rejected, RejectedKind, TokenVerifier};

/// What an endpoint asks of its callers: a token that one of the verifiers takes. Without one there is no answer but a
/// challenge (status 401 with `WWW-Authenticate`).
///
/// ```
/// use toolwright_server::HttpConfig;
/// use toolwright_server::auth::{ApiKeys, Protection};
///
/// # fn example(keys: ApiKeys) -> Result<(), toolwright_server::auth::ProtectionError> {
/// let protection = Protection::new("https://shop.example/mcp", keys)?.implies("orders:write", ["orders:read"]);
/// let config = HttpConfig::new().allow_host("shop.example").protect(protection);
/// # drop(config);
/// # Ok(())
/// # }
/// ```
pub struct Protection {
    resource: Resource,
    verifiers: Vec<Box<dyn TokenVerifier>>,
    authorization_servers: Vec<String>,
    key_header: Option<HeaderName>,
    required: Vec<String>,
    supported: Option<Vec<String>>,
    implied: Vec<(String, Vec<String>)>,
    documentation: Option<String>,
    check_timeout: Duration,
    on_rejected: Option<HearRejected>,
}

type HearRejected = Box<dyn Fn(&Rejected) + Send + Sync>;

/// The resource identifier, with what follows from it.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) identifier: String,
    /// The address of the metadata document (RFC 9728 §3.1), and its path.
    pub(super) metadata_url: String,
    pub(super) metadata_path: String,
}

/// Why an endpoint cannot be protected so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtectionError {
    /// The resource identifier is none.
    #[error(
        "`{0}` is no resource identifier: write the address that clients use, as `https://host/path`, without user, query and fragment (RFC 8707, section 2)"
    )]
    Resource(String),
    /// The issuer of an authorization server is none.
    #[error(
        "`{0}` is no issuer of an authorization server: write it as in its metadata, `https://host` or `https://host/path` (RFC 8414, section 2)"
    )]
    AuthorizationServer(String),
}

impl Protection {
    /// The most bytes that a token may have: 16 KiB. A longer one is refused without a look at it.
    pub const MAX_TOKEN_BYTES: usize = 16 << 10;

    /// How long verifiers may take for one request, all together: 10 seconds.
    pub const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

    /// Protects the endpoint that clients know by the address `resource`, such as `https://shop.example/mcp`, also where
    /// a proxy leads from there to another address. Write it letter by letter as clients do, best without a final slash;
    /// tokens name it as their audience (2026-07-28, basic/authorization "Canonical Server URI"), and clients compare it
    /// with the address that they have.
    ///
    /// # Errors
    /// [`ProtectionError::Resource`].
    pub fn new(resource: &str, verifier: impl TokenVerifier) -> Result<Self, ProtectionError> {
        Ok(Self {
            resource: Resource::new(resource)
                .ok_or_else(|| ProtectionError::Resource(resource.to_owned()))?,
            verifiers: vec![Box::new(verifier)],
            authorization_servers: Vec::new(),
            key_header: None,
            required: Vec::new(),
            supported: None,
            implied: Vec::new(),
            documentation: None,
            check_timeout: Self::CHECK_TIMEOUT,
            on_rejected: None,
        })
    }

    /// Takes tokens of another kind as well. Verifiers are asked in turn until one takes the token: first those that keep
    /// it to themselves, then those that send it elsewhere ([`TokenVerifier::sends_tokens`]), each in the order given.
    pub fn or(mut self, verifier: impl TokenVerifier) -> Self {
        self.verifiers.push(Box::new(verifier));
        // Keeps the order of those that are alike.
        self.verifiers.sort_by_key(|verifier| verifier.sends_tokens());
        self
    }

    /// Names an authorization server by its issuer; with at least one, the endpoint has a metadata document, and
    /// challenges lead to it (2026-07-28, basic/authorization/authorization-server-discovery). Name the one whose
    /// tokens the verifier takes. With API keys alone there is none to name.
    ///
    /// # Errors
    /// [`ProtectionError::AuthorizationServer`].
    pub fn authorization_server(mut self, issuer: &str) -> Result<Self, ProtectionError> {
        if Resource::new(issuer).is_none() {
            return Err(ProtectionError::AuthorizationServer(issuer.to_owned()));
        }
        self.authorization_servers.push(issuer.to_owned());
        Ok(self)
    }

    /// Takes a token in this header as well, bare, beside `Authorization: Bearer`: for API keys in a header such as
    /// `X-Api-Key`.
    pub fn key_header(mut self, name: HeaderName) -> Self {
        self.key_header = Some(name);
        self
    }

    /// Scopes that every request needs, whatever it asks for. A token without them gets status 403.
    pub fn require(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.required.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// A broader scope and the narrower ones that it includes, which a token then need not name (2026-07-28,
    /// basic/authorization "Step-Up Authorization Flow").
    pub fn implies(
        mut self,
        scope: impl Into<String>,
        included: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.implied.push((scope.into(), included.into_iter().map(Into::into).collect()));
        self
    }

    /// The scopes that the metadata document shows, and with which clients start: the least that the service is useful
    /// with. Where this is not set, they are the required ones and those of all tools, prompts and resources.
    pub fn scopes_supported(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.supported = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// A page for developers, shown in the metadata document.
    pub fn documentation(mut self, url: impl Into<String>) -> Self {
        self.documentation = Some(url.into());
        self
    }

    /// Other than [`Protection::CHECK_TIMEOUT`]. A request whose token is not checked by then gets status 503.
    pub fn check_timeout(mut self, time: Duration) -> Self {
        self.check_timeout = time;
        self
    }

    /// Hears why tokens are not taken, for a log: it is told the reason and not the token. It is called where the
    /// request is answered, so it must not block.
    pub fn on_rejected(mut self, hear: impl Fn(&Rejected) + Send + Sync + 'static) -> Self {
        self.on_rejected = Some(Box::new(hear));
        self
    }

    /// The path of the metadata document, for those who mount the service themselves:
    /// `/.well-known/oauth-protected-resource` and the path of the resource (RFC 9728, section 3.1).
    pub fn metadata_path(&self) -> &str {
        &self.resource.metadata_path
    }

    /// Checks a token and says what its bearer may use.
    pub(crate) async fn check(&self, token: &str) -> Result<Access, Rejected> {
        let checked = self.verify(token).await;
        if let (Err(rejected), Some(hear)) = (&checked, &self.on_rejected) {
            hear(rejected);
        }
        checked.map(|principal| Access::Granted(Arc::new(self.with_implied(principal))))
    }

    async fn verify(&self, token: &str) -> Result<Principal, Rejected> {
        if token.len() > Self::MAX_TOKEN_BYTES || !is_token(token) {
            return Err(Rejected::invalid("the token is no bearer token"));
        }
        tokio::time::timeout(self.check_timeout, self.ask_all(token))
            .await
            .unwrap_or_else(|_| Err(Rejected::unavailable("checking the token took too long")))
    }

    /// The first principal that a verifier finds. Where one cannot tell, nobody can: the token may be its.
    async fn ask_all(&self, token: &str) -> Result<Principal, Rejected> {
        let mut why: Option<Rejected> = None;
        for verifier in &self.verifiers {
            match verifier.verify(token).await {
                Ok(principal) => return Ok(principal),
                Err(rejected) => {
                    let is_worse = rejected.kind() == RejectedKind::Unavailable;
                    if is_worse || why.is_none() {
                        why = Some(rejected);
                    }
                }
            }
        }
        Err(why.unwrap_or_else(|| Rejected::invalid("no token verifier is configured")))
    }

    /// Adds the scopes that follow from others, to the end.
    fn with_implied(&self, mut principal: Principal) -> Principal {
        loop {
            let follows = |(scope, included): &&(String, Vec<String>)| {
                principal.has_scope(scope) && !included.iter().all(|scope| principal.has_scope(scope))
            };
            let Some((_, included)) = self.implied.iter().find(follows) else { return principal };
            principal = principal.with_scopes(included);
        }
    }

    /// Which of the scopes that every request needs the caller lacks: all of them are named, or none.
    pub(crate) fn missing_scopes(&self, access: &Access) -> Option<&[String]> {
        (!access.covers(&self.required)).then_some(&*self.required)
    }

    /// The scopes that a call needs: its tool's, and those of every request.
    pub(crate) fn scopes_for(&self, tool: &[String]) -> Vec<String> {
        let all: BTreeSet<&String> = self.required.iter().chain(tool).collect();
        all.into_iter().cloned().collect()
    }

    /// The scopes to start with, given those of the tools.
    pub(super) fn supported<'a>(&'a self, tools: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
        let scopes: BTreeSet<&str> = match &self.supported {
            Some(supported) => supported.iter().map(String::as_str).collect(),
            None => self.required.iter().chain(tools).map(String::as_str).collect(),
        };
        scopes.into_iter().filter(|scope| is_scope(scope)).collect()
    }

    /// The scopes that a challenge to someone without a token names.
    pub(crate) fn challenged<'a>(&'a self, tools: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
        if self.required.is_empty() {
            return self.supported(tools);
        }
        self.required.iter().map(String::as_str).collect()
    }

    pub(crate) fn key_header_name(&self) -> Option<&HeaderName> {
        self.key_header.as_ref()
    }

    pub(super) fn resource(&self) -> &Resource {
        &self.resource
    }

    pub(super) fn authorization_servers(&self) -> &[String] {
        &self.authorization_servers
    }

    pub(super) fn documentation_url(&self) -> Option<&str> {
        self.documentation.as_deref()
    }

    /// The address of the metadata document, if there is one.
    pub(crate) fn metadata_url(&self) -> Option<&str> {
        (!self.authorization_servers.is_empty()).then_some(&self.resource.metadata_url)
    }
}

impl Resource {
    fn new(identifier: &str) -> Option<Self> {
        let uri: Uri = identifier.parse().ok()?;
        let authority = uri.authority()?.as_str();
        let is_web = matches!(uri.scheme_str(), Some("https" | "http"));
        if !is_web || authority.contains('@') || identifier.contains(['?', '#', '"', '\\']) {
            return None;
        }
        // Put in between host and path, with nothing else changed: a client takes it out again, and finds the identifier
        // in the document or believes nothing of it (RFC 9728 §3.3). A path of `/` alone is left out (§3.1).
        let (scheme, rest) = identifier.split_once("://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let path = if path == "/" { "" } else { path };
        let metadata_path = format!("/.well-known/oauth-protected-resource{path}");
        Some(Self {
            identifier: identifier.to_owned(),
            metadata_url: format!("{scheme}://{host}{metadata_path}"),
            metadata_path,
        })
    }
}

impl fmt::Debug for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Verifiers are the user's, and may hold secrets.
        f.debug_struct("Protection").field("resource", &self.resource.identifier).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ApiKeys;
    use super::{Principal, Protection, Resource};

    #[test]
    fn the_document_stands_where_rfc_9728_says() {
        for (resource, url, path) in [
            ("https://h.example", "https://h.example/.well-known/oauth-protected-resource", ""),
            ("https://h.example/", "https://h.example/.well-known/oauth-protected-resource", ""),
            (
                "https://h.example:8443/mcp",
                "https://h.example:8443/.well-known/oauth-protected-resource/mcp",
                "/mcp",
            ),
            ("http://127.0.0.1:1/a/b", "http://127.0.0.1:1/.well-known/oauth-protected-resource/a/b", "/a/b"),
            (
                "https://h.example/mcp/",
                "https://h.example/.well-known/oauth-protected-resource/mcp/",
                "/mcp/",
            ),
            ("https://h.example/a//", "https://h.example/.well-known/oauth-protected-resource/a//", "/a//"),
            ("HTTPS://H.example/Mcp", "HTTPS://H.example/.well-known/oauth-protected-resource/Mcp", "/Mcp"),
        ] {
            let found = Resource::new(resource).expect(resource);
            assert_eq!(found.metadata_url, url);
            assert_eq!(found.metadata_path, format!("/.well-known/oauth-protected-resource{path}"));
            assert_eq!(found.identifier, resource, "kept as it was written");
        }
    }

    #[test]
    fn what_is_no_resource_identifier_is_refused() {
        for wrong in [
            "",
            "h.example",
            "h.example/mcp",
            "/mcp",
            "ftp://h.example",
            "https://u:p@h.example",
            "https://h.example/mcp?x=1",
            "https://h.example#f",
            "https://h.example/\"",
            "${RESOURCE}",
        ] {
            assert!(Protection::new(wrong, ApiKeys::new()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn broader_scopes_include_narrower_ones_in_turn_and_rings_end() {
        let protection = Protection::new("https://h.example", ApiKeys::new())
            .expect("an identifier")
            .implies("admin", ["write"])
            .implies("write", ["read", "list"])
            .implies("read", ["write"]);
        let scopes = |scope: &str| {
            let principal = protection.with_implied(Principal::new("ada").with_scopes([scope]));
            principal.scopes().map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(scopes("admin"), "admin list read write");
        assert_eq!(scopes("list"), "list");
    }
}
