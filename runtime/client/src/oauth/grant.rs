//! Grants: client registration, user authorization, and token requests.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::json;

use super::credentials::Credentials;
use super::encoding::{encode_form, query_parameter, random_token};
use super::metadata::ServerMetadata;
use super::signing::{SigningKey, pkce_challenge};
use super::{DPOP, Grant, IdentityProvider, OAuth, RegisteredClient, Token, fetch};
use crate::config::Secret;

const FORM: &str = "application/x-www-form-urlencoded";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const CLIENT_ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

/// The response of a token endpoint (RFC 6749 §5.1).
#[derive(Deserialize)]
struct TokenResponse {
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
    /// Obtains a token with the configured grant, from the issuer and for the resource of `context`.
    pub(super) async fn obtain_token(
        &self,
        client: &RegisteredClient,
        context: Token,
        credentials: &mut Credentials,
        scopes: BTreeSet<String>,
    ) -> Result<Token, String> {
        let (issuer, resource) = (Arc::clone(&context.issuer), context.resource.clone());
        let scope = scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let mut form: Vec<(&str, String)> = match &self.0.settings.grant {
            Grant::AuthorizationCode { redirect, log_in } => {
                let verifier = random_token()?;
                let url =
                    authorization_url(&issuer, client, redirect, &verifier, &scope, resource.as_deref())?;
                let state = query_parameter(&url, "state").unwrap_or_default();
                let redirected = log_in(url, redirect.clone()).await?;
                let code = code_from_redirect(&redirected, &state, &issuer)?;
                vec![
                    ("grant_type", "authorization_code".to_owned()),
                    ("code", code),
                    ("redirect_uri", redirect.clone()),
                    ("code_verifier", verifier),
                ]
            }
            Grant::StoredTokens { advice } => return Err(not_logged_in(&issuer, advice)),
            Grant::ClientCredentials => vec![("grant_type", "client_credentials".to_owned())],
            Grant::JwtBearer(assertion) => {
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion.expose().to_owned())]
            }
            Grant::Enterprise(provider) => {
                let assertion = exchange_id_token(provider, &issuer, resource.as_deref(), &scope).await?;
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion)]
            }
        };
        if !scope.is_empty() && !matches!(self.0.settings.grant, Grant::AuthorizationCode { .. }) {
            form.push(("scope", scope));
        }
        form.extend(resource.map(|resource| ("resource", resource)));
        let dpop_key = dpop_key(&issuer, credentials)?;
        self.request_token(client, form, Token { scopes, dpop_key, ..context }).await
    }

    /// Refreshes a token.
    pub(super) async fn refresh(&self, client: &RegisteredClient, old: &Token) -> Result<Token, String> {
        let refresh = old.refresh.as_ref().ok_or("the token cannot be refreshed: log in again")?;
        let mut form =
            vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", refresh.expose().to_owned())];
        form.extend(old.resource.clone().map(|resource| ("resource", resource)));
        let mut token = self.request_token(client, form, old.clone()).await?;
        // A refresh token that is not replaced remains valid (RFC 6749 §6).
        token.refresh = token.refresh.or_else(|| Some(refresh.clone()));
        Ok(token)
    }

    /// Sends a request to the token endpoint. Values that its response lacks are those of `context`.
    async fn request_token(
        &self,
        client: &RegisteredClient,
        mut form: Vec<(&str, String)>,
        context: Token,
    ) -> Result<Token, String> {
        let issuer = &context.issuer;
        let mut headers = Vec::new();
        if client.key.is_some() || client.secret.is_some() {
            headers.extend(authenticate_client(client, issuer, &mut form)?);
        } else {
            form.push(("client_id", client.id.clone()));
        }
        let pairs: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = encode_form(&pairs);
        let mut nonce: Option<String> = None;
        let fetched = loop {
            let mut headers = headers.clone();
            if let Some(key) = &context.dpop_key {
                let proof = key.sign_proof("POST", &issuer.token_endpoint, None, nonce.as_deref())?;
                headers.push((DPOP, HeaderValue::from_str(&proof).map_err(|error| error.to_string())?));
            }
            let fetched = fetch::post(&issuer.token_endpoint, FORM, body.clone(), headers).await?;
            let new_nonce =
                fetched.headers.get("dpop-nonce").and_then(|nonce| nonce.to_str().ok()).map(str::to_owned);
            let needs_nonce = fetched.status == 400 && fetched.describe_error().contains("use_dpop_nonce");
            match new_nonce {
                Some(new_nonce) if needs_nonce && nonce.is_none() && context.dpop_key.is_some() => {
                    nonce = Some(new_nonce);
                }
                _ => break fetched,
            }
        };
        if !fetched.is_success() {
            return Err(format!(
                "the authorization server did not issue a token: {}",
                fetched.describe_error()
            ));
        }
        let response: TokenResponse = fetched.json("the token response")?;
        let is_dpop = response.token_type.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("dpop"));
        let granted = response.scope.map(|scope| scope.split(' ').map(str::to_owned).collect());
        let lifetime = response.expires_in.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        Ok(Token {
            value: response.access_token.into(),
            refresh: response.refresh_token.map(Into::into),
            expires_at: lifetime.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.min(1e9))),
            scopes: granted.unwrap_or_else(|| context.scopes.clone()),
            is_dpop,
            ..context
        })
    }

    /// Returns the client for an authorization server: pre-registered, identified by its metadata URL, or registered dynamically
    /// (2026-07-28, basic/authorization/client-registration).
    pub(super) async fn client(
        &self,
        issuer: &ServerMetadata,
        credentials: &mut Credentials,
    ) -> Result<RegisteredClient, String> {
        let settings = &self.0.settings;
        let registered = settings.registered.clone();
        if let Some(client) = registered
            .filter(|client| client.issuer.as_ref().is_none_or(|expected| *expected == issuer.issuer))
        {
            return Ok(client);
        }
        if let Some(url) =
            settings.metadata_url.as_ref().filter(|_| issuer.client_id_metadata_document_supported)
        {
            let auth_method = Some("none".to_owned());
            return Ok(RegisteredClient { auth_method, ..RegisteredClient::new(url.clone(), None) });
        }
        let redirect = match &settings.grant {
            Grant::AuthorizationCode { redirect, .. } => redirect,
            Grant::StoredTokens { advice } => {
                let client = credentials.client(None, &issuer.issuer);
                return client.ok_or_else(|| not_logged_in(issuer, advice));
            }
            _ => return Err(format!("no client ID is configured for {}", issuer.issuer)),
        };
        if let Some(client) = credentials.client(Some(redirect), &issuer.issuer) {
            return Ok(client);
        }
        let client = self.register(issuer, redirect).await?;
        credentials.set_client(&client, redirect);
        // Saved before the login, so that the next attempt does not register another client if the login fails.
        self.save(&issuer.issuer, credentials).await?;
        Ok(client)
    }

    /// Registers this client dynamically (RFC 7591).
    async fn register(&self, issuer: &ServerMetadata, redirect: &str) -> Result<RegisteredClient, String> {
        #[derive(Deserialize)]
        struct Registration {
            client_id: String,
            #[serde(default)]
            client_secret: Option<String>,
            #[serde(default)]
            token_endpoint_auth_method: Option<String>,
        }
        let Some(endpoint) = &issuer.registration_endpoint else {
            return Err("the authorization server does not support dynamic client registration: \
                        configure the ID of a registered client"
                .to_owned());
        };
        let supported = &issuer.token_endpoint_auth_methods_supported;
        let auth_method = ["client_secret_basic", "client_secret_post", "none"]
            .into_iter()
            .find(|method| supported.iter().any(|supported| supported == method))
            .unwrap_or("none");
        let is_local = redirect.starts_with("http://");
        let document = json!({
            "client_name": self.0.settings.client_name,
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": auth_method,
            "application_type": if is_local { "native" } else { "web" },
        });
        let fetched = fetch::post(endpoint, "application/json", document.to_string(), Vec::new()).await?;
        if !fetched.is_success() {
            return Err(format!(
                "the authorization server rejected the client registration: {}",
                fetched.describe_error()
            ));
        }
        let registration: Registration = fetched.json("the registration response")?;
        let auth_method = registration.token_endpoint_auth_method.or_else(|| Some(auth_method.to_owned()));
        let secret = registration.client_secret.map(Into::into);
        Ok(RegisteredClient {
            auth_method,
            issuer: Some(issuer.issuer.clone()),
            ..RegisteredClient::new(registration.client_id, secret)
        })
    }
}

