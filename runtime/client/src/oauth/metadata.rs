//! Which authorization server protects a server, and where its endpoints are (2026-07-28,
//! basic/authorization/authorization-server-discovery).

use serde::Deserialize;

use super::fetch;
use crate::http::Address;

/// What a protected server says about itself (RFC 9728 §2).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Protected {
    /// As it is written, since it is compared and sent as a text.
    pub(super) resource: String,
    #[serde(default)]
    pub(super) authorization_servers: Vec<String>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
}

/// What an authorization server says about itself (RFC 8414 §2).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Authority {
    pub(super) issuer: String,
    #[serde(default)]
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: String,
    #[serde(default)]
    pub(super) registration_endpoint: Option<String>,
    #[serde(default)]
    pub(super) code_challenge_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    pub(super) token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    pub(super) client_id_metadata_document_supported: bool,
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    pub(super) dpop_signing_alg_values_supported: Vec<String>,
    /// Whether there is no document, and this is where 2025-03-26 has the endpoints.
    #[serde(skip)]
    pub(super) is_assumed: bool,
}

/// The document about a protected server, from where the challenge says, or from the well-known places; none if there is none.
pub(super) async fn resource(url: &str, hint: Option<&str>) -> Result<Option<Protected>, String> {
    let server = Address::parse(url)?;
    let mut places = Vec::new();
    if let Some(hint) = hint {
        places.push(hint.to_owned());
    } else {
        let path = server.target.path().trim_end_matches('/');
        let root = format!("{}/.well-known/oauth-protected-resource", server.origin());
        if !path.is_empty() {
            places.push(format!("{root}{path}"));
        }
        places.push(root);
    }
    for place in &places {
        let fetched = fetch::get(place).await?;
        if !fetched.is_success() {
            continue;
        }
        let Ok(found) = fetched.json::<Protected>("the document about the protected server") else {
            continue;
        };
        check(&server, &found.resource)?;
        return Ok(Some(found));
    }
    Ok(None)
}

/// A server may not ask for tokens that are meant for another one (RFC 9728 §3.3).
fn check(server: &Address, resource: &str) -> Result<(), String> {
    let named = Address::parse(resource)
        .map_err(|problem| format!("the protected server calls itself {resource}: {problem}"))?;
    let (path, base) = (server.target.path(), named.target.path().trim_end_matches('/'));
    let is_below = path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if named.has_origin_of(server) && is_below {
        Ok(())
    } else {
        Err(format!("the document about {server} is for {named}, so no token is asked for"))
    }
}

/// The document about an authorization server. Without one, its endpoints are where 2025-03-26 has them.
pub(super) async fn issuer(issuer: &str, is_legacy: bool) -> Result<Authority, String> {
    let address = Address::parse(issuer)?;
    let (origin, path) = (address.origin(), address.target.path().trim_end_matches('/'));
    let mut places = vec![format!("{origin}/.well-known/oauth-authorization-server{path}")];
    places.push(format!("{origin}/.well-known/openid-configuration{path}"));
    if !path.is_empty() {
        places.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    for place in &places {
        let fetched = fetch::get(place).await?;
        if !fetched.is_success() {
            continue;
        }
        let found: Authority = fetched.json("the document about the authorization server")?;
        // Compared as texts (RFC 8414 §3.3). In 2025-03-26 the address of the server stood for the issuer.
        if found.issuer != issuer && !is_legacy {
            let shown = crate::error::quoted(&found.issuer);
            return Err(format!(
                "the authorization server {issuer} calls itself {shown}, so its endpoints are not used"
            ));
        }
        return Ok(found);
    }
    if !is_legacy {
        return Err(format!("the authorization server {issuer} has no document about itself"));
    }
    Ok(Authority {
        issuer: issuer.to_owned(),
        authorization_endpoint: Some(format!("{origin}/authorize")),
        token_endpoint: format!("{origin}/token"),
        registration_endpoint: Some(format!("{origin}/register")),
        code_challenge_methods_supported: Some(vec!["S256".to_owned()]),
        token_endpoint_auth_methods_supported: Vec::new(),
        client_id_metadata_document_supported: false,
        authorization_response_iss_parameter_supported: false,
        dpop_signing_alg_values_supported: Vec::new(),
        is_assumed: true,
    })
}
