//! Protection of an endpoint with access tokens.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, Uri};

use super::resource::is_scope;
use super::token::is_token;
use super::{Access, Principal, Rejected, TokenVerifier};
use crate::observed::observe;

/// Requires callers of an endpoint to present a token that one of the verifiers accepts. Requests without one get a
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

/// The resource identifier and what is derived from it.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) identifier: String,
    /// The address of the metadata document (RFC 9728 §3.1), and its path.
    pub(super) metadata_url: String,
    pub(super) metadata_path: String,
}

/// An endpoint's protection is misconfigured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtectionError {
    /// The resource identifier is invalid.
    #[error(
        "`{0}` is not a valid resource identifier; write the URL that clients use, as `https://host/path`, without user, query and fragment (RFC 8707, section 2)"
    )]
    Resource(String),
    /// The issuer of an authorization server is invalid.
    #[error(
        "`{0}` is not a valid issuer; write it as in the authorization server's metadata, `https://host` or `https://host/path` (RFC 8414, section 2)"
    )]
    AuthorizationServer(String),
}

impl Protection {
    /// The maximum length of a token: 16 KiB. Longer ones are rejected without verification.
    pub const MAX_TOKEN_BYTES: usize = 16 << 10;

    /// The time limit for all verifiers of one request: 10 seconds.
    pub const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

    /// Protects the endpoint that clients know as `resource`, such as `https://shop.example/mcp`, even if a proxy
    /// forwards it to another address. Write it exactly as clients do, preferably without a trailing slash: tokens name
    /// it as their audience (2026-07-28, basic/authorization "Canonical Server URI"), and clients compare it with the
    /// address that they use.
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

    /// Adds another verifier. Verifiers are tried in order until one accepts the token: first those that keep it local,
    /// then those that send it elsewhere ([`TokenVerifier::sends_tokens`]), each group in the order given.
    pub fn or(mut self, verifier: impl TokenVerifier) -> Self {
        self.verifiers.push(Box::new(verifier));
        // The sort is stable.
        self.verifiers.sort_by_key(|verifier| verifier.sends_tokens());
        self
    }

    /// Adds the issuer of an authorization server whose tokens the verifier accepts. With at least one, the endpoint
    /// serves a metadata document, and challenges refer to it (2026-07-28,
    /// basic/authorization/authorization-server-discovery). With API keys only, none is needed.
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

    /// Also accepts a bare token in this header, in addition to `Authorization: Bearer`: for API keys in a header such
    /// as `X-Api-Key`.
    pub fn key_header(mut self, name: HeaderName) -> Self {
        self.key_header = Some(name);
        self
    }