fn not_logged_in(issuer: &ServerMetadata, advice: &str) -> String {
    format!("not logged in at {}: {advice}", issuer.issuer)
}

/// Returns the stored or a new key for `DPoP` proofs, if the authorization server supports them (RFC 9449 §5.1).
fn dpop_key(
    issuer: &ServerMetadata,
    credentials: &mut Credentials,
) -> Result<Option<Arc<SigningKey>>, String> {
    if !issuer.dpop_signing_alg_values_supported.iter().any(|name| name == "ES256") {
        return Ok(None);
    }
    if let Some(stored) = &credentials.dpop_key {
        return SigningKey::from_base64(stored).map(Arc::new).map(Some);
    }
    let (key, encoded) = SigningKey::generate()?;
    credentials.dpop_key = Some(encoded);
    Ok(Some(Arc::new(key)))
}

/// Adds client authentication to a token request, in its form or as a header (RFC 6749 §2.3, RFC 7523 §2.2).
fn authenticate_client(
    client: &RegisteredClient,
    issuer: &ServerMetadata,
    form: &mut Vec<(&str, String)>,
) -> Result<Option<(HeaderName, HeaderValue)>, String> {
    if let Some(key) = &client.key {
        form.push(("client_assertion_type", CLIENT_ASSERTION.to_owned()));
        form.push(("client_assertion", key.sign_assertion(&client.id, &issuer.issuer)?));
        form.push(("client_id", client.id.clone()));
        return Ok(None);
    }
    let secret = client.secret.as_ref().map(Secret::expose).unwrap_or_default();
    let supported = &issuer.token_endpoint_auth_methods_supported;
    let supports = |method: &str| supported.iter().any(|supported| supported == method);
    let auth_method = client.auth_method.as_deref().unwrap_or(match () {
        // `client_secret_basic` is the default (RFC 8414 §2).
        () if supported.is_empty() || supports("client_secret_basic") => "client_secret_basic",
        () if supports("client_secret_post") => "client_secret_post",
        () => "none",
    });
    match auth_method {
        "client_secret_post" => {
            form.push(("client_id", client.id.clone()));
            form.push(("client_secret", secret.to_owned()));
            Ok(None)
        }
        "none" => {
            form.push(("client_id", client.id.clone()));
            Ok(None)
        }
        _ => fetch::basic_auth(&client.id, secret).map(Some),
    }
}

