//! Getting a token: registration, authorization, and the token endpoint.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::json;

use super::kept::Kept;
use super::metadata::Authority;
use super::sign::{Key, challenge};
use super::text::{form, parameter, random};
use super::{DPOP, Enterprise, OAuth, Registered, Token, Way, fetch};
use crate::config::Secret;

const FORM: &str = "application/x-www-form-urlencoded";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

#[derive(Deserialize)]
struct Issued {
    access_token: String,
    #[serde(default)]
    token_type: Option<String>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    expires_in: Option<f64>,
    #[serde(default)]
    scope: Option<String>,
}

impl OAuth {
    /// A token in the way that is set, of the issuer and for the resource of `like`.
    pub(super) async fn obtain(
        &self,
        client: &Registered,
        like: Token,
        kept: &mut Kept,
        scopes: BTreeSet<String>,
    ) -> Result<Token, String> {
        let (issuer, resource) = (Arc::clone(&like.issuer), like.resource.clone());
        let scope = scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let mut pairs: Vec<(&str, String)> = match &self.0.settings.way {
            Way::Code { redirect, browser } => {
                let verifier = random()?;
                let url =
                    authorization_url(&issuer, client, redirect, &verifier, &scope, resource.as_deref())?;
                let state = parameter(&url, "state").unwrap_or_default();
                let back = browser(url, redirect.clone()).await?;
                let code = code_in(&back, &state, &issuer)?;
                vec![
                    ("grant_type", "authorization_code".to_owned()),
                    ("code", code),
                    ("redirect_uri", redirect.clone()),
                    ("code_verifier", verifier),
                ]
            }
            Way::Stored(advice) => return Err(nobody(&issuer, advice)),
            Way::Credentials => vec![("grant_type", "client_credentials".to_owned())],
            Way::Assertion(assertion) => {
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion.expose().to_owned())]
            }
            Way::Enterprise(enterprise) => {
                let assertion = exchanged(enterprise, &issuer, resource.as_deref(), &scope).await?;
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion)]
            }
        };
        if !scope.is_empty() && !matches!(self.0.settings.way, Way::Code { .. }) {
            pairs.push(("scope", scope));
        }
        pairs.extend(resource.map(|resource| ("resource", resource)));
        let key = proof_key(&issuer, kept)?;
        self.ask(client, pairs, Token { scopes, key, ..like }).await
    }

    /// A new token for an old one, which can be refreshed.
    pub(super) async fn refresh(&self, client: &Registered, old: &Token) -> Result<Token, String> {
        let refresh = old.refresh.as_ref().ok_or("the token cannot be refreshed: log in again")?;
        let mut pairs =
            vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", refresh.expose().to_owned())];
        pairs.extend(old.resource.clone().map(|resource| ("resource", resource)));
        let mut token = self.ask(client, pairs, old.clone()).await?;
        // One that is not replaced stays good (RFC 6749 §6).
        token.refresh = token.refresh.or_else(|| Some(refresh.clone()));
        Ok(token)
    }

    /// Asks the token endpoint; what is not in its answer is as in `like`.
    async fn ask(
        &self,
        client: &Registered,
        mut pairs: Vec<(&str, String)>,
        like: Token,
    ) -> Result<Token, String> {
        let issuer = &like.issuer;
        let mut headers = Vec::new();
        if client.key.is_some() || client.secret.is_some() {
            headers.extend(show_identity(client, issuer, &mut pairs)?);
        } else {
            pairs.push(("client_id", client.id.clone()));
        }
        let borrowed: Vec<_> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = form(&borrowed);
        let mut nonce: Option<String> = None;
        let fetched = loop {
            let mut headers = headers.clone();
            if let Some(key) = &like.key {
                let proof = key.proof("POST", &issuer.token_endpoint, None, nonce.as_deref())?;
                headers.push((DPOP, HeaderValue::from_str(&proof).map_err(|error| error.to_string())?));
            }
            let fetched = fetch::post(&issuer.token_endpoint, FORM, body.clone(), headers).await?;
            let offered =
                fetched.headers.get("dpop-nonce").and_then(|nonce| nonce.to_str().ok()).map(str::to_owned);
            let wants_nonce = fetched.status == 400 && fetched.problem().contains("use_dpop_nonce");
            match offered {
                Some(offered) if wants_nonce && nonce.is_none() && like.key.is_some() => {
                    nonce = Some(offered);
                }
                _ => break fetched,
            }
        };
        if !fetched.is_success() {
            return Err(format!("the authorization server gives no token: {}", fetched.problem()));
        }
        let answer: Issued = fetched.json("the token")?;
        let is_dpop = answer.token_type.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("dpop"));
        let granted = answer.scope.map(|scope| scope.split(' ').map(str::to_owned).collect());
        let lifetime = answer.expires_in.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        Ok(Token {
            value: answer.access_token.into(),
            refresh: answer.refresh_token.map(Into::into),
            expires: lifetime.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.min(1e9))),
            scopes: granted.unwrap_or_else(|| like.scopes.clone()),
            is_dpop,
            ..like
        })
    }

    /// Who this client is to an authorization server: known before, by the address of a document, or registered now
    /// (2026-07-28, basic/authorization/client-registration).
    pub(super) async fn client(&self, issuer: &Authority, kept: &mut Kept) -> Result<Registered, String> {
        let settings = &self.0.settings;
        let known = settings.registered.clone();
        if let Some(client) =
            known.filter(|client| client.issuer.as_ref().is_none_or(|of| *of == issuer.issuer))
        {
            return Ok(client);
        }
        if let Some(url) =
            settings.metadata_url.as_ref().filter(|_| issuer.client_id_metadata_document_supported)
        {
            return Ok(Registered { method: Some("none".to_owned()), ..Registered::new(url.clone(), None) });
        }
        let redirect = match &settings.way {
            Way::Code { redirect, .. } => redirect,
            Way::Stored(advice) => {
                let client = kept.client(None, &issuer.issuer);
                return client.ok_or_else(|| nobody(issuer, advice));
            }
            _ => return Err("there is no id for this authorization server".to_owned()),
        };
        if let Some(client) = kept.client(Some(redirect), &issuer.issuer) {
            return Ok(client);
        }
        let client = self.register(issuer, redirect).await?;
        kept.put_client(&client, redirect);
        // Whether or not a token follows: registrations are not for each attempt.
        self.save(&issuer.issuer, kept).await?;
        Ok(client)
    }

    async fn register(&self, issuer: &Authority, redirect: &str) -> Result<Registered, String> {
        #[derive(Deserialize)]
        struct Answer {
            client_id: String,
            #[serde(default)]
            client_secret: Option<String>,
            #[serde(default)]
            token_endpoint_auth_method: Option<String>,
        }
        let Some(endpoint) = &issuer.registration_endpoint else {
            return Err(
                "the authorization server registers no clients: give this one an id that it knows".to_owned()
            );
        };
        let methods = &issuer.token_endpoint_auth_methods_supported;
        let method = ["client_secret_basic", "client_secret_post", "none"]
            .into_iter()
            .find(|method| methods.iter().any(|offered| offered == method))
            .unwrap_or("none");
        let is_local = redirect.starts_with("http://");
        let document = json!({
            "client_name": self.0.settings.client_name,
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
            "application_type": if is_local { "native" } else { "web" },
        });
        let fetched = fetch::post(endpoint, "application/json", document.to_string(), Vec::new()).await?;
        if !fetched.is_success() {
            return Err(format!(
                "the authorization server does not register this client: {}",
                fetched.problem()
            ));
        }
        let answer: Answer = fetched.json("the registration")?;
        let method = answer.token_endpoint_auth_method.or_else(|| Some(method.to_owned()));
        let secret = answer.client_secret.map(Into::into);
        Ok(Registered {
            method,
            issuer: Some(issuer.issuer.clone()),
            ..Registered::new(answer.client_id, secret)
        })
    }
}

