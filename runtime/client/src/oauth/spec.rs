//! The `oauth` settings of a server configuration.

use super::{Grant, MemoryTokenStore, OAuth, RegisteredClient};
use crate::config::{OAuthGrant, OAuthSpec, ServerSpec, TransportSpec};
use crate::http::Address;

/// The advice if a user has to log in, but the program has no login.
const NO_LOGIN: &str =
    "this program does not support logins; configure its client with `ClientBuilder::oauth`";

impl OAuth {
    /// Applies the settings of a configuration: the grant, the redirect URI, the client ID and secret, and the scopes.
    #[must_use]
    pub fn configured(self, spec: &OAuthSpec) -> Self {
        self.with(|settings| {
            match (&mut settings.grant, spec.grant) {
                (grant, OAuthGrant::ClientCredentials) => *grant = Grant::ClientCredentials,
                (Grant::AuthorizationCode { redirect, .. }, _) => {
                    if let Some(configured) = &spec.redirect {
                        configured.expose().clone_into(redirect);
                    }
                }
                _ => {}
            }
            if let Some(id) = &spec.client_id {
                let client = RegisteredClient::new(id.expose().to_owned(), spec.client_secret.clone());
                settings.registered = Some(RegisteredClient {
                    issuer: spec.issuer.as_ref().map(|issuer| issuer.expose().to_owned()),
                    ..client
                });
            }
            settings.scopes.extend(spec.scopes.iter().cloned());
        })
    }

    /// Creates the OAuth client of a server. `default` is that of the program, for servers without settings of their own.
    pub(crate) fn for_server(default: Option<Self>, server: &ServerSpec) -> Option<Self> {
        let (url, headers, spec) = match &server.transport {
            TransportSpec::Http(spec) => (&spec.url, &spec.headers, spec.oauth.as_ref()),
            TransportSpec::Sse(spec) => (&spec.url, &spec.headers, spec.oauth.as_ref()),
            TransportSpec::WebSocket(spec) => (&spec.url, &spec.headers, None),
            TransportSpec::Stdio(_) => return None,
        };
        // A configured token takes precedence.
        if headers.get("authorization").is_some() {
            return None;
        }
        match (default, spec) {
            (Some(default), Some(spec)) => Some(default.configured(spec)),
            // No login if others on the network could read the token.
            (default, None) => default.filter(|_| {
                Address::parse(url.expose()).is_ok_and(|address| address.is_tls || address.is_local())
            }),
            (None, Some(spec)) => {
                Some(Self::stored(NO_LOGIN).store(MemoryTokenStore::default()).configured(spec))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::HttpSpec;

    fn spec(url: &str, oauth: Option<OAuthSpec>) -> ServerSpec {
        let mut http = HttpSpec::new(url);
        http.oauth = oauth;
        ServerSpec::new("a", http)
    }

    fn grant_name(default: Option<OAuth>, server: &ServerSpec) -> &'static str {
        OAuth::for_server(default, server).map_or("none", |oauth| match oauth.0.settings.grant {
            Grant::AuthorizationCode { .. } => "code",
            Grant::StoredTokens { .. } => "stored",
            Grant::ClientCredentials => "credentials",
            _ => "other",
        })
    }

    #[test]
    fn the_grant_depends_on_the_configuration_and_the_url() {
        let login = || Some(OAuth::loopback(1, |_| Ok(())));
        let grant = OAuthGrant::ClientCredentials;
        let credentials = OAuthSpec { client_secret: Some("s".into()), grant, ..OAuthSpec::new("id") };
        let remote = "https://x.example/mcp";
        for (default, url, oauth, expected) in [
            (None, remote, None, "none"),
            (None, remote, Some(credentials.clone()), "credentials"),
            (None, remote, Some(OAuthSpec::default()), "stored"),
            (login(), remote, None, "code"),
            (login(), remote, Some(OAuthSpec::new("id")), "code"),
            (login(), remote, Some(credentials), "credentials"),
            (login(), "http://x.example/mcp", None, "none"),
            (login(), "http://127.0.0.1:1/mcp", None, "code"),
        ] {
            assert_eq!(grant_name(default, &spec(url, oauth.clone())), expected, "{url} {oauth:?}");
        }
        let mut http = HttpSpec::new(remote);
        http.headers.set("authorization", "Bearer x");
        assert_eq!(grant_name(login(), &ServerSpec::new("a", http)), "none");
    }

    #[test]
    fn the_configured_client_redirect_and_scopes_are_used() {
        let configured = OAuthSpec {
            scopes: vec!["read".to_owned()],
            redirect: Some("http://localhost:7/callback".into()),
            ..OAuthSpec::new("id")
        };
        let settings = OAuth::loopback(1, |_| Ok(())).configured(&configured).0.settings.clone();
        assert!(
            matches!(&settings.grant, Grant::AuthorizationCode { redirect, .. } if redirect == "http://localhost:7/callback")
        );
        assert_eq!(settings.registered.map(|client| client.id).as_deref(), Some("id"));
        assert!(settings.scopes.contains("read"));
    }
}