/// Returns the URL of the authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3).
fn authorization_url(
    issuer: &ServerMetadata,
    client: &RegisteredClient,
    redirect: &str,
    verifier: &str,
    scope: &str,
    resource: Option<&str>,
) -> Result<String, String> {
    // A server that does not announce PKCE may ignore the challenge (basic/authorization "Authorization Code Protection").
    if !issuer.code_challenge_methods_supported.iter().flatten().any(|method| method == "S256") {
        return Err("the authorization server does not support PKCE with S256".to_owned());
    }
    let endpoint = issuer
        .authorization_endpoint
        .as_ref()
        .ok_or("the authorization server has no `authorization_endpoint`")?;
    let (state, challenge) = (random_token()?, pkce_challenge(verifier));
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
    // The URL may be passed to a command that opens it (CVE-2025-6514).
    let address = crate::http::Address::parse(endpoint).ok();
    if address.is_none() || !["http://", "https://"].iter().any(|scheme| endpoint.starts_with(scheme)) {
        let endpoint = crate::error::quote(endpoint);
        return Err(format!(
            "the `authorization_endpoint` of the authorization server is not a web page: {endpoint}"
        ));
    }
    let separator = if endpoint.contains('?') { '&' } else { '?' };
    Ok(format!("{endpoint}{separator}{}", encode_form(&pairs)))
}