    /// Sets scopes that every request needs. A token without them gets status 403.
    pub fn require(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.required.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Declares a broader scope and the narrower ones that it includes, which tokens then do not have to list
    /// (2026-07-28, basic/authorization "Step-Up Authorization Flow").
    pub fn implies(
        mut self,
        scope: impl Into<String>,
        included: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.implied.push((scope.into(), included.into_iter().map(Into::into).collect()));
        self
    }

    /// Sets the scopes that the metadata document lists, which clients request first: the minimum with which the
    /// service is useful. By default, they are the required scopes and those of all tools, prompts and resources.
    pub fn scopes_supported(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.supported = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the URL of the developer documentation, which the metadata document lists.
    pub fn documentation(mut self, url: impl Into<String>) -> Self {
        self.documentation = Some(url.into());
        self
    }

    /// Overrides [`Protection::CHECK_TIMEOUT`]. A request whose token is not verified in time gets status 503.
    pub fn check_timeout(mut self, time: Duration) -> Self {
        self.check_timeout = time;
        self
    }

    /// Sets a callback for rejected tokens, for logging. It receives the reason, not the token. It runs while the
    /// request is handled, so it must not block.
    pub fn on_rejected(mut self, hear: impl Fn(&Rejected) + Send + Sync + 'static) -> Self {
        self.on_rejected = Some(Box::new(hear));
        self
    }

    /// Returns the path of the metadata document, for programs that mount the service themselves:
    /// `/.well-known/oauth-protected-resource` followed by the path of the resource (RFC 9728, section 3.1).
    pub fn metadata_path(&self) -> &str {
        &self.resource.metadata_path
    }

    /// Verifies a token and returns its access.
    pub(crate) async fn check(&self, token: &str) -> Result<Access, Rejected> {
        let checked = self.verify(token).await;
        if let Err(rejected) = &checked {
            observe!(
                INFO,
                error.r#type = rejected.kind().name(),
                reason = crate::observed::shorten(rejected.reason()),
                "a token was rejected"
            );
            if let Some(hear) = &self.on_rejected {
                hear(rejected);
            }
        }
        checked.map(|principal| Access::Granted(Arc::new(self.with_implied(principal))))
    }

    async fn verify(&self, token: &str) -> Result<Principal, Rejected> {
        if token.len() > Self::MAX_TOKEN_BYTES || !is_token(token) {
            return Err(Rejected::invalid("the token is not a valid bearer token"));
        }
        tokio::time::timeout(self.check_timeout, self.ask_all(token))
            .await
            .unwrap_or_else(|_| Err(Rejected::unavailable("checking the token took too long")))
    }

    /// Returns the principal from the first verifier that accepts the token. A verifier that misses scopes has
    /// recognized the token. If one is unavailable, the token may be one of its own, so the check fails.
    async fn ask_all(&self, token: &str) -> Result<Principal, Rejected> {
        let mut why: Option<Rejected> = None;
        for verifier in &self.verifiers {
            match verifier.verify(token).await {
                Ok(principal) => return Ok(principal),
                Err(rejected) => {
                    if why.as_ref().is_none_or(|why| rejected.kind() > why.kind()) {
                        why = Some(rejected);
                    }
                }
            }
        }
        Err(why.unwrap_or_else(|| Rejected::invalid("no token verifier is configured")))
    }

    /// Adds implied scopes, transitively.
    fn with_implied(&self, mut principal: Principal) -> Principal {
        loop {
            let follows = |(scope, included): &&(String, Vec<String>)| {
                principal.has_scope(scope) && !included.iter().all(|scope| principal.has_scope(scope))
            };
            let Some((_, included)) = self.implied.iter().find(follows) else { return principal };
            principal = principal.with_scopes(included);
        }
    }

    /// If the caller lacks a scope that every request needs, returns all of those scopes.
    pub(crate) fn missing_scopes(&self, access: &Access) -> Option<&[String]> {
        (!access.covers(&self.required)).then_some(&*self.required)
    }

    /// The scopes that a call needs: those of its tool, and those of every request.
    pub(crate) fn scopes_for(&self, tool: &[String]) -> Vec<String> {
        let all: BTreeSet<&String> = self.required.iter().chain(tool).collect();
        all.into_iter().cloned().collect()
    }

    /// The scopes to start with, given those of the tools.
    pub(super) fn supported<'a>(&self, tools: impl IntoIterator<Item = &'a String>) -> Vec<String> {
        let mut scopes: BTreeSet<String> = match &self.supported {
            Some(supported) => supported.iter().cloned().collect(),
            None => self.required.iter().cloned().chain(tools.into_iter().cloned()).collect(),
        };
        scopes.extend(self.verifiers.iter().flat_map(|verifier| verifier.sources().scopes));
        scopes.into_iter().filter(|scope| is_scope(scope)).collect()
    }

    /// The scopes that a challenge names if there is no token.
    pub(crate) fn challenged<'a>(&self, tools: impl IntoIterator<Item = &'a String>) -> Vec<String> {
        if self.required.is_empty() {
            return self.supported(tools);
        }
        self.required.clone()
    }

    pub(crate) fn key_header_name(&self) -> Option<&HeaderName> {
        self.key_header.as_ref()
    }

    pub(super) fn resource(&self) -> &Resource {
        &self.resource
    }

    /// The authorization servers that are configured, and those of the verifiers.
    pub(super) fn authorization_servers(&self) -> Vec<String> {
        let mut servers = self.authorization_servers.clone();
        for server in self.verifiers.iter().flat_map(|verifier| verifier.sources().authorization_servers) {
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        servers
    }

    pub(super) fn documentation_url(&self) -> Option<&str> {
        self.documentation.as_deref()
    }

    /// The address of the metadata document, if there is one.
    pub(crate) fn metadata_url(&self) -> Option<&str> {
        (!self.authorization_servers().is_empty()).then_some(&self.resource.metadata_url)
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
        // The well-known path goes between host and path, with nothing else changed: clients remove it again, and trust
        // the document only if it contains the resulting identifier (RFC 9728 §3.3). A path of `/` is omitted (§3.1).
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
        // Verifiers are user code and may contain secrets.
        f.debug_struct("Protection").field("resource", &self.resource.identifier).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ApiKeys;
    use super::{Principal, Protection, Resource};

    #[test]
    fn the_metadata_document_has_the_path_of_rfc_9728() {
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
            assert_eq!(found.identifier, resource, "kept unchanged");
        }
    }

    #[test]
    fn invalid_resource_identifiers_are_rejected() {
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
    fn implied_scopes_are_transitive_and_may_be_cyclic() {
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