fn nobody(issuer: &Authority, advice: &str) -> String {
    format!("nobody is logged in at {}: {advice}", issuer.issuer)
}

/// The key of proofs, where the authorization server takes them (RFC 9449 §5.1): the one that is kept, or a new one.
fn proof_key(issuer: &Authority, kept: &mut Kept) -> Result<Option<Arc<Key>>, String> {
    if !issuer.dpop_signing_alg_values_supported.iter().any(|name| name == "ES256") {
        return Ok(None);
    }
    if let Some(known) = &kept.proof_key {
        return Key::from_base64(known).map(Arc::new).map(Some);
    }
    let (key, text) = Key::generate()?;
    kept.proof_key = Some(text);
    Ok(Some(Arc::new(key)))
}

/// How a client shows who it is at the token endpoint (RFC 6749 §2.3, RFC 7523 §2.2).
fn show_identity(
    client: &Registered,
    issuer: &Authority,
    pairs: &mut Vec<(&str, String)>,
) -> Result<Option<(HeaderName, HeaderValue)>, String> {
    if let Some(key) = &client.key {
        let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        pairs.push(("client_assertion_type", kind.to_owned()));
        pairs.push(("client_assertion", key.assertion(&client.id, &issuer.issuer)?));
        pairs.push(("client_id", client.id.clone()));
        return Ok(None);
    }
    let secret = client.secret.as_ref().map(Secret::expose).unwrap_or_default();
    let offered = &issuer.token_endpoint_auth_methods_supported;
    let has = |method: &str| offered.iter().any(|offered| offered == method);
    let method = client.method.as_deref().unwrap_or(match () {
        // What is not said is Basic (RFC 8414 §2).
        () if offered.is_empty() || has("client_secret_basic") => "client_secret_basic",
        () if has("client_secret_post") => "client_secret_post",
        () => "none",
    });
    match method {
        "client_secret_post" => {
            pairs.push(("client_id", client.id.clone()));
            pairs.push(("client_secret", secret.to_owned()));
            Ok(None)
        }
        "none" => {
            pairs.push(("client_id", client.id.clone()));
            Ok(None)
        }
        _ => fetch::basic(&client.id, secret).map(Some),
    }
}

