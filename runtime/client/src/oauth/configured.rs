//! What a configuration says about the tokens of a server.

use super::{MemoryTokenStore, OAuth, Registered, Way};
use crate::config::{OAuthGrant, OAuthSpec, ServerSpec, TransportSpec};
use crate::http::Address;

/// What to do where a user would have to log in, and the program cannot ask.
const NO_LOGIN: &str = "this program cannot log a user in; give its client `ClientBuilder::oauth`";

impl OAuth {
    /// The same with what a configuration says: the client and its grant, the scopes, and where the browser is sent back to.
    #[must_use]
    pub fn configured(self, spec: &OAuthSpec) -> Self {
        self.with(|settings| {
            match (&mut settings.way, spec.grant) {
                (way, OAuthGrant::ClientCredentials) => *way = Way::Credentials,
                (Way::Code { redirect, .. }, _) => {
                    if let Some(chosen) = &spec.redirect {
                        chosen.expose().clone_into(redirect);
                    }
                }
                _ => {}
            }
            if let Some(id) = &spec.client_id {
                let known = Registered::new(id.expose().to_owned(), spec.client_secret.clone());
                settings.registered = Some(Registered {
                    issuer: spec.issuer.as_ref().map(|issuer| issuer.expose().to_owned()),
                    ..known
                });
            }
            settings.scopes.extend(spec.scopes.iter().cloned());
        })
    }

    /// What authorizes requests to a server: `general` is what the program has for all of them.
    pub(crate) fn of_server(general: Option<Self>, server: &ServerSpec) -> Option<Self> {
        let (url, headers, said) = match &server.transport {
            TransportSpec::Http(spec) => (&spec.url, &spec.headers, spec.oauth.as_ref()),
            TransportSpec::Sse(spec) => (&spec.url, &spec.headers, spec.oauth.as_ref()),
            TransportSpec::WebSocket(spec) => (&spec.url, &spec.headers, None),
            TransportSpec::Stdio(_) => return None,
        };
        // Whoever gives a token wants that one.
        if headers.get("authorization").is_some() {
            return None;
        }
        match (general, said) {
            (Some(general), Some(said)) => Some(general.configured(said)),
            // A login is not offered where others on the network could read the token.
            (general, None) => general.filter(|_| {
                Address::parse(url.expose()).is_ok_and(|address| address.is_tls || address.is_local())
            }),
            (None, Some(said)) => {
                Some(Self::stored(NO_LOGIN).store(MemoryTokenStore::default()).configured(said))
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

    fn way(general: Option<OAuth>, server: &ServerSpec) -> &'static str {
        OAuth::of_server(general, server).map_or("none", |oauth| match oauth.0.settings.way {
            Way::Code { .. } => "code",
            Way::Stored(_) => "stored",
            Way::Credentials => "credentials",
            _ => "other",
        })
    }

    #[test]
    fn a_configuration_says_how_its_server_gives_tokens() {
        let login = || Some(OAuth::loopback(1, |_| Ok(())));
        let grant = OAuthGrant::ClientCredentials;
        let own = OAuthSpec { client_secret: Some("s".into()), grant, ..OAuthSpec::new("id") };
        let far = "https://x.example/mcp";
        for (general, url, oauth, expected) in [
            (None, far, None, "none"),
            (None, far, Some(own.clone()), "credentials"),
            (None, far, Some(OAuthSpec::default()), "stored"),
            (login(), far, None, "code"),
            (login(), far, Some(OAuthSpec::new("id")), "code"),
            (login(), far, Some(own), "credentials"),
            (login(), "http://x.example/mcp", None, "none"),
            (login(), "http://127.0.0.1:1/mcp", None, "code"),
        ] {
            assert_eq!(way(general, &spec(url, oauth.clone())), expected, "{url} {oauth:?}");
        }
        let mut http = HttpSpec::new(far);
        http.headers.set("authorization", "Bearer x");
        assert_eq!(way(login(), &ServerSpec::new("a", http)), "none");
    }

    #[test]
    fn a_configured_client_is_used_with_its_scopes() {
        let said = OAuthSpec {
            scopes: vec!["read".to_owned()],
            redirect: Some("http://localhost:7/callback".into()),
            ..OAuthSpec::new("id")
        };
        let settings = OAuth::loopback(1, |_| Ok(())).configured(&said).0.settings.clone();
        assert!(
            matches!(&settings.way, Way::Code { redirect, .. } if redirect == "http://localhost:7/callback")
        );
        assert_eq!(settings.registered.map(|client| client.id).as_deref(), Some("id"));
        assert!(settings.scopes.contains("read"));
    }
}
