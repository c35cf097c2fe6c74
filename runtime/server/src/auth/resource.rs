//! The metadata document of a protected resource (RFC 9728), and scopes in challenges.

use serde::Serialize;

use super::Protection;

/// The members of the document that this server fills in (RFC 9728 §2).
#[derive(Serialize)]
pub(crate) struct Metadata<'a> {
    resource: &'a str,
    authorization_servers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes_supported: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
    resource_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_documentation: Option<&'a str>,
}

impl<'a> Metadata<'a> {
    /// Creates the document of an endpoint; `None` if it has no authorization server to refer to.
    pub(crate) fn of(
        protection: &'a Protection,
        tools: impl IntoIterator<Item = &'a String>,
        name: &'a str,
    ) -> Option<Self> {
        protection.metadata_url()?;
        Some(Self {
            resource: &protection.resource().identifier,
            authorization_servers: protection.authorization_servers(),
            scopes_supported: protection.supported(tools),
            bearer_methods_supported: ["header"],
            resource_name: name,
            resource_documentation: protection.documentation_url(),
        })
    }
}

/// Whether a string is a scope that a challenge can name (RFC 6749 §3.3, `scope-token`).
pub(crate) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
}