fn authorization_url(
    issuer: &Authority,
    client: &Registered,
    redirect: &str,
    verifier: &str,
    scope: &str,
    resource: Option<&str>,
) -> Result<String, String> {
    // A server that does not say that it takes challenges may ignore them (basic/authorization "Authorization Code
    // Protection").
    if !issuer.code_challenge_methods_supported.iter().flatten().any(|method| method == "S256") {
        return Err("the authorization server does not protect codes (PKCE with S256)".to_owned());
    }
    let endpoint =
        issuer.authorization_endpoint.as_ref().ok_or("the authorization server has no page for users")?;
    let (state, challenge) = (random()?, challenge(verifier));
    let mut pairs = vec![
        ("response_type", "code"),
        ("client_id", client.id.as_str()),
        ("redirect_uri", redirect),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("state", state.as_str()),
    ];
    if !scope.is_empty() {
        pairs.push(("scope", scope));
    }
    if let Some(resource) = resource {
        pairs.push(("resource", resource));
    }
    // A program may hand it to whatever opens addresses.
    let address = crate::http::Address::parse(endpoint).ok();
    if address.is_none() || !["http://", "https://"].iter().any(|scheme| endpoint.starts_with(scheme)) {
        let shown = crate::error::quoted(endpoint);
        return Err(format!("the page of the authorization server is not a web page: {shown}"));
    }
    let separator = if endpoint.contains('?') { '&' } else { '?' };
    Ok(format!("{endpoint}{separator}{}", form(&pairs)))
}