/// Returns the authorization code of a redirect, after a check of its state and issuer (RFC 6749 §4.1.2, RFC 9207 §2.4).
fn code_from_redirect(redirected: &str, state: &str, issuer: &ServerMetadata) -> Result<String, String> {
    if query_parameter(redirected, "state").as_deref() != Some(state) {
        return Err("the redirect has the `state` of another login".to_owned());
    }
    match query_parameter(redirected, "iss") {
        // Compared as strings: not even a trailing slash may differ.
        Some(iss) if iss != issuer.issuer => {
            return Err("the redirect comes from another authorization server".to_owned());
        }
        None if issuer.authorization_response_iss_parameter_supported => {
            return Err("the redirect does not name the authorization server (`iss`)".to_owned());
        }
        _ => {}
    }
    if let Some(error) = query_parameter(redirected, "error") {
        let description = query_parameter(redirected, "error_description").unwrap_or_default();
        return Err(format!(
            "the authorization server denied the login: {}",
            crate::error::quote(&format!("{error} {description}"))
        ));
    }
    query_parameter(redirected, "code").ok_or_else(|| "the redirect has no `code`".to_owned())
}

/// Exchanges the ID token of the user for an assertion to the authorization server (SEP-990; RFC 8693 §2.1).
async fn exchange_id_token(
    provider: &IdentityProvider,
    issuer: &ServerMetadata,
    resource: Option<&str>,
    scope: &str,
) -> Result<String, String> {
    let mut pairs = vec![
        ("grant_type", TOKEN_EXCHANGE),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
        ("audience", issuer.issuer.as_str()),
        ("subject_token", provider.id_token.expose()),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ("client_id", provider.client_id.as_str()),
    ];
    pairs.extend(resource.map(|resource| ("resource", resource)));
    if !scope.is_empty() {
        pairs.push(("scope", scope));
    }
    let fetched = fetch::post(&provider.token_endpoint, FORM, encode_form(&pairs), Vec::new()).await?;
    if !fetched.is_success() {
        return Err(format!("the identity provider did not issue a token: {}", fetched.describe_error()));
    }
    Ok(fetched.json::<TokenResponse>("the token response of the identity provider")?.access_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer(sends_iss: bool) -> ServerMetadata {
        let document = json!({
            "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
            "authorization_response_iss_parameter_supported": sends_iss,
        });
        serde_json::from_value(document).unwrap()
    }

    /// RFC 9207 §2.4.
    #[test]
    fn a_code_is_accepted_from_the_expected_issuer_only() {
        let redirected = |suffix: &str| format!("http://localhost/cb?code=c&state=s{suffix}");
        for (sends_iss, suffix, is_accepted) in [
            (false, "", true),
            (false, "&iss=https%3A%2F%2Fas.example", true),
            (false, "&iss=https://evil.example", false),
            (false, "&iss=https://as.example/", false),
            (true, "", false),
            (true, "&iss=https://as.example", true),
        ] {
            assert_eq!(
                code_from_redirect(&redirected(suffix), "s", &issuer(sends_iss)).is_ok(),
                is_accepted,
                "{sends_iss} {suffix}"
            );
        }
        assert!(code_from_redirect(&redirected(""), "other", &issuer(false)).is_err());
        let denied = "http://localhost/cb?error=access_denied&state=s";
        let error = code_from_redirect(denied, "s", &issuer(false)).unwrap_err();
        assert!(error.contains("access_denied"));
    }

    /// CVE-2025-6514: the URL is passed to a command that opens it.
    #[test]
    fn only_web_pages_are_opened() {
        let client = RegisteredClient::new("id".to_owned(), None);
        let open = |endpoint: &str| {
            let document = json!({
                "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
                "authorization_endpoint": endpoint, "code_challenge_methods_supported": ["S256"],
            });
            let issuer: ServerMetadata = serde_json::from_value(document).unwrap();
            authorization_url(&issuer, &client, "http://localhost/cb", "v", "", None)
        };
        assert!(open("https://as.example/authorize?a=b").unwrap().contains("?a=b&response_type=code"));
        for endpoint in ["file:///etc/passwd", "a:$(calc)", "-x", "ws://as.example/", "https://a b/"] {
            assert!(open(endpoint).unwrap_err().contains("not a web page"), "{endpoint}");
        }
    }

    #[test]
    fn no_code_is_requested_without_pkce() {
        let client = RegisteredClient::new("id".to_owned(), None);
        let url = authorization_url(&issuer(false), &client, "http://localhost/cb", "v", "", None);
        assert!(url.unwrap_err().contains("PKCE"));
    }
}
