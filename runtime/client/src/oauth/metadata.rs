//! Discovery of the authorization server of a protected server, and of its endpoints (2026-07-28,
//! basic/authorization/authorization-server-discovery).

use serde::Deserialize;

use super::fetch;
use crate::http::Address;

/// The metadata of a protected server (RFC 9728 §2).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ResourceMetadata {
    /// Unparsed, since it is compared and sent as a string.
    pub(super) resource: String,
    #[serde(default)]
    pub(super) authorization_servers: Vec<String>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
}

/// The metadata of an authorization server (RFC 8414 §2).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ServerMetadata {
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
    /// Whether there is no metadata document, and these are the default endpoints of 2025-03-26.
    #[serde(skip)]
    pub(super) is_fallback: bool,
}

/// Fetches the metadata of a protected server, from the URL of a challenge if there is one, or from the well-known URLs.
pub(super) async fn fetch_resource_metadata(
    url: &str,
    metadata_url: Option<&str>,
) -> Result<Option<ResourceMetadata>, String> {
    let server = Address::parse(url)?;
    let mut urls = Vec::new();
    if let Some(url) = metadata_url {
        urls.push(url.to_owned());
    } else {
        let path = server.target.path().trim_end_matches('/');
        let root = format!("{}/.well-known/oauth-protected-resource", server.origin());
        if !path.is_empty() {
            urls.push(format!("{root}{path}"));
        }
        urls.push(root);
    }
    for url in &urls {
        let fetched = fetch::get(url).await?;
        if !fetched.is_success() {
            continue;
        }
        let Ok(metadata) = fetched.json::<ResourceMetadata>("the metadata of the protected server") else {
            continue;
        };
        check_resource(&server, &metadata.resource)?;
        return Ok(Some(metadata));
    }
    Ok(None)
}

/// Checks that a server does not request tokens for another server (RFC 9728 §3.3).
fn check_resource(server: &Address, resource: &str) -> Result<(), String> {
    let named = Address::parse(resource).map_err(|problem| {
        format!("the metadata of {server} has an invalid resource {resource}: {problem}")
    })?;
    let (path, base) = (server.target.path(), named.target.path().trim_end_matches('/'));
    let is_below = path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if named.has_same_origin(server) && is_below {
        Ok(())
    } else {
        Err(format!("the metadata of {server} is for {named}, so no token is requested"))
    }
}

/// Fetches the metadata of an authorization server. If `is_legacy` and there is none, returns the default endpoints of 2025-03-26.
pub(super) async fn fetch_server_metadata(issuer: &str, is_legacy: bool) -> Result<ServerMetadata, String> {
    let address = Address::parse(issuer)?;
    let (origin, path) = (address.origin(), address.target.path().trim_end_matches('/'));
    let mut urls = vec![format!("{origin}/.well-known/oauth-authorization-server{path}")];
    urls.push(format!("{origin}/.well-known/openid-configuration{path}"));
    if !path.is_empty() {
        urls.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    for url in &urls {
        let fetched = fetch::get(url).await?;
        if !fetched.is_success() {
            continue;
        }
        let metadata: ServerMetadata = fetched.json("the metadata of the authorization server")?;
        // Compared as strings (RFC 8414 §3.3). In 2025-03-26, `issuer` is only the origin of the protected server.
        if metadata.issuer != issuer && !is_legacy {
            let found = crate::error::quote(&metadata.issuer);
            return Err(format!(
                "the metadata of the authorization server {issuer} is for {found}, so its endpoints are not used"
            ));
        }
        return Ok(metadata);
    }
    if !is_legacy {
        return Err(format!("the authorization server {issuer} has no metadata"));
    }
    Ok(ServerMetadata {
        issuer: issuer.to_owned(),
        authorization_endpoint: Some(format!("{origin}/authorize")),
        token_endpoint: format!("{origin}/token"),
        registration_endpoint: Some(format!("{origin}/register")),
        code_challenge_methods_supported: Some(vec!["S256".to_owned()]),
        token_endpoint_auth_methods_supported: Vec::new(),
        client_id_metadata_document_supported: false,
        authorization_response_iss_parameter_supported: false,
        dpop_signing_alg_values_supported: Vec::new(),
        is_fallback: true,
    })
}