/// The code in the address that the browser was sent back to, if it answers what was asked, and comes from whom it was asked
/// (RFC 6749 §4.1.2, RFC 9207 §2.4).
fn code_in(back: &str, state: &str, issuer: &Authority) -> Result<String, String> {
    if parameter(back, "state").as_deref() != Some(state) {
        return Err("the browser came back with the answer to another question".to_owned());
    }
    match parameter(back, "iss") {
        // As texts: not even a slash may differ.
        Some(iss) if iss != issuer.issuer => {
            return Err("the browser came back from another authorization server".to_owned());
        }
        None if issuer.authorization_response_iss_parameter_supported => {
            return Err("the browser came back without the name of the authorization server".to_owned());
        }
        _ => {}
    }
    if let Some(error) = parameter(back, "error") {
        let description = parameter(back, "error_description").unwrap_or_default();
        return Err(format!(
            "the user was refused: {}",
            crate::error::quoted(&format!("{error} {description}"))
        ));
    }
    parameter(back, "code").ok_or_else(|| "the browser came back without a code".to_owned())
}

/// What the identity provider of an enterprise says to the authorization server (SEP-990; RFC 8693 §2.1).
async fn exchanged(
    enterprise: &Enterprise,
    issuer: &Authority,
    resource: Option<&str>,
    scope: &str,
) -> Result<String, String> {
    let mut pairs = vec![
        ("grant_type", TOKEN_EXCHANGE),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
        ("audience", issuer.issuer.as_str()),
        ("subject_token", enterprise.id_token.expose()),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ("client_id", enterprise.client_id.as_str()),
    ];
    pairs.extend(resource.map(|resource| ("resource", resource)));
    if !scope.is_empty() {
        pairs.push(("scope", scope));
    }
    let fetched = fetch::post(&enterprise.token_endpoint, FORM, form(&pairs), Vec::new()).await?;
    if !fetched.is_success() {
        return Err(format!("the identity provider gives no token: {}", fetched.problem()));
    }
    Ok(fetched.json::<Issued>("the token of the identity provider")?.access_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer(says_so: bool) -> Authority {
        let document = json!({
            "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
            "authorization_response_iss_parameter_supported": says_so,
        });
        serde_json::from_value(document).unwrap()
    }

    /// RFC 9207 §2.4.
    #[test]
    fn a_code_is_taken_from_whom_it_was_asked_only() {
        let back = |further: &str| format!("http://localhost/cb?code=c&state=s{further}");
        for (says_so, further, is_taken) in [
            (false, "", true),
            (false, "&iss=https%3A%2F%2Fas.example", true),
            (false, "&iss=https://evil.example", false),
            (false, "&iss=https://as.example/", false),
            (true, "", false),
            (true, "&iss=https://as.example", true),
        ] {
            assert_eq!(
                code_in(&back(further), "s", &issuer(says_so)).is_ok(),
                is_taken,
                "{says_so} {further}"
            );
        }
        assert!(code_in(&back(""), "other", &issuer(false)).is_err());
        let refused =
            code_in("http://localhost/cb?error=access_denied&state=s", "s", &issuer(false)).unwrap_err();
        assert!(refused.contains("access_denied"));
    }

    /// CVE-2025-6514: the address goes to what opens pages.
    #[test]
    fn only_web_pages_are_opened() {
        let client = Registered::new("id".to_owned(), None);
        let open = |endpoint: &str| {
            let document = json!({
                "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
                "authorization_endpoint": endpoint, "code_challenge_methods_supported": ["S256"],
            });
            let issuer: Authority = serde_json::from_value(document).unwrap();
            authorization_url(&issuer, &client, "http://localhost/cb", "v", "", None)
        };
        assert!(open("https://as.example/authorize?a=b").unwrap().contains("?a=b&response_type=code"));
        for endpoint in ["file:///etc/passwd", "a:$(calc)", "-x", "ws://as.example/", "https://a b/"] {
            assert!(open(endpoint).unwrap_err().contains("not a web page"), "{endpoint}");
        }
    }

    #[test]
    fn codes_are_not_asked_for_without_protection() {
        let client = Registered::new("id".to_owned(), None);
        let url = authorization_url(&issuer(false), &client, "http://localhost/cb", "v", "", None);
        assert!(url.unwrap_err().contains("PKCE"));
    }
}
